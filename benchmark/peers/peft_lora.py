"""Adapters for a Hugging Face model, as people write it with transformers and PEFT.

    peft_lora.py CONFIG.json BATCH SEQ THREADS STEPS RANK [--targets=REGEX] [--bf16] [--compile]

prints one line of JSON: the seconds of each step, and the peak of memory.  All linear layers but the head get
adapters, or those that the expression matches.  With --bf16 the model has 16 bits; adapters are float32, as PEFT makes
them.  --compile is torch.compile.  Weights are random; gradients are clipped to a norm of 1, as in zeroc.
"""
import argparse
import json
import time

import peft
import torch
import transformers

from torch_gpt2 import batch_of, peak_bytes


def model_of(options):
    with open(options.config, encoding="utf-8") as file:
        config = json.load(file)
    # Made in its type, so that no wider copy counts.
    torch.set_default_dtype(torch.bfloat16 if options.bf16 else torch.float32)
    model = transformers.AutoModelForCausalLM.from_config(
        transformers.AutoConfig.for_model(config.pop("model_type"), **config))
    torch.set_default_dtype(torch.float32)
    model.config.use_cache = False
    adapters = peft.LoraConfig(task_type="CAUSAL_LM", r=options.rank, lora_alpha=options.rank, lora_dropout=0.0,
                               target_modules=options.targets)
    model = peft.get_peft_model(model, adapters).train()
    return torch.compile(model) if options.compile else model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("config")
    for name in ("batch", "seq", "threads", "steps", "rank"):
        parser.add_argument(name, type=int)
    parser.add_argument("--targets", default="all-linear")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model = model_of(options)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, betas=(0.9, 0.95))
    ids, _ = batch_of({"vocab_size": model.config.vocab_size}, options.batch, options.seq, seed=1)
    seconds = []
    for _ in range(options.steps):
        start = time.perf_counter()
        loss = model(input_ids=ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        loss.item()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "peak_bytes": peak_bytes(), "trained": sum(map(torch.numel, trained))}))


if __name__ == "__main__":
    main()
