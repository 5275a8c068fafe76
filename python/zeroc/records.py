"""Records of data files: JSON objects with the place of each, for messages.

| file | records |
|---|---|
| *.jsonl, *.ndjson | one per line; empty lines are skipped |
| *.json | the elements of an array; or objects, one per line, or each over several lines |
| *.parquet | the rows |
| *.csv, *.tsv | the rows after the first, which names the columns; all values are texts |
| *.txt, *.md | one, whose field `text` is the file, with LF where lines end with CRLF |

All but *.parquet may be compressed: *.gz.  Text is UTF-8; a byte order mark is no part of it.  A folder stands for the
files in it and below of these names but *.md, in their order, and so does the name of a hub's data set (hub.py); of
several subsets that its README.md names (subsets.py), and of several splits (splits.py), one is read.
"""
from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
import re
import sys
import zlib
from pathlib import Path

from . import hub, splits, subsets
from .columns import from_texts, rename
from .errors import UserError
from .fields import parse_first, parse_json

LINES = (".jsonl", ".ndjson")
TEXTS = (".txt", ".md")
#: With what separates columns.
TABLES = {".csv": ",", ".tsv": "\t"}
#: Of folders; a README.md is about the data.
OF_FOLDERS = (*LINES, ".json", ".parquet", *TABLES, ".txt")
SUFFIXES = (*OF_FOLDERS, ".md")
#: What is before .gz may be compressed.
OF_HUB = (*OF_FOLDERS, *(f"{suffix}.gz" for suffix in OF_FOLDERS))
SOMETHING = re.compile(r"\S")


def kind_of(path):
    """The suffix that decides, without .gz."""
    name = path.name.lower().removesuffix(".gz")
    return next((suffix for suffix in SUFFIXES if name.endswith(suffix)), None)


def stands_for_files(argument):
    """Whether it is a folder, a subset of one, or a data set of a hub."""
    path = Path(argument)
    return path.is_dir() or is_subset(path) or not kind_of(path) and hub.is_data_name(argument)


def subsets_in(folder):
    readme = folder / subsets.README
    return subsets.read_subsets(readme.read_text(encoding="utf-8", errors="replace"), readme) if readme.is_file() else {}


def is_subset(path):
    """Whether it is FOLDER/SUBSET, and no path: FOLDER has a README.md that names this subset, or others."""
    if path.exists() or kind_of(path):
        return False
    named = subsets_in(path.parent)
    return path.name in named or bool(named) and not hub.is_data_name(path)


def find_in_folder(path, split):
    """(The files that are read, a line that says which) of a folder, or of a subset of one."""
    folder, subset = (path, "") if path.is_dir() else (path.parent, path.name)
    inside = sorted(file for file in folder.rglob("*") if file.is_file() and kind_of(file) in OF_FOLDERS)
    if not inside:
        raise UserError(f"{folder} has no file *{', *'.join(OF_FOLDERS)}")
    names = [str(file.relative_to(folder)) for file in inside]
    chosen, line = (subsets.find_files(subsets_in(folder), subset, names, split, folder) or
                    splits.choose(names, split, folder))
    return [folder / file for file in chosen], line


def find_files(arguments, split=None):
    """The files that the arguments stand for: files, folders, and names of a hub's data sets.  Of several splits in a
    folder or a data set it takes `split`, or train, and says so."""
    files, said = [], []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir() or is_subset(path):
            chosen, line = find_in_folder(path, split)
            files += chosen
            said.append(line)
        elif not kind_of(path) and hub.is_data_name(argument):
            chosen, line = hub.find_data(argument, split, OF_HUB)
            files += chosen
            said.append(line)
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
    if split and not said:
        raise UserError(f"--split={split} is for folders and data sets of a hub, and only files are named; drop it")
    for line in filter(None, said):
        print(f"data      {line}", file=sys.stderr)
    return files


def read_records(path, columns=None):
    """Yields (record, place); `columns` are {field: its name in the file}."""
    for record, place in read_all_records(path):
        record = rename(record, columns, place) if columns else record
        yield from_texts(record) if kind_of(path) in TABLES else record, place


def read_all_records(path):
    kind = kind_of(path)
    with reading(path):
        if kind == ".parquet":
            yield from read_parquet(path)
        elif kind in TABLES:
            yield from read_table(path, TABLES[kind])
        elif kind in TEXTS:
            yield {"text": decode(read_all(path), path).replace("\r\n", "\n")}, str(path)
        elif kind == ".json" and not is_lines(path):
            yield from read_values(path)
        else:
            yield from read_lines(path)


@contextlib.contextmanager
def reading(path):
    """Around the reading of a file: what is wrong with it names it."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UserError(f"{path} is damaged: {error}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8: byte 0x{error.object[error.start]:02x}") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error


def open_file(path):
    """The file's bytes, after a byte order mark."""
    file = gzip.open(path, "rb") if path.name.lower().endswith(".gz") else open(path, "rb")
    if file.peek(len(codecs.BOM_UTF8)).startswith(codecs.BOM_UTF8):
        file.read(len(codecs.BOM_UTF8))
    return file


def read_all(path):
    with open_file(path) as file:
        return file.read()


def is_lines(path):
    """Whether the first line with anything in it is an object, or none begins there."""
    with open_file(path) as file:
        line = next(filter(bytes.strip, file), b"").strip()
    return line[:1] != b"[" and (line[:1] != b"{" or line[-1:] == b"}")


def decode(data, place):
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{place} is not UTF-8: byte 0x{data[error.start]:02x} at {error.start}") from error


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
                yield check_object(parse_json(text, place), place), place


def read_values(path):
    """The elements of an array, or objects, each over several lines."""
    text = decode(read_all(path), path)
    if text.lstrip()[:1] == "[":
        for number, value in enumerate(parse_json(text, path), 1):
            yield check_object(value, place := f"{path}, element {number}"), place
        return
    number, counted, at = 1, 0, 0
    while begin := SOMETHING.search(text, at):
        number, counted = number + text.count("\n", counted, begin.start()), begin.start()
        place = f"{path}, line {number}"
        value, at = parse_first(text, begin.start(), place)
        yield check_object(value, place), place


def read_table(path, separator):
    csv.field_size_limit(1 << 30)  # a text may be long
    with open_file(path) as file:
        rows = csv.reader(io.TextIOWrapper(file, "utf-8", newline=""), delimiter=separator, strict=True)
        try:
            names = next(rows, None) or []
            if len(set(names)) < len(names):
                raise UserError(f"{path}, line 1: columns have the names {', '.join(map(repr, names))}; give each another")
            for row in rows:
                place = f"{path}, line {rows.line_num}"
                if row and len(row) != len(names):
                    raise UserError(f"{place} has {len(row)} columns, and line 1 names {len(names)}: {', '.join(names)}; "
                                    f"quote values that have {separator!r} in them")
                if row:
                    yield dict(zip(names, row)), place
        except csv.Error as error:
            raise UserError(f"{path}, line {rows.line_num} is no row of a table: {error}") from error


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
                    yield record, f"{path}, row {row}"
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path} is damaged, or no Parquet file, after row {row}: "
                        f"{str(error).splitlines()[0]}") from error
