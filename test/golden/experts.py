#!/usr/bin/env python3
"""Reference runs of Hugging Face's mixtures of experts, in float64: as families.py, which
it needs, and with the load-balancing loss where the config asks for it.

    experts.py FOLDER [WORD...]        (needs torch, transformers, safetensors)

Routers begin ten times larger than a model's would, with one row that is nearly zero, so that
its expert gets no token at all: golden.json counts experts without any as "idle", over steps
and layers.  Balance is no sum over tokens, so on several ranks the loss is another one:
"loss_of_ranks" has it, as data parallel training computes it.
"""
import json
import sys
from pathlib import Path

import families  # float32 is another name of float64 from here on
import safetensors.torch
import torch
import transformers
from families import ADAMW, BATCH, SEQ, SIZES, STEPS

NARROW = SIZES | {"intermediate_size": 11}  # of experts
RANKS = 3
CASES = {
    "mixtral": dict(
        model_type="mixtral", architectures=["MixtralForCausalLM"], **NARROW, num_key_value_heads=1,
        rms_norm_eps=1e-5, rope_theta=1000.0, sliding_window=None, num_local_experts=17,
        num_experts_per_tok=2, output_router_logits=True, router_aux_loss_coef=0.03),
    "qwen3_moe": dict(
        model_type="qwen3_moe", architectures=["Qwen3MoeForCausalLM"], **(SIZES | {"num_hidden_layers": 3}),
        num_key_value_heads=1, head_dim=8, rms_norm_eps=1e-6, rope_theta=1000.0, num_experts=19,
        num_experts_per_tok=3, moe_intermediate_size=13, norm_topk_prob=True, decoder_sparse_step=1,
        mlp_only_layers=[1], output_router_logits=False),
    "olmoe": dict(
        model_type="olmoe", architectures=["OlmoeForCausalLM"], **NARROW, num_key_value_heads=3,
        rms_norm_eps=1e-5, rope_theta=10000.0, num_experts=23, num_experts_per_tok=4,
        norm_topk_prob=False, output_router_logits=True, router_aux_loss_coef=0.01, pad_token_id=None),
}

#: The names in checkpoints for parts of `experts.gate_up_proj` and `experts.down_proj`.
PARTS = {"mixtral": ("block_sparse_moe", "w1", "w3", "w2")}
OTHERWISE = ("mlp", "gate_proj", "up_proj", "down_proj")


def split(tensors, model_type):
    """Converts to the names of checkpoints, where each expert has its own matrices."""
    block, gate, up, down = PARTS.get(model_type, OTHERWISE)
    named = {}
    for name, value in tensors.items():
        stem, dot, last = name.rpartition(".experts.")
        if not dot:
            is_router = name.endswith(".mlp.gate.weight")
            named[name.replace(".mlp.", f".{block}.") if is_router else name] = value
            continue
        stem = stem.replace(".mlp", f".{block}")
        for e, one in enumerate(value):
            if last == "gate_up_proj":
                half = one.shape[0] // 2
                named[f"{stem}.experts.{e}.{gate}.weight"] = one[:half]
                named[f"{stem}.experts.{e}.{up}.weight"] = one[half:]
            else:
                named[f"{stem}.experts.{e}.{down}.weight"] = one
    return named


def make_model(folder, seed):
    model = families.make_model(folder, seed)
    model.config._experts_implementation = "eager"  # others multiply in 32 bits
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(".gate.weight"):
                parameter.mul_(10)
                parameter[-1].mul_(1e-4)
                parameter.copy_(parameter.to(families.F32).double())
    return model


def check_names(folder, model, named):
    """Checks that our names and values are those of save_pretrained."""
    model.save_pretrained(folder / "check")
    written = safetensors.torch.load_file(folder / "check" / "model.safetensors")
    assert set(written) == set(named), sorted(set(written) ^ set(named))
    for name, value in named.items():
        assert torch.equal(written[name].double(), value), name
    for file in (folder / "check").iterdir():
        file.unlink()
    (folder / "check").rmdir()


def loss_of(model, config, inputs, targets):
    """Returns the loss, and the number of a layer's experts without tokens."""
    out = model(input_ids=inputs, use_cache=False, output_router_logits=True)
    assert out.logits.dtype == torch.float64
    loss = torch.nn.functional.cross_entropy(out.logits.flatten(0, 1), targets.reshape(-1))
    if config["output_router_logits"]:
        loss = loss + config["router_aux_loss_coef"] * out.aux_loss
    chosen = [torch.topk(torch.softmax(logits, -1), config["num_experts_per_tok"]).indices
              for logits in out.router_logits]
    return loss, sum(logits.shape[-1] - len(ids.unique()) for logits, ids in zip(out.router_logits, chosen))


def train(folder, config, seed, tokens, parts):
    """Trains with the mean of the losses of `parts` parts of the batch, as ranks do."""
    model = make_model(folder, seed)
    parameters = dict(model.named_parameters())
    matrices = [p for p in parameters.values() if p.dim() >= 2]
    vectors = [p for p in parameters.values() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": ADAMW["weight_decay"]},
                                   {"params": vectors, "weight_decay": 0.0}],
                                  lr=ADAMW["lr"], betas=tuple(ADAMW["betas"]), eps=ADAMW["eps"])
    ids = torch.tensor(list(tokens))
    losses, norms, idle, gradients = [], [], 0, None
    for step in range(STEPS):
        starts = [(step * BATCH + b) * SEQ for b in range(BATCH)]
        inputs = torch.stack([ids[at:at + SEQ] for at in starts])
        targets = torch.stack([ids[at + 1:at + SEQ + 1] for at in starts])
        each = [loss_of(model, config, *pair) for pair in zip(inputs.chunk(parts), targets.chunk(parts))]
        loss = sum(one for one, _ in each) / parts
        idle += sum(count for _, count in each)
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            gradients = {name: p.grad.clone() for name, p in parameters.items()}
        norms.append(torch.nn.utils.clip_grad_norm_(parameters.values(), ADAMW["clip"]).item())
        optimizer.step()
        losses.append(loss.item())
    return {"loss": losses, "grad_norm": norms, "idle": idle}, gradients, parameters


def run(folder, config, seed):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    tokens = families.make_tokens(seed)
    (folder / "tokens.bin").write_bytes(tokens.tobytes())
    model = make_model(folder, seed)
    kind = config["model_type"]
    begun = split(dict(model.named_parameters()), kind)
    families.save(folder / "model.safetensors", begun)
    check_names(folder, model, begun)

    golden, gradients, ended = train(folder, config, seed, tokens, 1)
    assert golden["idle"] > 0, "every expert has tokens in every step: draw other routers"
    families.save(folder / "gradients.safetensors", split(gradients, kind))
    families.save(folder / "final.safetensors", split(ended, kind))
    parts, _, _ = train(folder, config, seed, tokens, RANKS)
    (folder / "golden.json").write_text(json.dumps(
        {"transformers": transformers.__version__, "batch": BATCH, "seq": SEQ, "steps": STEPS,
         "hyper": ADAMW, **golden, "loss_of_ranks": {str(RANKS): parts["loss"]}}, indent=1) + "\n")
    print(f"{folder.name:20s} {golden['loss'][0]:.6f} -> {golden['loss'][-1]:.6f}, {golden['idle']} idle; "
          f"in parts {parts['loss'][-1]:.6f}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for seed, (name, config) in enumerate(CASES.items()):
        if all(word in name for word in sys.argv[2:]):
            run(Path(sys.argv[1]) / name, config, 100 + seed)


if __name__ == "__main__":
    main()
