#!/usr/bin/env python3
"""Random models x stages x ranks x buckets: compiled, judged, trained, compared.

    test/random/check.py --models=1000 --seed=1

For each model (generator.py) it draws ranks, micro-steps, an optimizer, the loss by chunks, now
and then adapters beside a model that is frozen and perhaps packed, or delayed updates, and for
each stage buckets, what stage 3 keeps, where state and activations lie, what is computed again,
the order of micro-steps, evaluations and samples, and now and then random delays, ranks that act
as hosts, threads, guarded memory and checked reads: sets of values of which the table of
test/e2e/test_plans.py has the pairs.  All plans train the same three steps:

    reference   one rank with the whole batch, plain loops (--reference)
    stage 0     N ranks with their part of it
    stage 1..3  the same; sometimes stage 3 in two ways

zeroc judges every plan (VerifyPlan) as it compiles it.  The stages must agree to the
bit (with several micro-steps 0 with 1, and 2 with 3: docs/zero.md, "Which bits are
equal"), and with the reference within rounding (compare.py).

With --gpu the plans of stages 1 to 3 are for a GPU, emulated under the driver of test/fakecuda, and
must have the bits of stage 0 on the processors all the same.

With --judge-only plans are made and judged (zeroc --emit=memory), and nothing is
compiled to machine code or trained: a thousand models in minutes.

Model i has the seed SEED + i, so `--models=1 --seed=S` repeats the one of a failure.
With --keep=DIR its files stay in DIR/S.  The status is 1 if any model failed.
"""
import argparse
import concurrent.futures
import contextlib
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import adapters
import compare
import experts
import layers
import plan_rules
import states
import support
from generator import random_model
from workplace import Failure, Workplace

STEPS = 3
BUCKETS = (None, None, 1, 64, 300, "1KiB", 5000, "20KiB", "1GiB")
#: What ranks exchange in fewer bits, and the error of a gradient then, as the unit of compare.py: None
#: where a model may make anything of it.
WIRES = {"bf16": compare.HALVES["bf16"], "int8": 2.0 ** -8 / 16, "int4": None}


# What a plan cannot have of these options is left out afterwards (plan_rules.py).
def kept_state(rng):
    """Options of zeroc for buckets, and for what stage 3 keeps between uses."""
    bucket = rng.choice(BUCKETS)
    options = [f"--bucket-size={bucket}"] if bucket else []
    options += rng.choice(((), (), ("--reuse-distance=1KiB",), ("--reuse-distance=8KiB",), ("--reuse-distance=1GiB",)))
    options += rng.choice(((), (), ("--persist-below=100",), ("--persist-below=1KiB",), ("--persist-below=1GiB",)))
    return options + [*rng.choice(((), (), ("--prefetch=0",), ("--prefetch=8KiB",), ("--prefetch=1GiB",)))]


def offloaded_state(rng, options):
    """Options of zeroc for the place of state."""
    places = [f"--offload-gradients={rng.choice(('none', 'cpu', 'nvme'))}"]
    if rng.random() < 0.5:
        return places
    parameters = rng.choice(("none", "cpu", "nvme"))
    # In a small model that may be all of the state.
    if any(option.startswith("--persist-below") for option in options):
        parameters = "none"
    places += [f"--offload-optimizer={rng.choice(('none', 'cpu', 'nvme'))}", f"--offload-params={parameters}"]
    return places + rng.choice(([], ["--overlap-update"])) + rng.choice(([], ["--offload-ratio=0.9"], ["--offload-ratio=0.5"]))


#: The fake driver, and options of plans for it: 16-bit products use instructions of every CPU, and
#: attention has the CPU's bits.
FAKE = support.BUILD / "lib" / "fakecuda"
ANY_CPU, GPU = "--cpu=x86-64-v3", ("--target=cuda", "--cuda-arch=emulated", "--attention=f32")
#: The ways in which ranks on GPUs communicate.
WAYS = ["host", "direct"] + ["nccl"] * (FAKE / "libnccl.so.2").exists()
#: Error for models that have no GPU kernels.
NOT_ON_GPU = re.compile("--target=cuda|on a GPU")
#: Error of the product library at the start of a program.
NO_PRODUCT = "cuBLASLt has no product"
#: Error for models with several losses.
NO_LOGITS = re.compile("drop --sample")
#: Error for models whose blocks keep nothing for the backward.
NOTHING_TO_DO = re.compile("nothing that remat=(?:block|kernels) could compute|no activations to offload")
#: Error for plans in which all parameters persist.
NOTHING_GATHERED = re.compile("no parameter that ranks gather")


class Trial(Workplace):
    """A model with everything drawn for it, and its folder."""

    def __init__(self, seed, folder, precision="fp32", gpu=False):
        super().__init__(folder)
        self.seed = seed
        self.gpu = gpu
        self.precision = precision
        self.unit = compare.HALVES.get(precision, compare.UNIT)
        self.model = random_model(seed)
        self.rng = rng = random.Random(f"trial {seed}")
        self.ranks = rng.choice((2, 2, 3, 4))
        self.groups = random.Random(f"groups {seed}")
        if self.groups.random() < 0.15:
            self.ranks = self.groups.choice((4, 6))
        self.virtual = random.Random(f"virtual {seed}").random() < 0.25 and self.ranks in (2, 4) and not gpu
        sizes = [size for size in range(2, self.ranks) if self.ranks % size == 0]
        self.group = self.groups.choice(sizes) if sizes else 0
        self.micro_steps = rng.choice((1, 1, 1, 1, 2))
        self.rows = rng.choice((1, 2))  # of a rank, in a micro-step
        if self.rows * self.ranks * self.micro_steps * self.model.seq > 64:
            self.rows = 1
        self.optimizer = self._optimizer()
        self.types = self._types() if precision in compare.HALVES else []
        if "--master=none" in self.types:
            self.unit = compare.BY_CHANCE
        # Once per model and not per plan: other chunks give other sums.
        self.places = random.Random(f"places {seed}")
        self.activations = random.Random(f"activations {seed}")
        self.evals = random.Random(f"evals {seed}")
        self.drawn = random.Random(f"drawn {seed}")
        self.ways = random.Random(f"ways {seed}")
        self.orders = random.Random(f"orders {seed}")
        self.adapters = adapters.draw(seed)
        # Bits depend on the form, and on where blocks begin: one form and one bucket size per model.
        wires = random.Random(f"wires {seed}")
        self.has_wires = wires.random() < 0.2 and not self.virtual and not gpu
        self.wire_params = wires.choice(("full", "full", *WIRES))
        self.wire_gradients = wires.choice(("full", *WIRES, *WIRES))
        if self.precision != "fp32":  # what has 16 bits already
            self.wire_params = self.wire_params.replace("bf16", "int8")
            self.wire_gradients = self.wire_gradients.replace("bf16", "int8")
        self.bucket = [f"--bucket-size={wires.choice(BUCKETS[2:])}"]
        self.chunks = random.Random(f"chunks {seed}").choice(((), ("--loss-chunk=1",)))
        # Delayed updates are different training, so they are drawn per model, whose plans are
        # compared only with each other.
        self.delayed = (random.Random(f"delayed {seed}").random() < 0.1 and self.micro_steps == 1 and not gpu
                        and "--master=none" not in self.types)
        self.guards = random.Random(f"guards {seed}")
        self.machines = random.Random(f"machines {seed}")
        self.counts = Counter()

    def _optimizer(self):
        rng, decay = self.rng, self.rng.choice((0, 0.1, 0.5))
        clip = rng.choice((0, 0.1, 1, 1, 100))
        if rng.random() < 0.5:
            chosen = dict(name="sgd", momentum=rng.choice((0, 0.5, 0.9)), lr=rng.choice((0.02, 0.1)))
            flags = [f"--momentum={chosen['momentum']}"]
        else:
            chosen = dict(name="adamw", eps=rng.choice((1e-3, 1e-2)), lr=rng.choice((1e-3, 1e-2)))
            flags = [f"--betas={rng.choice(('0.9,0.95', '0.8,0.999', '0,0.9'))}", f"--eps={chosen['eps']}"]
        flags += [f"--optimizer={chosen['name']}", f"--weight-decay={decay}", f"--grad-clip={clip}"]
        return {**chosen, "clip": clip, "flags": flags}

    def _types(self):
        """Draws the types of gradients, state and masters, once per model and not per plan."""
        rng = random.Random(f"types {self.seed}")
        types = rng.choice(([], [], ["--grad-dtype=f32"], [f"--grad-dtype={self.precision}"] * (not self.virtual)))
        types = types + rng.choice(([], ["--state-dtype=bf16"]))
        if self.precision == "bf16":
            types = types + rng.choice(([], ["--master=none"]))
        return types

    def plans(self):
        """Returns (stage, options of zeroc, options of the run, environment of the run)."""
        rng = self.rng
        for stage in (0, 1, 2, 3) + (3,) * (rng.random() < 0.15):
            options = [f"--stage={stage}", f"--world-size={self.ranks}",
                       f"--accumulate={self.micro_steps}", *self.chunks, *kept_state(rng)]
            if self.virtual:
                options.append(f"--virtual-shards={self.ranks * self.micro_steps}")
            elif self.micro_steps > 1:
                options.append(f"--accumulate-order={self.orders.choice(('batch', 'block'))}")
            if self.group and self.groups.random() < 0.7:
                options.append(f"{self.groups.choice(('--ranks-per-host', '--shard-size', '--secondary-shard'))}={self.group}")
            if self.has_wires:
                options = [option for option in options if not option.startswith("--bucket-size")] + self.bucket
                options += [f"--wire-gradients={self.wire_gradients}", f"--wire-params={self.wire_params}"]
            places = offloaded_state(self.places, options)
            if "--master=none" in self.types:
                places = []  # for state on the device
            if self.delayed:
                places = [f"--offload-optimizer={self.places.choice(('cpu', 'nvme'))}", "--delayed-update"]
            options += places
            kept = self.activations.choice(((),) * 3 + (
                ("--remat=block",), ("--remat=kernels",), ("--remat=block", "--remat-ratio=0.5"),
                ("--offload-activations=cpu",), ("--offload-activations=nvme",),
                ("--remat=block", "--offload-activations=nvme")))
            own = [f"--precision={self.precision}", *self.types]
            options = [option for option in (*options, *kept) if not option.endswith(("=full", "=none"))]
            options = plan_rules.allowed(own + options)[len(own):]
            environment = {}
            if rng.random() < 0.15:
                environment["ZRT_CHAOS"] = str(rng.randrange(1, 1000))
            if rng.random() < 0.1:
                environment["ZRT_RANKS_PER_HOST"] = rng.choice("12")
                if f"--ranks-per-host={self.group}" in options:
                    environment["ZRT_RANKS_PER_HOST"] = str(self.group)
            if self.guards.random() < 0.1:
                environment["ZRT_GUARD"] = "1"
            flags = ["--threads", rng.choice((1, 1, 1, 2))]
            if self.evals.random() < 0.5:
                options.append("--eval")
                flags += ["--eval-data", "tokens.u16", "--eval-every", 2]
            if self.drawn.random() < 0.4:
                options.append("--sample")
            if not self.gpu and not self.delayed and self.machines.random() < 0.2:
                options = self.left_to_zeroc(options, stage)
            if self.gpu:
                options.append(ANY_CPU)
                if stage > 0:
                    options += GPU
                    ways = [way for way in WAYS if way != "direct" or "ZRT_RANKS_PER_HOST" not in environment]
                    options.append(f"--collectives={self.ways.choice(ways)}")
                    environment |= {"LD_LIBRARY_PATH": str(FAKE), "FAKE_CUDA_SEED": str(self.seed)}
            yield stage, options, flags, environment

    def unit_of(self, options):
        """Returns the relative error of one rounding (compare.py), or None if it is not known."""
        units = [WIRES[option.split("=")[1]] for option in options if option.startswith("--wire-gradients")]
        if None in units or any(option.startswith("--wire-params") for option in options):
            return None
        return max([self.unit, *units])

    def order_of(self, stage, options):
        """Plans with one value add gradients in one order."""
        if self.virtual:
            return "tree"
        over_steps = self.micro_steps > 1 and stage > 1
        grouped = any(option.endswith(f"={self.group}") and option.startswith(
            ("--ranks-per-host", "--shard-size", "--secondary-shard")) for option in options)
        wires = [option for option in options if option.startswith("--wire")]
        if any("=int" in wire for wire in wires):
            # Blocks begin where buckets do, whose members depend on these options, and may be chosen.
            wires += [stage == 3, *(option for option in options if option.startswith(("--bucket-size", "--persist-below"))),
                      object() if "--bucket-size=auto" in options else None]
        return over_steps, grouped, over_steps and f"--shard-size={self.group}" in options, *wires

    def left_to_zeroc(self, options, stage):
        """The options with all that can be chosen left open, on a machine whose rates are drawn."""
        rng, text = self.machines, (self.folder / "machine.json")
        seconds = {kind: 10 ** rng.uniform(-12, -7) for kind in (
            "*.call", "*.memory", "*.cache", "*.flop", "kernel.op", "kernel.division", "kernel.function", "kernel.rounding",
            "kernel.reduction", "*.score", "all_gather.byte", "reduce_scatter.byte", "all_reduce.byte", "h2d.byte", "d2h.byte")}
        text.write_text(json.dumps({"machine": "drawn", "target": "cpu", "cores": self.ranks, "cache_bytes": 4096, "layouts": [
            {"ranks": self.ranks, "threads": 1, "seconds": seconds | {"*.a": 0, "*.b": 0, "*.c": 0, "step.call": 0}}]}))
        chosen = ("--stage", "--persist-below", "--reuse-distance", "--bucket-size", "--offload", "--overlap-update", "--remat",
                  "--prefetch")
        # Stages add the gradients of micro-steps in other orders.
        first = "auto" if self.micro_steps == 1 and not self.has_wires else stage
        self.counts["chosen"] += 1
        return [option for option in options if not option.startswith(chosen)] + [
            f"--stage={first}", "--offload=auto", "--remat=auto", "--bucket-size=auto", "--reuse-distance=auto",
            "--persist-below=auto", "--prefetch=auto", f"--machine={text}"]

    def compile(self, model, name, *options):
        """Returns those of the given options that the plan has."""
        chosen = [] if self.precision == "fp32" else [f"--precision={self.precision}"]
        chosen += self.types
        chosen = [*self.optimizer["flags"], *chosen, *self.adapters]
        self.counts["plans"] += 1
        try:
            super().compile(model, name, *options, *chosen)
            return options
        except Failure as error:
            if self.adapters and adapters.NONE.search(str(error)):
                self.adapters = []
                return self.compile(model, name, *options)
            needless = ("--sample",) if NO_LOGITS.search(str(error)) else (
                ("--remat", "--offload-activations") if NOTHING_TO_DO.search(str(error)) else
                ("--wire-params",) if NOTHING_GATHERED.search(str(error)) else ())
            if not needless and GPU[0] in options and NOT_ON_GPU.search(str(error)):
                self.counts["refused"] += 1
                return self.compile(model, name, *(option for option in options
                                                     if option not in GPU and "--collectives" not in str(option)))
            if not needless:
                raise
            # What needed these options goes with them.
            own = [f"--precision={self.precision}", *self.types]
            left = [option for option in options if not option.startswith(needless)]
            return self.compile(model, name, *plan_rules.allowed(own + left)[len(own):])

    def train(self, name, ranks, *flags, lr=None, steps=STEPS, environment=()):
        lr = self.optimizer["lr"] if lr is None else lr
        # With fp16's initial scale, gradients of unit size would overflow.
        scale = ["--loss-scale", 16] if self.precision == "fp16" else []
        base = ["--init", "random"] if self.adapters else []
        outcome = super().train(name, ranks, "--data", "tokens.u16", "--seed", self.seed, *flags,
                                *scale, *base, steps=steps, lr=lr, environment=environment)
        self.counts["runs"] += 1
        self.counts["packed"] += any("--base-storage" in option for option in self.adapters)
        return outcome

    def write_tokens(self):
        """Writes text for all steps.  If a token is ignored, whole sequences often consist of it."""
        model, rng = self.model, self.rng
        rows = self.rows * self.ranks * self.micro_steps * STEPS
        tokens = self.folder / "tokens.u16"
        support.write_tokens(tokens, rows * model.seq + 1, model.vocab, seed=self.seed)
        if model.ignored is not None:
            raw, share = bytearray(tokens.read_bytes()), rng.choice((0, 0.3, 0.7))
            for row in range(rows):
                if rng.random() < share:
                    one = model.ignored.to_bytes(2, "little")
                    raw[2 * (row * model.seq + 1):2 * ((row + 1) * model.seq + 1)] = one * model.seq
            tokens.write_bytes(raw)

    def judge(self):
        """Makes the plans: a plan that zeroc refuses is a failure."""
        (self.folder / "model.mlir").write_text(self.model.text(self.rows))
        for stage, options, _, _ in self.plans():
            self.compile("model.mlir", "plan.mlir", *options, "--emit=memory")

    def run(self):
        whole = self.rows * self.ranks * self.micro_steps
        (self.folder / "whole.mlir").write_text(self.model.text(whole))
        (self.folder / "model.mlir").write_text(self.model.text(self.rows))
        self.write_tokens()
        self.compile("whole.mlir", "reference", "--reference")
        start = self.train("reference", 1, lr=0, steps=1).weights
        reference = self.train("reference", 1)
        expected, evaluated, drawn, found = {}, {}, {}, []
        for number, (stage, options, flags, environment) in enumerate(self.plans()):
            name = f"plan{number}"
            used = self.compile("model.mlir", name, *options)
            if any(option.endswith("=nvme") for option in used):
                flags += ["--nvme-path", "."] + ["--verify-reads"] * (self.guards.random() < 0.2)
            if "--sample" in used:
                flags += ["--sample", 3, "--prompt-ids", 1, "--sample-tokens", 4]
            try:
                outcome = self.train(name, self.ranks, *flags, environment=environment)
            except Failure as error:
                if GPU[0] not in used or NO_PRODUCT not in str(error):
                    raise
                self.counts["refused"] += 1
                continue
            self.counts["gpu"] += GPU[0] in used
            self.counts["wires"] += any(option.startswith("--wire") for option in options)
            what = f"{name} (stage {stage})"
            group = self.order_of(stage, options)
            if losses := [line["eval_loss"] for line in outcome.lines if "eval_loss" in line]:
                other, same = evaluated.setdefault(group, (what, losses))
                if losses != same:
                    found.append(f"{what} evaluates to {losses}, and {other} to {same}")
            if outcome.samples:
                other, same = drawn.setdefault(group, (what, outcome.samples))
                if outcome.samples != same:
                    found.append(f"{what} goes on with {outcome.samples}, and {other} with {same}")
            if group in expected:
                other, bits = expected[group]
                found += [f"{what} against {other}: {line}"
                          for line in compare.different_bits(outcome, bits)]
                continue
            expected[group] = what, outcome
            unit = self.unit_of(options)
            if self.delayed or unit is None:
                continue
            beyond, ratio = compare.beyond_rounding(outcome, reference, start, self.optimizer,
                                                    unit=unit)
            if beyond:
                nudged = self.train("reference", 1, lr=self.optimizer["lr"] * (1 + compare.NUDGE))
                self.counts["nudged"] += 1
                beyond, ratio = compare.beyond_rounding(outcome, reference, start,
                                                        self.optimizer, nudged, unit)
            self.counts["ratio"] = max(self.counts["ratio"], ratio)
            found += [f"{what}: {line}" for line in beyond]
        if found:
            raise Failure("\n".join(found[:12] + [f"and {len(found) - 12} more"] * (len(found) > 12)))


def attempt(seed, keep=None, judge_only=False, precision="fp32", gpu=False):
    """Returns (seed, counts, failure); the failure is empty if there is none."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="zeroc-random-"))
        trial = Trial(seed, folder, precision, gpu)
        try:
            trial.judge() if judge_only else trial.run()
            return seed, trial.counts, ""
        except Exception as error:
            text = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
            if keep:
                shutil.copytree(folder, Path(keep) / str(seed), dirs_exist_ok=True)
        repeat = [f"test/random/check.py --models=1 --seed={seed} --precision={precision}{' --gpu' * gpu} --keep=DIR   # files in DIR/{seed}",
                  f"# batches: whole.mlir {trial.rows * trial.ranks * trial.micro_steps}, "
                  f"model.mlir {trial.rows}; in that folder:", *trial.commands]
        return seed, trial.counts, text + "\nto repeat:\n  " + "\n  ".join(repeat)


def check(models, seed, jobs=1, keep=None, judge_only=False, precision="fp32", report=print, gpu=False):
    """Tries the models; returns counts, with `failures` among them."""
    total, started = Counter(models=0), time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        tried = [pool.submit(attempt, seed + i, keep, judge_only, precision, gpu) for i in range(models)]
        for future in concurrent.futures.as_completed(tried):
            number, counts, text = future.result()
            total["models"] += 1
            total["plans"] += counts["plans"]
            total["runs"] += counts["runs"]
            for what in ("packed", "chosen", "gpu", "refused", "wires"):
                total[what] += counts[what]
            total["nudged"] += counts["nudged"] > 0
            total["ratio"] = max(total["ratio"], counts["ratio"])
            if text:
                total["failures"] += 1
                report(f"FAIL: model {number}\n    " + text.replace("\n", "\n    "))
            elif total["models"] % 50 == 0:
                report(f"{total['models']} models, {time.monotonic() - started:.0f} s")
    trained = ("" if judge_only else
               f"; {total['nudged']} models amplify roundings; the largest difference from the "
               f"reference is {total['ratio']:.2g} of the tolerance")
    gpus = f"{total['gpu']} on the emulated GPU, {total['refused']} plans it has no kernels for, " if gpu else ""
    report(f"{total['models']} models, {total['plans']} plans compiled and judged, "
           f"{total['runs']} runs, {total['packed']} of packed weights, "
           f"{total['chosen']} plans chosen by zeroc, {total['wires']} with collectives in fewer bits, {gpus}"
           f"{time.monotonic() - started:.0f} s, {total['failures']} failures{trained}")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=int, default=100, help="how many (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the first (default 1)")
    parser.add_argument("--jobs", type=int, default=4,
                        help="models tried at once (default 4; a run of several ranks mostly waits)")
    parser.add_argument("--experts", action="store_true", help="with mixtures of experts among the pieces")
    parser.add_argument("--states", action="store_true", help="with layers that keep a state among the pieces")
    parser.add_argument("--keep", metavar="DIR", help="where to keep the files of models that fail")
    parser.add_argument("--judge-only", action="store_true", help="make and judge plans, train nothing")
    parser.add_argument("--gpu", action="store_true", help="stages 1 to 3 on an emulated GPU")
    parser.add_argument("--precision", default="fp32", choices=("fp32", *compare.HALVES),
                        help="of all plans and the reference (default fp32)")
    options = parser.parse_args()
    if options.gpu and options.judge_only:
        parser.error("--gpu runs plans, and --judge-only runs none; use one of them")
    support.require_zeroc()
    if options.gpu and not (FAKE / "libcuda.so.1").exists():
        sys.exit("check.py: error: --gpu needs a build with CUDA; its headers were not found")
    if options.experts:
        layers.PIECES = experts.PIECES
    if options.states:
        layers.PIECES = states.PIECES
    total = check(options.models, options.seed, options.jobs, options.keep, options.judge_only,
                  options.precision, report=lambda text: print(text, flush=True), gpu=options.gpu)
    return 1 if total["failures"] or not total["models"] else 0


if __name__ == "__main__":
    sys.exit(main())
