#!/usr/bin/env python3
"""Generates docs/operations.md from the operations' descriptions in the dialects.

    operations.py MLIR_TBLGEN LLVM_INCLUDE           # writes it
    operations.py MLIR_TBLGEN LLVM_INCLUDE --check   # only compares; status 1 where they differ
"""
import difflib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "docs" / "operations.md"
HEAD = """# Operations

Made by `test/docs/operations.py` from `dialect/nn/NN.td` and `dialect/zero/Zero.td`, whose descriptions are the
definition; a test compares. Types of operands and results are written as in the examples.

* [`nn`](#nn): what models are written in, beside `linalg`, `tensor`, `arith` and `math`
* [`zero`](#zero): plans, which the compiler makes and [plan.md](plan.md) introduces

"""
#: The dialect, its file, and the kinds of operations that come first there.
DIALECTS = (("nn", "dialect/nn/NN.td"), ("zero", "dialect/zero/Zero.td"))
#: Lines of the generator about C++.
NOT_FOR_READERS = ("Traits:", "Interfaces:", "Effects:")


def entries(tblgen, include, path):
    """Name and text of each operation."""
    done = subprocess.run([tblgen, "-gen-op-doc", "-I", include, "-I", str(ROOT), str(ROOT / path)],
                          capture_output=True, text=True, check=True)
    parts = re.split(r"^### `([\w.]+)` \(.*\)\n", done.stdout, flags=re.MULTILINE)
    return sorted(zip(parts[1::2], parts[2::2]))


def readable(text):
    """Removes tables of C++ types: the syntax names operands and attributes."""
    text = re.split(r"^#### (Attributes|Operands|Results|Successors):\n", text, flags=re.MULTILINE)[0]
    lines = [line.rstrip() for line in text.split("\n") if not line.startswith(NOT_FOR_READERS)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    text = re.sub(r"```\noperation ::= (.*)\n```", r"```\n\1\n```", text)
    # The tests of the dialects test the examples.
    return text.replace("```mlir\n", "<!-- sketch -->\n```mlir\n")


def document(tblgen, include):
    text = HEAD
    for dialect, path in DIALECTS:
        all_of_it = entries(tblgen, include, path)
        text += f"## {dialect}\n\n"
        text += ", ".join(f"[`{name}`](#{name.replace('.', '')})" for name, _ in all_of_it) + "\n\n"
        for name, described in all_of_it:
            text += f"### {name}\n\n{readable(described)}\n\n"
    return text.rstrip("\n") + "\n"


def main():
    tblgen, include, *flags = sys.argv[1:]
    now = document(tblgen, include)
    if flags != ["--check"]:
        TARGET.write_text(now)
        return 0
    was = TARGET.read_text()
    sys.stdout.writelines(difflib.unified_diff(was.splitlines(True), now.splitlines(True), str(TARGET), "the dialects"))
    if was != now:
        print(f"write it anew: test/docs/operations.py {tblgen} {include}")
    return int(was != now)


if __name__ == "__main__":
    sys.exit(main())
