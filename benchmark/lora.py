#!/usr/bin/env python3
"""Measures a step with LoRA adapters, also beside packed weights, against a step of full training.

    benchmark/lora.py
    benchmark/lora.py --rank=8 --targets='.*' --precision=bf16 --case=b2t256r2s3

Each round runs all variants in turn, so that changes on the machine affect all of them.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import cases
import models
import report
import trainer
import watch

CONFIG = Path(__file__).resolve().parent / "models" / "llama-100m.json"
#: PEFT's default targets for Llama.
TARGETS = ".*(q_proj|v_proj)"
#: Measured with adapters on all linear layers.
STORAGES = ("nf4", "int8")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="b4t256x2", type=cases.Case.parse)
    parser.add_argument("--config", default=CONFIG, help="a GPT-2, a Llama or a Mixtral")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--targets", default=TARGETS,
                        help="of zeroc --lora-targets; the others have all linear layers")
    parser.add_argument("--steps", type=int, default=8, help="of a run; the first two do not count")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.steps < 1 or options.rounds < 1:
        parser.error("--steps and --rounds need at least 1")
    if not trainer.ZEROC.exists():
        parser.error(f"{trainer.ZEROC} does not exist; build first, or set ZERO_BUILD_DIR")
    return options


def state_bytes(certificate):
    """Bytes of parameters, gradients, masters and moments on a rank."""
    return sum(part["held"] for part in certificate["model_state"].values())


def base_bytes(certificate):
    """Bytes of the parameters that full training has."""
    return certificate["model_state"]["parameters"]["held"]


def received_bytes(certificate):
    """Bytes that a rank receives in a step."""
    return sum(wire["bytes"] for wire in certificate["wire"].values())


def dequantization(runs):
    """Returns (seconds, bytes per second) of a step's copies of packed weights, or None if there are none."""
    rows = [[row for row in run.profile.rows if row.name.startswith("dequantize")] for run in runs if run.profile]
    if not rows or not rows[0]:
        return None
    seconds = [sum(row.seconds for row in some) for some in rows]
    rates = [sum(row.seconds * row.rate for row in some) / all for some, all in zip(rows, seconds)]
    return cases.median(seconds), cases.median(rates)


def measure(options, folder):
    """Returns {name: (certificate, runs)}."""
    precision, rank = f"--precision={options.precision}", f"--lora={options.rank}"
    variants = {"full": [precision], "all linear layers": [precision, rank],
                options.targets: [precision, rank, f"--lora-targets={options.targets}"]}
    variants |= {storage: [precision, rank, f"--base-storage={storage}"] for storage in STORAGES}
    trainers = {name: trainer.Trainer(options.config, folder, variant, f"train{i}")
                for i, (name, variant) in enumerate(variants.items())}
    results = {name: (one.certificate(options.case), []) for name, one in trainers.items()}
    tokens = folder / "tokens.u16"
    trainer.write_tokens(tokens, options.steps * options.case.tokens * options.case.ranks + 1,
                         models.read(options.config).vocab)
    watch.disturbed.clear()  # compiling does not matter
    for turn in range(options.rounds):
        print(f"round {turn + 1} of {options.rounds}", file=sys.stderr, flush=True)
        for name, one in trainers.items():
            results[name][1].append(one.run(options.case, tokens, options.steps))
    return results


def text_of(results):
    full = results["full"]
    base = base_bytes(full[0])
    rows = []
    for name, (certificate, runs) in results.items():
        steps = [run.step for run in runs]
        ratio = cases.median([run.step / other.step for run, other in zip(runs, full[1])])
        state = state_bytes(certificate)
        copies = dequantization(runs)
        rows.append((name, f"{certificate['parameters'] / 1e6:.2f}M", report.ms(cases.median(steps)),
                     report.spread(steps), f"{ratio:.3f}", report.mib(state), f"{state / base:.3f}",
                     report.mib(base_bytes(certificate)), report.mib(received_bytes(certificate)),
                     *((report.ms(copies[0]), f"{copies[1] / 1e9:.1f}") if copies else ("", ""))))
    return report.table(("trained", "parameters", "ms a step", "spread", "x full", "state MiB", "x weights",
                         "parameters MiB", "received MiB", "dequantize ms", "GB/s"), rows)


def main():
    options = parse_options()
    with tempfile.TemporaryDirectory(prefix="zeroc-benchmark-") as folder:
        try:
            results = measure(options, Path(folder))
        except (watch.Failed, models.Unknown, OSError) as error:
            sys.exit(f"lora.py: error: {error}")
    print(text_of(results))
    if watch.disturbed:
        print("\nwarning: the machine was not quiet")
        for line in watch.disturbed:
            print(f"  {line}")


if __name__ == "__main__":
    main()
