"""zeroc finetune: from a model's folder and files of data to a tuned model.

    records -> sequences (dataset.py) -> zeroc import -> zeroc -> train -> adapters, or a folder of weights

Each step is a command that could be typed; the run prints them.  What the steps leave is in OUT/zeroc, so that
the same command, given again, goes on from the last checkpoint.
"""
from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import card, dataset
from .errors import UserError, plural
from .options import refuse_unknown, take_options, value_of
from .template import read_json

#: Of a model's folder, beside config.json and the weights.
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                   "vocab.json", "merges.txt", "tokenizer.model", "chat_template.jinja", "chat_template.json",
                   "generation_config.json")
#: Options that the command gives, and what a user says instead.
MANAGED = {"--data": "name the files of data after the model", "--input": "name the files of data after the model",
           "--eval-data": "say --eval-split", "--eval-input": "say --eval-split", "--eval": "say --eval-split",
           "--init": "name the model's folder first", "--save": "say -o", "--checkpoint": "say -o",
           "--resume": "give the same command again", "--world-size": "say --ranks", "--metrics": "see OUT/zeroc",
           "--save-at-exit": "it is always on", "--emit": "use zeroc itself", "--shuffle": "it is always on",
           "--document-separator": "samples are apart already", "--data-format": "see zeroc data --help",
           "--data-weights": "see zeroc data --help", "--save-dtype": "say --precision",
           "--compare": "use zeroc itself"}


def parser():
    p = argparse.ArgumentParser(
        prog="zeroc finetune", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Fine-tunes a model on chats or texts.",
        epilog="All options of zeroc (--stage, --offload, --lora-targets, --optimizer, ...) and of training programs\n"
               "(--schedule, --threads, ...) are taken, too: see zeroc --help and OUT/zeroc/train --help.\n"
               "The same command, given again, goes on from the last checkpoint.")
    p.add_argument("model", metavar="MODEL_DIR", help="a folder of Hugging Face: config, weights, tokenizer")
    p.add_argument("data", metavar="DATA", nargs="+", help="*.jsonl, *.json, *.parquet, *.txt, or folders of them")
    p.add_argument("-o", metavar="OUT", required=True, help="the folder to write")
    p.add_argument("--lora", metavar="RANK[:ALPHA]", help="train adapters; ALPHA is twice the rank if not given "
                   "(default: all weights are trained)")
    p.add_argument("--merge", action="store_true", help="with --lora: write the model with its adapters merged")
    p.add_argument("--epochs", type=float, help="how often all samples are read (default: 3)")
    p.add_argument("--steps", type=int, help="in place of --epochs")
    p.add_argument("--lr", type=float, help="peak learning rate (default: 2e-4 with --lora, else 2e-5)")
    p.add_argument("--warmup", type=int, help="steps of warm-up (default: 3 %% of all)")
    p.add_argument("--seq", type=int, help="tokens of a sequence (default: 1024, or the model's positions if fewer)")
    p.add_argument("--batch", type=int, default=1, help="sequences of a micro-batch of a rank (default: 1)")
    p.add_argument("--ranks", type=int, default=1, help="processes that share the work (default: 1)")
    p.add_argument("--no-packing", action="store_true", help="one sample in a sequence, the rest filled up")
    p.add_argument("--eval-split", type=float, metavar="PART", default=0.0,
                   help="keep this part of the records for evaluation, as 0.02 (default: none)")
    p.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    p.add_argument("--stop-token", metavar="TEXT", action="append", default=[], help="a further stop token")
    p.add_argument("--seed", type=int, default=0, help="of the order of samples and of adapters (default: 0)")
    p.add_argument("--save-every", type=int, metavar="N", help="steps between checkpoints (default: a tenth of all)")
    p.add_argument("--dry-run", action="store_true", help="print the plan: memory, tokens, steps, commands")
    p.add_argument("--restart", action="store_true", help="drop what an earlier run left in OUT/zeroc")
    return p


class Finetune:
    """The steps of one command."""

    def __init__(self, arguments):
        p = parser()
        own = [text for action in p._actions for text in action.option_strings]
        found, others = take_options(arguments, own, MANAGED, "finetune")
        self.args, unknown = p.parse_known_args(others)
        refuse_unknown(unknown, own, "finetune")
        self.compiled, self.trained = found["compile"], found["train"]
        self.program = os.environ.get("ZEROC_PROGRAM", "zeroc")
        self.model, self.out = Path(self.args.model), Path(self.args.o)
        self.work = self.out / "zeroc"
        self.config = read_json(self.model / "config.json")
        if not self.config:
            raise UserError(f"{self.model} has no config.json; name the folder of a model")
        self.check()
        self.commands = []

    def check(self):
        a = self.args
        for name, value, least in (("--batch", a.batch, 1), ("--ranks", a.ranks, 1), ("--seq", a.seq, 2),
                                   ("--steps", a.steps, 1), ("--warmup", a.warmup, 0),
                                   ("--save-every", a.save_every, 1)):
            if value is not None and value < least:
                raise UserError(f"{name}={value} must be {least} or more")
        if a.steps is not None and a.epochs is not None:
            raise UserError("--steps and --epochs both say when the run ends; drop one")
        if a.epochs is not None and not 0 < a.epochs < math.inf:
            raise UserError(f"--epochs={a.epochs:g} must be above 0")
        if not 0 <= a.eval_split < 1:
            raise UserError(f"--eval-split={a.eval_split:g} must be from 0 to below 1")
        if a.merge and not a.lora:
            raise UserError("--merge is for the adapters of --lora, and there are none; drop it")
        if self.out.resolve() == self.model.resolve():
            raise UserError(f"-o {self.out} is the model itself; name another folder")
        if not any(self.model.glob("*.safetensors")):
            raise UserError(f"{self.model} has no weights *.safetensors; to begin with random weights, use zeroc pretrain")

    @property
    def positions(self):
        return self.config.get("max_position_embeddings") or self.config.get("n_positions") or 1024

    @property
    def seq(self):
        return self.args.seq or min(1024, self.positions)

    @property
    def precision(self):
        return value_of(self.compiled, "--precision") or "bf16"

    @property
    def accumulate(self):
        return int(value_of(self.compiled, "--accumulate") or 8)

    def sequences_per_step(self):
        return self.args.batch * self.args.ranks * self.accumulate

    def run(self):
        self.keep_settings()
        self.make_data()
        self.steps = self.args.steps or int((self.args.epochs or 3) * self.summaries[0].sequences
                                            / self.sequences_per_step())
        if self.steps < 1:
            raise UserError(f"{plural(self.summaries[0].sequences, 'sequence')} are fewer than the "
                            f"{self.sequences_per_step()} of a step; lower --accumulate (now {self.accumulate}), "
                            "--batch or --ranks, or raise --epochs")
        self.compile()
        train = self.train_command()
        if self.args.dry_run:
            self.print_run()
            self.commands += [train, *self.output_commands()]
            self.print_commands()
            return
        self.print_run()
        self.call(train)
        for command in self.output_commands():
            self.call(command)
        for name in TOKENIZER_FILES:
            if (self.model / name).exists():
                shutil.copyfile(self.model / name, self.out / name)
        card.write(self)
        self.print_commands()
        print(f"wrote {self.out}")

    def settings(self):
        """What a run may not change when it goes on."""
        a = self.args
        return {"model": str(self.model.resolve()), "data": [str(Path(file).resolve()) for file in a.data],
                **{name: getattr(a, name) for name in ("lora", "epochs", "steps", "lr", "warmup", "batch", "no_packing",
                                                       "eval_split", "chat_template", "stop_token", "seed")},
                "seq": self.seq, "compile": sorted(self.compiled), "train": sorted(self.trained)}

    def keep_settings(self):
        """Refuses to go on with a run of other settings."""
        path, now = self.work / "settings.json", self.settings()
        if self.args.restart and self.work.exists():
            shutil.rmtree(self.work)
        was = read_json(path)
        changed = [key for key in now if key in was and was[key] != now[key]]
        if changed:
            key = changed[0]
            raise UserError(f"{self.out} has a run with {key} {json.dumps(was[key])}, and now it is "
                            f"{json.dumps(now[key])}; name another folder with -o, or start again with --restart")
        self.work.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(now, indent=2) + "\n")

    def make_data(self):
        a = self.args
        request = dataset.Request(str(self.model), a.data, self.seq, not a.no_packing, a.eval_split, a.seed,
                                  a.chat_template, tuple(a.stop_token))
        self.data = self.work / "data.safetensors"
        self.evaluation = self.work / "eval.safetensors" if a.eval_split else None
        command = [self.program, "data", "build", str(self.model), *a.data, "-o", str(self.data), f"--seq={self.seq}"]
        command += ["--no-packing"] if a.no_packing else []
        command += [f"--eval-split={a.eval_split:g}", f"--eval={self.evaluation}"] if a.eval_split else []
        command += [f"--seed={a.seed}"] if a.seed else []
        command += [f"--chat-template={a.chat_template}"] if a.chat_template else []
        self.commands.append(command + [f"--stop-token={text}" for text in a.stop_token])
        self.summaries, _ = dataset.build(request, self.data, self.evaluation)
        for name, summary in zip(("data", "eval"), self.summaries):
            for line in summary.lines():
                print(f"{name:<10}{line}", file=sys.stderr if line.startswith("warning") else sys.stdout)

    def compile(self):
        a, model = self.args, str(self.work / "model.mlir")
        self.call([self.program, "import", str(self.model), f"--batch={a.batch}", f"--seq={self.seq}", "--packed",
                   "-o", model])
        options = list(self.compiled)
        if a.lora:
            options.append(f"--lora={a.lora if ':' in a.lora else f'{a.lora}:{2 * int(a.lora) if a.lora.isdigit() else a.lora}'}")
        for name, value in (("--precision", self.precision), ("--accumulate", self.accumulate)):
            if value_of(options, name) is None:
                options.append(f"{name}={value}")
        if a.ranks > 1:
            options.append(f"--world-size={a.ranks}")
        if self.evaluation:
            options.append("--eval")
        self.call([self.program, model, *options, "-o", str(self.work / "train")], quiet=not a.dry_run)

    def train_command(self):
        a, more = self.args, self.trained
        # The weights after the last step are in the checkpoint that --save-at-exit writes.
        options = ["--data", self.data, "--init", self.model, "--shuffle", f"--steps={self.steps}",
                   f"--lr={a.lr or (2e-4 if a.lora else 2e-5):g}", f"--seed={a.seed}",
                   f"--warmup={math.ceil(0.03 * self.steps) if a.warmup is None else a.warmup}",
                   "--checkpoint", self.work / "run", f"--save-every={a.save_every or max(1, self.steps // 10)}",
                   "--save-at-exit", "--resume", "latest", "--metrics", self.work / "metrics.jsonl"]
        options += ["--eval-data", self.evaluation] if self.evaluation else []
        options += [option for option in ("--schedule=cosine", "--keep=2")
                    if value_of(more, option.partition("=")[0]) is None]
        options += ["--save", self.out] if a.lora and not a.merge else []
        return [str(self.work / "train"), *map(str, options), *more]

    def output_commands(self):
        a, commands = self.args, []
        if not a.lora or a.merge:
            dtype = {"bf16": "bf16", "fp16": "f16"}.get(self.precision, "f32")
            commands.append([self.program, "export", str(self.work / "run"), "-o", str(self.out), f"--dtype={dtype}",
                             f"--config={self.model / 'config.json'}", *(["--merge"] if a.merge else [])])
        return [*commands, [self.program, "plot", str(self.work / "metrics.jsonl"), "-o", str(self.out / "loss.svg")]]

    def call(self, command, quiet=False):
        self.commands.append(command)
        done = subprocess.Popen(command, stdout=subprocess.DEVNULL if quiet else None)
        while True:
            try:
                status = done.wait()
                break
            except KeyboardInterrupt:  # the program got it, too, and ends after a checkpoint
                continue
        if status:
            if command[0].endswith("train") and status in (75, 130, -2):
                print("zeroc finetune: stopped; the same command goes on from the last checkpoint", file=sys.stderr)
            sys.exit(status if status > 0 else 128 - status)

    def print_run(self):
        tokens = self.sequences_per_step() * self.seq
        print(f"run       {plural(self.steps, 'step')} of {plural(self.sequences_per_step(), 'sequence')}, "
              f"{plural(tokens, 'token')}")
        if self.steps < 50:
            print(f"zeroc finetune: warning: only {plural(self.steps, 'step')}; for more, lower --accumulate (now "
                  f"{self.accumulate}) or --seq (now {self.seq}), or raise --epochs", file=sys.stderr)

    def print_commands(self):
        print("\nThe same in single commands:\n")
        for command in self.commands:
            print("    " + shlex.join(["zeroc" if word == self.program else word for word in command]))
        print()


def main(arguments):
    Finetune(arguments).run()
