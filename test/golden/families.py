#!/usr/bin/env python3
"""Reference runs of Hugging Face's models, in float64, for test_families.py.

    families.py FOLDER [WORD...]        (needs torch, transformers, safetensors)

Each case gets a folder with what a user would bring and what transformers made of it:
  config.json              as on the Hub
  model.safetensors        initial f32 parameters, as save_pretrained writes them
  tokens.bin               u16 tokens; sequence b of step s begins at (s * BATCH + b) * seq
  gradients.safetensors    of the first step, before clipping
  final.safetensors        parameters after the last step
  golden.json              loss and gradient norm of every step, and the numbers of AdamW

transformers computes norms, rotary positions and softmax in float32 whatever the
model's type is.  Here float32 is another name of float64, so that all is; a float32
that some operation makes under another name is an error.
"""
import array
import json
import random
import sys
from pathlib import Path

import safetensors.torch
import torch

torch.set_default_dtype(torch.float64)
F32 = torch.float32
torch.float32 = torch.float = torch.float64
torch.Tensor.float = torch.Tensor.double

import transformers  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

BATCH, SEQ, STEPS, VOCAB = 6, 23, 10, 89
# The gradient of the bias of unrotated keys is 0; with a larger eps, f32's noise does not become a
# step.
ADAMW = {"lr": 3e-3, "betas": [0.9, 0.95], "eps": 1e-6, "weight_decay": 0.1, "clip": 1.0}

#: Sizes that are not multiples of a vector width, and mostly not of each other.
SIZES = dict(hidden_size=30, intermediate_size=47, num_hidden_layers=2, num_attention_heads=3,
             vocab_size=VOCAB, max_position_embeddings=64, initializer_range=0.08)
DELTA = dict(max_position_embeddings=128, linear_key_head_dim=6, linear_value_head_dim=10,
             linear_conv_kernel_dim=4)
SMALL = dict(hidden_size=18, intermediate_size=23, num_hidden_layers=2, num_attention_heads=3,
             vocab_size=VOCAB, max_position_embeddings=64, initializer_range=0.08)
MULTIPLIERS = dict(embedding_multiplier=3.0, residual_multiplier=0.6, attention_multiplier=0.3, logits_scaling=0.7)
#: Norms follow all parts; they magnify f32's noise where weights or eps are small.
GEMMA_4 = SMALL | dict(model_type="gemma4_text", architectures=["Gemma4ForCausalLM"], initializer_range=0.1,
                       rms_norm_eps=0.1)
GRANITE_4 = dict(model_type="granitemoehybrid", architectures=["GraniteMoeHybridForCausalLM"], **SMALL,
                 num_key_value_heads=1, shared_intermediate_size=19, layer_types=["attention", "attention"],
                 num_local_experts=0, num_experts_per_tok=0, mamba_n_heads=4, **MULTIPLIERS)
CASES = {
    "llama": dict(
        model_type="llama", architectures=["LlamaForCausalLM"], **SIZES, num_key_value_heads=1,
        rms_norm_eps=1e-5, tie_word_embeddings=True, rope_theta=500.0,
        rope_scaling=dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                          original_max_position_embeddings=32)),
    "llama-biases": dict(
        model_type="llama", architectures=["LlamaForCausalLM"], **SIZES, head_dim=14,
        rms_norm_eps=1e-6, attention_bias=True, mlp_bias=True,
        rope_parameters=dict(rope_type="default", rope_theta=1000.0)),
    "mistral": dict(
        model_type="mistral", architectures=["MistralForCausalLM"], **SIZES, num_key_value_heads=1,
        head_dim=12, rms_norm_eps=1e-5, sliding_window=7, rope_theta=10000.0),
    "qwen2": dict(
        model_type="qwen2", architectures=["Qwen2ForCausalLM"], **SIZES, num_key_value_heads=3,
        rms_norm_eps=1e-6, use_sliding_window=True, sliding_window=5, max_window_layers=1,
        tie_word_embeddings=True, rope_theta=1000.0,
        rope_scaling=dict(type="yarn", factor=4.0, original_max_position_embeddings=16)),
    "qwen3": dict(
        model_type="qwen3", architectures=["Qwen3ForCausalLM"], **SIZES, num_key_value_heads=1,
        head_dim=8, rms_norm_eps=1e-6, rope_theta=1000.0, sliding_window=None,
        rope_scaling=dict(rope_type="linear", factor=2.5)),
    "gemma2": dict(
        model_type="gemma2", architectures=["Gemma2ForCausalLM"], **SIZES, num_key_value_heads=1,
        head_dim=12, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=20, sliding_window=6,
        attn_logit_softcapping=2.0, final_logit_softcapping=3.0, rope_theta=10000.0),
    "gemma3": dict(
        model_type="gemma3_text", architectures=["Gemma3ForCausalLM"], **(SIZES | {"num_hidden_layers": 3}),
        num_key_value_heads=3, head_dim=8, hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=11,
        sliding_window=6, sliding_window_pattern=3, rope_theta=100000.0, rope_local_base_freq=100.0,
        rope_scaling=dict(rope_type="linear", factor=8.0)),
    "phi3": dict(
        model_type="phi3", architectures=["Phi3ForCausalLM"], **SIZES, num_key_value_heads=1,
        rms_norm_eps=1e-5, partial_rotary_factor=0.6, sliding_window=9, pad_token_id=None, rope_theta=10000.0),
    "gpt_neox": dict(
        model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"], **SIZES, rotary_pct=0.4,
        rotary_emb_base=1000, use_parallel_residual=True, layer_norm_eps=1e-5),
    "gpt_neox-sequential": dict(
        model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"], **SIZES, rotary_pct=1.0,
        use_parallel_residual=False, hidden_act="gelu_new", tie_word_embeddings=True),
    # Five elements of a head are rotated, as three pairs; one token has an untrained embedding.
    "phi3-odd": dict(
        model_type="phi3", architectures=["Phi3ForCausalLM"], **SIZES, num_key_value_heads=3,
        rms_norm_eps=1e-5, pad_token_id=5, tie_word_embeddings=True,
        rope_parameters=dict(rope_type="default", rope_theta=1000.0, partial_rotary_factor=0.5)),
    # Heads of values share those of queries and keys; layers with a state come first, or last.
    "qwen3_5": dict(
        model_type="qwen3_5_text", architectures=["Qwen3_5ForCausalLM"], **(SIZES | DELTA), num_key_value_heads=1,
        head_dim=16, rms_norm_eps=1e-6, tie_word_embeddings=True, full_attention_interval=2, linear_num_key_heads=2,
        linear_num_value_heads=4, rope_parameters=dict(
            rope_type="default", rope_theta=1000.0, partial_rotary_factor=0.25, mrope_section=[1, 1, 0],
            mrope_interleaved=True)),
    "qwen3_5-full-first": dict(
        model_type="qwen3_5_text", architectures=["Qwen3_5ForCausalLM"], **(SIZES | DELTA), num_key_value_heads=3,
        head_dim=8, rms_norm_eps=1e-6, layer_types=["full_attention", "linear_attention"], linear_num_key_heads=3,
        linear_num_value_heads=3, rope_parameters=dict(
            rope_type="default", rope_theta=1000.0, partial_rotary_factor=0.5)),
    # Layers without rotary positions are the first and the last, and have windows.
    "smollm3": dict(
        model_type="smollm3", architectures=["SmolLM3ForCausalLM"], **(SMALL | {"num_hidden_layers": 3}),
        num_key_value_heads=1, no_rope_layers=[0, 1, 0], use_sliding_window=True, sliding_window=5,
        pad_token_id=None, rope_theta=1000.0),
    "smollm3-biases": dict(
        model_type="smollm3", architectures=["SmolLM3ForCausalLM"], **(SMALL | {"num_hidden_layers": 3}),
        num_key_value_heads=3, no_rope_layer_interval=2, attention_bias=True, mlp_bias=True, pad_token_id=7,
        tie_word_embeddings=False, rope_theta=1000.0,
        rope_scaling=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)),
    "olmo2": dict(
        model_type="olmo2", architectures=["Olmo2ForCausalLM"], **SMALL, num_key_value_heads=1, pad_token_id=3,
        rope_theta=1000.0),
    "olmo3": dict(
        model_type="olmo3", architectures=["Olmo3ForCausalLM"], **(SMALL | {"num_hidden_layers": 4}),
        num_key_value_heads=3, sliding_window=6, pad_token_id=None, tie_word_embeddings=True, rope_theta=500000.0,
        rope_scaling=dict(rope_type="yarn", factor=8.0, original_max_position_embeddings=16, beta_fast=4.0,
                          beta_slow=0.5, attention_factor=1.2)),
    "granite": dict(
        model_type="granite", architectures=["GraniteForCausalLM"], **SMALL, num_key_value_heads=1,
        attention_bias=True, mlp_bias=True, tie_word_embeddings=True, rope_theta=1000.0, **MULTIPLIERS),
    "granite4": dict(position_embedding_type="nope", **GRANITE_4),
    "granite4-rope": dict(position_embedding_type="rope", rope_theta=1000.0, attention_bias=True,
                          tie_word_embeddings=True, **GRANITE_4),
    "phi3-long": dict(
        model_type="phi3", architectures=["Phi3ForCausalLM"], **(SMALL | {"hidden_size": 24, "max_position_embeddings": 128}),
        num_key_value_heads=1, partial_rotary_factor=0.75, original_max_position_embeddings=64, pad_token_id=None,
        tie_word_embeddings=True, rope_theta=1000.0,
        rope_scaling=dict(type="longrope", short_factor=[1.0, 1.2, 1.7], long_factor=[1.0, 2.5, 9.0])),
    "cohere2": dict(
        model_type="cohere2", architectures=["Cohere2ForCausalLM"], **SMALL, num_key_value_heads=1,
        sliding_window=6, sliding_window_pattern=2, logit_scale=0.5, rope_theta=1000.0,
        position_embedding_type="rope_gptj", rope_scaling=None),
    "cohere2-biases": dict(
        model_type="cohere2", architectures=["Cohere2ForCausalLM"], **SMALL, num_key_value_heads=3,
        sliding_window=9, layer_types=["full_attention", "sliding_attention"], attention_bias=True,
        pad_token_id=None, tie_word_embeddings=False, logit_scale=1.0,
        rope_parameters=dict(rope_type="linear", factor=2.0, rope_theta=1000.0)),
    "starcoder2": dict(
        model_type="starcoder2", architectures=["Starcoder2ForCausalLM"], **SMALL, num_key_value_heads=1,
        sliding_window=7, rope_theta=1000.0),
    "starcoder2-plain": dict(
        model_type="starcoder2", architectures=["Starcoder2ForCausalLM"], **SMALL, num_key_value_heads=3,
        hidden_act="gelu", use_bias=False, tie_word_embeddings=False, rope_theta=1000.0),
    # As the largest model, but with layers of full attention first and last.
    "exaone4": dict(
        model_type="exaone4", architectures=["Exaone4ForCausalLM"], **(SMALL | {"num_hidden_layers": 3}),
        num_key_value_heads=1, head_dim=8, sliding_window=6, sliding_window_pattern="GLG",
        layer_types=["full_attention", "sliding_attention", "full_attention"], rope_theta=1000.0,
        rope_scaling=dict(rope_type="llama3", factor=16.0, low_freq_factor=1.0, high_freq_factor=4.0,
                          original_max_position_embeddings=32)),
    # As the smallest, whose layers all have full attention and rotary positions.
    "exaone4-full": dict(
        model_type="exaone4", architectures=["Exaone4ForCausalLM"], **SMALL, num_key_value_heads=3,
        sliding_window=None, sliding_window_pattern=None, layer_types=["full_attention", "full_attention"],
        tie_word_embeddings=True, rope_theta=1000.0),
    "ministral3": dict(
        model_type="ministral3", architectures=["Ministral3ForCausalLM"],
        **(SMALL | {"max_position_embeddings": 128}), num_key_value_heads=1,
        head_dim=8, pad_token_id=11, rope_parameters=dict(
            type="yarn", rope_type="yarn", rope_theta=1000.0, factor=4.0, original_max_position_embeddings=64,
            max_position_embeddings=128, beta_fast=4.0, beta_slow=0.5, mscale=1.0, mscale_all_dim=1.0,
            llama_4_scaling_beta=0.1)),
    "lfm2": dict(
        model_type="lfm2", architectures=["Lfm2ForCausalLM"], **(SIZES | {"num_hidden_layers": 3}), num_key_value_heads=1,
        norm_eps=1e-5, conv_L_cache=3, full_attn_idxs=[1], block_ff_dim=50, block_multiple_of=8,
        block_ffn_dim_multiplier=1.1, block_auto_adjust_ff_dim=True, rope_theta=1000.0),
    "lfm2-attention-first": dict(
        model_type="lfm2", architectures=["Lfm2ForCausalLM"], **SIZES, num_key_value_heads=3, norm_eps=1e-6, conv_L_cache=4,
        layer_types=["full_attention", "conv"], block_auto_adjust_ff_dim=False, tie_word_embeddings=False, pad_token_id=None,
        rope_theta=1000.0),
    # As the smallest: layers that share keys and values, wide MLPs there, and a second embedding.
    "gemma4": dict(
        **(GEMMA_4 | {"num_hidden_layers": 5}),
        num_key_value_heads=1, head_dim=8, global_head_dim=12, layer_types=["sliding_attention", "full_attention",
        "sliding_attention", "sliding_attention", "full_attention"], sliding_window=6, num_kv_shared_layers=3,
        use_double_wide_mlp=True, hidden_size_per_layer_input=9, vocab_size_per_layer_input=VOCAB + 3,
        final_logit_softcapping=3.0, rope_parameters=dict(
            sliding_attention=dict(rope_type="default", rope_theta=100.0),
            full_attention=dict(rope_type="proportional", rope_theta=1000.0, partial_rotary_factor=0.5))),
    # As the largest: values are those of keys in layers without a window, which have fewer.
    "gemma4-keys-are-values": dict(
        **(GEMMA_4 | {"num_hidden_layers": 3}),
        num_key_value_heads=3, head_dim=6, global_head_dim=10, sliding_window=7, attention_k_eq_v=True,
        num_global_key_value_heads=1, hidden_size_per_layer_input=0, tie_word_embeddings=False,
        use_bidirectional_attention="vision"),
    # Sharing without wide MLPs; as transformers writes the widths, all layers without a window.
    "gemma4-full": dict(
        **GEMMA_4, num_key_value_heads=1, head_dim=6,
        layer_types=["full_attention", "full_attention"], num_kv_shared_layers=1, pad_token_id=7,
        hidden_size_per_layer_input=14, vocab_size_per_layer_input=VOCAB, rope_parameters=dict(
            full_attention=dict(rope_type="default", rope_theta=100.0)),
        per_layer_config={"0": dict(head_dim=8), "1": dict(head_dim=8)}),
}


class Doubles(TorchDispatchMode):
    """Makes it an error that an operation returns float32, which would leave too few digits."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        results = function(*args, **(kwargs or {}))
        for result in results if isinstance(results, (tuple, list)) else (results,):
            assert not isinstance(result, torch.Tensor) or result.dtype is not F32, f"{function} returns float32"
        return results


#: Longer sequences, for layers that compute chunks of 64 positions.  Gradients of their gates are as
#: small as f32's noise of others, so eps is larger.
LONGER = {"qwen3_5": 70, "qwen3_5-full-first": SEQ}


def make_tokens(seed, seq=SEQ):
    """Random tokens with some structure, so that there is something to learn."""
    rng = random.Random(seed)
    token, tokens = 0, array.array("H")
    for _ in range(STEPS * BATCH * seq + 1):
        token = (token * 3 + rng.choice((0, 1, 1, 2))) % VOCAB
        tokens.append(token)
    return tokens


def make_model(folder, seed):
    """Makes a model whose parameters are exact in f32, and none at a special value."""
    torch.manual_seed(seed)
    config = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    model.train()
    with torch.no_grad():
        if config.pad_token_id is not None and config.model_type != "gpt_neox":  # zeros, which norms magnify
            model.get_input_embeddings().weight[config.pad_token_id].normal_(std=config.initializer_range)
        for name, parameter in (*model.named_parameters(), *saved_buffers(model)):
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
            parameter.copy_(parameter.to(F32).double())
    return model


def saved_buffers(model):
    """Those of the model's state, which are not trained, by name."""
    state = model.state_dict()
    return [(name, buffer) for name, buffer in model.named_buffers() if name in state]


def saved_name(name, model_type):
    """Returns save_pretrained's name of a parameter."""
    return name.replace("lm_head.", "embed_out.") if model_type == "gpt_neox" else name


def save(path, tensors):
    safetensors.torch.save_file({name: value.detach().to(F32).contiguous() for name, value in tensors.items()}, path)


def make_adamw(named, hyper):
    """AdamW, which decays matrices alone."""
    matrices = [p for p in named.values() if p.dim() >= 2]
    vectors = [p for p in named.values() if p.dim() < 2]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": hyper["weight_decay"]},
                              {"params": vectors, "weight_decay": 0.0}],
                             lr=hyper["lr"], betas=tuple(hyper["betas"]), eps=hyper["eps"])


def gradients_of(named, buffers):
    """Those of a model's state; of buffers, which are not trained, zeros."""
    return {name: p.grad for name, p in named.items()} | {name: torch.zeros_like(b) for name, b in buffers.items()}


def run(folder, config, seed):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    seq = LONGER.get(folder.name, SEQ)
    tokens = make_tokens(seed, seq)
    (folder / "tokens.bin").write_bytes(tokens.tobytes())
    model = make_model(folder, seed)
    named = {saved_name(name, config["model_type"]): value for name, value in model.named_parameters()}
    buffers = dict(saved_buffers(model))
    save(folder / "model.safetensors", named | buffers)
    model.save_pretrained(folder / "check")
    written = set(safetensors.torch.load_file(folder / "check" / "model.safetensors"))
    assert written == set(named | buffers), sorted(written ^ set(named | buffers))
    for file in (folder / "check").iterdir():
        file.unlink()
    (folder / "check").rmdir()

    hyper = ADAMW | ({"eps": 1e-4} if folder.name in LONGER else {})
    optimizer = make_adamw(named, hyper)
    ids = torch.tensor(list(tokens))
    losses, norms = [], []
    assert not any(value.dtype is F32 for value in (*model.parameters(), *model.buffers()))
    for step in range(STEPS):
        starts = [(step * BATCH + b) * seq for b in range(BATCH)]
        inputs = torch.stack([ids[at:at + seq] for at in starts])
        targets = torch.stack([ids[at + 1:at + seq + 1] for at in starts])
        optimizer.zero_grad()
        with Doubles():
            logits = model(input_ids=inputs, use_cache=False).logits
            loss = torch.nn.functional.cross_entropy(logits.view(BATCH * seq, -1), targets.reshape(-1))
            loss.backward()
        if step == 0:
            save(folder / "gradients.safetensors", gradients_of(named, buffers))
        norms.append(torch.nn.utils.clip_grad_norm_(named.values(), hyper["clip"]).item())
        optimizer.step()
        losses.append(loss.item())
    save(folder / "final.safetensors", named | buffers)
    (folder / "golden.json").write_text(json.dumps(
        {"transformers": transformers.__version__, "batch": BATCH, "seq": seq, "steps": STEPS,
         "hyper": hyper, "loss": losses, "grad_norm": norms}, indent=1) + "\n")
    print(f"{folder.name:20s} {losses[0]:.6f} -> {losses[-1]:.6f}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for seed, (name, config) in enumerate(CASES.items()):
        if all(word in name for word in sys.argv[2:]):
            run(Path(sys.argv[1]) / name, config, seed)


if __name__ == "__main__":
    main()
