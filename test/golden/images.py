#!/usr/bin/env python3
"""Reference runs of models of images and text that read text alone, in float64, for test_images.py.

    images.py FOLDER [WORD...]        (needs torch, transformers, peft, safetensors)

Each case gets a folder as those of families.py, but
  model.safetensors      has all of the model, under the names that save_pretrained gives them
  gradients.safetensors  has those of the text, by the names of modules
  adapters/              are PEFT's, for the class of the whole model
  golden.json            has the loss with the adapters before the first step, too
and there is no final.safetensors.
"""
import json
import shutil
import sys
from pathlib import Path

import families  # makes float32 another name of float64
import peft
import safetensors.torch
import torch
import transformers

BATCH, SEQ, STEPS = 2, 23, 4
TEXT = dict(hidden_size=24, intermediate_size=28, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            vocab_size=families.VOCAB, max_position_embeddings=64, initializer_range=0.08)
SIGHT = dict(hidden_size=8, intermediate_size=12, num_hidden_layers=1, num_attention_heads=2, image_size=8, patch_size=4)
CASES = {
    # As on the hub: the text's config leaves out sizes that transformers has by default.
    "gemma3": dict(
        model_type="gemma3", architectures=["Gemma3ForConditionalGeneration"], mm_tokens_per_image=4, image_token_index=88,
        boi_token_index=87, eoi_token_index=86, eos_token_id=[1, 2],
        text_config=dict(model_type="gemma3_text", **TEXT, head_dim=6, hidden_activation="gelu_pytorch_tanh",
                         query_pre_attn_scalar=11, sliding_window=6, sliding_window_pattern=2,
                         rope_scaling=dict(rope_type="linear", factor=8.0)),
        vision_config=dict(model_type="siglip_vision_model", **SIGHT)),
    "mistral3": dict(
        model_type="mistral3", architectures=["Mistral3ForConditionalGeneration"], image_token_index=88,
        spatial_merge_size=2, tie_word_embeddings=False,
        text_config=dict(model_type="mistral", **TEXT, head_dim=10, rms_norm_eps=1e-5, rope_theta=1e6, sliding_window=None,
                         tie_word_embeddings=False),
        vision_config=dict(model_type="pixtral", **SIGHT)),
    "qwen3_5": dict(
        model_type="qwen3_5", architectures=["Qwen3_5ForConditionalGeneration"], tie_word_embeddings=False,
        image_token_id=88, video_token_id=87, vision_start_token_id=86, vision_end_token_id=85,
        text_config=dict(model_type="qwen3_5_text", **TEXT, head_dim=16, rms_norm_eps=1e-6, tie_word_embeddings=False,
                         linear_key_head_dim=8, linear_value_head_dim=10, linear_num_key_heads=1, linear_num_value_heads=2,
                         linear_conv_kernel_dim=4, layer_types=["linear_attention", "full_attention"],
                         rope_parameters=dict(rope_type="default", rope_theta=1e7, partial_rotary_factor=0.25,
                                              mrope_section=[1, 1, 0], mrope_interleaved=True)),
        vision_config=dict(model_type="qwen3_5", depth=1, hidden_size=8, intermediate_size=12, num_heads=2, patch_size=4,
                           out_hidden_size=24, num_position_embeddings=16)),
    "qwen3_vl": dict(
        model_type="qwen3_vl", architectures=["Qwen3VLForConditionalGeneration"], tie_word_embeddings=True,
        image_token_id=88, video_token_id=87, vision_start_token_id=86, vision_end_token_id=85,
        text_config=dict(model_type="qwen3_vl_text", **TEXT, head_dim=16, rms_norm_eps=1e-6, rope_theta=5e6,
                         rope_scaling=dict(rope_type="default", mrope_section=[4, 2, 2], mrope_interleaved=True)),
        vision_config=dict(model_type="qwen3_vl", depth=1, hidden_size=8, intermediate_size=12, num_heads=2, patch_size=4,
                           out_hidden_size=24, num_position_embeddings=16, deepstack_visual_indexes=[0])),
    # The tokens of images, whose embedding transformers replaces, are no tokens of the text.
    "gemma4": dict(
        model_type="gemma4", architectures=["Gemma4ForConditionalGeneration"], audio_config=None, image_token_id=90,
        boi_token_id=91, eoi_token_id=92, tie_word_embeddings=True,
        text_config=dict(model_type="gemma4_text", **(TEXT | {"num_hidden_layers": 3, "initializer_range": 0.1}), rms_norm_eps=0.1, head_dim=6, global_head_dim=8,
                         layer_types=["full_attention", "sliding_attention", "full_attention"], sliding_window=6,
                         num_kv_shared_layers=1, use_double_wide_mlp=True, hidden_size_per_layer_input=8,
                         vocab_size_per_layer_input=families.VOCAB),
        vision_config=dict(model_type="gemma4_vision", hidden_size=8, intermediate_size=12, num_hidden_layers=1,
                           num_attention_heads=2, num_key_value_heads=2, head_dim=4, patch_size=4, pooling_kernel_size=1,
                           position_embedding_size=16)),
}


def is_of_text(name):
    return name.startswith(("model.language_model.", "lm_head."))


def batch_of(ids, step):
    starts = [(step * BATCH + b) * SEQ for b in range(BATCH)]
    return (torch.stack([ids[at:at + SEQ] for at in starts]),
            torch.stack([ids[at + 1:at + SEQ + 1] for at in starts]))


def loss_of(model, ids, step):
    inputs, targets = batch_of(ids, step)
    logits = model(input_ids=inputs, use_cache=False).logits
    assert logits.dtype == torch.float64
    return torch.nn.functional.cross_entropy(logits.view(BATCH * SEQ, -1), targets.reshape(-1))


def save_whole(model, path):
    """All of the model, in f32, under the names of save_pretrained."""
    model.save_pretrained(path.parent / "whole")
    tensors = safetensors.torch.load_file(path.parent / "whole" / "model.safetensors")
    families.save(path, tensors)
    shutil.rmtree(path.parent / "whole")


def train_adapters(folder, model, ids):
    """The loss with random adapters, which are saved, before any step."""
    torch.manual_seed(7)
    config = peft.LoraConfig(r=2, lora_alpha=4, target_modules=r".*language_model.*\.(q_proj|down_proj)")
    adapted = peft.get_peft_model(model, config)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_" in name:
                parameter.normal_(std=0.2)
                parameter.copy_(parameter.to(families.F32).double())
    loss = loss_of(adapted, ids, 0).item()
    adapted.save_pretrained(folder / "adapters")
    file = folder / "adapters" / "adapter_model.safetensors"
    families.save(file, safetensors.torch.load_file(file))
    (folder / "adapters" / "README.md").unlink()
    about = folder / "adapters" / "adapter_config.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), "base_model_name_or_path": "MODEL"}, indent=1) + "\n")
    adapted.unload()
    return loss


def run(folder, config, seed):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    tokens = families.make_tokens(seed)[:STEPS * BATCH * SEQ + 1]
    (folder / "tokens.bin").write_bytes(tokens.tobytes())
    torch.manual_seed(seed)
    read = transformers.AutoConfig.from_pretrained(folder)
    model = transformers.AutoModelForImageTextToText.from_config(read, attn_implementation="eager").double()
    model.train()
    with torch.no_grad():
        padding = read.text_config.pad_token_id
        if padding is not None:
            model.get_input_embeddings().weight[padding].normal_(std=0.08)
        buffers = {name: buffer for name, buffer in families.saved_buffers(model) if is_of_text(name)}
        for parameter in (*model.parameters(), *buffers.values()):
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
            parameter.copy_(parameter.to(families.F32).double())
    save_whole(model, folder / "model.safetensors")
    ids = torch.tensor(list(tokens))
    with_adapters = train_adapters(folder, model, ids)

    model.requires_grad_(False)
    named = {name: p.requires_grad_(True) for name, p in model.named_parameters() if is_of_text(name)}
    hyper = families.ADAMW
    optimizer = families.make_adamw(named, hyper)
    losses = []
    for step in range(STEPS):
        loss = loss_of(model, ids, step)
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            families.save(folder / "gradients.safetensors", families.gradients_of(named, buffers))
        torch.nn.utils.clip_grad_norm_(named.values(), hyper["clip"])
        optimizer.step()
        losses.append(loss.item())
    (folder / "golden.json").write_text(json.dumps(
        {"transformers": transformers.__version__, "batch": BATCH, "seq": SEQ, "steps": STEPS, "hyper": hyper,
         "loss": losses, "loss_with_adapters": with_adapters}, indent=1) + "\n")
    print(f"{folder.name:12s} {losses[0]:.6f} -> {losses[-1]:.6f}, with adapters {with_adapters:.6f}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for seed, (name, config) in enumerate(CASES.items()):
        if all(word in name for word in sys.argv[2:]):
            run(Path(sys.argv[1]) / name, config, seed)


if __name__ == "__main__":
    main()
