#!/usr/bin/env python3
"""Random models whose sequences ranks share, against the whole model on one rank.

    contexts.py --models=200 --seed=1

Their pieces mix positions by attention alone; what else they draw may be refused, by name.
"""
import argparse
import concurrent.futures
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import check
import compare
import layers
from generator import Model
from workplace import Failure

PIECES = [layers.mlp, layers.gated_mlp, layers.packed_attention, layers.separate_attention, layers.grouped_attention,
          layers.grouped_attention, layers.row_gate, layers.channel_scale, layers.routed]
#: The error for a model that cannot be cut.
REFUSED = re.compile(r"error: .*--context=\d.*drop (?:it|the option)|error: .*which --context=\d does not divide")


class Shared(check.Trial):
    """The model of a seed, and one plan of it; `ranks` is how many sequences are trained at once."""

    def __init__(self, seed, folder):
        super().__init__(seed, folder)
        self.model, self.adapters = Model(seed, shared=True), []
        rng = random.Random(f"contexts {seed}")
        self.context = rng.choice([count for count in (2, 2, 4) if self.model.seq % count == 0])
        self.ranks = rng.choice((1, 1, 2))
        self.options = [f"--context={self.context}", f"--world-size={self.context * self.ranks}", f"--stage={rng.randrange(4)}",
                        f"--accumulate={self.micro_steps}", *self.chunks, *check.kept_state(rng)]
        self.options += rng.choice(([], [], ["--remat=block"], ["--remat=kernels"], ["--offload-activations=cpu"]))
        if self.options[2] == "--stage=3" and not any("--persist-below" in option for option in self.options):
            self.options += rng.choice(([], ["--offload=cpu"]))
        self.options = check.plan_rules.allowed(self.options)

    def run(self):
        """Returns whether the model could be cut."""
        for name, rows in ("whole", self.rows * self.ranks * self.micro_steps), ("model", self.rows):
            (self.folder / f"{name}.mlir").write_text(self.model.text(rows))
        try:
            self.compile("model.mlir", "plan", *self.options)
        except Failure as error:
            if REFUSED.search(str(error)):
                return False
            raise
        self.write_tokens()
        self.compile("whole.mlir", "reference", "--reference")
        start = self.train("reference", 1, lr=0, steps=1).weights
        reference, nudged = (self.train("reference", 1, lr=self.optimizer["lr"] * (1 + nudge)) for nudge in (0, compare.NUDGE))
        outcome = self.train("plan", self.context * self.ranks)
        beyond, _ = compare.beyond_rounding(outcome, reference, start, self.optimizer, nudged)
        if beyond:
            raise Failure("\n".join([*beyond[:12], *self.commands]))
        return True


def attempt(seed):
    """Returns (seed, what became of its model, the failure)."""
    check.layers.PIECES = PIECES  # in this process, which is for these models
    with tempfile.TemporaryDirectory(prefix="zeroc-random-") as folder:
        try:
            return seed, "equal" if Shared(seed, folder).run() else "refused", ""
        except Failure as error:
            return seed, "failed", str(error)


def tries(models, seed, jobs, report=print):
    """Tries the models; returns how many are equal, refused and failed."""
    total = Counter()
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for number, what, text in pool.map(attempt, range(seed, seed + models)):
            total[what] += 1
            if text:
                report(f"FAIL: model {number}\n    " + text.replace("\n", "\n    "))
    report(f"{models} models: " + ", ".join(f"{total[what]} {what}" for what in ("equal", "refused", "failed")))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=int, default=100, help="how many (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the first (default 1)")
    parser.add_argument("--jobs", type=int, default=4, help="models tried at once (default 4)")
    options = parser.parse_args()
    check.support.require_zeroc()
    total = tries(options.models, options.seed, options.jobs)
    return 1 if total["failed"] or not total["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
