#!/usr/bin/env python3
"""Makes test/golden/peft: adapters of some layers of the small Gemma 2, in each way that PEFT has to name them.

    peft_adapters.py      (needs torch, transformers, peft)

A folder for each, and beside them the logits of PEFT's model for the first tokens of tokens.bin, in float32.
"""
import json
import shutil
from pathlib import Path

import numpy
import torch
import transformers
from peft import LoraConfig, get_peft_model

BASE = Path(__file__).resolve().parent / "gemma2"
OUT = BASE.parent / "peft"
TOKENS = 12
FOLDERS = {
    "layers": dict(target_modules=["q_proj", "v_proj"], layers_to_transform=[1]),
    "exclude": dict(target_modules=["q_proj", "down_proj"], exclude_modules=r".*layers\.0\..*"),
    "regex": dict(target_modules=r".*layers\.(?!1\b)\d+\..*?(?:gate|up)_proj"),
    "names": dict(target_modules=["model.layers.0.self_attn.o_proj", "layers.1.mlp.up_proj"]),
    "all": dict(target_modules="all-linear", modules_to_save=["post_feedforward_layernorm"], use_rslora=True),
}


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    ids = torch.from_numpy(numpy.fromfile(BASE / "tokens.bin", "<u2")[:TOKENS].astype("int64"))[None]
    logits = []
    for number, (name, how) in enumerate(FOLDERS.items()):
        torch.manual_seed(number)
        base = transformers.AutoModelForCausalLM.from_pretrained(BASE, dtype=torch.float32, attn_implementation="eager")
        model = get_peft_model(base, LoraConfig(task_type="CAUSAL_LM", r=2, lora_alpha=3, init_lora_weights=False, **how))
        for parameter in model.parameters():
            if parameter.requires_grad:
                torch.nn.init.normal_(parameter, std=0.3)
        model.save_pretrained(OUT / name)
        (OUT / name / "README.md").unlink()
        config = json.loads((OUT / name / "adapter_config.json").read_text())
        (OUT / name / "adapter_config.json").write_text(
            json.dumps({**config, "base_model_name_or_path": "../gemma2"}, indent=1, sort_keys=True) + "\n")
        with torch.no_grad():
            logits.append(model(input_ids=ids).logits[0].numpy())
    numpy.save(OUT / "logits.npy", numpy.stack(logits))


if __name__ == "__main__":
    main()
