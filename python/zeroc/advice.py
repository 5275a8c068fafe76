"""How long a run is: what was chosen before it and why, and what would help one that has hardly trained."""
from __future__ import annotations

import math
from statistics import fmean, pvariance

from .errors import plural
from .metrics import read_metrics
from .options import value_of

#: A run with fewer steps is short.
FEW_STEPS = 50
#: Of losses of one part of a run and of another: by how much of the first the second differs if the loss falls or has
#: risen, and of two parts that follow each other by how many standard errors, too.
FALLING, ERRORS = 0.02, 2
#: Of the first losses of a run: what it falls by at least if the run has learned.
LEARNED = 0.05


def length_lines(run, sequences):
    """The steps of a run, and what they follow from."""
    n, default = run.accumulate, run.accumulation
    if value_of(run.compiled, "--accumulate"):
        why = ""
    elif run.accumulation_of_before:
        why = " as the run began"
    elif n == default:
        why = " by default"
    elif run.args.steps:
        why = f" rather than {default}, so that a step reads no sequence twice"
    else:
        fewer = int(run.times * sequences * n / (run.sequences_per_step() * default))
        why = f" rather than {default}, which would be {plural(fewer, 'step')}"
    tokens = run.sequences_per_step() * run.seq
    yield (f"run       {plural(run.steps, 'step')} of {plural(run.sequences_per_step(), 'sequence')}, "
           f"{plural(tokens, 'token')}")
    epochs = f"{run.steps * run.sequences_per_step() / sequences:.3g}"
    yield (f"          {epochs} epoch{'' if epochs == '1' else 's'} of {plural(sequences, 'sequence')}, --accumulate={n}{why}")


def for_more_steps(run, *more):
    """What to change, as a text."""
    a = run.args
    ways = [f"raise --steps (now {a.steps})" if a.steps else f"raise --epochs (now {run.times:g})"]
    if not a.steps:
        ways += [f"lower {name} (now {value})" for name, value in (("--accumulate", run.accumulate), ("--batch", a.batch))
                 if value > 1]
        ways += [f"lower --seq (now {run.seq})"] * (not getattr(a, "no_packing", False))
    ways += more
    return ", or ".join([", ".join(ways[:-1]), ways[-1]] if ways[1:] else ways)


def is_falling(losses):
    """Whether losses of the last third of a run are below those of the third before."""
    third = len(losses) // 3
    if third < 2:
        return False
    before, last = losses[-2 * third:-third], losses[-third:]
    fall = fmean(before) - fmean(last)
    return fall > FALLING * abs(fmean(before)) and fall > ERRORS * math.sqrt((pvariance(before) + pvariance(last)) / third)


def lines_after(run):
    """What would help; nothing if the run was long, and its loss has not risen and does not fall any more, or its
    evaluation rises."""
    lines = read_metrics(run.work / "metrics.jsonl")
    losses, evaluations = ([line[key] for line in lines if line.get(key) is not None] for key in ("loss", "eval_loss"))
    if not losses:
        return
    tenth = math.ceil(len(losses) / 10)
    first, last = fmean(losses[:tenth]), fmean(losses[-tenth:])
    if first > 2 * losses[0] > 0:  # it rose at once
        first = losses[0]
    is_short, has_risen = run.steps < FEW_STEPS, last - first > FALLING * abs(first)
    falls = last < first and is_falling(losses) and not (evaluations and evaluations[-1] > min(evaluations))
    if is_short or has_risen or falls:
        lr = run.lr if run.args.lr is None else run.args.lr
        more = [f"raise --lr (now {lr:g})"] * (first - last < LEARNED * abs(first))
        yield (f"advice    the loss went from {first:.4g} to {last:.4g} in {'only ' * is_short}{plural(run.steps, 'step')}"
               f"{' and was still falling' * falls}: "
               f"{f'lower --lr (now {lr:g})' if has_risen else for_more_steps(run, *more)}, with --restart or another -o")
