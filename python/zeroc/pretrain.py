"""zeroc pretrain: from a config and files of text to a model that begins with random weights."""
from __future__ import annotations


import numpy as np

from . import hub
from .columns import add_columns, read_columns
from .dataset import hash_file
from .errors import UserError, plural
from .outputs import copy_tokenizer_files
from .run import Run
from .run_options import new_parser
from .template import read_json, token_texts
from .tokenizer_file import load_tokenizer
from .tokens import check_vocabulary, vocabulary_of
from .whole_file import whole


def parser():
    p = new_parser("pretrain", "1", "6e-4")
    p.add_argument("model", metavar="CONFIG", help="a config.json, a folder with it and tokenizer.json, or OWNER/NAME of "
                   "a hub")
    p.add_argument("data", metavar="DATA", nargs="+", help="texts; *.jsonl, *.parquet, *.csv with a field text; also *.gz; "
                   "folders of them, or data sets of a hub")
    add_columns(p)
    p.add_argument("--tokenizer", metavar="FILE", help="a tokenizer.json, or OWNER/NAME (default: that beside the config)")
    p.add_argument("--bytes", action="store_true", help="each byte is a token")
    p.add_argument("--eval-split", type=float, metavar="PART", default=0.0,
                   help="keep the last part of the tokens for evaluation, as 0.02 (default: none)")
    return p


class Pretrain(Run):
    epochs, accumulation, lr = 1, 1, 6e-4

    def __init__(self, arguments):
        super().__init__("pretrain", parser(), arguments)

    def read_model(self):
        self.model = hub.find_folder(self.args.model, hub.TOKENIZER)
        self.folder = self.model if self.model.is_dir() else self.model.parent
        path = self.model / "config.json" if self.model.is_dir() else self.model
        self.config = read_json(path)
        if not self.config:
            raise UserError(f"cannot read {path}; name a config.json, or a folder with one")
        self.config_path = path
        self.tokenizer = hub.find_tokenizer(self.args.tokenizer) if self.args.tokenizer else self.folder / "tokenizer.json"
        if self.out.resolve() == self.folder.resolve():
            raise UserError(f"-o {self.out} is the folder of the config; name another")
        if self.args.bytes and self.args.tokenizer:
            raise UserError("--bytes and --tokenizer exclude each other; drop one")
        if not self.args.bytes and not self.tokenizer.exists():
            raise UserError(f"{self.tokenizer} does not exist; name a tokenizer.json with --tokenizer, or say --bytes")
        self.columns = read_columns(self.args.column)
        if self.columns.keys() - {"text"}:
            raise UserError(f"--column={self.args.column[0]} is of zeroc finetune; texts have the field text alone")
        self.end = self.find_end()
        self.data = self.work / "data.u32"
        self.evaluation = self.work / "eval.u32" if self.args.eval_split else None

    def find_end(self):
        """The id of the token that ends a document; None for bytes."""
        if self.args.bytes:
            return None
        end = self.config.get("eos_token_id")
        if isinstance(end, list):
            end = end[0] if end else None
        if end is None:
            text = token_texts(read_json(self.tokenizer.parent / "tokenizer_config.json")).get("eos_token")
            vocabulary = read_json(self.tokenizer)
            end = next((token["id"] for token in vocabulary.get("added_tokens", []) if token.get("content") == text), None)
        if end is None:
            raise UserError(f"{self.config_path} has no eos_token_id, the token that ends a document; add it")
        return end

    def make_data(self):
        self.data.unlink(missing_ok=True)
        self.call([self.program, "tokenize", *self.args.data, "-o", str(self.data),
                   *(f"--field={column}" for column in self.columns.values()),
                   *([f"--split={self.args.split}"] if self.args.split else []),
                   *(["--bytes"] if self.args.bytes else [f"--tokenizer={self.tokenizer}", f"--separator={self.end}"])])
        tokens = np.memmap(self.data, np.uint32, "r")
        self.data_key = f"{hash_file(self.data).hex()} {self.args.eval_split}"
        count = len(tokens)
        self.check_ids(tokens)
        if self.args.eval_split:
            kept = max(self.seq + 1, round(count * self.args.eval_split))
            if kept + self.seq + 1 > count:
                raise UserError(f"--eval-split={self.args.eval_split:g} of {plural(count, 'token')} leaves none to train on")
            write_ids(self.evaluation, tokens[count - kept:])
            rest = self.work / "train.u32"
            write_ids(rest, tokens[:count - kept])
            self.data, count = rest, count - kept
        sequences = (count - 1) // self.seq
        self.facts = {"tokens": f"{count:,}", "sequences": f"{sequences:,} of {self.seq:,} tokens"}
        return sequences

    def check_ids(self, tokens):
        vocabulary = vocabulary_of(self.config)
        if vocabulary is None or not len(tokens) or tokens.max() < vocabulary:
            return
        first = int(np.argmax(tokens >= vocabulary))
        number, ended = int(tokens[first]), 0 if self.end is None else int((tokens[:first] == self.end).sum())
        check_vocabulary(number, vocabulary, lambda: number if self.args.bytes else repr(load_tokenizer(
            self.tokenizer).id_to_token(number)), f"{', '.join(self.args.data)}, document {1 + ended}")

    @property
    def is_separated(self):
        """Attention stays within documents, except with learned positions."""
        return self.end is not None and self.config.get("model_type") != "gpt2"

    def import_options(self):
        return [f"--document-separator={self.end}"] if self.is_separated else []

    def train_options(self):
        return ["--document-separator", self.end] if self.end is not None else []

    def export_options(self):
        return [f"--config={self.config_path}"]

    def copy_tokenizer(self):
        if not self.args.bytes:
            copy_tokenizer_files(self, self.tokenizer.parent)

    def describe(self):
        return None, "all weights were trained, from random ones"


def write_ids(path, ids):
    with whole(path) as partial:
        np.asarray(ids, np.uint32).tofile(partial)


def main(arguments):
    Pretrain(arguments).run()
