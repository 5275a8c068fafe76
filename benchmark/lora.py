#!/usr/bin/env python3
"""Measures a step with LoRA adapters, also beside packed weights, against a step of full training, and against
transformers with PEFT.

    benchmark/lora.py
    benchmark/lora.py --rank=8 --targets='.*' --precision=bf16 --case=b2t256r2s3
    benchmark/lora.py --variants=linear,peft --torch-python=VENV/bin/python

Each round runs all variants in turn, so that changes on the machine affect all of them.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import cases
import models
import peer
import report
import trainer
import watch

CONFIG = Path(__file__).resolve().parent / "models" / "llama-100m.json"
#: PEFT's default targets for Llama.
TARGETS = ".*(q_proj|v_proj)"
#: Variants by their names in --variants: full training, adapters of all linear layers, of --targets, of all linear
#: layers beside packed weights, and of all linear layers by transformers with PEFT.
VARIANTS = ("full", "linear", "targets", "nf4", "int8", "peft")
LINEAR, PEFT = "all linear layers", "transformers with PEFT"


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", default="b4t256x2", type=cases.Case.parse)
    parser.add_argument("--config", default=CONFIG, help="a GPT-2, a Llama or a Mixtral")
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--targets", default=TARGETS,
                        help="of zeroc --lora-targets; the others have all linear layers")
    parser.add_argument("--variants", default=",".join(VARIANTS), help="what to measure, with commas between")
    parser.add_argument("--torch-python", default="/usr/bin/python3",
                        help="the Python that has PyTorch, transformers and PEFT")
    parser.add_argument("--torch-compile", action="store_true", help="with torch.compile")
    parser.add_argument("--steps", type=int, default=8, help="of a run; the first two do not count")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    options.variants = options.variants.split(",")
    if not set(options.variants) <= set(VARIANTS):
        parser.error(f"--variants are of {', '.join(VARIANTS)}")
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
    rows = [[row for row in run.profile.rows if row.name.startswith("unpack")] for run in runs if run.profile]
    if not rows or not rows[0]:
        return None
    seconds = [sum(row.seconds for row in some) for some in rows]
    rates = [sum(row.seconds * row.rate for row in some) / all for some, all in zip(rows, seconds)]
    return cases.median(seconds), cases.median(rates)


def measure(options, folder):
    """Returns {name: (certificate, runs)}; the certificate of PEFT is None."""
    precision, rank = f"--precision={options.precision}", f"--lora={options.rank}"
    variants = {"full": ("full", [precision]), "linear": (LINEAR, [precision, rank]),
                "targets": (options.targets, [precision, rank, f"--lora-targets={options.targets}"])}
    variants |= {storage: (storage, [precision, rank, f"--base-storage={storage}"]) for storage in ("nf4", "int8")}
    trainers = {name: trainer.Trainer(options.config, folder, variant, f"train{i}")
                for i, (key, (name, variant)) in enumerate(variants.items()) if key in options.variants}
    results = {name: (one.certificate(options.case), []) for name, one in trainers.items()}
    if "peft" in options.variants:
        theirs = peer.Peft(options.torch_python, options.config, folder, options.rank,
                           ["--bf16"] * (options.precision == "bf16") + ["--compile"] * options.torch_compile)
        missing = theirs.missing or ("it is of one rank" if options.case.ranks > 1 else "")
        print(f"PEFT is not measured: {missing}" if missing else theirs.version)
        if not missing:
            trainers[PEFT], results[PEFT] = theirs, (None, [])
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
    full = results.get("full")
    rows = []
    for name, (certificate, runs) in results.items():
        steps = [run.step for run in runs]
        row = [name, report.ms(cases.median(steps)), report.spread(steps),
               f"{cases.median([run.step / other.step for run, other in zip(runs, full[1])]):.3f}" if full else "-",
               report.mib(max(run.resident for run in runs))]
        if certificate:
            state, copies = state_bytes(certificate), dequantization(runs)
            row += [f"{certificate['parameters'] / 1e6:.2f}M", report.mib(state),
                    f"{state / base_bytes(full[0]):.3f}" if full else "-", report.mib(base_bytes(certificate)),
                    report.mib(received_bytes(certificate)),
                    *((report.ms(copies[0]), f"{copies[1] / 1e9:.1f}") if copies else ("", ""))]
        rows.append(row + [""] * (12 - len(row)))
    text = report.table(("trained", "ms a step", "spread", "x full", "peak MiB", "parameters", "state MiB", "x weights",
                         "parameters MiB", "received MiB", "dequantize ms", "GB/s"), rows)
    if LINEAR in results and PEFT in results:
        ours, theirs = results[LINEAR][1], results[PEFT][1]
        ratio = cases.median([run.step / other.step for run, other in zip(ours, theirs)])
        most, of = (max(run.resident for run in runs) for runs in (ours, theirs))
        memory = f"{most / of:.2f}" if most else "not seen"
        text += f"\n\n  {LINEAR} / {PEFT}: time {ratio:.2f}, memory {memory}"
    return text


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
