#!/usr/bin/env python3
"""Reference runs of QLoRA, for test_qlora.py: weights that bitsandbytes packs, and adapters
that PyTorch trains beside them in float64.

    qlora.py FOLDER [WORD...]     (needs torch, transformers, safetensors, bitsandbytes)

FOLDER has the cases that families.py and experts.py made.  Beside each of CASES stand then, for
each format:
  qlora-FORMAT.safetensors  packed weights, as docs/lora.md lays them out, and adapters: at
                            the beginning ("begin.NAME") and after the last step ("end.NAME")
  qlora-FORMAT.json         loss and gradient norm of every step

Codes and scales of nf4 are those of bitsandbytes: of a weight of less than 16,384 elements,
which is one group, its double quantisation is ours.  It has no int8 in blocks; that is here.
"""
import json
import sys
from pathlib import Path

import families  # float32 is another name of float64 from here on
import experts
import safetensors.torch
import torch
import transformers
from families import ADAMW, BATCH, F32, SEQ, STEPS

CASES = {"llama": "", "qwen3_moe": "self_attn"}  # and the layers that get an adapter
RANK, ALPHA, BLOCK = 3, 4.5, 64


def in_f32(function):
    """Calls a function with the original float32."""
    def call(*values):
        torch.float32 = torch.float = F32
        torch.Tensor.float = torch._C.TensorBase.float
        try:
            return function(*values)
        finally:
            torch.float32 = torch.float = torch.float64
            torch.Tensor.float = torch.Tensor.double
    return call


def raw(*parts):
    return torch.cat([part.flatten().contiguous().view(torch.uint8) for part in parts])


@in_f32
def pack_nf4(weight):
    """Returns the bytes, and the weight that they represent."""
    from bitsandbytes import functional
    count = weight.numel()
    blocks = torch.nn.functional.pad(weight.flatten(), (0, -count % BLOCK))
    pairs, state = functional.quantize_4bit(blocks, blocksize=BLOCK, quant_type="nf4")
    assert state.absmax.numel() <= 256
    # bitsandbytes stores the first of two codes in the upper bits.
    codes = torch.stack([pairs.flatten() >> 4, pairs.flatten() & 15], 1).view(-1, 2, BLOCK // 2)
    mean = state.absmax.double().mean().to(F32)
    scales, of_scales = functional.quantize_blockwise(state.absmax - mean, blocksize=256)
    kept = functional.dequantize_blockwise(scales, of_scales) + mean
    state.absmax = kept
    values = functional.dequantize_4bit(pairs, state).flatten()[:count].view_as(weight)
    return raw(codes[:, 0] | codes[:, 1] << 4, mean, of_scales.absmax, scales), values


def pack_int8(weight):
    count = weight.numel()
    blocks = torch.nn.functional.pad(weight.flatten(), (0, -count % BLOCK)).view(-1, BLOCK)
    scales = blocks.abs().amax(1) / 127
    codes = torch.round(blocks / scales[:, None]).clamp(-127, 127)
    values = (codes * scales[:, None]).flatten()[:count].view_as(weight)
    return raw(codes.to(torch.int8), scales), values


FORMATS = {"nf4": pack_nf4, "int8": pack_int8}


class Adapted(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        draw = lambda *shape: torch.nn.Parameter((0.2 * torch.randn(shape)).to(F32).double())
        self.lora_A, self.lora_B = draw(RANK, layer.in_features), draw(layer.out_features, RANK)

    def forward(self, x):
        return self.layer(x) + ALPHA / RANK * (x @ self.lora_A.T @ self.lora_B.T)


def add_adapters(model, word):
    """Returns {PEFT's name: parameter}."""
    named = {}
    for name, module in list(model.named_modules()):
        if isinstance(module, torch.nn.Linear) and word in name and name != "lm_head":
            parent, _, last = name.rpartition(".")
            adapted = Adapted(module)
            setattr(model.get_submodule(parent), last, adapted)
            for which in ("lora_A", "lora_B"):
                named[f"base_model.model.{name}.{which}.weight"] = getattr(adapted, which)
    return named


def make_model(folder, pack):
    """Returns a model of `folder` with packed weights, and their bytes."""
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager").train()
    model.config._experts_implementation = "eager"
    packed, base = {}, in_f32(safetensors.torch.load_file)(folder / "model.safetensors")
    with torch.no_grad():
        for name, value in experts.split(dict(model.named_parameters()), config.model_type).items():
            weight = base.pop(name)
            if name.endswith(("_proj.weight", ".gate.weight")):
                packed[name], weight = pack(weight)
            value.copy_(weight.double())
    assert not base, sorted(base)
    return model.requires_grad_(False), packed


def run(folder, word, pack):
    torch.manual_seed(5)
    model, packed = make_model(folder, pack)
    adapters = add_adapters(model, word)
    tensors = packed | {f"begin.{name}": value.detach().to(F32) for name, value in adapters.items()}
    optimizer = torch.optim.AdamW(adapters.values(), lr=ADAMW["lr"], betas=tuple(ADAMW["betas"]), eps=ADAMW["eps"],
                                  weight_decay=ADAMW["weight_decay"])
    ids = torch.frombuffer(bytearray((folder / "tokens.bin").read_bytes()), dtype=torch.int16).long()
    losses, norms = [], []
    for step in range(STEPS):
        starts = [(step * BATCH + b) * SEQ for b in range(BATCH)]
        inputs, targets = (torch.stack([ids[at + shift:at + shift + SEQ] for at in starts]) for shift in (0, 1))
        logits = model(input_ids=inputs, use_cache=False).logits
        assert logits.dtype == torch.float64
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(adapters.values(), ADAMW["clip"]).item())
        optimizer.step()
        losses.append(loss.item())
    tensors |= {f"end.{name}": value.detach().to(F32) for name, value in adapters.items()}
    return tensors, {"rank": RANK, "alpha": ALPHA, "layers": f".*{word}.*" if word else "", "hyper": ADAMW,
                     "batch": BATCH, "seq": SEQ, "steps": STEPS, "loss": losses, "grad_norm": norms}


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for case, word in CASES.items():
        if not all(part in case for part in sys.argv[2:]):
            continue
        folder = Path(sys.argv[1]) / case
        for name, pack in FORMATS.items():
            tensors, outcome = run(folder, word, pack)
            safetensors.torch.save_file({key: value.contiguous() for key, value in tensors.items()},
                                        folder / f"qlora-{name}.safetensors")
            (folder / f"qlora-{name}.json").write_text(json.dumps(outcome, indent=1) + "\n")
            print(f"{case:10s} {name:5s} {outcome['loss'][0]:.6f} -> {outcome['loss'][-1]:.6f}", flush=True)


if __name__ == "__main__":
    main()
