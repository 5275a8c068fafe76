"""Reads what train --metrics writes: whole, or while a run writes it."""
from __future__ import annotations

from .errors import UserError
from .fields import parse_json

#: Keys that are numbers, null where one is not finite, and keys that count steps.
NUMBERS = ("loss", "eval_loss", "initial_eval_loss", "grad_norm", "lr", "tokens_per_s", "samples_per_s", "step_ms")
COUNTS = ("step", "skipped", "spikes")
#: Doubles represent all steps up to this one exactly.
MOST_STEPS = 10**15


def read_metrics(path):
    """The lines of steps of a run, in their order; "-" is standard input.

    A line whose step is not greater than the one before discards all lines from that step on: a resumed run has been
    appended there."""
    name, lines = "standard input" if path == "-" else path, []
    with open(0 if path == "-" else path, encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            text, place = text.strip(), f"{name}, line {number}"
            line = check_line(parse_json(text, place), place) if text else None
            if not line:
                continue
            while lines and lines[-1]["step"] >= line["step"]:
                lines.pop()
            lines.append(line)
    if not lines:
        raise UserError(f"{name} is empty; train --metrics FILE writes a line a step")
    return lines


class GrowingMetrics:
    """The lines of a file to which a run writes; one that goes on may drop the last of them first."""

    def __init__(self, path):
        self.path, self.known, self.place = path, [], 0

    def read(self):
        """Whole lines that are new.  The file is read again when its last known line is not where it was."""
        try:
            with open(self.path, "rb") as file:
                last = self.known[-1] if self.known else b""
                file.seek(self.place - len(last))
                found = file.read()
                if not found.startswith(last):
                    file.seek(0)
                    return self.read_again(whole_lines(file.read()))
        except OSError:
            return []
        fresh = whole_lines(found[len(last):])
        self.known += fresh
        self.place += sum(map(len, fresh))
        return fresh

    def read_again(self, lines):
        same = next((i for i, (one, other) in enumerate(zip(lines, self.known)) if one != other),
                    min(len(lines), len(self.known)))
        self.known, self.place = lines, sum(map(len, lines))
        return lines[same:]


def whole_lines(data):
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def check_line(line, place):
    """The line, or None if it is one of samples."""
    if isinstance(line, dict) and "samples" in line:
        return None
    if not isinstance(line, dict) or not {"step", "loss"} & line.keys():
        raise UserError(f'{place} has no metrics: an object with "step" and "loss" is needed, as train --metrics writes it')
    for key in ("step", "loss"):
        if key not in line:
            raise UserError(f'{place}: "{key}" is missing')
    for key in COUNTS:
        if key in line and not (type(line[key]) is int and 0 <= line[key] <= MOST_STEPS):
            raise UserError(f'{place}: "{key}" is not a number of steps')
    for key in NUMBERS:
        if line.get(key) is not None and type(line[key]) not in (int, float):
            raise UserError(f'{place}: "{key}" is neither a number nor null')
    return line
