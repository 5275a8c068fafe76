"""Functions that reward answers: of FILE.py, each in a process of its own, with a time limit.

A function gets, by name, what it has parameters for: `prompts` and `completions`, texts or lists of messages as the prompt
is one, `completion_ids`, and the fields of the prompt's record, each a list with an item for each answer.  It returns a
number for each answer (as TRL's reward functions do), or None for an answer that it does not judge.
"""
from __future__ import annotations

import importlib.util
import inspect
import math
import multiprocessing
import sys
import traceback
from pathlib import Path

from .errors import UserError

#: The name of the function, if FILE.py alone is given.
FUNCTION = "reward"


def load(name):
    """The function of FILE.py[:function]."""
    path, _, function = name.partition(":") if name.endswith(".py") or ".py:" in name else (name, "", "")
    if not Path(path).is_file():
        raise UserError(f"--reward={name}: cannot read {path}; write FILE.py, or FILE.py:function")
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UserError(f"--reward={name}: {path} does not load: {error!r}") from error
    found = getattr(module, function or FUNCTION, None)
    if not callable(found):
        raise UserError(f"--reward={name}: {path} has no function {function or FUNCTION}; write FILE.py:function")
    return found


def call(function, given):
    """What a function returns for what it takes of `given`."""
    parameters = inspect.signature(function).parameters.values()
    takes_all = any(one.kind == inspect.Parameter.VAR_KEYWORD for one in parameters)
    names = {one.name for one in parameters}
    return function(**{name: value for name, value in given.items() if takes_all or name in names})


def work(name, pipe):
    """In the process of a function."""
    try:
        function = load(name)
        pipe.send(("ready", None))
        while True:
            given = pipe.recv()
            pipe.send(("values", list(call(function, given))))
    except EOFError:
        pass
    except UserError as error:
        pipe.send(("error", str(error)))
    except BaseException:  # noqa: BLE001, whatever it throws
        pipe.send(("error", traceback.format_exc(limit=-3).strip()))


class Reward:
    """The function `name`, and how much it counts.  A call takes at most `seconds`."""

    def __init__(self, name, weight, seconds):
        self.name, self.weight, self.seconds = name, weight, seconds
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(name, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.receive(60, "while it was loaded")

    def __call__(self, given, place):
        """A float for each answer, or None; throws UserError that names the prompt's place."""
        count = len(given["completions"])
        self.pipe.send(given)
        values = self.receive(self.seconds, f"for {place}")
        if len(values) != count:
            raise UserError(f"--reward={self.name}: {len(values)} values for the {count} answers of {place}; return one for each")
        for value in values:
            if value is not None and (isinstance(value, str) or not hasattr(value, "__float__") or not math.isfinite(value)):
                raise UserError(f"--reward={self.name}: {value!r} for an answer to {place}; return finite numbers, or None")
        return [None if value is None else float(value) for value in values]

    def receive(self, seconds, what):
        if not self.pipe.poll(seconds):
            self.close()
            raise UserError(f"--reward={self.name}: nothing after {seconds:g} s {what}; make it faster, or raise "
                            "--reward-time")
        try:
            kind, value = self.pipe.recv()
        except (EOFError, ConnectionResetError) as error:
            self.process.join()
            raise UserError(f"--reward={self.name}: its process ended with status {self.process.exitcode} {what}") from error
        if kind == "error":
            raise UserError(value if value.startswith("--reward") else f"--reward={self.name}: an error {what}:\n{value}")
        return value

    def close(self):
        self.process.kill()
        self.process.join()


def total(values, weights):
    """The rewards of answers: the sum over functions of weight x value.  `values` are those of each function; of answers
    that no function judges the reward is None."""
    sums = []
    for of_answer in zip(*values, strict=True):
        judged = [weight * value for weight, value in zip(weights, of_answer, strict=True) if value is not None]
        sums.append(sum(judged) if judged else None)
    return sums
