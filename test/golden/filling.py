#!/usr/bin/env python3
"""The loss of Hugging Face's mixtures of experts where sequences are filled up, in float64, for test_filling.py.

    filling.py        (needs torch, transformers, safetensors; writes filling.json)

Each sample goes through the model of a folder beside this file on its own, so there is no filling.  The loss is the
cross-entropy over all targets, plus COEFFICIENT times load_balancing_loss_func over the tokens of a batch's samples;
of several batches, of ranks or micro-steps, the mean of that by their tokens.
"""
import json
from pathlib import Path

import torch
import transformers
from draw_config import MIXTURES

HERE = Path(__file__).parent
COEFFICIENT, VOCAB = 0.5, 89
#: Samples: (first token, tokens, the first that is trained on).  A batch is two sequences, and has filling.
SAMPLES = [(3, 9, 2), (17, 5, 1), (40, 20, 7), (8, 11, 4), (71, 2, 1)]
#: The samples of each sequence.
ROWS = [[0, 1], [2], [3, 4], []]


def ids_of(sample):
    first, count, _ = SAMPLES[sample]
    return [1 + (first + 7 * i + i * i) % (VOCAB - 1) for i in range(count)]  # 0 is that of filling


def load(name):
    config = transformers.AutoConfig.from_pretrained(HERE / name)
    config._experts_implementation = "eager"  # others multiply in 32 bits
    return transformers.AutoModelForCausalLM.from_pretrained(HERE / name, config=config, attn_implementation="eager").double()


def loss_of(model, batches):
    """`batches` are lists of samples."""
    from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func
    config, total, targets, parts = model.config, 0, 0, []
    for batch in batches:
        routers = []
        for sample in batch:
            ids = torch.tensor([ids_of(sample)])
            out = model(input_ids=ids, output_router_logits=True, use_cache=False)
            trained = SAMPLES[sample][2]
            total = total + torch.nn.functional.cross_entropy(out.logits[0, trained - 1:-1], ids[0, trained:], reduction="sum")
            targets += ids.shape[1] - trained
            routers.append(out.router_logits)
        if batch:
            layers = tuple(torch.cat(layer) for layer in zip(*routers))
            aux = load_balancing_loss_func(layers, layers[0].shape[-1], config.num_experts_per_tok)
            parts.append((aux, len(layers[0])))
    aux = sum(aux * tokens for aux, tokens in parts) / sum(tokens for _, tokens in parts)
    return total / targets + COEFFICIENT * aux


def numbers(model, batches):
    model.zero_grad()
    loss = loss_of(model, batches)
    loss.backward()
    norm = sum((p.grad ** 2).sum() for p in model.parameters() if p.grad is not None) ** 0.5
    return {"loss": loss.item(), "grad_norm": norm.item()}


def main():
    models = {name: load(name) for name in MIXTURES}
    import families  # noqa: F401  float32 is another name of float64 from here on
    found = {name: {"whole": numbers(model, [[0, 1, 2, 3, 4]]), "halves": numbers(model, [[0, 1, 2], [3, 4]])}
             for name, model in models.items()}
    (HERE / "filling.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
