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
import signal
import subprocess
import sys
import time
from pathlib import Path

from . import advice, card, memory, reporting
from .commands import compile_command, import_command, positions_of, zeroc
from .config_file import add_config, take_arguments, with_config, write_config
from .dataset import check_split
from .deepspeed import take_ds_config
from .errors import UserError, plural
from .hub import LABELS
from .options import name_of, options_with, parse, parser_of, value_of
from .own_files import OwnFolder
from .template import read_json
from .tokenizer_file import TOKENIZER_FILES

#: Options that the commands give, and what a user says instead.
MANAGED = {"--data": "name the files of data after the model", "--input": "name the files of data after the model",
           "--init": "name the model's folder first", "--base": "name the model's folder first",
           "--save": "say -o", "--checkpoint": "say -o",
           "--resume": "give the same command again", "--world-size": "say --ranks", "--metrics": "see OUT/zeroc",
           "--save-at-exit": "it is always on", "--emit": "use zeroc itself", "--shuffle": "it is always on",
           "--document-separator": "documents are apart already", "--data-format": "use train itself",
           "--data-weights": "use train itself", "--save-dtype": "say --precision",
           "--packed": "samples are packed; see zeroc finetune --no-packing",
           "--tokenizer": "it is that of the model's folder", "--token-weights": "records say them",
           "--pieces": "see zeroc finetune --sample-prompt", "--prompt": "see zeroc finetune --sample-prompt",
           "--prompt-ids": "see zeroc finetune --sample-prompt",
           "--eval-data": "say --eval-split", "--eval-input": "say --eval-split", "--eval": "say --eval-split"}
#: They change no step but its last bits, so a run goes on with others: of zeroc those of the layout and these, of
#: train how a run is watched.
PLACES = ("--accumulate", "--offload", "--device-memory", "--host-memory", "--cpu")
OF_EVALUATION = ("--eval-every", "--eval-batches", "--keep-best", "--patience")
FREE = ("--threads", "--host-threads", "--progress", "--quiet", "--tensorboard", "--profile", "--utilization", "--keep",
        "--nvme-path", "--verify-reads", "--nvme-endurance", "--checkpoint-memory", "--on-checkpoint-error",
        "--time-limit", "--until", "--memory-check", *OF_EVALUATION)
#: Files of weights and of adapters; a folder with both is read in different ways.
WEIGHTS = ("model*.safetensors", "model.safetensors.index.json")
ADAPTERS = ("adapter_model.safetensors", "adapter_config.json", LABELS)
TERMINATED = 128 + signal.SIGTERM
OUTPUTS = (*WEIGHTS, *ADAPTERS, *TOKENIZER_FILES, "config.json", "README.md", "loss.svg")


def new_parser(command, epochs, lr):
    """`epochs` and `lr` are texts: what they are if they are not given."""
    p = parser_of(
        command, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="All options of zeroc (--stage, --offload, --optimizer, ...) and of training programs (--schedule,\n"
               "--threads, ...) are taken, too: see zeroc --help and OUT/zeroc/train --help.\n"
               "The same command, given again, goes on from the last checkpoint.")
    p.add_argument("-o", "--out", dest="o", metavar="OUT", required=True, help="the folder to write")
    add_config(p)
    p.add_argument("--epochs", type=float, help=f"how often all samples are read (default: {epochs})")
    p.add_argument("--steps", type=int, help="in place of --epochs")
    p.add_argument("--lr", type=float, help=f"peak learning rate (default: {lr})")
    p.add_argument("--warmup", type=int, help="steps of warm-up (default: 3 %% of all)")
    p.add_argument("--seq", type=int, help="tokens of a sequence (default: 1024, or the model's positions if fewer)")
    p.add_argument("--batch", type=int, default=1, help="sequences of a micro-batch of a rank (default: 1)")
    p.add_argument("--ranks", type=int, default=1, help="processes that share the work (default: 1)")
    p.add_argument("--seed", type=int, default=0, help="of the order of samples and of initial weights (default: 0)")
    p.add_argument("--label-smoothing", metavar="E", help="of zeroc import (default: 0)")
    p.add_argument("--z-loss", metavar="C", help="of zeroc import (default: 0)")
    p.add_argument("--dropout", action="store_true", help="train with the dropout of config.json (default: without)")
    p.add_argument("--save-every", type=int, metavar="N", help="steps between checkpoints (default: a tenth of all)")
    p.add_argument("--report-to", metavar="NAME,...", help="send metrics to "
                   f"{', '.join(reporting.NAMES[:-1])} by their Python packages, or write events of {reporting.NAMES[-1]} "
                   "to OUT/zeroc/tensorboard")
    p.add_argument("--dry-run", action="store_true", help="print the plan: memory, tokens, steps, commands")
    p.add_argument("--force", action="store_true", help="write into a folder, and replace files, that are not of zeroc")
    p.add_argument("--restart", action="store_true", help="drop what an earlier run left in OUT/zeroc")
    return p


class Run:
    """The steps of one command.  A subclass makes the data and says how the model begins."""

    def __init__(self, command, p, arguments):
        words = with_config(p, arguments, MANAGED, command)
        self.args, found = parse(p, words, MANAGED, command)
        take_arguments(p, self.args, command)
        self.parser, self.command, self.compiled, self.trained = p, command, found["compile"], found["train"]
        self.program, self.from_ds_config = zeroc(), []
        self.typed = [*self.compiled, *self.trained]
        take_ds_config(self, set(map(name_of, words)))
        self.out = Path(self.args.o)
        self.own = OwnFolder(self.out)
        self.work = self.out / "zeroc"
        self.commands = []
        self.read_model()
        self.check()

    def read_model(self):
        """Sets `model`, what zeroc import reads, and `config`, its keys."""
        raise NotImplementedError

    def make_data(self):
        """Makes the files `data` and `evaluation`, and `data_key`, a hash; returns the number of sequences."""
        raise NotImplementedError

    def import_options(self):
        return []

    @property
    def model_options(self):
        return ["--dropout"] * self.args.dropout + [f"{name}={value}" for name, value in (("--label-smoothing", self.args.label_smoothing),
                                                      ("--z-loss", self.args.z_loss)) if value is not None]

    def compile_options(self):
        return []

    def before_training(self):
        """Commands between the compiler and the run."""
        return []

    def train_options(self):
        """How the model begins, and of what it learns."""
        return []

    def export_options(self):
        """Of zeroc export; None if the training program writes what is wanted."""
        return []

    def copy_tokenizer(self):
        """Writes the tokenizer's files to OUT."""
        raise NotImplementedError

    def copy_files(self, folder):
        for name in TOKENIZER_FILES:
            if (folder / name).exists():
                with self.own.writing(name) as path:
                    shutil.copyfile(folder / name, path)

    #: Times that all samples are read, micro-steps of a step or fewer, and the peak learning rate, if nothing is said.
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
        check_split(a.eval_split)
        for name in map(name_of, self.trained):
            if name in OF_EVALUATION and not a.eval_split:
                raise UserError(f"{name} is for evaluations; say --eval-split=PART, the part of the data for them")
        patience = value_of(self.trained, "--patience")
        if patience is not None and value_of(self.trained, "--eval-every") is None:
            raise UserError(f"--patience={patience} counts evaluations; add --eval-every=N, or there are only those before the "
                            "first step and after the last")
        self.reports = reporting.names_of(a.report_to)
        micro = value_of(self.compiled, "--accumulate")
        if micro is not None and not (micro.isascii() and micro.isdecimal() and int(micro) > 0):
            raise UserError(f"--accumulate={micro} must be a whole number from 1")

    @property
    def seq(self):
        return self.args.seq or min(1024, positions_of(self.config) or 1024)

    @property
    def precision(self):
        return value_of(self.compiled, "--precision") or "bf16"

    @property
    def accumulate(self):
        return int(value_of(self.compiled, "--accumulate") or self.chosen)

    def sequences_per_step(self):
        return self.args.batch * self.args.ranks * self.accumulate

    @property
    def times(self):
        """That all samples are read."""
        return self.args.epochs or self.epochs

    def choose_accumulation(self, sequences):
        """Halves the micro-steps of a step while the run has few steps.  One that goes on keeps the size of its steps."""
        if self.accumulation_of_before:
            return
        times, least = (1, 1) if self.args.steps else (self.times, advice.FEW_STEPS)
        while self.chosen > 1 and times * sequences < least * self.args.batch * self.args.ranks * self.chosen:
            self.chosen //= 2

    @property
    def accumulation_of_before(self):
        """Micro-steps with which a step is as large as in the checkpoints that are there; 0 if there are none."""
        whole, rest = divmod(self.was.get("sequences of a step", 0), self.args.batch * self.args.ranks)
        return 0 if rest else whole

    def run(self):
        self.before = {} if self.args.restart else read_json(self.work / "settings.json")
        self.was = self.before if any((self.work / "run").glob("step-*")) else {}
        self.chosen = self.accumulation_of_before or self.accumulation
        # A template may write the date, and a run that goes on reads the same data.
        self.date = os.environ.setdefault("SOURCE_DATE_EPOCH", str(self.before.get("date") or int(time.time())))
        self.make_folder()
        # What the compiler refuses, it refuses before the data take their time.
        self.compile()
        compiled = self.import_options(), self.accumulate
        sequences = self.make_data()
        self.choose_accumulation(sequences)
        if (self.import_options(), self.accumulate) != compiled:
            self.commands = [command for command in self.commands if command[1] == "data"]
            self.compile()
        self.steps = self.args.steps or int(self.times * sequences / self.sequences_per_step())
        if self.steps < 1:
            raise UserError(f"{plural(sequences, 'sequence')} x --epochs={self.times:g} are fewer than the "
                            f"{self.sequences_per_step()} of a step; {advice.for_more_steps(self)}")
        self.after_data()
        train = self.train_command()
        if self.args.dry_run:
            print(self.certificate, end="")
        self.print_run(sequences)
        if self.args.dry_run:
            self.commands += [*self.before_training(), train, *self.output_commands(), self.plot_command(self.out / "loss.svg")]
            self.print_commands()
            self.write_config()
            return
        self.keep_settings()
        for command in self.before_training():
            self.call(command)
        settings = {key: value for key, value in self.settings().items() if key != "weights"}
        with reporting.reported(self.reports, self.work / "metrics.jsonl", self.work / "reports.json",
                                self.out.resolve().name, settings):
            self.call(train)
        self.remove_others()
        for command in self.output_commands():
            self.call(command)
        with self.own.writing("loss.svg") as path:
            self.call(self.plot_command(path))
        self.copy_tokenizer()
        with self.own.writing("README.md"):
            card.write(self)
        self.print_commands()
        print(f"wrote {self.out}")
        for line in advice.lines_after(self):
            print(line)

    def settings(self):
        """What a run that goes on has in common with its beginning."""
        a = self.args
        compiled, train = ([option for option in options if option.partition("=")[0] not in free]
                           for options, free in ((self.all_compile_options(), {*PLACES, *options_with("layout")}),
                                                 (self.trained, FREE)))
        return {"model": str(self.model.resolve()), "steps": self.steps,
                "sequences of a step": self.sequences_per_step(), "tokens of a sequence": self.seq,
                "lr": self.lr if a.lr is None else a.lr, "warmup": self.warmup, "seed": a.seed,
                "options of zeroc import": [*self.import_options(), *self.model_options],
                "options of zeroc": sorted([*compiled, *self.from_ds_config]),
                "options of train": sorted(train), "data": self.data_key, "weights": self.describe_weights(), **self.more_settings()}

    def more_settings(self):
        """Those of a command."""
        return {}

    def describe_weights(self):
        return self.weights_of(self.model if self.model.is_dir() else self.model.parent)

    @staticmethod
    def weights_of(folder):
        """Names, sizes and times of the files that a model begins with."""
        return sorted([file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in folder.glob("*.safetensors"))

    def keep_settings(self):
        """Refuses to go on with a run of other settings; with --restart, drops it."""
        path, now = self.work / "settings.json", self.settings()
        if self.args.restart and path.exists():
            shutil.rmtree(self.work / "run", ignore_errors=True)
            for name in ("metrics.jsonl", "reports.json"):
                (self.work / name).unlink(missing_ok=True)
        self.check_unchanged(now)
        path.write_text(json.dumps({**now, "date": self.date}, indent=2) + "\n")

    def check_unchanged(self, now):
        """Refuses settings that are others than those of the checkpoints that are there."""
        was = self.was
        # The training program knows the files of frozen parameters by what is in them.
        moved = ("model", "weights") if self.has_base() else ()
        for key, value in json.loads(json.dumps(now)).items():
            if key not in was or was[key] == value or key in moved:
                continue
            what = (f"other {key}" if key in ("data", "weights", "reference") else
                    f"{key} {json.dumps(was[key])}, and now it is {json.dumps(value)}")
            raise UserError(f"{self.out} has a run with {what}; name another folder with -o, or start again with "
                            "--restart")

    def has_base(self):
        """Whether the checkpoints leave frozen parameters in the files of the model."""
        return any(read_json(path).get("base") for path in (self.work / "run").glob("step-*/manifest.json"))

    def remove_others(self):
        """Removes what an earlier run of another kind left in OUT."""
        for pattern in WEIGHTS if self.export_options() is None else ADAPTERS:
            for file in self.out.glob(pattern):
                self.own.remove(file.name)

    def make_folder(self):
        """Makes OUT and OUT/zeroc, if nothing in OUT is somebody else's."""
        if (self.work / "settings.json").exists():  # also of a run of an older zeroc
            self.own.make()
        self.own.check([file.name for pattern in OUTPUTS for file in self.out.glob(pattern)], self.args.force)
        self.own.make()
        self.work.mkdir(exist_ok=True)

    @property
    def keeps_best(self):
        """Whether the weights of the best evaluation are what is written."""
        return any(option in ("--keep-best", "--keep-best=on") for option in self.trained)

    @property
    def warmup(self):
        return math.ceil(0.03 * self.steps) if self.args.warmup is None else self.args.warmup

    def all_compile_options(self):
        a, options = self.args, [*self.compiled, *self.compile_options()]
        for name, value in (("--precision", self.precision), ("--accumulate", self.accumulate)):
            if value_of(options, name) is None:
                options.append(f"{name}={value}")
        if a.ranks > 1:
            options.append(f"--world-size={a.ranks}")
        if self.evaluation:
            options.append("--eval")
        return options

    def import_command(self, batch, model):
        return import_command(self.model, batch, self.seq, [*self.import_options(), *self.model_options], model)

    def compile(self):
        model, program = self.work / "model.mlir", self.work / "train"
        for file in (model, program):
            file.unlink(missing_ok=True)
        self.call(self.import_command(self.args.batch, model))
        if value_of(self.trained, "--memory-check") != "off":
            memory.check(model, self.args.batch, self.args.ranks, self.all_compile_options(), self.import_command)
        self.certificate = self.call(compile_command(model, self.all_compile_options(), program), quiet=True)

    def after_data(self):
        """Further programs, which depend on the data."""

    def train_command(self):
        a, more = self.args, self.trained
        # The weights after the last step are in the checkpoint that --save-at-exit writes.
        options = ["--data", self.data, *self.train_options(), "--shuffle", f"--steps={self.steps}",
                   f"--lr={self.lr if a.lr is None else a.lr!r}", f"--seed={a.seed}", f"--warmup={self.warmup}",
                   "--checkpoint", self.work / "run", f"--save-every={a.save_every or max(1, self.steps // 10)}",
                   "--save-at-exit", "--resume", "latest", "--metrics", self.work / "metrics.jsonl"]
        options += ["--eval-data", self.evaluation] if self.evaluation else []
        events = [f"--tensorboard={self.work / 'tensorboard'}"] * ("tensorboard" in self.reports)
        options += [option for option in ("--schedule=cosine", "--keep=2", *events)
                    if value_of(more, option.partition("=")[0]) is None]
        return [str(self.work / "train"), *map(str, options), *more]

    def output_commands(self):
        commands, options = [], self.export_options()
        if options is not None:
            dtype = {"bf16": "bf16", "fp16": "f16"}.get(self.precision, "f32")
            best = ["--best"] * self.keeps_best
            commands.append([self.program, "export", str(self.work / "run"), "-o", str(self.out), f"--dtype={dtype}",
                             *options, *best, *self.forced])
        return commands

    def plot_command(self, path):
        return [self.program, "plot", str(self.work / "metrics.jsonl"), "-o", str(path), *self.forced]

    @property
    def forced(self):
        return ["--force"] * self.args.force

    def call(self, command, quiet=False):
        """Runs a command; returns what it prints, or prints it."""
        self.commands.append(command)
        sys.stdout.flush()
        program, was_terminated = None, False

        def terminate(*_):  # a batch system may send it to this process alone
            nonlocal was_terminated
            was_terminated = True
            if program:
                program.terminate()

        before = signal.signal(signal.SIGTERM, terminate)
        try:
            program = subprocess.Popen(command, stdout=subprocess.PIPE if quiet else None, text=True, errors="replace")
            if was_terminated:
                program.terminate()
            while True:
                try:
                    text, _ = program.communicate()
                    break
                except KeyboardInterrupt:  # the program got it, too, and ends after a checkpoint
                    continue
        finally:
            signal.signal(signal.SIGTERM, before)
        if status := program.returncode or was_terminated * TERMINATED:
            if command[0].endswith("train") and status in (75, 130, TERMINATED, -signal.SIGINT, -signal.SIGTERM):
                print(f"zeroc {self.command}: stopped; the same command goes on from the last checkpoint",
                      file=sys.stderr)
            if status in (137, -9):
                print(f"zeroc {self.command}: error: {memory.killed(command[0], self.command)}", file=sys.stderr)
            sys.exit(status if status > 0 else 128 - status)
        return text

    def print_run(self, sequences):
        for line in advice.length_lines(self, sequences):
            print(line)
        if self.steps < advice.FEW_STEPS and not self.args.steps:
            print(f"zeroc {self.command}: warning: only {plural(self.steps, 'step')}; for more, "
                  f"{advice.for_more_steps(self)}", file=sys.stderr)

    def write_config(self):
        """Writes the options of the command, with what it has chosen itself."""
        a, path = self.args, self.work / "config.yaml"
        chosen = {"seq": self.seq, "lr": self.lr if a.lr is None else a.lr, "warmup": self.warmup}
        if a.steps is None:
            chosen["epochs"] = a.epochs or self.epochs
        named = [option for option in self.all_compile_options() if name_of(option) in ("--precision", "--accumulate")]
        write_config(path, self.parser, a, [*named, *self.typed], chosen)
        print(f"wrote {path}, with which zeroc {self.command} --config={path} runs")

    def print_commands(self):
        print("\nThe same in single commands:\n")
        for command in self.commands:
            print("    " + shlex.join(["zeroc" if word == self.program else word for word in command]))
        print()
