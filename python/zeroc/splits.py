"""The files of a data set that are read: of several splits one, by the names of files, as the package datasets has them.

| name | split |
|---|---|
| train_sft-00000-of-00003.parquet | train_sft |
| train.jsonl, my-test.csv, validation/part1.jsonl | train, test, validation: the last such word of the path |
"""
from __future__ import annotations

import re
from pathlib import PurePath

from .errors import UserError, plural

SHARD = re.compile(r"(.+?)-\d{5}-of-\d{5}")
WORDS = {"train": "train", "training": "train", "validation": "validation", "valid": "validation", "val": "validation",
         "dev": "validation", "test": "test", "testing": "test", "eval": "test", "evaluation": "test"}


def split_of(path):
    """The split that a path within a data set names, or None."""
    path = PurePath(path)
    if shard := SHARD.fullmatch(path.name.partition(".")[0]):
        return shard[1]
    for part in reversed([*path.parts[:-1], path.name.partition(".")[0]]):
        if words := [WORDS[word] for word in re.split(r"[-._ 0-9]+", part.lower()) if word in WORDS]:
            return words[-1]
    return None


def choose(paths, wanted, name):
    """(The paths of one split, a line that says which, or None); throws UserError if it is not clear which."""
    splits = {}
    for path in paths:
        splits.setdefault(split_of(path), []).append(path)
    names = sorted(filter(None, splits))
    if wanted is None and len(splits) < 2:
        return list(paths), None
    found = wanted or ("train" if "train" in splits else None)
    if found not in splits:
        listed = ", ".join(names) or "no split"
        raise UserError(f"{name} has {listed}{f', and no {wanted}' if wanted else ''}; " + (
            f"choose one with --split={next((one for one in names if 'train' in one), names[0])}" if names else
            "drop --split"))
    others = [f"{other or 'others'} ({plural(len(files), 'file')})"
              for other, files in sorted(splits.items(), key=lambda item: item[0] or "~") if other != found]
    line = f"{found or 'files of no split'} of {name}, {plural(len(splits[found]), 'file')}"
    return splits[found], line + (f"; not {', '.join(others)}: see --split" if others else "")
