#!/usr/bin/env python3
"""Checks the form of C++ files: the line at their top, and 80 columns.

    columns.py ROOT [--fix]

The first line of a file is `//===- Name.cpp - Summary ---===//` in 80 columns, with the
file's own name and a summary that is no question (What, Which, How, ...); `*- C++ -*` may
stand before its end.  No line is longer than 80 columns, but for code that clang-format
leaves so: strings, includes and macros.  --fix mends the dashes of first lines.
"""
import re
import sys
from pathlib import Path

TOPS = ("abi", "numerics", "dialect", "passes", "runtime", "train", "tools", "frontend")
FIRST = re.compile(r"//===- (\S+) - (.*?) ?-*(\*- ?C(?:\+\+)? -\*-)?-*===//")
QUESTIONS = re.compile(r"(What|Which|How|Where|Who|Whose|Whether|That|Of)\b")


def first_line(name, summary, mode):
    """The line in 80 columns; longer if the summary is."""
    begin, end = f"//===- {name} - {summary} ", f"{mode or ''}===//"
    return begin + "-" * (80 - len(begin) - len(end)) + end


def complaints(path, text, fix):
    """(line number, what is wrong) of a file; mends what it can with `fix`."""
    lines = text.splitlines()
    first = FIRST.fullmatch(lines[0]) if lines else None
    if not first:
        yield 1, "no line //===- Name - Summary ---===// at its top"
    else:
        name, summary, mode = first.groups()
        right = first_line(path.name, summary, mode)
        if QUESTIONS.match(summary):
            yield 1, f"its summary is a question: {summary}"
        if lines[0] != right or len(right) != 80:
            if fix and len(right) == 80:
                path.write_text("\n".join([right, *lines[1:]]) + "\n")
            else:
                yield 1, f"its first line has {len(lines[0])} columns, or another file's name"
    for number, line in enumerate(lines, 1):
        comment = line.lstrip().startswith("//")
        if comment and len(line) > 80 and not re.search(r"https?://|^\s*// [|>]|RUN:|\S{60}", line):
            yield number, f"a comment of {len(line)} columns"


def main():
    root, fix = Path(sys.argv[1]), "--fix" in sys.argv[2:]
    wrong = 0
    for file in sorted(file for top in TOPS for file in (root / top).rglob("*") if file.suffix in (".cpp", ".h")):
        for number, what in complaints(file, file.read_text(), fix):
            print(f"{file.relative_to(root)}:{number}: {what}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
