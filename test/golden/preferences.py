#!/usr/bin/env python3
"""Makes test/golden/preferences: losses and weights of TRL's trainers, in float32.

    preferences.py      (needs torch, transformers, trl, datasets, tokenizers)

A small Llama, a tokenizer of words, records of each objective, and for each of them the loss of every
step and the weights at the end: DPO, KTO and rewards by TRL, labels by transformers' model and loss.
All steps read the same batch of all records, without dropout, by SGD with a constant learning rate.
"""
import json
import random
import sys
from pathlib import Path

import torch
import transformers
from datasets import Dataset
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers
from trl import DPOConfig, DPOTrainer, KTOConfig, KTOTrainer, RewardConfig, RewardTrainer

OUT = Path(__file__).resolve().parent / "preferences"
MODEL = OUT / "model"
WORDS, STEPS, RECORDS = 92, 20, 4
LR = {"dpo": 0.02, "kto": 0.05, "reward": 0.01, "classify": 0.01}


def make_model():
    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0,
        num_labels=1, tie_word_embeddings=False)
    model = transformers.LlamaForCausalLM(config)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.2)
    model.save_pretrained(MODEL)
    vocabulary = {"<pad>": 0, "<s>": 1, "</s>": 2, "<unk>": 3, **{f"w{i}": i + 4 for i in range(WORDS)}}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>",
                                                eos_token="</s>", unk_token="<unk>")
    fast.save_pretrained(MODEL)
    heads = {}
    for name, labels in (("reward", 1), ("classify", 3)):
        heads[name] = torch.normal(0, 0.2, (labels, 32))
    save_file(heads, OUT / "heads.safetensors")
    return fast, heads


def make_records():
    rng = random.Random(5)

    def text(few, many):
        return " ".join(f"w{rng.randrange(WORDS)}" for _ in range(rng.randint(few, many)))

    pairs = [{"prompt": text(2, 6), "chosen": " " + text(1, 8), "rejected": " " + text(1, 8)} for _ in range(RECORDS)]
    return {"dpo": pairs, "reward": [{**pair, "margin": rng.choice((0.0, 0.5, 1.0))} for pair in pairs],
            "kto": [{"prompt": text(2, 6), "completion": " " + text(1, 8), "label": i % 3 != 1} for i in range(RECORDS)],
            "classify": [{"text": text(3, 9), "label": i % 3} for i in range(RECORDS)]}


def arguments(kind, name, **more):
    return kind(output_dir="/tmp/preferences", per_device_train_batch_size=RECORDS, max_steps=STEPS, learning_rate=LR[name],
                lr_scheduler_type="constant", optim="sgd", max_grad_norm=0, logging_steps=1, report_to=[], use_cpu=True,
                save_strategy="no", bf16=False, gradient_checkpointing=False, disable_tqdm=True, seed=1, **more)


def with_head(weight):
    model = transformers.AutoModelForSequenceClassification.from_pretrained(MODEL, num_labels=len(weight), dtype="float32")
    model.score.weight.data.copy_(weight)
    return model


def train(name, records, tokenizer, heads):
    data = Dataset.from_list(records)
    if name == "classify":
        return train_labels(records, tokenizer, with_head(heads[name]))
    common = dict(train_dataset=data, processing_class=tokenizer)
    if name == "dpo":
        trainer = DPOTrainer(transformers.AutoModelForCausalLM.from_pretrained(MODEL, dtype="float32"),
                             args=arguments(DPOConfig, name, beta=0.3, max_length=64), **common)
    elif name == "kto":
        trainer = KTOTrainer(transformers.AutoModelForCausalLM.from_pretrained(MODEL, dtype="float32"),
                             ref_model=transformers.AutoModelForCausalLM.from_pretrained(MODEL, dtype="float32"),
                             args=arguments(KTOConfig, name, beta=0.3, max_length=64, desirable_weight=1.0,
                                            undesirable_weight=1.25), **common)
    else:
        trainer = RewardTrainer(with_head(heads[name]), args=arguments(RewardConfig, name, max_length=64), **common)
    losses, whole = [], trainer.compute_loss

    def compute_loss(*given, **named):  # what is logged is rounded
        found = whole(*given, **named)
        losses.append(float(found[0] if isinstance(found, tuple) else found))
        return found

    trainer.compute_loss = compute_loss
    trainer.model.config._attn_implementation = "eager"
    trainer.train()
    return losses, trainer.model


def train_labels(records, tokenizer, model):
    batch = tokenizer([record["text"] for record in records], padding=True, return_tensors="pt", return_token_type_ids=False)
    labels = torch.tensor([record["label"] for record in records])
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=LR["classify"]), []
    for _ in range(STEPS):
        loss = model(**batch, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses, model


def main():
    OUT.mkdir(exist_ok=True)
    tokenizer, heads = make_model()
    golden = {"versions": {module.__name__: module.__version__ for module in (torch, transformers, sys.modules["trl"])},
              "lr": LR, "losses": {}}
    for name, records in make_records().items():
        (OUT / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        losses, model = train(name, records, tokenizer, heads)
        golden["losses"][name] = losses
        state = {key: value.contiguous() for key, value in model.state_dict().items()}
        save_file(state, OUT / f"{name}.safetensors")
        print(name, losses[0], losses[-1])
    (OUT / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


main()
