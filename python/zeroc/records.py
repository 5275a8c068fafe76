"""Records of data files: JSON objects with the place of each, for messages.

| file | records |
|---|---|
| *.jsonl, *.ndjson | one per line; empty lines are skipped |
| *.json | the elements of an array, or one per line |
| *.parquet | the rows |
| *.txt, *.md | one, whose field `text` is the file |

JSON and text may be compressed: *.gz.  Text is UTF-8.  A folder stands for the files in it and below of
these names but *.md, in their order.
"""
from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path

from .errors import UserError

LINES = (".jsonl", ".ndjson")
TEXTS = (".txt", ".md")
SUFFIXES = (*LINES, ".json", ".parquet", *TEXTS)
#: Of folders; a README.md is about the data.
OF_FOLDERS = (*LINES, ".json", ".parquet", ".txt")


def kind_of(path):
    """The suffix that decides, without .gz."""
    name = path.name.lower().removesuffix(".gz")
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)


def find_files(arguments):
    """The files that the arguments stand for; an argument is a file or a folder."""
    files = []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and kind_of(file) in OF_FOLDERS)
            if not inside:
                raise UserError(f"{path} has no file *{', *'.join(OF_FOLDERS)}")
            files += inside
        elif not path.exists():
            raise UserError(f"cannot read {path}: no such file")
        elif not kind_of(path):
            raise UserError(f"{path} does not say what it holds; name it *{', *'.join(SUFFIXES)}, or *.gz of these")
        else:
            files.append(path)
    known = set()
    for file in files:
        if file in known:
            raise UserError(f"{file} is named twice")
        known.add(file)
    return files


def read_records(path):
    """Yields (record, place)."""
    kind = kind_of(path)
    try:
        if kind == ".parquet":
            yield from read_parquet(path)
        elif kind in TEXTS:
            yield {"text": decode(read_all(path), path)}, str(path)
        elif kind == ".json" and first_byte(path) == b"[":
            yield from read_array(path)
        else:
            yield from read_lines(path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path} is damaged: {error}") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


def open_file(path):
    return gzip.open(path, "rb") if path.name.lower().endswith(".gz") else open(path, "rb")


def read_all(path):
    with open_file(path) as file:
        return file.read()


def first_byte(path):
    with open_file(path) as file:
        return file.read(1 << 16).lstrip()[:1]


def decode(data, place):
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{place} is not UTF-8: byte 0x{data[error.start]:02x} at {error.start}") from error


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(text, place):
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{place} is not JSON: {error}") from error


def check_object(value, place):
    if not isinstance(value, dict):
        raise UserError(f"{place} is not a JSON object")
    return value


def read_lines(path):
    with open_file(path) as file:
        for number, line in enumerate(file, 1):
            place = f"{path}, line {number}"
            text = decode(line, place)
            if text.strip():
                yield check_object(parse(text, place), place), place


def read_array(path):
    for number, value in enumerate(parse(decode(read_all(path), path), path), 1):
        place = f"{path}, element {number}"
        yield check_object(value, place), place


def read_parquet(path):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UserError(f"{path} needs the Python package pyarrow; install it with `pip install pyarrow`") from error
    row = 0
    try:
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            for batch in file.iter_batches(batch_size=1024):
                batch.validate(full=True)
                for record in batch.to_pylist():
                    row += 1
                    yield drop_absent(record), f"{path}, row {row}"
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path} is damaged, or no Parquet file, after row {row}: "
                        f"{str(error).splitlines()[0]}") from error


def drop_absent(value):
    """Without fields that are null: in Parquet all rows, and all turns, have the same fields."""
    if isinstance(value, dict):
        return {key: drop_absent(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [drop_absent(inner) for inner in value]
    return value
