#!/usr/bin/env python3
"""Measures zeroc, the limits of this machine, and PyTorch side by side on GPT-2 124M.

    benchmark/run.py                       the six cases of the table, three rounds
    benchmark/run.py --case=b4t64x2 --quick
    benchmark/run.py --config=benchmark/models/mixtral-121m.json --case=b4t256x2
    benchmark/run.py --case=b4t256x2 --precision=bf16 --torch-compile --torch-python=VENV/bin/python

A case is b<batch>t<tokens>x<threads> or, with the batch of a rank, b<batch>t<tokens>r<ranks>s<stage>.  Each
round measures everything in turn, so that changes on the machine affect all results.  ZERO_BUILD_DIR names
another build folder.
"""
import argparse
import sys
import tempfile
from pathlib import Path

import cases
import machine
import models
import peer
import report
import trainer
import watch

CONFIG = trainer.ROOT / "examples" / "gpt2-small.json"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default=",".join(cases.CASES), help="cases, with commas between")
    parser.add_argument("--steps", type=int, default=8, help="of a run; the first two do not count")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--config", default=CONFIG, help="another GPT-2, a Llama or a Mixtral")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--torch-lib", help="folder with the libblas.so.3 that PyTorch gets")
    parser.add_argument("--torch-python", default="/usr/bin/python3",
                        help="the Python that has PyTorch")
    parser.add_argument("--torch-compile", action="store_true",
                        help="PyTorch 2: torch.compile, fused attention and AdamW, clipped gradients")
    parser.add_argument("--quick", action="store_true", help="one round of four steps")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.steps = 1, 4
    if options.steps < 1 or options.rounds < 1:
        parser.error("--steps and --rounds need at least 1")
    try:
        options.cases = [cases.Case.parse(name) for name in options.case.split(",")]
    except ValueError as error:
        parser.error(str(error))
    if not trainer.ZEROC.exists():
        parser.error(f"{trainer.ZEROC} does not exist; build first, or set ZERO_BUILD_DIR")
    return options


def measure(options, model, folder):
    """Returns (limits, {case: runs of zeroc}, {case: runs of PyTorch})."""
    def say(text):
        sys.stdout.flush()
        print(text, file=sys.stderr, flush=True)

    say("building")
    machine.build(folder)
    ours = trainer.Trainer(options.config, folder, [f"--precision={options.precision}"])
    for case in options.cases:
        ours.compile(case)
    print("zeroc compiles in " + ", ".join(f"{seconds:.1f}" for seconds
                                           in ours.compile_seconds.values()) + " s")
    torch = peer.Torch(options.torch_python, options.torch_lib, options.config, folder,
                       ["--bf16"] * (options.precision == "bf16") + ["--compile"] * options.torch_compile)
    if not isinstance(model, models.Gpt2):
        torch.missing = "what it runs is GPT-2"
    tokens = folder / "tokens.u16"
    most = max(case.tokens * case.ranks for case in options.cases)
    trainer.write_tokens(tokens, options.steps * most + 1, model.vocab)

    if torch.missing:
        print(f"torch is not measured: {torch.missing}")
    else:
        print(f"{torch.version}, {'compiled' if options.torch_compile else 'eager'}, "
              + (f"BLAS of {options.torch_lib}" if options.torch_lib
                 else "its default BLAS; --torch-lib names a better"))
    if watch.load() > 0.5:
        print(f"warning: the machine is not quiet, its load is {watch.load():.1f}")
    watch.disturbed.clear()  # compiling does not matter
    limits = cases.Limits()
    zeroc_runs = {case: [] for case in options.cases}
    torch_runs = {case: [] for case in options.cases}
    for turn in range(options.rounds):
        say(f"round {turn + 1} of {options.rounds}: limits")
        machine.measure(limits, options.cases, model, folder, 0.05,
                        options.precision)
        for case in options.cases:
            say(f"round {turn + 1} of {options.rounds}: {case.name}")
            zeroc_runs[case].append(ours.run(case, tokens, options.steps))
            if not torch.missing:
                try:
                    torch_runs[case].append(torch.run(case, options.steps))
                except watch.Failed as error:
                    print(f"warning: {error}")
    return limits, zeroc_runs, torch_runs


def main():
    options = parse_options()
    try:
        model = models.read(options.config)
    except (models.Unknown, OSError, KeyError, ValueError) as error:
        sys.exit(f"run.py: error: {options.config}: {error}")
    with tempfile.TemporaryDirectory(prefix="zeroc-benchmark-") as folder:
        try:
            limits, ours, theirs = measure(options, model, Path(folder))
        except watch.Failed as error:
            sys.exit(f"run.py: error: {error}")
    print("\nLimits of this machine\n")
    print(report.limits_text(options.cases, model, limits))
    print(f"\nA step, medians of {options.rounds} round{'s' * (options.rounds > 1)} of "
          f"{options.steps} steps\n")
    print(report.cases_text(options.cases, model, limits, ours, theirs))
    print("\n" + report.rates_text(options.cases, ours, theirs))
    print(report.ranks_text(options.cases, ours))
    print("Where zeroc's time goes")
    for case in options.cases:
        print("\n" + report.where_text(case, model, limits, ours[case]))
    if watch.disturbed:
        print("\nwarning: the machine was not quiet")
        for line in watch.disturbed:
            print(f"  {line}")


if __name__ == "__main__":
    main()
