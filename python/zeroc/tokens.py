"""Token ids of samples, and which of them are trained on.

A token is trained on if one of its characters is.  Each trained turn ends with a stop token, which is trained on
as well: without it the model would not learn to end.  What a template without marks writes after the stop token
(a newline, say) is not trained on.
"""
from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .commands import text_of
from .conversations import Chat
from .errors import UserError
from .masks import check_marks, mask_chat, shorten
from .template import ChatTemplate, find_template, read_json, token_texts
from .tokenizer_file import load_tokenizer, special_names
from .written import check_chat, sayings

#: The target of a position that the loss ignores.
IGNORED = -100


@dataclass
class Sample:
    """`ids`, and for each its weight; 0 if it is not trained on."""
    ids: list
    trained: list


def vocabulary_of(config):
    """The rows of the model's embeddings; None if its config does not say it."""
    size = text_of(config).get("vocab_size")
    return size if isinstance(size, int) else None


def check_vocabulary(number, vocabulary, name, place):
    """Refuses a token that the model has no row for; `name` computes its name."""
    if vocabulary is not None and number >= vocabulary:
        raise UserError(f"{place}: the token {name()} has the id {number}, and the model has rows for 0 to "
                        f"{vocabulary - 1} (vocab_size of its config.json); resize its embeddings, or remove the token")


class Tokenizer:
    """The tokenizer of a model's folder, its chat template and its stop tokens.

    `template` names a file in place of the folder's; `stops` are texts of further stop tokens."""

    def __init__(self, folder, template=None, stops=()):
        self.folder = Path(folder)
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # dataset.py makes processes
        self.tokenizer = load_tokenizer(self.folder / "tokenizer.json")
        config = read_json(self.folder / "tokenizer_config.json")
        model = read_json(self.folder / "config.json")
        self.special = {**token_texts(read_json(self.folder / "special_tokens_map.json")), **token_texts(config)}
        self.vocabulary = vocabulary_of(model)
        self.end = self.find_end(model)
        self.stops = self.find_stops(model, stops)
        text, path = find_template(self.folder, config, template)
        self.template = text and ChatTemplate(text, path, self.special)
        if self.template and self.template.has_marks:
            check_marks(self.template)

    def id_of(self, text, source):
        number = self.tokenizer.token_to_id(text)
        if number is None:
            raise UserError(f"{source} {text!r} is no token of {self.folder / 'tokenizer.json'}")
        return number

    def find_end(self, model):
        """The token after a text; None if the folder names none."""
        if "eos_token" in self.special:
            return self.id_of(self.special["eos_token"], "eos_token")
        ids = self.ids_of(model, "config.json")
        return ids[0] if ids else None

    def ids_of(self, config, name):
        """The ids of eos_token_id, which is one or a list."""
        ids = config.get("eos_token_id")
        ids = text_of(config).get("eos_token_id") if ids is None else ids
        ids = [] if ids is None else ids if isinstance(ids, list) else [ids]
        for number in ids:
            if not isinstance(number, int) or isinstance(number, bool) or self.token_of(number) is None:
                raise UserError(f"{self.folder / name}: eos_token_id {number!r} is no token of the tokenizer")
        return ids

    def token_of(self, number):
        return self.tokenizer.id_to_token(number) if 0 <= number < 2**32 else None

    def find_stops(self, model, stops):
        found = {self.end} if self.end is not None else set()
        found.update(self.ids_of(model, "config.json"))
        found.update(self.ids_of(read_json(self.folder / "generation_config.json"), "generation_config.json"))
        return found | {self.id_of(text, "--stop-token") for text in stops}

    def encode(self, sample):
        """The Samples of a Chat or Text; a chat may be several."""
        if isinstance(sample, Chat):
            return [self.encode_chat(masked, sample.place)
                    for masked in mask_chat(sample, self.need_template(sample.place))]
        return [self.encode_text(sample)]

    def encode_whole(self, sample):
        """The Sample of a Chat or Text as it is, with all of it trained on."""
        if isinstance(sample, Chat):
            template = self.need_template(sample.place)
            text, _ = template.render(sample)
            check_chat(sample, template, text, range(len(sample.messages)))
            ids = self.convert(text, sample.place, add_special_tokens=False).ids
        else:
            ids = self.convert(sample.completion, sample.place, add_special_tokens=True).ids
        return Sample(ids, [1] * len(ids))

    def need_template(self, place):
        if not self.template:
            raise UserError(f"{place} is a chat, and {self.folder} has no chat template; name a file with "
                            "--chat-template")
        return self.template

    def encode_prompt(self, sample, place):
        """The ids of what a model goes on from: a Chat, with the beginning of an assistant's turn, or a text."""
        if isinstance(sample, Chat):
            template = self.need_template(place)
            text, _ = template.render(sample, prompt=True)
            check_chat(sample, template, text, range(len(sample.messages)), prompt=True)
            return self.convert(text, place, add_special_tokens=False).ids
        encoding = self.convert(sample, place, add_special_tokens=True)
        # A tokenizer may add the end of the text, too, after which nothing goes on.
        ends = encoding.ids[-1:] == [self.end] and encoding.special_tokens_mask[-1]
        return encoding.ids[:-1] if ends else encoding.ids

    def convert(self, text, place, **how):
        try:
            encoding = self.tokenizer.encode(text, **how)
        except Exception as error:  # that is what it throws
            raise UserError(f"{place}: the tokenizer of {self.folder} refuses it: {error}") from error
        self.check_id(max(encoding.ids, default=0), place)
        return encoding

    def check_id(self, number, place):
        check_vocabulary(number, self.vocabulary, lambda: repr(self.token_of(number)), place)

    def encode_text(self, sample):
        if self.end is None:
            raise UserError(f"{self.folder} names no eos_token, with which a text must end")
        begin = len(sample.prompt or "")
        encoding = self.convert((sample.prompt or "") + sample.completion, sample.place, add_special_tokens=True)
        ids = encoding.ids
        trained = [end > max(start, begin) for start, end in encoding.offsets]
        if not ids or ids[-1] != self.end:
            self.check_id(self.end, sample.place)
            ids, trained = [*ids, self.end], [*trained, True]
        else:
            trained[-1] = True
        return Sample(ids, trained)

    def encode_chat(self, masked, place):
        encoding = self.convert(masked.text, place, add_special_tokens=False)
        trained = [0] * len(encoding.ids)
        for begin, end, weight in masked.ranges:
            self.train_range(trained, encoding, masked.text, begin, end, weight, place)
        return Sample(encoding.ids, trained)

    def train_range(self, trained, encoding, text, begin, end, weight, place):
        inside = [i for i, (first, last) in enumerate(encoding.offsets)
                  if last > max(first, begin) and first < end]
        stop = next((n for n, i in enumerate(inside) if encoding.ids[i] in self.stops), None)
        if stop is None:
            names = ", ".join(repr(self.token_of(stop)) for stop in sorted(self.stops)) or "none"
            raise UserError(f"{place}: an assistant's turn ends without a stop token ({names}), so the model would not "
                            f"learn to end: {shorten(text[begin:end])}; name the token that ends it with --stop-token, "
                            "or use another --chat-template")
        for i in inside if self.template.has_marks else inside[:stop + 1]:
            trained[i] = weight

    def special_in(self, sample):
        """The name of a special token that a message contains as text, or None."""
        texts = ([text for message in sample.messages for _, said, _ in sayings(message) for text in said]
                 if isinstance(sample, Chat) else [sample.prompt or "", sample.completion])
        return next((name for name in self.special_names() for text in texts if name in text), None)

    def special_names(self):
        if not hasattr(self, "names"):
            self.names = special_names(self.tokenizer)
        return self.names
