"""A folder in which commands run, and models are compiled and trained."""
import shlex
import subprocess
from pathlib import Path

import adapters
import compare
import support

ENVIRONMENT = {**support.MPI_ENVIRONMENT, "OMP_NUM_THREADS": "1", "ZRT_TIMEOUT": "60"}


class Failure(Exception):
    pass


class Workplace:
    def __init__(self, folder):
        self.folder, self.commands = folder and Path(folder), []

    def command(self, *parts, environment=()):
        """Runs a command in the folder and records it, so that it can be repeated."""
        parts = [str(part) for part in parts]
        setting = "".join(f"{name}={value} " for name, value in dict(environment).items())
        self.commands.append(setting + shlex.join(parts))
        try:
            # Jobs that start together race for Open MPI's folder in TMPDIR.
            done = support.run(*parts, cwd=self.folder,
                               env={**ENVIRONMENT, "TMPDIR": str(self.folder.resolve()), **dict(environment)},
                               timeout=120)
        except subprocess.TimeoutExpired:
            raise Failure(f"no end after 120 s: {self.commands[-1]}")
        if done.returncode:
            raise Failure(f"status {done.returncode}: {self.commands[-1]}\n{done.err}{done.out}".rstrip())
        return done

    def compile(self, model, name, *options):
        return self.command(support.ZEROC, model, *options, "-o", name)

    def train(self, name, ranks, *flags, steps, lr, environment=()):
        """Returns the outcome of the program `name`, with data given by the flags."""
        self.command(*support.launcher(ranks, dict(environment)), f"./{name}", *flags, "--steps", steps, "--lr", lr, "--quiet",
                     "--metrics", f"{name}.jsonl", "--save", f"{name}.safetensors", environment=environment)
        saved = self.folder / f"{name}.safetensors"
        return compare.Outcome(self.folder / f"{name}.jsonl", saved / adapters.FILE if saved.is_dir() else saved)
