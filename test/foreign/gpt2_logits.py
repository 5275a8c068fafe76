#!/usr/bin/env python3
"""Compares the logits of zeroc's GPT-2 with those of Hugging Face's.

    python3 test/foreign/gpt2_logits.py [--config CONFIG.json] [--tokens N] [--limit X]

Needs torch and transformers; by default the shape of GPT-2 124M, in float32, with random weights.
In both directions:

  * a program that generates reads a model that transformers saved in small shards;
  * transformers reads an exported checkpoint of a short training.

Prints the largest difference of a logit; the status is 1 if it is above the limit.
"""
import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
import support  # noqa: E402


def ours(model, weights, ids, folder):
    """Returns the logits [tokens, classes] of a prompt from a program that generates."""
    out, binary = folder / "logits.npy", folder / "generate"
    for command in ((support.ZEROC, model, "--sample-only", "-o", binary),
                    (binary, "--weights", weights, "--prompt-ids", ",".join(map(str, ids)), "--logits", out)):
        done = support.run(*command, timeout=3000)
        if done.returncode:
            sys.exit(f"gpt2_logits.py: error: {command[0]} ended with {done.returncode}: {done.err}")
    import numpy
    return numpy.load(out)


def theirs(model, ids):
    import torch
    with torch.no_grad():
        return model.eval()(torch.tensor([ids])).logits[0].numpy()


def compare(what, mine, other, limit):
    difference = float(abs(mine - other).max())
    print(f"{what}: {mine.shape[0]} tokens, {mine.shape[1]} classes, logits of up to {abs(other).max():.3g}, "
          f"largest difference {difference:.3g}")
    return difference <= limit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--limit", type=float, default=1e-4)
    args = parser.parse_args()
    from transformers import GPT2Config, GPT2LMHeadModel, set_seed
    set_seed(0)
    config = GPT2Config(**json.loads(args.config.read_text())) if args.config else GPT2Config()
    model = GPT2LMHeadModel(config)
    # As different from zero as trained ones: biases and norms begin at 0 and 1.
    for parameter in model.parameters():
        parameter.data += 0.02 * parameter.data.new_empty(parameter.shape).normal_()
    ids = random.Random(0).choices(range(config.vocab_size), k=args.tokens)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        saved = folder / "saved"
        model.save_pretrained(saved, max_shard_size="50MB")
        source = folder / "model.mlir"
        done = support.run(support.ZEROC, "import", saved / "config.json", "--batch=2",
                           f"--seq={args.tokens}", "-o", source)
        if done.returncode:
            sys.exit(f"gpt2_logits.py: error: {done.err}")
        right = compare(f"saved by transformers in {len(list(saved.glob('*.safetensors')))} files",
                        ours(source, saved, ids, folder), theirs(model, ids), args.limit)

        data = folder / "data.u16"
        support.write_tokens(data, 4 * args.tokens + 1, config.vocab_size)
        checks = folder / "checkpoints"
        binary = folder / "train"
        for command in ((support.ZEROC, source, "-o", binary),
                        (binary, "--data", data, "--steps", 2, "--lr", "1e-3", "--init", saved, "--checkpoint",
                         checks, "--save-every", 2, "--quiet"),
                        (support.ZEROC, "export", checks, f"--config={saved / 'config.json'}", "-o",
                         folder / "exported")):
            done = support.run(*command, timeout=3000)
            if done.returncode:
                sys.exit(f"gpt2_logits.py: error: {command[0]} ended with {done.returncode}: {done.err}")
        exported = GPT2LMHeadModel.from_pretrained(folder / "exported")
        right &= compare("trained, and exported", ours(source, checks, ids, folder), theirs(exported, ids),
                         args.limit)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
