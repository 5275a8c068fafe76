"""What zeroc finetune and zeroc pretrain share: from data to a trained model.

    data -> zeroc import -> zeroc -> train -> adapters, or a folder of weights

Each step is a command that could be typed; a run prints them.  What the steps leave is in OUT/zeroc, so that
the same command, given again, goes on from the last checkpoint.
"""
from __future__ import annotations

import math
import os
import shlex
import signal
import sys
import time
from pathlib import Path

from . import advice, card, memory, reporting
from .child import HANDED_ON, run_program
from .commands import compile_command, import_command, positions_of, zeroc
from .config_file import take_arguments, with_config, write_config
from .deepspeed import take_ds_config
from .errors import UserError, plural
from .options import name_of, parse, value_of
from .outputs import make_folder, remove_others
from .own_files import OwnFolder
from .run_options import MANAGED, check_options
from .settings import check_unchanged, keep_settings, known_settings, settings_of
from .template import read_json

#: The statuses of a training program that was stopped: out of time, or by a signal.
STOPPED = (75, *(128 + number for number in HANDED_ON))


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

    #: Whether options of zeroc import depend on the data.
    imports_by_data = False

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

    #: Times that all samples are read, micro-steps of a step or fewer, and the peak learning rate, if nothing is said.
    epochs, accumulation, lr = 3, 8, 2e-5

    def check(self):
        check_options(self.args, self.compiled, self.trained)
        self.reports = reporting.names_of(self.args.report_to)

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
        make_folder(self)
        check_unchanged(self, known_settings(self))
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
        keep_settings(self)
        for command in self.before_training():
            self.call(command)
        settings = {key: value for key, value in settings_of(self).items() if key != "weights"}
        with reporting.reported(self.reports, self.work / "metrics.jsonl", self.work / "reports.json",
                                self.out.resolve().name, settings):
            self.train(train)
        remove_others(self)
        for command in self.output_commands():
            self.call(command)
        with self.own.writing("loss.svg") as path:
            self.call(self.plot_command(path))
        self.copy_tokenizer()
        with self.own.writing("README.md"):
            card.write(self)
        self.print_commands()
        print(f"wrote {self.out}")
        for line in self.lines_after():
            print(line)

    def lines_after(self):
        """What came out, or would help."""
        return advice.lines_after(self)

    def more_settings(self):
        """Those of a command, beside what settings.py names."""
        return {}

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

    def train(self, command):
        self.call(command)

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
        trains = command[0] == str(self.work / "train")
        text, status = run_program(command, quiet, trains)
        if trains and status in STOPPED:
            print(f"zeroc {self.command}: stopped; the same command goes on from the last checkpoint", file=sys.stderr)
        if status == 128 + signal.SIGKILL:
            print(f"zeroc {self.command}: error: {memory.killed(command[0], self.command)}", file=sys.stderr)
        if status:
            sys.exit(status)
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
