#!/usr/bin/env python3
"""Trains gpt2-tiny with Lion in PyTorch, in float64: gpt2-tiny/lion.json and lion.safetensors.

    make_lion.py [--float32]

The update is the one of "Symbolic Discovery of Optimization Algorithms" (Chen et al., 2023), which
PyTorch has not.  Only who makes the data anew needs PyTorch; the tests read what is stored.
--float32 writes nothing, and prints how far PyTorch's own float32 is from what is stored.
"""
import json
import math
import struct
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

HERE = Path(__file__).resolve().parent / "gpt2-tiny"
HYPER = {"lr": 3e-4, "betas": [0.9, 0.99], "weight_decay": 0.3, "clip": 1.0}


def load(path):
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    return {name: torch.from_numpy(np.frombuffer(raw[8 + length:][slice(*entry["data_offsets"])], "<f4")
                                   .copy().reshape(entry["shape"]))
            for name, entry in json.loads(raw[8:8 + length]).items() if name != "__metadata__"}


def save(path, tensors):
    header, blobs, at = {}, [], 0
    for name, tensor in tensors.items():
        blobs.append(tensor.detach().float().contiguous().numpy().astype("<f4").tobytes())
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(blobs[-1])]}
        at += len(blobs[-1])
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(struct.pack("<Q", len(head)) + head + b"".join(blobs))


def logits(config, p, ids):
    batch, length = ids.shape
    width, heads, eps = config["n_embd"], config["n_head"], config["layer_norm_epsilon"]
    x = p["transformer.wte.weight"][ids] + p["transformer.wpe.weight"][:length]
    mask = torch.full((length, length), -math.inf, dtype=x.dtype).triu(1)
    for i in range(config["n_layer"]):
        def norm(name):
            return F.layer_norm(x, (width,), p[f"{layer}{name}.weight"], p[f"{layer}{name}.bias"], eps)

        def linear(y, name):
            return y @ p[f"{layer}{name}.weight"] + p[f"{layer}{name}.bias"]

        layer = f"transformer.h.{i}."
        q, k, v = (y.view(batch, length, heads, width // heads).transpose(1, 2)
                   for y in linear(norm("ln_1"), "attn.c_attn").split(width, -1))
        y = (q @ k.transpose(-1, -2) / math.sqrt(width // heads) + mask).softmax(-1) @ v
        x = x + linear(y.transpose(1, 2).reshape(batch, length, width), "attn.c_proj")
        y = linear(norm("ln_2"), "mlp.c_fc")
        y = 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y**3)))
        x = x + linear(y, "mlp.c_proj")
    x = F.layer_norm(x, (width,), p["transformer.ln_f.weight"], p["transformer.ln_f.bias"], eps)
    return x @ p["transformer.wte.weight"].T


class Lion(torch.optim.Optimizer):
    def __init__(self, groups, lr, betas):
        super().__init__(groups, {"lr": lr, "betas": betas})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_((beta1 * m + (1 - beta1) * p.grad).sign(), alpha=-group["lr"])
                m.mul_(beta2).add_(p.grad, alpha=1 - beta2)


def train(dtype):
    golden = json.loads((HERE / "golden.json").read_text())
    config = json.loads((HERE / "config.json").read_text())
    batch, length = golden["batch"], golden["seq"]
    ids = torch.from_numpy(np.fromfile(HERE / "tokens.bin", "<u2").astype(np.int64))
    p = {name: tensor.to(dtype).requires_grad_() for name, tensor in load(HERE / "model.safetensors").items()}
    optimizer = Lion([{"params": [v for v in p.values() if v.dim() >= 2], "weight_decay": HYPER["weight_decay"]},
                      {"params": [v for v in p.values() if v.dim() < 2], "weight_decay": 0.0}],
                     HYPER["lr"], HYPER["betas"])
    losses, norms = [], []
    for step in range(golden["steps"]):
        at = [(step * batch + row) * length for row in range(batch)]
        x, y = (torch.stack([ids[i + k:i + k + length] for i in at]) for k in (0, 1))
        loss = F.cross_entropy(logits(config, p, x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(p.values(), HYPER["clip"]).item())
        optimizer.step()
        losses.append(loss.item())
    return {"batch": batch, "seq": length, "steps": golden["steps"], "hyper": HYPER, "loss": losses,
            "grad_norm": norms}, p


def main():
    if sys.argv[1:] == ["--float32"]:
        stored, (found, weights) = json.loads((HERE / "lion.json").read_text()), train(torch.float32)
        for key in ("loss", "grad_norm"):
            print(key, max(abs(a / b - 1) for a, b in zip(found[key], stored[key])))
        for name, tensor in load(HERE / "lion.safetensors").items():
            apart = ((weights[name] - tensor).abs() > 1e-6).sum().item()
            if apart:
                print(f"{name}: {apart} of {tensor.numel()} differ by more than 1e-6")
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    result, weights = train(torch.float64)
    (HERE / "lion.json").write_text(json.dumps(result, indent=1) + "\n")
    save(HERE / "lion.safetensors", weights)
    print(result["loss"][0], "->", result["loss"][-1])


if __name__ == "__main__":
    main()
