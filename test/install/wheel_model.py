"""Writes a small Qwen3 with random weights, a tokenizer of bytes and a chat template, and chats to learn."""
import json
import os
import subprocess
import sys
from pathlib import Path

import tokenizers

folder = Path("model")
folder.mkdir(exist_ok=True)
letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={text: i for i, text in enumerate(letters)}, merges=[]))
tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
tokenizer.decoder = tokenizers.decoders.ByteLevel()
tokenizer.add_special_tokens(["<|im_start|>", "<|im_end|>"])
tokenizer.save(str(folder / "tokenizer.json"))
(folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|im_end|>", "chat_template":
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"}))
(folder / "config.json").write_text(json.dumps(dict(
    model_type="qwen3", vocab_size=258, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, head_dim=16, max_position_embeddings=128,
    tie_word_embeddings=True)))
words = ("red", "green", "blue", "one", "two", "three")
Path("chats.jsonl").write_text("".join(json.dumps({"messages": [
    {"role": "user", "content": words[i % 6]}, {"role": "assistant", "content": words[i % 6]}]}) + "\n"
    for i in range(300)))
# Its weights: those that a program begins with.
Path("text").write_bytes(os.urandom(300))
for command in (["zeroc", "import", "model", "--batch=1", "--seq=16", "-o", "model.mlir"],
                ["zeroc", "model.mlir", "-o", "start"],
                ["./start", "--data", "text", "--data-format=text", "--steps=1", "--lr=0", "--quiet",
                 "--save", "model/model.safetensors"]):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
