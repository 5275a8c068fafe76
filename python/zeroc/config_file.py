"""Options of a command from a file of YAML: --config=FILE.yaml.

    model: Qwen/Qwen3-0.6B
    data: [chats.jsonl]
    out: tuned
    lora: 16
    lr: 2e-4

A key is the long name of an option, with "-" or "_", or that of an argument.  An option that is typed, too, has the typed
value, and so have arguments: typed files are the data of the file's model.  Values are read as they are written: YAML
takes 16:32 for 992, and 2e-4 for a text.
"""
from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from .errors import UserError, plural, raise_all
from .needs import need
from .options import check_known, known_options, name_of
from .records import kind_of

TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
#: What an option has, and a key has not.
OPTION = re.compile(r"(?<!\S)--(?!help)(?=[a-z])")
#: Of one run, or of no use in a file.
NOT_KEYS = ("help", "config")
#: What YAML has in a text only as an escape, or takes for the end of a line.
ESCAPED = re.compile(r"[^ -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029\ufeff]")
#: What a file says in place of options that a command gives.
ARGUMENTS = {"--init": "say model", "--base": "say model", "--data": "say data", "--input": "say data", "--save": "say out",
             "--checkpoint": "say out", "--world-size": "say ranks"}
NOT_WRITTEN = (*NOT_KEYS, "dry_run", "restart", "force", "model", "data", "o")


def add_config(parser):
    parser.add_argument("--config", metavar="FILE.yaml", help="options by their long names, with model, data and out; those "
                        "that are typed, too, win (--dry-run writes one)")


def with_config(parser, words, managed, command):
    """The words with those of --config before them; arguments that the file has may be missing then."""
    path = parser_of_config().parse_known_args(words)[0].config
    if path is None:
        return words
    typed, found, faults = set(map(name_of, words)), [], []
    for key, node, place in read_keys(path):
        try:
            check_key(key, place, parser, managed, command)
            found += words_of_key(key, read_value(node, key, place), place, parser, typed)
        except UserError as fault:
            faults.append(str(fault))
    raise_all(faults, f"of {path} {plural(len(faults), 'key')} cannot be taken")
    return [*found, *words]


def find_action(parser, key):
    return next((one for one in parser._actions if key in NOT_KEYS or key == one.dest and not one.option_strings
                 or f"--{key}" in one.option_strings), None)


def check_key(key, place, parser, managed, command):
    action = find_action(parser, key)
    if key in NOT_KEYS:
        raise UserError(f"{place}: {key} is no key of a file; drop it")
    managed = {**managed, **{name: here for name, here in ARGUMENTS.items() if name in managed}}
    if action is None and f"--{key}" in managed:
        raise UserError(f"{place}: {command} gives {key} itself; {managed[f'--{key}']}")
    if action is None and f"--{key}" not in known_options():
        try:
            check_known([f"--{key}"], keys_of(parser), command, known_options(), managed)
        except UserError as error:
            raise UserError(f"{place}: {re.sub(OPTION, '', str(error))}") from error


def words_of_key(key, value, place, parser, typed):
    """What a key is on the command line; the default of an argument is set."""
    action = find_action(parser, key)
    if action is None:
        return [] if f"--{key}" in typed else words_of_known(key, value, place)
    if not action.option_strings:
        action.default = take(action, key, value, place)
        action.nargs = "*" if action.nargs else "?"
        return []
    action.required = False
    return [] if typed & set(action.option_strings) else words_of(action, key, value, place)


def take_arguments(parser, args, command):
    """The first typed word is data, too, if the file has a model and the word names a file of data."""
    model, data = parser.get_default("model"), parser.get_default("data")
    if model is not None and args.model is not model and names_data(args.model, command):
        args.data = [args.model, *(() if args.data is data else args.data)]
        args.model = model


def names_data(word, command):
    """Whether a word cannot be a model: a folder, a name of a hub, or a config."""
    path = Path(word)
    return (not path.is_dir() and (kind_of(path) is not None or path.is_file()) and
            not path.name.endswith(".json" if command == "pretrain" else "config.json"))


def parser_of_config():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config")
    return parser


def keys_of(parser):
    """The options and arguments of a parser, as options."""
    return [name for action in parser._actions for name in action.option_strings or [f"--{action.dest}"]]


def read_keys(path):
    """Yields (key, node of its value, place)."""
    need(f"--config={path}", ["yaml"])
    import yaml
    try:
        with open(path, encoding="utf-8") as file:
            node = yaml.compose(file, yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise UserError(f"{path}{f', line {mark.line + 1}' if mark else ''} is not YAML: "
                        f"{getattr(error, 'problem', None) or error}") from error
    if not isinstance(node, yaml.MappingNode):
        raise UserError(f"{path} has no keys; write lines such as lr: 2e-4")
    lines = {}
    for key_node, node in node.value:
        place = f"{path}, line {key_node.start_mark.line + 1}"
        if not isinstance(key_node, yaml.ScalarNode):
            raise UserError(f"{place}: a key is no name")
        key = key_node.value.replace("_", "-")
        if key in lines:
            raise UserError(f"{place}: {key} is there already, in line {lines[key]}; drop one of them")
        lines[key] = key_node.start_mark.line + 1
        yield key, node, place


def read_value(node, key, place):
    """A text, or a list of texts."""
    nodes = node.value if node.id == "sequence" else [node]
    for one in nodes:
        if one.id != "scalar" or one.tag == "tag:yaml.org,2002:null":
            what = "has no value" if one.id == "scalar" else "has keys or lists in its value"
            raise UserError(f"{place}: {key} {what}; give it one value, or drop it")
    return [one.value for one in nodes] if nodes is node.value else node.value


def take(action, key, value, place):
    """The value of one option or argument of the command."""
    several = action.nargs in ("+", "*") or isinstance(action, argparse._AppendAction)
    if isinstance(value, list) and not several:
        raise UserError(f"{place}: {key} is a list, and takes one value")
    for text in value if isinstance(value, list) else [value]:
        try:
            right = action.type(text) if action.type else text
        except ValueError as error:
            kind = {int: "a whole number", float: "a number"}.get(action.type, "another value")
            raise UserError(f"{place}: {key} is {text!r}, and takes {kind}") from error
        if action.choices and right not in action.choices:
            raise UserError(f"{place}: {key} is {text!r}, and takes {', '.join(action.choices)}")
    return [value] if several and not isinstance(value, list) else value


def words_of(action, key, value, place):
    if action.nargs == 0:
        return [f"--{key}"] * truth(key, value, place)
    value = take(action, key, value, place)
    return [f"--{key}={text}" for text in (value if isinstance(value, list) else [value])]


def words_of_known(key, value, place):
    """Of an option that is passed on; zeroc and train know which values are right."""
    if not known_options()[f"--{key}"][1]:
        return [f"--{key}"] * truth(key, value, place)
    text = ",".join(value) if isinstance(value, list) else value
    if text.lower() in ("true", "false", "yes", "no"):
        raise UserError(f"{place}: {key} is {text}, and takes a value")
    return [f"--{key}={text}"]


def truth(key, value, place):
    found = None if isinstance(value, list) else TRUTHS.get(value.lower())
    if found is None:
        raise UserError(f"{place}: {key} is {value!r}, and takes true or false")
    return found


def write_config(path, parser, args, options, effective):
    """Writes a file with which the command does what it does now; `effective` are values that it has chosen itself."""
    given = {action.option_strings[-1][2:]: getattr(args, action.dest) for action in parser._actions
             if action.option_strings and action.dest not in NOT_WRITTEN}
    given = {"model": args.model, "data": args.data, "out": args.o, **given, **effective}
    given.update((name[2:], value if equals else True) for name, equals, value in (word.partition("=") for word in options))
    path.write_text("".join(f"{key}: {quoted(value)}\n" for key, value in given.items()
                            if value is not None and value is not False and value != []), encoding="utf-8")


def quoted(value):
    """JSON is YAML, but for characters that it need not escape, and pairs of escapes."""
    return ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))
