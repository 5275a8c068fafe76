"""The files of a data set that are read: of several splits one, by the names of files, as the package datasets has them.
What a README.md says of them goes first (subsets.py).

| name | split |
|---|---|
| train_sft-00000-of-00003.parquet | train_sft |
| train.jsonl, test.txt | the word: the whole name, but for a number behind it |
| my-test.csv, train_01.jsonl | the same of its first or last part between - and _, but not of a text, whose name is a title |
| validation/part1.jsonl | of other names, the folder that is nearest |
"""
from __future__ import annotations

import re
from pathlib import PurePath

from .errors import UserError, plural

#: In place of the name of a split.
ALL = "all"
SHARD = re.compile(r"(.+?)-\d{5}-of-\d{5}")
WORDS = {"train": "train", "training": "train", "validation": "validation", "valid": "validation", "val": "validation",
         "dev": "validation", "test": "test", "testing": "test", "eval": "test", "evaluation": "test"}


def split_of(path):
    """The split that a path within a data set names, or None."""
    path = PurePath(path)
    stem, _, kind = path.name.lower().partition(".")
    if shard := SHARD.fullmatch(path.name.partition(".")[0]):
        return shard[1]
    stem = stem.rstrip("-_0123456789")
    parts = [stem] if kind.removesuffix(".gz") == "txt" else re.split("[-_]", stem)
    return next((WORDS[part] for part in (parts[-1], parts[0]) if part in WORDS), split_of_folders(path.parts[:-1]))


def split_of_folders(names):
    return next((WORDS[name.lower()] for name in reversed(names) if name.lower() in WORDS), None)


def group(paths, folder=""):
    """{split or None: its paths}; what `folder` is called, in which all are, says nothing."""
    splits = {}
    for path in paths:
        splits.setdefault(split_of(path[len(folder):]), []).append(path)
    return splits


def choose(paths, wanted, name):
    """As choose_group, by the names of the files."""
    return (list(paths), None) if wanted == ALL else choose_group(group(paths), wanted, name)


def choose_group(splits, wanted, name):
    """(The paths of one split, or of "all", a line that says which, or None); throws UserError if it is not clear which."""
    names = sorted(filter(None, splits))
    if wanted == ALL or wanted is None and len(splits) < 2:
        return list(dict.fromkeys(path for paths in splits.values() for path in paths)), None
    found = wanted or ("train" if "train" in splits else None)
    if found not in splits:
        listed = ", ".join(names) or "no split"
        raise UserError(f"{name} has {listed}{f', and no {wanted}' if wanted else ''}; " + (
            f"choose one with --split={next((one for one in names if 'train' in one), names[0])}, or --split={ALL}" if names else
            "drop --split"))
    others = [f"{other or 'others'} ({plural(len(files), 'file')})"
              for other, files in sorted(splits.items(), key=lambda item: item[0] or "~") if other != found]
    line = f"{found or 'files of no split'} of {name}, {plural(len(splits[found]), 'file')}"
    return splits[found], line + (f"; not {', '.join(others)}: see --split" if others else "")
