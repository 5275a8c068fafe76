#!/usr/bin/env python3
"""Compiles and trains modules that generate.py printed, and compares the loss and
every gradient of one step with those that their front end computed in float64.

    ZERO_BUILD_DIR=build/release test/foreign/check_modules.py FOLDER [WORD...]

The gradient is computed from one step of plain gradient descent, so large that the initial weights
are lost in rounding.  A module is right if the loss is within 2e-5 of its value, and each gradient
within 1e-4 of its largest element (of a thousandth of the largest of all, where that is more).
"""
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
import support  # noqa: E402

LOSS_ERROR, GRADIENT_ERROR = 2e-5, 1e-4
STEP = 2.0**16
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")


class Wrong(Exception):
    """An error, or a wrong result."""


def run(*command):
    done = support.run(*command)
    if done.returncode != 0:
        lines = [line for line in (done.err + done.out).splitlines() if "error" in line]
        raise Wrong(f"{Path(command[0]).name}: {lines[0] if lines else done.returncode}")


def start(module, folder):
    """Returns (options that start a run of `module`, a path, with its weights and inputs; all
    values stored beside it; its weights)."""
    values = support.read_safetensors(module.with_suffix(".safetensors"))
    begin = {name[5:]: values[name[5:]] for name in values if name.startswith("grad.")}
    inputs = values.keys() - begin.keys() - {f"grad.{name}" for name in begin} - {"loss"}
    support.write_safetensors(folder / "begin.safetensors", begin)
    given = [f"--input={name}={module.with_suffix('.safetensors')}:{name}" for name in sorted(inputs)]
    return [*given, "--init", folder / "begin.safetensors"], values, begin


def check(module, folder, *options):
    """Returns the errors of the loss and of the gradients of `module`, a path; raises Wrong."""
    flags, values, begin = start(module, folder)
    gradients = {name: values[f"grad.{name}"] for name in begin}
    run(support.ZEROC, module, *PLAIN, *options, "-o", folder / "train")
    run(folder / "train", *flags, "--steps", 1, "--lr", STEP,
        "--save", folder / "end.safetensors", "--metrics", folder / "metrics.jsonl", "--quiet")

    expected = values["loss"][1][0]
    loss = support.read_metrics(folder / "metrics.jsonl")[0]["loss"]
    loss_error = abs(loss - expected) / abs(expected)
    end = support.read_safetensors(folder / "end.safetensors")
    scale = 1e-3 * support.largest_magnitude(gradients)
    gradient_error = 0.0
    for name, (_, gradient) in gradients.items():
        got = [(x - y) / STEP for x, y in zip(begin[name][1], end[name][1])]
        error = max(map(abs, map(float.__sub__, got, map(float, gradient)))) / \
            max(scale, max(map(abs, gradient)))
        gradient_error = max(gradient_error, error if math.isfinite(error) else math.inf)
    if not (loss_error <= LOSS_ERROR and gradient_error <= GRADIENT_ERROR):
        raise Wrong(f"loss {loss_error:.1e} off, gradients {gradient_error:.1e}")
    return loss_error, gradient_error


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    support.require_zeroc()
    modules = [path for path in sorted(Path(sys.argv[1]).glob("*.mlir"))
               if all(word in path.stem for word in sys.argv[2:])]
    right = 0
    for module in modules:
        with tempfile.TemporaryDirectory(prefix="zeroc-foreign-") as folder:
            try:
                errors = check(module, Path(folder))
                print(f"{module.stem:32s} right: loss {errors[0]:.1e} off, gradients {errors[1]:.1e}",
                      flush=True)
                right += 1
            except Wrong as wrong:
                print(f"{module.stem:32s} WRONG: {wrong}", flush=True)
    print(f"{right} of {len(modules)} are right")
    return right != len(modules)


if __name__ == "__main__":
    sys.exit(main())
