"""zeroc finetune: from a model's folder and files of chats or texts to a tuned model."""
from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from . import dataset
from .errors import UserError
from .run import Run, new_parser
from .template import read_json
from .tokens import Tokenizer


def parser():
    p = new_parser("finetune", "Fine-tunes a model on chats or texts.")
    p.add_argument("model", metavar="MODEL_DIR", help="a folder of Hugging Face: config, weights, tokenizer")
    p.add_argument("data", metavar="DATA", nargs="+", help="*.jsonl, *.json, *.parquet, *.txt, or folders of them")
    p.add_argument("--lora", metavar="RANK[:ALPHA]", help="train adapters; ALPHA is twice the rank if not given "
                   "(default: all weights are trained)")
    p.add_argument("--merge", action="store_true", help="with --lora: write the model with its adapters merged")
    p.add_argument("--no-packing", action="store_true", help="one sample in a sequence, the rest filled up")
    p.add_argument("--eval-split", type=float, metavar="PART", default=0.0,
                   help="keep this part of the records for evaluation, as 0.02 (default: none)")
    p.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    p.add_argument("--stop-token", metavar="TEXT", action="append", default=[], help="a further stop token")
    return p


class Finetune(Run):
    def __init__(self, arguments):
        super().__init__("finetune", parser(), arguments)

    @property
    def lr(self):
        return 2e-4 if self.args.lora else 2e-5

    def read_model(self):
        self.model = Path(self.args.model)
        self.config = read_json(self.model / "config.json")
        if not self.config:
            raise UserError(f"{self.model} has no config.json; name the folder of a model")

    def check(self):
        super().check()
        a = self.args
        if a.merge and not a.lora:
            raise UserError("--merge is for the adapters of --lora, and there are none; drop it")
        if self.out.resolve() == self.model.resolve():
            raise UserError(f"-o {self.out} is the model itself; name another folder")
        if not any(self.model.glob("*.safetensors")):
            raise UserError(f"{self.model} has no weights *.safetensors; to begin with random weights, use zeroc pretrain")

    def make_data(self):
        a = self.args
        request = dataset.Request(str(self.model), a.data, self.seq, not a.no_packing, a.eval_split,
                                  self.sequences_per_step(), a.seed, a.chat_template, tuple(a.stop_token))
        self.data = self.work / "data.safetensors"
        self.evaluation = self.work / "eval.safetensors" if a.eval_split else None
        command = [self.program, "data", "build", str(self.model), *a.data, "-o", str(self.data), f"--seq={self.seq}"]
        command += ["--no-packing"] if a.no_packing else []
        command += [f"--eval-split={a.eval_split!r}", f"--eval={self.evaluation}",
                    f"--eval-batch={self.sequences_per_step()}"] if a.eval_split else []
        command += [f"--seed={a.seed}"] if a.seed else []
        command += [f"--chat-template={a.chat_template}"] if a.chat_template else []
        self.commands.append(command + [f"--stop-token={text}" for text in a.stop_token])
        summaries, _, self.data_key = dataset.build(request, self.data, self.evaluation)
        for name, summary in zip(("data", "eval"), summaries):
            for line in summary.lines():
                print(f"{name:<10}{line}", file=sys.stderr if line.startswith("warning") else sys.stdout)
        summary = summaries[0]
        self.weighted = summary.weighted
        self.facts = {"records, samples": f"{summary.records:,}, {summary.samples:,}",
                      "tokens, trained on": f"{summary.tokens:,}, {summary.trained:,}",
                      "sequences": f"{summary.sequences:,} of {self.seq:,} tokens"}
        return summary.sequences

    def import_options(self):
        return ["--packed", *(["--token-weights"] if self.weighted else [])]

    def compile_options(self):
        lora = self.args.lora
        if not lora:
            return []
        return [f"--lora={lora}:{2 * int(lora)}" if lora.isascii() and lora.isdecimal() else f"--lora={lora}"]

    def train_options(self):
        return ["--init", self.model, *(["--save", self.out] if self.args.lora and not self.args.merge else [])]

    def export_options(self):
        a = self.args
        if a.lora and not a.merge:
            return None
        return [f"--config={self.model / 'config.json'}", *(["--merge"] if a.merge else [])]

    def copy_tokenizer(self):
        self.copy_files(self.model)
        # Who generates with the model needs what it was trained with.
        if self.args.chat_template:
            shutil.copyfile(self.args.chat_template, self.out / "chat_template.jinja")
            (self.out / "chat_template.json").unlink(missing_ok=True)
        if self.args.stop_token:
            path = self.out / "generation_config.json"
            config = read_json(path)
            tokenizer = Tokenizer(self.model, self.args.chat_template, tuple(self.args.stop_token))
            path.write_text(json.dumps({**config, "eos_token_id": sorted(tokenizer.stops)}, indent=2) + "\n")

    def describe(self):
        """(name of the base model, what was done) for the model card."""
        lora = self.args.lora
        base = self.config.get("_name_or_path") or self.model.resolve().name
        rank = lora and lora.partition(":")[0]
        return base, ("all weights were trained" if not lora else f"adapters of rank {rank} were trained and merged"
                      if self.args.merge else f"these are adapters of rank {rank}")


def main(arguments):
    Finetune(arguments).run()
