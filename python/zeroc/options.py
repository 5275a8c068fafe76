"""Options of zeroc and of training programs that a command passes on.

`zeroc --options` gives their names: a line "compile --stage= layout" or "train --shuffle" for each, with "=" where the
option has a value, "layout" if it changes no value of an update, "steps" if a program without steps has no use for it,
and "lora" if it is one of adapters; a line "command tokenize Converts ..." for each command; and what options of other
trainers are here, "other bf16,bfloat16 compile --precision=bf16".
"""
from __future__ import annotations

import argparse
import difflib
import functools
import re
import subprocess

from .commands import zeroc
from .errors import UserError, raise_all


#: Who has an option, by the words of zeroc --options.
OF_PROGRAMS = {"compile": "zeroc", "import": "zeroc import", "train": "the program that zeroc makes",
               "tokenize": "zeroc tokenize", "finetune": "zeroc finetune"}


class Parser(argparse.ArgumentParser):
    """Of a command, of which zeroc says what it does.  Unknown options are looked at before what is missing."""

    def parse_args(self, args=None, namespace=None):
        check_known(args or (), own_options(self), self.prog.partition(" ")[2])
        return super().parse_args(args, namespace)

    def error(self, message):
        """In one line; argparse would print all options before it."""
        self.exit(2, f"{self.prog}: error: {message}; see {self.prog} --help\n")

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
        if who in ("compile", "train"):
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
        if name in managed and name not in own:
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


def own_options(parser):
    """The options of a parser, and of its subcommands."""
    subcommands = [one for action in parser._actions if isinstance(action, argparse._SubParsersAction)
                   for one in action.choices.values()]
    return [text for one in (parser, *subcommands) for action in one._actions for text in action.option_strings]


def check_known(words, own, command, takes=(), managed=None):
    """Throws UserError for options that a command neither has nor takes, all of them.  `managed` as for take_options."""
    words = [*words]
    names = dict.fromkeys(word.partition("=")[0] for word in words[:words.index("--") if "--" in words else None])
    managed = {key: managed[key] for key in managed or () if key not in own}
    said = [explain(name, [*own, *takes], managed, command) for name in names
            if re.match(r"-[^\d.]", name) and name not in own and name[:2] not in own]
    more = f"; see zeroc {command} --help"
    raise_all(said if len(said) == 1 else [text.removesuffix(more) for text in said],
              f"{len(said)} options are not known{more}")


def explain(name, takes, managed, command):
    """What an option that is none of a command is: one of another trainer, or perhaps misspelled."""
    more = f"see zeroc {command} --help"
    word = name.lstrip("-").replace("-", "_")
    found = next((row for who, *row in listed() if who == "other" and word in row[0].split(",")), None)
    if not found:
        near = difflib.get_close_matches(name, takes, 1)
        of_others = ", of zeroc, or of train" if managed else ""
        return f"{name} is no option of {command}{of_others}; " + (f"did you mean {near[0]}?" if near else more)
    _, program, *here = found
    here = " ".join(here)
    option = re.match(r"[^ =]*", here)[0]
    if program == "none":
        return f"{name} is not supported, because {here}"
    if option in takes and option not in managed or not option.startswith("--") and managed:
        return f"{name} is {here} here; {more}"
    if option in managed:
        return f"{name} is no option of {command}: {managed[option]}"
    return f"{name} is {here} of {OF_PROGRAMS[program]}, and zeroc {command} has none"


def parse(parser, words, managed, command, of_train=None):
    """(The arguments of `parser`, {"compile": [...], "train": [...]}) of `words`; throws UserError for other options, and
    for those of train that are not `of_train`, if that is given."""
    own = own_options(parser)
    found, others = take_options(words, own, managed, command)
    for name in map(name_of, found["train"]):
        if of_train is not None and name not in of_train:
            raise UserError(f"{name} is an option of training, and zeroc {command} does not take it; drop it")
    takes = [name for name, (who, _) in known_options().items() if who == "compile" or of_train is None or name in of_train]
    check_known(others, own, command, takes, managed)
    return parser.parse_intermixed_args(others), found


def name_of(option):
    return option.partition("=")[0]


def value_of(options, name):
    """The value of an option in a list of "--name=value", or None."""
    return next((option.partition("=")[2] for option in options if name_of(option) == name), None)
