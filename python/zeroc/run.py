"""What zeroc finetune and zeroc pretrain share: from data to a trained model.

    data -> zeroc import -> zeroc -> train -> adapters, or a folder of weights

Each step is a command that could be typed; a run prints them.  What the steps leave is in OUT/zeroc, so that
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

from . import card
from .errors import UserError, plural
from .options import refuse_unknown, take_options, value_of
from .template import read_json

#: Of a model's folder, beside config.json and the weights.
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                   "vocab.json", "merges.txt", "tokenizer.model", "chat_template.jinja", "chat_template.json",
                   "generation_config.json")
#: Options that the commands give, and what a user says instead.
MANAGED = {"--data": "name the files of data after the model", "--input": "name the files of data after the model",
           "--init": "name the model's folder first", "--save": "say -o", "--checkpoint": "say -o",
           "--resume": "give the same command again", "--world-size": "say --ranks", "--metrics": "see OUT/zeroc",
           "--save-at-exit": "it is always on", "--emit": "use zeroc itself", "--shuffle": "it is always on",
           "--document-separator": "documents are apart already", "--data-format": "use train itself",
           "--data-weights": "use train itself", "--save-dtype": "say --precision", "--compare": "use zeroc itself",
           "--eval-data": "say --eval-split", "--eval-input": "say --eval-split", "--eval": "say --eval-split"}


def new_parser(command, description):
    p = argparse.ArgumentParser(
        prog=f"zeroc {command}", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter,
        description=description,
        epilog="All options of zeroc (--stage, --offload, --optimizer, ...) and of training programs (--schedule,\n"
               "--threads, ...) are taken, too: see zeroc --help and OUT/zeroc/train --help.\n"
               "The same command, given again, goes on from the last checkpoint.")
    p.add_argument("-o", metavar="OUT", required=True, help="the folder to write")
    p.add_argument("--epochs", type=float, help="how often all samples are read")
    p.add_argument("--steps", type=int, help="in place of --epochs")
    p.add_argument("--lr", type=float, help="peak learning rate")
    p.add_argument("--warmup", type=int, help="steps of warm-up (default: 3 %% of all)")
    p.add_argument("--seq", type=int, help="tokens of a sequence (default: 1024, or the model's positions if fewer)")
    p.add_argument("--batch", type=int, default=1, help="sequences of a micro-batch of a rank (default: 1)")
    p.add_argument("--ranks", type=int, default=1, help="processes that share the work (default: 1)")
    p.add_argument("--seed", type=int, default=0, help="of the order of samples and of initial weights (default: 0)")
    p.add_argument("--save-every", type=int, metavar="N", help="steps between checkpoints (default: a tenth of all)")
    p.add_argument("--dry-run", action="store_true", help="print the plan: memory, tokens, steps, commands")
    p.add_argument("--restart", action="store_true", help="drop what an earlier run left in OUT/zeroc")
    return p


class Run:
    """The steps of one command.  A subclass makes the data and says how the model begins."""

    #: What a run may not change when it goes on, beside what all commands have.
    SETTINGS = ()

    def __init__(self, command, p, arguments):
        own = [text for action in p._actions for text in action.option_strings]
        found, others = take_options(arguments, own, MANAGED, command)
        self.args, unknown = p.parse_known_args(others)
        refuse_unknown(unknown, own, command)
        self.command, self.compiled, self.trained = command, found["compile"], found["train"]
        self.program = os.environ.get("ZEROC_PROGRAM", "zeroc")
        self.out = Path(self.args.o)
        self.work = self.out / "zeroc"
        self.commands = []
        self.evaluation = None  # a file of data, if there is one
        self.read_model()
        self.check()

    def read_model(self):
        """Sets `model`, what zeroc import reads, and `config`, its keys."""
        raise NotImplementedError

    def make_data(self):
        """Makes the files `data` and `evaluation`; returns the number of sequences."""
        raise NotImplementedError

    def import_options(self):
        return []

    def compile_options(self):
        return []

    def train_options(self):
        """How the model begins, and of what it learns."""
        return []

    def export_options(self):
        """Of zeroc export; None if the training program writes what is wanted."""
        return []

    def copy_tokenizer(self):
        raise NotImplementedError

    #: Times that all samples are read, sequences of a step, and the peak learning rate, if nothing is said.
    epochs, accumulation, lr = 3, 8, 2e-5

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

    @property
    def seq(self):
        positions = self.config.get("max_position_embeddings") or self.config.get("n_positions") or 1024
        return self.args.seq or min(1024, positions)

    @property
    def precision(self):
        return value_of(self.compiled, "--precision") or "bf16"

    @property
    def accumulate(self):
        return int(value_of(self.compiled, "--accumulate") or self.accumulation)

    def sequences_per_step(self):
        return self.args.batch * self.args.ranks * self.accumulate

    def run(self):
        self.keep_settings()
        sequences = self.make_data()
        self.steps = self.args.steps or int((self.args.epochs or self.epochs) * sequences / self.sequences_per_step())
        if self.steps < 1:
            raise UserError(f"{plural(sequences, 'sequence')} are fewer than the {self.sequences_per_step()} of a step; "
                            f"lower --accumulate (now {self.accumulate}), --batch or --ranks, or raise --epochs")
        self.compile()
        train = self.train_command()
        self.print_run()
        if self.args.dry_run:
            self.commands += [train, *self.output_commands()]
            self.print_commands()
            return
        self.call(train)
        for command in self.output_commands():
            self.call(command)
        self.copy_tokenizer()
        card.write(self)
        self.print_commands()
        print(f"wrote {self.out}")

    def settings(self):
        a = self.args
        return {"model": str(self.model.resolve()), "data": [str(Path(file).resolve()) for file in a.data],
                **{name: getattr(a, name) for name in ("epochs", "steps", "lr", "warmup", "batch", "eval_split", "seed",
                                                       *self.SETTINGS)},
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

    def compile(self):
        a, model = self.args, str(self.work / "model.mlir")
        self.call([self.program, "import", str(self.model), f"--batch={a.batch}", f"--seq={self.seq}",
                   *self.import_options(), "-o", model])
        options = [*self.compiled, *self.compile_options()]
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
        options = ["--data", self.data, *self.train_options(), "--shuffle", f"--steps={self.steps}",
                   f"--lr={a.lr or self.lr:g}", f"--seed={a.seed}",
                   f"--warmup={math.ceil(0.03 * self.steps) if a.warmup is None else a.warmup}",
                   "--checkpoint", self.work / "run", f"--save-every={a.save_every or max(1, self.steps // 10)}",
                   "--save-at-exit", "--resume", "latest", "--metrics", self.work / "metrics.jsonl"]
        options += ["--eval-data", self.evaluation] if self.evaluation else []
        options += [option for option in ("--schedule=cosine", "--keep=2")
                    if value_of(more, option.partition("=")[0]) is None]
        return [str(self.work / "train"), *map(str, options), *more]

    def output_commands(self):
        commands, options = [], self.export_options()
        if options is not None:
            dtype = {"bf16": "bf16", "fp16": "f16"}.get(self.precision, "f32")
            commands.append([self.program, "export", str(self.work / "run"), "-o", str(self.out), f"--dtype={dtype}",
                             *options])
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
                print(f"zeroc {self.command}: stopped; the same command goes on from the last checkpoint",
                      file=sys.stderr)
            sys.exit(status if status > 0 else 128 - status)

    def print_run(self):
        tokens = self.sequences_per_step() * self.seq
        print(f"run       {plural(self.steps, 'step')} of {plural(self.sequences_per_step(), 'sequence')}, "
              f"{plural(tokens, 'token')}")
        if self.steps < 50:
            print(f"zeroc {self.command}: warning: only {plural(self.steps, 'step')}; for more, lower --accumulate (now "
                  f"{self.accumulate}) or --seq (now {self.seq}), or raise --epochs", file=sys.stderr)

    def print_commands(self):
        print("\nThe same in single commands:\n")
        for command in self.commands:
            print("    " + shlex.join(["zeroc" if word == self.program else word for word in command]))
        print()
