#!/usr/bin/env python3
"""Random bodies of kernels: judged, compiled, executed, compared.

    test/random/kernels.py --kernels=5000 --seed=1

Draws kernels (kernel_generator.py) and has zero-kernels judge them.  Those that are
accepted are executed in one piece, in pieces of any size and order, with results in
the bytes of operands where they allow it, and by the runtime on several threads,
plainly and under chaos seeds: all to the same bytes, and to the numbers of an
interpretation that shares nothing with the compiler.  What does otherwise is a hole
in the judge or an error of the compiler.

Prints how many were accepted, which rules refused the others, and every one that is
wrong.  Kernel i has the seed SEED + i, so `--kernels=1 --seed=S` repeats one.  With
--keep=DIR its text is DIR/S.mlir.  Exits 1 if any is wrong.
"""
import argparse
import collections
import concurrent.futures
import json
import re
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import support
from kernel_generator import random_kernel

ZERO_KERNELS = support.BUILD / "bin" / "zero-kernels"


def execute(texts, chaos, folder):
    """Returns zero-kernels' outcome of each text."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", dir=folder) as file:
        file.write("// -----\n".join(texts))
        file.flush()
        done = support.run(ZERO_KERNELS, file.name, f"--chaos={chaos}",
                           env={"OMP_NUM_THREADS": "1"})
    if done.returncode in (0, 1):
        return [json.loads(line) for line in done.out.splitlines()]
    if len(texts) == 1:
        lines = done.err.strip().splitlines()
        return [{"outcome": "wrong", "message": f"ends with {done.returncode}: "
                 + next(iter(line for line in lines if "rror" in line), lines[-1] if lines else "")}]
    return [execute([text], chaos, folder)[0] for text in texts]


def why(message):
    """Returns `message` without details of a particular kernel."""
    message = re.sub(r"^'[\w.]+' op ", "", message)
    message = re.sub(r"affine_map<[^>]*>|tensor<[^>]*>|\[[\d, ]*\]", "..", message)
    return re.sub(r"-?\d+", "N", re.sub(r"\(S\d\).*", "", message)).strip()


def run(arguments):
    """Returns the outcome of each kernel, by seed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kernels", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1, help="of the first")
    parser.add_argument("--chaos", type=int, default=3, help="seeds of ZRT_CHAOS")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for the texts of what is wrong")
    options = parser.parse_args(arguments)
    if min(options.kernels, options.jobs) < 1 or options.chaos < 0:
        parser.error("--kernels and --jobs must be positive, --chaos not negative")
    if not ZERO_KERNELS.exists():
        parser.error(f"{ZERO_KERNELS} does not exist; build first, or set ZERO_BUILD_DIR")
    started = time.monotonic()
    seeds = range(options.seed, options.seed + options.kernels)
    batches = [seeds[i:i + 100] for i in range(0, len(seeds), 100)]
    outcomes = {}
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        results = pool.map(lambda batch: execute([random_kernel(seed) for seed in batch],
                                                 options.chaos, folder), batches)
        for batch, lines in zip(batches, results):
            outcomes.update(zip(batch, lines, strict=True))
    summarise(outcomes, options, time.monotonic() - started)
    return outcomes


def summarise(outcomes, options, seconds):
    counts = collections.Counter(line["outcome"] for line in outcomes.values())
    reasons = collections.Counter((line["outcome"], why(line["message"]))
                                  for line in outcomes.values()
                                  if line["outcome"] not in ("right", "wrong"))
    wrong = {seed: line for seed, line in outcomes.items() if line["outcome"] == "wrong"}
    for (rule, reason), count in reasons.most_common():
        print(f"{count:6} {rule}  {reason}")
    for seed, line in wrong.items():
        print(f"kernel {seed} is wrong: {line['message']}")
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            (options.keep / f"{seed}.mlir").write_text(random_kernel(seed))
    accepted = counts["right"] + counts["wrong"]
    print(f"{len(outcomes)} kernels in {seconds:.0f} s: {accepted} accepted and executed, "
          f"{len(outcomes) - accepted} refused, {len(wrong)} wrong")


if __name__ == "__main__":
    sys.exit(any(line["outcome"] == "wrong" for line in run(sys.argv[1:]).values()))
