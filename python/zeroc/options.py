"""Options of zeroc and of training programs that a command passes on.

`zeroc --options` gives their names: a line "compile --stage= layout" or "train --shuffle" for each, with "=" where the
option has a value, "layout" if it changes no value of an update, "steps" if a program without steps has no use for it,
and "lora" if it is one of adapters; and a line "command tokenize Converts ..." for each command.
"""
from __future__ import annotations

import argparse
import difflib
import functools
import subprocess

from .commands import zeroc
from .errors import UserError


class Parser(argparse.ArgumentParser):
    """Of a command, of which zeroc says what it does."""

    def format_help(self):
        command = self.prog.partition(" ")[2]
        self.description = self.description or next(
            (" ".join(summary) for who, name, *summary in listed() if (who, name) == ("command", command)), None)
        return super().format_help()


def parser_of(command, **how):
    return Parser(prog=f"zeroc {command}", allow_abbrev=False, **how)


def add_output(p, name, help="the file to write", default=None):
    """Of a command that writes a file."""
    p.add_argument("-o", metavar=name, help=help, default=default, required=default is None)
    p.add_argument("--force", action="store_true", help="replace a file that zeroc did not write")


def known_options():
    """{"--stage": ("compile", True)}: who takes an option, and whether it has a value.

    Of an option of both, the compiler's is meant."""
    known = {}
    for who, name, *_ in listed():
        if who != "command":
            known.setdefault(name.rstrip("="), (who, name.endswith("=")))
    return known


def options_with(trait):
    """The options of zeroc that are "layout", "steps" or "lora"."""
    return {name.rstrip("=") for who, name, *traits in listed() if who == "compile" and trait in traits}


@functools.cache
def listed():
    done = subprocess.run([zeroc(), "--options"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise UserError(f"{zeroc()} does not say its options; is it the zeroc of this package?")
    return [line.split() for line in done.stdout.splitlines()]


def take_options(words, own, managed, command):
    """({"compile": [...], "train": [...]}, the other words): options of zeroc and of train among `words`.

    `own` are options of the command; `managed` are those that it gives itself, with what to do instead."""
    known, found, others = known_options(), {"compile": [], "train": []}, []
    words = list(words)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in managed:
            raise UserError(f"{command} gives {name} itself; {managed[name]}")
        if name in own or name not in known:
            others.append(word)
            continue
        who, has_value = known[name]
        if has_value and not equals:
            if not words:
                raise UserError(f"{name} needs a value")
            value = words.pop(0)
        found[who].append(f"{name}={value}" if has_value or equals else name)
    return found, others


def refuse_unknown(words, own, command):
    """Throws UserError for the first of words that are left over."""
    for word in words:
        name = word.partition("=")[0]
        near = difflib.get_close_matches(name, [*known_options(), *own], 1)
        raise UserError(f"{name} is no option of {command}, of zeroc, or of train; "
                        + (f"did you mean {near[0]}?" if near else f"see zeroc {command} --help"))


def parse(parser, words, managed, command):
    """(The arguments of `parser`, {"compile": [...], "train": [...]}) of `words`; throws UserError for other options."""
    own = [text for action in parser._actions for text in action.option_strings]
    found, others = take_options(words, own, managed, command)
    args, unknown = parser.parse_known_args(others)
    refuse_unknown(unknown, own, command)
    return args, found


def name_of(option):
    return option.partition("=")[0]


def value_of(options, name):
    """The value of an option in a list of "--name=value", or None."""
    return next((option.partition("=")[2] for option in options if name_of(option) == name), None)
