"""When two training runs count as equal: to the bit, or within float32 rounding.

The tolerance.  u = 2^-24 is the relative error of one rounding.  Take G, the largest
norm of the gradient that an update saw, S steps, and a parameter p:

* Its gradient is the end of sums and products whose factors are of about unit size
  (see layers.py), so its error is of the order of u G, not of u times the
  gradient itself, which may be all cancellation: the key's bias in an attention has
  a gradient of exactly zero, and what is computed for it is rounding.
  Where all of it is cancellation, as with logits that are all equal, G itself is
  rounding. What cancels is the loss's gradient by a row of logits, of unit size before
  the mean over rows divides it: G counts as SMALLEST_NORM at least.
* An optimizer turns an error e of a gradient into one of p:
  SGD with momentum m, in S steps, lr e (1 + (1 + m) + (1 + m + m^2) + ...);
  AdamW at most lr e / eps a step, since g / (|g| + eps) has slope 1 / eps at zero.
  With eps = 1e-8 the direction of an update would be rounding alone where the
  gradient is, so comparisons need a larger one, and plans are drawn with 1e-3 or 1e-2.
* Each step rounds p itself, and the models of later steps begin with what differs.

    |p - reference| <= u (4 S max|p| + ROUNDINGS (moved(p) + lr G sensitivity))

with moved(p) the largest change of p over the training.  Loss and norm, which come of
sums over all rows and all parameters: u ROUNDINGS (1 + |value|), plus what the
difference of the weights can make of it, of the same order.

A model may amplify what differs, as a norm of rows that are nearly constant does: there
the reference itself moves when its learning rate does by NUDGE.  Where the tolerance is
exceeded, as much is added to it.
"""
import math

import support

#: Roundings on the way to a gradient, as units of u G.  The largest difference in 200
#: models was a quarter of the tolerance; one rank's data left out of two is more than
#: ten thousand tolerances.
ROUNDINGS = 128
UNIT = 2.0 ** -24
#: For tensors of 16 bits.  Both runs round at the same places, but a value that differs in f32 is
#: sometimes rounded to another neighbour, and fewer roundings explain all differences.
HALVES = {"bf16": 2.0 ** -8 / 64, "fp16": 2.0 ** -11 / 64}
#: For bf16 without masters: a difference in f32 changes the rounding with a probability
#: proportional to it, and each change stays in the parameter.
BY_CHANCE = 2.0 ** -8 / 4
SMALLEST_NORM = 1 / 64
#: The effect of a few roundings, as a relative change of the learning rate.
NUDGE = 2.0 ** -20


class Outcome:
    """The results of a training run."""

    def __init__(self, metrics, saved):
        lines = support.read_metrics(metrics)
        self.lines = [line for line in lines if "samples" not in line]
        self.samples = [line["samples"] for line in lines if "samples" in line]
        self.raw = saved.read_bytes()
        self.weights = support.read_safetensors(saved)

    def values(self, name):
        return [line[name] for line in self.lines]


def different_bits(outcome, expected):
    """Returns the differences."""
    found = []
    for name in ("loss", "grad_norm"):
        for step, (value, other) in enumerate(zip(outcome.values(name), expected.values(name))):
            if value != other:
                found.append(f"{name} of step {step} is {value!r}, not {other!r}")
    if len(outcome.lines) != len(expected.lines):
        found.append(f"{len(outcome.lines)} steps, not {len(expected.lines)}")
    if outcome.raw != expected.raw:
        worst, where = support.largest_difference(outcome.weights, expected.weights)
        found.append(f"weights differ, by up to {worst:.3e} in {where}")
    return found


def sensitivity(optimizer, steps):
    """Returns how much of an error of every gradient reaches a weight, in units of lr."""
    if optimizer["name"] == "adamw":
        return steps / optimizer["eps"]
    momentum = optimizer["momentum"]
    return sum(sum(momentum ** i for i in range(step + 1)) for step in range(steps))


def beyond_rounding(outcome, reference, start, optimizer, nudged=None, unit=UNIT):
    """Returns (values further from the reference than roundings explain, the largest difference in
    units of the tolerance).  `start` are the weights before training, `nudged` is the reference
    with another learning rate, `unit` the relative error of one rounding."""
    found, largest = [], 0.0
    nudged = nudged or reference

    def judge(what, value, expected, allowed, other):
        nonlocal largest
        allowed += abs(other - expected)
        ratio = abs(value - expected) / allowed if math.isfinite(value) else math.inf
        largest = max(largest, ratio)
        if not ratio <= 1:
            found.append(f"{what} is {value!r}, the reference {expected!r}: {ratio:.3g} times "
                         f"what roundings explain ({allowed:.2e})")

    for name in ("loss", "grad_norm"):
        runs = zip(outcome.values(name), reference.values(name), nudged.values(name))
        for step, (value, expected, other) in enumerate(runs):
            judge(f"{name} of step {step}", value, expected,
                  unit * ROUNDINGS * (1 + abs(expected)), other)
    steps = len(reference.lines)
    norm = max(reference.values("grad_norm"))
    if optimizer["clip"]:
        norm = min(norm, optimizer["clip"])
    norm = max(norm, SMALLEST_NORM)
    spread = optimizer["lr"] * norm * sensitivity(optimizer, steps)
    for name, (_, values) in reference.weights.items():
        size = max(map(abs, values))
        moved = max(abs(a - b) for a, b in zip(values, start[name][1]))
        allowed = unit * (4 * steps * size + ROUNDINGS * (moved + spread)) + 1e-30
        got = outcome.weights[name][1]
        at = max(range(len(values)), key=lambda i: abs(got[i] - values[i])
                 if math.isfinite(got[i]) else math.inf)
        judge(f"{name}[{at}]", got[at], values[at], allowed, nudged.weights[name][1][at])
    return found, largest
