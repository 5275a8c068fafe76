#!/usr/bin/env python3
"""Makes test/golden/policies.json: losses and gradient norms of TRL's GRPO in float64, for test_policies.py.

    python3 -P policies.py      (needs torch, transformers, trl, datasets; -P, because the folder peft is beside it)

Groups of completions of prompts with one length, sampled with `old`, by the model of test/golden/preferences.  Every
step reads all of them, by SGD, so the policy leaves the one that sampled.  The loss is GRPOTrainer's own.
"""
import json
import math
import random
import tempfile
from pathlib import Path

import torch
import transformers
from datasets import Dataset
from trl import GRPOConfig, GRPOTrainer

HERE = Path(__file__).resolve().parent
MODEL = HERE / "preferences" / "model"
WORDS, PROMPTS, GROUP, PROMPT, COMPLETION, STEPS = range(4, 96), 2, 4, 5, 9, 20
#: Of each: TRL's options, and the learning rate.
VARIANTS = {
    "grpo": (dict(loss_type="grpo", beta=0.04), 0.03),
    "bnpo": (dict(loss_type="bnpo"), 0.03),
    "dr_grpo": (dict(loss_type="dr_grpo"), 0.03),
    "dapo": (dict(loss_type="dapo", epsilon_high=0.28), 0.03),
    "gspo": (dict(loss_type="grpo", importance_sampling_level="sequence", epsilon=0.03, epsilon_high=0.04, beta=0.04), 0.004),
}


def load(noise=0.0):
    model = transformers.AutoModelForCausalLM.from_pretrained(MODEL, dtype="float32", attn_implementation="eager").double()
    torch.manual_seed(7)
    for parameter in model.parameters():
        parameter.data += noise * torch.randn_like(parameter)
    return model


def log_probs(model, tokens):
    """Of completions, rounded to float32."""
    with torch.no_grad():
        found = torch.log_softmax(model(tokens).logits[:, :-1], -1)
    return found.gather(-1, tokens[:, 1:, None])[:, PROMPT - 1:, 0].float()


def make_data():
    rng = random.Random(11)
    lengths = [rng.randint(3, COMPLETION) for _ in range(PROMPTS * GROUP - 1)] + [COMPLETION]
    rows, advantages = [], []
    for _ in range(PROMPTS):
        prompt = [rng.choice(WORDS) for _ in range(PROMPT)]
        for _ in range(GROUP):
            row = prompt + [rng.choice(WORDS) for _ in range(lengths[len(rows)])]
            rows.append(row + [0] * (PROMPT + COMPLETION - len(row)))
            advantages.append(rng.choice((-1.5, -0.75, 0.0, 0.5, 1.25)))
    tokens = torch.tensor(rows)
    return {"tokens": rows, "prompt": PROMPT, "lengths": lengths, "advantages": advantages,
            "old": log_probs(load(), tokens).tolist(), "reference": log_probs(load(0.02), tokens).tolist()}


def train(options, lr, data):
    config = GRPOConfig(output_dir=tempfile.mkdtemp(), per_device_train_batch_size=PROMPTS * GROUP, num_generations=GROUP,
                        max_completion_length=COMPLETION, use_cpu=True, bf16=False, report_to=[],
                        gradient_checkpointing=False, **{"beta": 0.0, **options})
    trainer = GRPOTrainer(load(), reward_funcs=lambda **_: [0.0], args=config,
                          train_dataset=Dataset.from_list([{"prompt": "w1"}] * 8),
                          processing_class=transformers.AutoTokenizer.from_pretrained(MODEL))
    model = trainer.model.double().train()
    trainer.current_gradient_accumulation_steps = 1
    tokens, lengths = torch.tensor(data["tokens"]), torch.tensor(data["lengths"])
    inputs = {"prompt_ids": tokens[:, :PROMPT], "prompt_mask": torch.ones(len(tokens), PROMPT, dtype=torch.long),
              "completion_ids": tokens[:, PROMPT:],
              "completion_mask": (torch.arange(COMPLETION) < lengths[:, None]).long(),
              "advantages": torch.tensor(data["advantages"], dtype=torch.float64),
              "old_per_token_logps": torch.tensor(data["old"], dtype=torch.float64),
              "ref_per_token_logps": torch.tensor(data["reference"], dtype=torch.float64),
              "num_items_in_batch": lengths.sum()}
    losses, norms = [], []
    for _ in range(STEPS):
        model.zero_grad()
        loss = trainer._compute_loss(model, inputs)
        assert loss.dtype == torch.float64
        loss.backward()
        losses.append(loss.item())
        norms.append(math.sqrt(sum((p.grad ** 2).sum().item() for p in model.parameters())))
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= lr * parameter.grad
    metrics = trainer._metrics["train"]
    clipped = metrics["clip_ratio/region_mean"]
    print(losses, norms, clipped)
    assert clipped[0] == 0 and 0 < max(clipped) < 1, clipped
    return {"options": options, "lr": lr, "losses": losses, "grad_norms": norms}


def main():
    data = make_data()
    found = {name: train(options, lr, data) for name, (options, lr) in VARIANTS.items()}
    (HERE / "policies.json").write_text(json.dumps({**data, "variants": found}) + "\n")


main()
