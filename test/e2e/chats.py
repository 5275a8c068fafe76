"""Helpers of the tests of chats: models with a tokenizer of bytes, and what is trained on of a record."""
import json
import sys

import support

sys.path[:0] = [str(support.ROOT / "python"), str(support.ROOT / "test" / "chat")]
try:
    import numpy  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import safetensors.numpy  # noqa: F401
    from byte_tokenizer import byte_tokenizer
    from zeroc import conversations, tokens
    from zeroc.errors import UserError
    MISSING = ""
except ImportError as error:
    MISSING = str(error)

CHATML = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def runs(trained):
    edges = [i for i in range(len(trained) + 1)
             if bool(i and trained[i - 1]) != bool(i < len(trained) and trained[i])]
    return [list(pair) for pair in zip(edges[::2], edges[1::2])]


class ChatCase(support.Case):
    def setUp(self):
        super().setUp()
        if MISSING:
            self.skipTest(f"no Python package: {MISSING}")

    def model(self, text=CHATML, special=SPECIAL, bos="", eos="<|im_end|>", name="model", **config):
        """A folder with a tokenizer of bytes."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        tokenizer = byte_tokenizer(special)
        tokenizer.save(str(folder / "tokenizer.json"))
        settings = {"eos_token": eos, **({"bos_token": bos} if bos else {})}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        if text is not None:
            (folder / "chat_template.jinja").write_text(text)
        (folder / "config.json").write_text(json.dumps({"vocab_size": tokenizer.get_vocab_size(), **config}))
        return folder

    def samples(self, folder, record, **how):
        tokenizer = tokens.Tokenizer(folder, **how)
        return tokenizer, tokenizer.encode(conversations.read_sample(record, "a.jsonl, line 1"))

    def trained_text(self, folder, record, **how):
        """What is trained on, of all samples, run by run."""
        tokenizer, samples = self.samples(folder, record, **how)
        return [tokenizer.tokenizer.decode(sample.ids[begin:end], skip_special_tokens=False)
                for sample in samples for begin, end in runs(sample.trained)]

    def refused(self, *keywords, of):
        with self.assertRaises(UserError) as caught:
            of()
        for keyword in keywords:
            self.assertIn(keyword, str(caught.exception))
