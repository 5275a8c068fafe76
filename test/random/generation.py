#!/usr/bin/env python3
"""Random configurations of all families generate with the bits of training.

    generation.py [--models=N] [--seed=S]     (default: 60, 1)

Each gets a precision, and sometimes adapters over weights of 16, 8 or 4 bits.  It is trained for two steps; then
the logits of a training step are compared with those of generation from the checkpoint, token by token and in
chunks (test_generate_bits.py).  Prints what differs; the status is the number of models that do.
"""
import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("e2e", "golden")]
import draw_config
import support
from test_generate_bits import GenerateBits

ADAPTERS = ((), (), ("--lora=3",), ("--lora=3", "--dora"), ("--lora=3", "--base-storage=nf4"),
            ("--lora=3", "--base-storage=int8"))


def configuration(rng):
    """A config, its batch, its sequence, and what zeroc is asked for; drawn again until zeroc imports it."""
    while True:
        case = draw_config.draw(rng.choice(sorted(draw_config.FAMILIES)), rng)
        config = {key: value for key, value in case.config.items() if key not in case.odd}
        options = rng.choice(ADAPTERS)
        if case.must_refuse or case.seq == 1:
            continue
        # A head is not packed, and with the probe none is known as the head.
        if len(options) > 1:
            config["tie_word_embeddings"] = True
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.json"
            path.write_text(json.dumps(config))
            done = support.run(support.ZEROC, "import", path, "--batch=2", f"--seq={case.seq}", "-o", Path(folder) / "m.mlir")
        if done.returncode == 0:
            return config, case.seq, rng.choice(("fp32", "bf16")), options


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--models", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    failed, refused = 0, 0
    for number in range(args.seed, args.seed + args.models):
        config, seq, precision, options = configuration(random.Random(number))
        test = GenerateBits()
        test.setUp()
        what = f"{number}: {config['model_type']} {precision} {' '.join(options)}"
        try:
            test.compare_trained(config, seq, precision, options)
        except (AssertionError, SystemExit, RuntimeError) as error:
            text = str(error)
            if "has no parameter" in text or "use a rank of at most" in text or "which get no adapters" in text:
                refused += 1
            else:
                failed += 1
                print(f"{what}: {text[:600]}", flush=True)
        finally:
            test.doCleanups()
    print(f"{args.models} models: {args.models - failed - refused} the same bits, {refused} refused, {failed} differ")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
