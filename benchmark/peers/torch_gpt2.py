"""GPT-2 in idiomatic PyTorch, without special tuning.

    torch_gpt2.py CONFIG.json BATCH SEQ THREADS STEPS [--bf16] [--compile]

prints one line of JSON: the seconds of each step, and the peak of memory.  With "checkpoint": true in the config,
blocks are recomputed (torch.utils.checkpoint).  --bf16 is autocast; parameters and moments stay float32, like zeroc's
masters and moments.

--compile is what PyTorch 2 has: torch.compile, fused attention and AdamW; gradients are clipped to a norm of 1, as in
zeroc.  Without it they are not clipped, which saves PyTorch a pass over them.
"""
import dataclasses
import json
import math
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


@dataclasses.dataclass(frozen=True)
class How:
    bf16: bool
    compile: bool

    @staticmethod
    def take(arguments):
        """Returns (how, the other arguments)."""
        return How("--bf16" in arguments, "--compile" in arguments), [a for a in arguments if a[:2] != "--"]


class Block(nn.Module):
    def __init__(self, config, fused):
        super().__init__()
        self.fused = fused
        width, positions = config["n_embd"], config["n_positions"]
        self.heads = config["n_head"]
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        # Not a buffer: gloo cannot send bool.
        self.future = torch.ones(positions, positions, dtype=torch.bool).triu(1)

    def attend(self, x):
        batch, seq, width = x.shape
        q, k, v = (part.view(batch, seq, self.heads, -1).transpose(1, 2)
                   for part in self.attention(x).split(width, dim=2))
        if self.fused:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.projection(mixed.transpose(1, 2).reshape(batch, seq, width))
        scores = q @ k.transpose(2, 3) * (1 / math.sqrt(q.shape[-1]))
        scores = scores.masked_fill(self.future[:seq, :seq], -math.inf)
        mixed = functional.softmax(scores, dim=-1) @ v
        return self.projection(mixed.transpose(1, 2).reshape(batch, seq, width))

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        return x + self.down(functional.gelu(self.up(self.ln_2(x)), approximate="tanh"))


class GPT2(nn.Module):
    """Returns the loss; the vocabulary's weights are the embedding's."""

    def __init__(self, config, fused):
        super().__init__()
        width = config["n_embd"]
        self.tokens = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["n_positions"], width)
        self.blocks = nn.Sequential(*(Block(config, fused) for _ in range(config["n_layer"])))
        self.norm = nn.LayerNorm(width)
        self.recomputes = config.get("checkpoint", False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, inputs, targets):
        x = self.tokens(inputs) + self.positions.weight[:inputs.shape[1]]
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.recomputes else block(x)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def model_of(config, how):
    model = GPT2(config, how.compile)
    return torch.compile(model) if how.compile else model


def optimizer_of(model, how):
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    # Where there is no fused one, a loop per parameter is faster on CPUs than foreach=True.
    kind = {"fused": True} if how.compile else {"foreach": False}
    return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1},
                              {"params": vectors, "weight_decay": 0.0}],
                             lr=1e-4, betas=(0.9, 0.95), **kind)


def batch_of(config, batch, seq, seed):
    """Inputs and targets are random, since the work does not depend on them."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, config["vocab_size"], (batch, seq + 1), generator=generator)
    return ids[:, :-1].contiguous(), ids[:, 1:].contiguous()


def train(model, inputs, targets, steps, how, before_step=lambda: None):
    """Returns the seconds of each step."""
    optimizer, seconds = optimizer_of(model, how), []
    for _ in range(steps):
        before_step()
        start = time.perf_counter()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=how.bf16):
            loss = model(inputs, targets)
        # DistributedDataParallel keeps its gradients, which are views of buckets.
        optimizer.zero_grad(set_to_none=not isinstance(model, DistributedDataParallel))
        loss.backward()
        if how.compile:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()
        seconds.append(time.perf_counter() - start)
    return seconds


def peak_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main():
    how, (path, *numbers) = How.take(sys.argv[1:])
    batch, seq, threads, steps = map(int, numbers)
    with open(path) as file:
        config = json.load(file)
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    seconds = train(model_of(config, how), *batch_of(config, batch, seq, seed=1), steps, how)
    print(json.dumps({"seconds": seconds, "peak_bytes": peak_bytes()}))


if __name__ == "__main__":
    main()
