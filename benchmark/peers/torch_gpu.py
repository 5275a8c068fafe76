"""GPT-2 and Llama in PyTorch on a GPU, compiled: torch.compile, fused attention and AdamW, bf16 by autocast.

    torch_gpu.py CONFIG.json BATCH SEQ STEPS

prints one line of JSON: the median seconds of a step, and the peak of memory.  Parameters and moments are
float32, like zeroc's masters and moments; gradients are clipped to a norm of 1, as in zeroc.
"""
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

WARM_UP = 4


class Rotary(nn.Module):
    def __init__(self, width, positions, base):
        super().__init__()
        angles = torch.outer(torch.arange(positions), base ** (-torch.arange(0, width, 2) / width))
        self.register_buffer("cos", angles.cos().repeat(1, 2), persistent=False)
        self.register_buffer("sin", angles.sin().repeat(1, 2), persistent=False)

    def forward(self, x):
        left, right = x.chunk(2, dim=-1)
        turned = torch.cat((-right, left), dim=-1)
        return (x * self.cos[:x.shape[-2]] + turned * self.sin[:x.shape[-2]]).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, width, heads, keys, head, bias, rotary):
        super().__init__()
        self.heads, self.keys, self.head, self.rotary = heads, keys, head, rotary
        self.qkv = nn.Linear(width, (heads + 2 * keys) * head, bias=bias)
        self.out = nn.Linear(heads * head, width, bias=bias)

    def forward(self, x):
        batch, seq, _ = x.shape
        q, k, v = (part.view(batch, seq, -1, self.head).transpose(1, 2) for part in self.qkv(x).split(
            (self.heads * self.head, self.keys * self.head, self.keys * self.head), dim=2))
        if self.rotary:
            q, k = self.rotary(q), self.rotary(k)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.keys)
        return self.out(mixed.transpose(1, 2).reshape(batch, seq, -1))


class Gelu(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return self.down(functional.gelu(self.up(x), approximate="tanh"))


class Gated(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.up = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, norm, attention, mlp):
        super().__init__()
        self.norm_1, self.norm_2, self.attention, self.mlp = norm(), norm(), attention, mlp

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


class Decoder(nn.Module):
    """Returns the loss."""

    def __init__(self, config):
        super().__init__()
        is_gpt2 = config["model_type"] == "gpt2"
        width = config["n_embd" if is_gpt2 else "hidden_size"]
        heads = config["n_head" if is_gpt2 else "num_attention_heads"]
        layers = config["n_layer" if is_gpt2 else "num_hidden_layers"]
        keys = config.get("num_key_value_heads", heads)
        head = config.get("head_dim") or width // heads
        rotary = None if is_gpt2 else Rotary(head, config["max_position_embeddings"], config["rope_theta"])
        norm = (lambda: nn.LayerNorm(width)) if is_gpt2 else (lambda: nn.RMSNorm(width, eps=config["rms_norm_eps"]))
        self.tokens = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["n_positions"], width) if is_gpt2 else None
        self.blocks = nn.Sequential(*(
            Block(norm, Attention(width, heads, keys, head, is_gpt2, rotary),
                  Gelu(width) if is_gpt2 else Gated(width, config["intermediate_size"])) for _ in range(layers)))
        self.norm = norm()
        self.head = nn.Linear(width, config["vocab_size"], bias=False)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        if config.get("tie_word_embeddings", is_gpt2):
            self.head.weight = self.tokens.weight

    def forward(self, inputs, targets):
        x = self.tokens(inputs)
        if self.positions is not None:
            x = x + self.positions.weight[:inputs.shape[1]]
        logits = self.head(self.norm(self.blocks(x)))
        return functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


def main():
    path, batch, seq, steps = sys.argv[1], *map(int, sys.argv[2:])
    if not torch.cuda.is_available():
        sys.exit("this PyTorch has no GPU")
    with open(path, encoding="utf-8") as file:
        config = json.load(file)
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    model = Decoder(config).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    compiled = torch.compile(model)
    tokens = torch.randint(config["vocab_size"], (batch, seq + 1), device="cuda")
    times = []
    for _ in range(WARM_UP + steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.autocast("cuda", torch.bfloat16):
            loss = compiled(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    later = sorted(times[WARM_UP:])
    print(json.dumps({"seconds": later[len(later) // 2], "bytes": torch.cuda.max_memory_allocated()}))


if __name__ == "__main__":
    main()
