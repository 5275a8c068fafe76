#!/usr/bin/env python3
"""Checks that the documentation shows the real output of the tools.

    check_blocks.py DOC.md...            the marked blocks of each document
    check_blocks.py SOURCE.td TEST.mlir  every line of an example is one of the test

A mark stands alone on the line before a fenced block:

    <!-- file: NAME -->        the block is the file NAME; if it is MLIR, it parses
    <!-- output: COMMAND -->   the block is a part of what COMMAND prints
    <!-- sketch -->            the block is not tested

Every block of ```mlir needs one.  The files and commands of a document share a
folder, which has `benchmark`, `examples`, `machines` and `test` of the repository too.

Lines of an output block are whole lines of the output, neighbours of each other
unless a line of `...` stands between them: then the first that fits is taken.
`...` in a line is any text.  In MLIR a line that is indented by four columns more
than the statement continues it, in the output as well, SSA names are the document's
own, anew in every function, and what follows ` //` is a remark.  Locations of the
output that a document does not show are left out.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from documents import FENCED, ROOT


def statements(text):
    """Splits a block of MLIR into statements, with continuation lines joined."""
    lines, column = [], 0
    for line in text.splitlines():
        line = re.sub(r"(^|\s+)// .*", "", line.rstrip())
        indent = len(line) - len(line.lstrip())
        if lines and indent >= column + 4:
            lines[-1] += ("" if lines[-1].endswith("(") else " ") + line.strip()
        elif line:
            lines.append(line.strip())
            column = indent
    return lines


def directives(text, is_mlir):
    """Returns FileCheck's directives for a shown output."""
    known, result, prefix = set(), [], "CHECK"

    def pattern(match):
        part = match[0]
        if part == "...":
            return "{{.*}}"
        if part in ("[[", "{{"):
            return "{{" + re.escape(part) + "}}"
        if part in known or not is_mlir:
            return f"%[[{part[1:]}]]" if is_mlir else part
        known.add(part)
        return f"%[[{part[1:]}:[a-zA-Z0-9_.$-]+]]"

    for line in statements(text) if is_mlir else map(str.strip, text.splitlines()):
        if "func.func" in line or "zero.program" in line:
            known.clear()
        if line not in ("", "..."):
            line = re.sub(r"\.\.\.|\[\[|\{\{|%[a-zA-Z]\w*", pattern, line)
            result.append(f"{prefix}: {line}\n")
        prefix = "CHECK" if line in ("", "...") else "CHECK-NEXT"
    return "".join(result)


def without_locations(text):
    """Returns printed MLIR with one statement per line, without locations."""
    string = r'"(?:[^"\\]|\\.)*"'
    nested = rf"(?:{string}|[^()\"]|\((?:{string}|[^()\"]|\((?:{string}|[^()\"])*\))*\))*"
    lines = (re.sub(rf'({string})| loc\({nested}\)', lambda match: match[1] or "", line)
             for line in statements(text))
    return "".join(line + "\n" for line in lines)


def run(command, folder):
    """Returns (error or None, output) of a command."""
    done = subprocess.run(command, shell=True, cwd=folder, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL)
    return f"{command}\n{done.stderr}" if done.returncode else None, done.stdout


def check_block(mark, argument, language, text, folder):
    """Returns the error of a block, or None."""
    if mark == "file":
        (folder / argument).write_text(text)
        return run(f"zero-opt {argument}", folder)[0] if language == "mlir" else None
    if mark == "output":
        wrong, printed = run(argument, folder)
        if language == "mlir" and " loc(" not in text:
            printed = without_locations(printed)
        (folder / "printed").write_text(printed)
        (folder / "shown").write_text(directives(text, language == "mlir"))
        return wrong or run("FileCheck shown --input-file=printed --match-full-lines", folder)[0]
    return "the block has no mark" if language == "mlir" and mark != "sketch" else None


def check_document(path):
    text = path.read_text()
    with tempfile.TemporaryDirectory() as name:
        for shared in ("benchmark", "examples", "machines", "test"):
            (Path(name) / shared).symlink_to(ROOT / shared)
        for match in FENCED.finditer(text):
            wrong = check_block(*match.groups(), Path(name))
            if wrong is not None:
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {wrong}"


def check_examples(*sources, test):
    lines = {line.strip() for line in test.read_text().splitlines()}
    for source in sources:
        for *_, language, text in FENCED.findall(re.sub("(?m)^    ", "", source.read_text())):
            for line in text.splitlines():
                if language == "mlir" and line.strip() not in lines:
                    yield f"{source}: `{line.strip()}` is no line of {test}"


if __name__ == "__main__":
    paths = [Path(argument) for argument in sys.argv[1:]] or sys.exit(__doc__)
    if paths[0].suffix == ".td":
        failures = list(check_examples(*paths[:-1], test=paths[-1]))
    else:
        failures = [failure for path in paths for failure in check_document(path)]
    sys.exit("\n".join(failures) or 0)
