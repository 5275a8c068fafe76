#!/usr/bin/env python3
"""Compares training with dropout with that of transformers and PEFT, over seeds.

    dropout.py [--seeds=20] [--steps=150]     (needs torch, transformers, peft, safetensors)

Masks differ, so only distributions can agree: of the loss of the first step, and of its means over
the first and the last steps.  Both sides begin with the same weights and read the same data; without
dropout their losses are equal.  Prints both, and fails if a mean is off by more than four standard
errors of the difference.
"""
import argparse
import array
import statistics
import sys
import tempfile
from pathlib import Path

import torch
import transformers
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
import support

SIZES = dict(vocab_size=96, n_embd=48, n_layer=2, n_head=4, n_positions=64)
RATES = dict(resid_pdrop=0.15, embd_pdrop=0.1, attn_pdrop=0.25)
BATCH, SEQ, RANK, ALPHA, LORA_RATE = 4, 32, 8, 16, 0.3


class Comparison:
    def __init__(self, folder, steps, config, imported=(), compiled=(), lora_rate=None):
        self.folder, self.steps, self.config, self.lora_rate = folder, steps, config, lora_rate
        config = {"model_type": "gpt2", **config}
        self.binary = support.compile_model(support.import_model(config, BATCH, SEQ, *imported), *compiled,
                                            "--weight-decay=0", "--betas=0.9,0.999")
        self.adapted = lora_rate is not None
        self.lr = 1e-2 if self.adapted else 2e-3

    def train(self, *flags, steps=None):
        metrics = self.folder / "metrics.jsonl"
        done = support.run(self.binary, "--data", self.folder / "tokens.u16", "--steps", steps or self.steps,
                           "--lr", self.lr, "--metrics", metrics, *flags, cwd=self.folder)
        assert done.returncode == 0, done.err
        return [line["loss"] for line in support.read_metrics(metrics)]

    def zeroc(self, seed):
        start = ("--adapter", self.folder / "adapter") if self.adapted else ()
        return self.train("--init", self.folder / "base.safetensors", *start, "--seed", seed)

    def torch(self, seed):
        torch.manual_seed(seed)
        model = transformers.GPT2LMHeadModel(transformers.GPT2Config(**self.config, attn_implementation="eager"))
        assert not model.load_state_dict(load_file(self.folder / "base.safetensors"), strict=False).unexpected_keys
        if self.adapted:
            model = get_peft_model(model, LoraConfig(r=RANK, lora_alpha=ALPHA, lora_dropout=self.lora_rate,
                                                     fan_in_fan_out=True, target_modules=["c_attn", "c_proj", "c_fc"]))
            start = load_file(self.folder / "adapter" / support.ADAPTER)
            start = {name.replace(".weight", ".default.weight"): tensor for name, tensor in start.items()}
            assert not model.load_state_dict(start, strict=False).unexpected_keys
        trained = [p for p in model.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=self.lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0)
        data = torch.tensor(array.array("H", (self.folder / "tokens.u16").read_bytes()).tolist())
        losses = []
        model.train()
        for step in range(self.steps):
            first = step * BATCH * SEQ
            x, y = (data[first + i:first + i + BATCH * SEQ].view(BATCH, SEQ) for i in (0, 1))
            loss = torch.nn.functional.cross_entropy(model(input_ids=x).logits.flatten(0, 1), y.flatten())
            losses.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
        return losses


def compare(name, ours, theirs, part):
    """Prints both distributions; returns whether they agree."""
    agrees = True
    for what, of in (("first step", lambda run: run[0]), ("first steps", lambda run: statistics.mean(run[:part])),
                     ("last steps", lambda run: statistics.mean(run[-part:]))):
        values = [[of(run) for run in runs] for runs in (ours, theirs)]
        means, deviations = [statistics.mean(v) for v in values], [statistics.stdev(v) for v in values]
        error = (sum(d * d for d in deviations) / len(ours)) ** 0.5
        apart = (means[0] - means[1]) / max(error, 1e-5)
        print(f"{name:<8}{what:<12} {means[0]:.4f} +- {deviations[0]:.4f}, and {means[1]:.4f} +- {deviations[1]:.4f}: "
              f"{apart:+.1f} standard errors apart")
        agrees &= abs(apart) < 4
    return agrees


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=150)
    options = parser.parse_args()
    support.require_zeroc()
    torch.set_num_threads(1)
    off = {**SIZES, **dict.fromkeys(RATES, 0.0)}
    lora = f"--lora={RANK}:{ALPHA}"
    agrees = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        support.write_tokens(folder / "tokens.u16", options.steps * BATCH * SEQ + 1, SIZES["vocab_size"])
        Comparison(folder, options.steps, off).train("--save", folder / "base.safetensors", steps=1)
        Comparison(folder, options.steps, off, compiled=[lora]).train(
            "--init", folder / "base.safetensors", "--save", folder / "adapter", steps=1)
        for name, plain, dropped in (
                ("GPT-2", dict(config=off), dict(config={**SIZES, **RATES}, imported=["--dropout"])),
                ("LoRA", dict(config=off, compiled=[lora], lora_rate=0.0),
                 dict(config=off, compiled=[lora, f"--lora-dropout={LORA_RATE}"], lora_rate=LORA_RATE))):
            one = Comparison(folder, options.steps, **plain)
            assert max(abs(x - y) for x, y in zip(one.zeroc(0), one.torch(0))) < 1e-3, f"{name} differs without dropout"
            one = Comparison(folder, options.steps, **dropped)
            runs = [[run(seed) for seed in range(options.seeds)] for run in (one.zeroc, one.torch)]
            agrees &= compare(name, *runs, options.steps // 3)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
