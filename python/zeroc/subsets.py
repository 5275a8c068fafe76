"""The subsets of a data set, as the README.md in its folder, or of a hub, says: `configs` in the YAML at its head.

    ---
    configs:
    - config_name: easy
      data_files: [{split: train, path: easy/train-*.parquet}, {split: test, path: [easy/test.jsonl]}]
      default: true
    - {config_name: hard, data_dir: hard}
    ---

Paths begin at `data_dir`, or at the folder; * and ? stay within a name, and ** goes through folders.  Files without a
split are of train.  Of a subset without `data_files` the names of files tell the splits (splits.py).
"""
from __future__ import annotations

import re

from . import splits
from .errors import UserError, plural
from .needs import need

README = "README.md"
HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
WILD = re.compile(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])")
WILDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
#: Subsets that a line or an error names.
LISTED = 20


def read_subsets(text, place):
    """{name: its keys} of a README.md; {} if it names none."""
    head = HEAD.match(text)
    if not head or not re.search(r"^configs[ \t]*:", head[1], re.MULTILINE):
        return {}
    need(f"{place}, which names subsets,", ["yaml"])
    import yaml
    try:
        configs = yaml.load(head[1], yaml.BaseLoader)["configs"] or []  # all values are texts: "no" is a language
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark else ""  # after that which begins the head
        raise UserError(f"{place}{line} is not YAML: {getattr(error, 'problem', None) or error}") from error
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        raise UserError(f"{place}: configs is no list of subsets, each with config_name and data_files")
    return {str(config.get("config_name") or "default"): config for config in configs}


def default_of(subsets):
    """The subset that is read if none is named, or None."""
    marked = [name for name, config in subsets.items() if str(config.get("default")).lower() in ("true", "yes", "on")]
    return next(iter(marked or [name for name in subsets if name == "default" or len(subsets) == 1]), None)


def listed(names):
    names = [*names]
    return ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")


def find_files(subsets, wanted, paths, split, name):
    """(Those of `paths` that are read, a line that says which); None if `wanted` is a folder, or "" without any subsets."""
    if wanted not in subsets and (not subsets or wanted and any(path.startswith(f"{wanted}/") for path in paths)):
        return None
    subset = wanted or default_of(subsets)
    if subset not in subsets:
        raise UserError(f"{name} has the subsets {listed(subsets)}{f', and no {wanted}' if wanted else ''}; name one, as in "
                        f"{name}/{next(iter(subsets))}")
    return choose_files(subsets, subset, paths, split, name, bool(wanted))


def choose_files(subsets, subset, paths, split, name, is_named):
    config = subsets[subset]
    text, folder = f"{name}/{subset}" if len(subsets) > 1 else name, folder_of(config)
    if config.get("data_files"):
        patterns = {of: [folder + pattern.removeprefix("./") for pattern in patterns]
                    for of, patterns in patterns_of(config["data_files"], f"{name}, {README}").items()}
        found = {of: [path for path in paths if any(matches(path, pattern) for pattern in patterns[of])] for of in patterns}
        if empty := [pattern for of in patterns for pattern in patterns[of] if not any(matches(path, pattern) for path in paths)]:
            raise UserError(f"{name}: its {README} names {empty[0]} for the subset {subset}, and there is no such file that "
                            "zeroc reads")
    else:
        inside = [path for path in paths if path.startswith(folder)]
        if not inside:
            raise UserError(f"{name}: its {README} names the folder {folder} for the subset {subset}, and there is no file "
                            "in it that zeroc reads")
        found = splits.group(inside, folder)
    chosen, line = splits.choose_group(found, split, text)
    others = [other for other in subsets if other != subset]
    if others and not is_named:
        line = (line or f"{plural(len(chosen), 'file')} of {text}") + f"; not the subsets {listed(others)}"
    return chosen, line


def folder_of(config):
    folder = str(config.get("data_dir") or "").removeprefix("./").strip("/")
    return f"{folder}/" if folder and folder != "." else ""


def patterns_of(files, place):
    """{split: its patterns} of data_files, which have several forms."""
    if isinstance(files, dict):
        files = [{"split": split, "path": path} for split, path in files.items()]
    found = {}
    for one in files if isinstance(files, list) else [files]:
        split, path = (one.get("split") or "train", one.get("path")) if isinstance(one, dict) else ("train", one)
        paths = path if isinstance(path, list) else [path]
        if not paths or not all(isinstance(text, str) and text for text in [split, *paths]):
            raise UserError(f"{place}: data_files has {one!r}; it must be a path, or a split with a path or several")
        found.setdefault(split, []).extend(paths)
    return found


def matches(path, pattern):
    parts = WILD.split(pattern)
    return bool(re.fullmatch("".join(WILDS.get(part) or (part if i % 2 else re.escape(part)) for i, part in enumerate(parts)),
                             path))
