#!/usr/bin/env python3
"""Writes test/chat/masks.json: what transformers computes for chat templates of ten families.

    pip install transformers trl
    make_masks.py

For each family: its template, TRL's variant of it with {% generation %} marks, the special tokens, and the
token ids and assistant masks that transformers gives for the marked template.  Each byte is a token.  The
templates are those in the wheel of TRL (Apache License 2.0), which has them from the families' folders.
"""
import json
from pathlib import Path

import transformers
import trl
from byte_tokenizer import byte_tokenizer

TEMPLATES = Path(trl.__file__).parent / "chat_templates"

#: bos, eos, the token that ends a turn, and others that the template writes.
FAMILIES = {
    "qwen2_5": ("", "<|im_end|>", "<|im_end|>", ["<|im_start|>", "<|endoftext|>"]),
    "qwen3": ("", "<|im_end|>", "<|im_end|>", ["<|im_start|>", "<|endoftext|>"]),
    "llama3": ("<|begin_of_text|>", "<|eot_id|>", "<|eot_id|>", ["<|start_header_id|>", "<|end_header_id|>"]),
    "gemma": ("<bos>", "<eos>", "<end_of_turn>", ["<start_of_turn>"]),
    "gemma3": ("<bos>", "<eos>", "<end_of_turn>", ["<start_of_turn>"]),
    "phi3": ("<s>", "<|endoftext|>", "<|end|>", ["<|system|>", "<|user|>", "<|assistant|>"]),
    "deepseekv3": ("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>",
                   ["<｜User｜>", "<｜Assistant｜>"]),
    "lfm2": ("<|startoftext|>", "<|im_end|>", "<|im_end|>", ["<|im_start|>", "<|endoftext|>"]),
    "cohere2": ("<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>",
                ["<|START_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>",
                 "<|START_RESPONSE|>", "<|END_RESPONSE|>"]),
    "glm4moe": ("", "<|endoftext|>", "<|user|>", ["[gMASK]", "<sop>", "<|assistant|>", "<|system|>", "<|observation|>"]),
}
CHATS = [
    [("user", "What is 2 + 2?"), ("assistant", "It is 4.")],
    [("user", "Hi"), ("assistant", "Hello! How are you?"), ("user", "Grüße,\nwie geht's?  "),
     ("assistant", "Gut —\n\n 你好 🙂"), ("user", "assistant"), ("assistant", "user\n\nassistant")],
    [("system", "You are terse."), ("user", "Name a colour."), ("assistant", "Red."), ("user", "Another."),
     ("assistant", "Blue.")],
]


def ranges(mask):
    """[begin, end) of each run of ones."""
    edges = [i for i in range(len(mask) + 1) if (i and mask[i - 1]) != (i < len(mask) and mask[i])]
    return list(zip(edges[::2], edges[1::2]))


def main():
    families = {}
    for name, (bos, eos, stop, others) in FAMILIES.items():
        special = [text for text in dict.fromkeys([bos, eos, stop, *others]) if text]
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_object=byte_tokenizer(special), bos_token=bos or None, eos_token=eos)
        marked = (TEMPLATES / f"{name}_training.jinja").read_text()
        chats = []
        for turns in CHATS:
            messages = [{"role": role, "content": content} for role, content in turns]
            try:
                got = tokenizer.apply_chat_template(messages, chat_template=marked, return_dict=True,
                                                    return_assistant_tokens_mask=True)
            except Exception as error:
                assert "System role" in str(error), error
                continue
            chats.append({"messages": messages, "ids": got["input_ids"], "trained": ranges(got["assistant_masks"])})
        families[name] = {"bos": bos, "eos": eos, "stop": stop, "special": special, "chats": chats,
                          "template": (TEMPLATES / f"{name}.jinja").read_text(), "marked": marked}
    text = json.dumps({"transformers": transformers.__version__, "trl": trl.__version__, "families": families},
                      ensure_ascii=False)
    (Path(__file__).parent / "masks.json").write_text(text + "\n")


main()
