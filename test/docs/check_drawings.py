#!/usr/bin/env python3
"""Checks that documents draw the arrows between folders that test/includes/arrows.txt has.

    check_drawings.py DOC.md ARROWS.txt [--write]
    check_drawings.py --levels DOC.md PIPELINE.cpp
    check_drawings.py --precision DOC.md NN.td

The block after <!-- arrows --> has a line `folder -> folders` for each folder at the top:
those that its files, at any depth, include.  After <!-- arrows: A B --> the folders are those
right below A and B; names lack A.  --write draws them anew.

--levels: a table names each pass that PIPELINE.cpp creates, but zero-verify-level, which ends
each level; and every pass in it is one.

--precision: a table names each operation of models that has a trait for 16 bits, in NN.td or a
file beside it.
"""
import re
import sys
from pathlib import Path

from documents import FENCED, ROOT, Document

sys.path.append(str(ROOT / "test" / "includes"))
import arrows


def downwards(lines):
    """The folders, each before those that it includes; where folders include each other, in their order."""
    left, order = list(lines), []
    while left:
        above = [name for name in left if not any(name in lines[other] for other in left)] or left[:1]
        order += above
        left = [name for name in left if name not in above]
    return order


def drawing(found, parents):
    """The lines of the folders right below `parents`."""
    def drawn(folder):
        """The folder that `folder` is drawn as, or None: the deepest that holds it."""
        parts = folder.split("/")
        return next(("/".join(parts[:i]) for i in range(len(parts), 0, -1) if "/".join(parts[:i - 1]) in parents), None)

    lines = {}
    for folder, (_, targets) in found.items():
        lines.setdefault(drawn(folder), set()).update(map(drawn, targets))
    lines = {name: ends - {name, None} for name, ends in lines.items() if name}
    order = downwards(lines)
    short = {name: name.removeprefix(f"{parents[0]}/") for name in order}
    width = max(map(len, short.values()), default=0)
    return "".join(f"{short[name]:{width}} -> {', '.join(short[end] for end in order if end in lines[name])}\n"
                   for name in order if lines[name])


def check_arrows(path, found, write):
    text, wrong, count = path.read_text(), [], 0

    def redraw(match):
        nonlocal count
        if match[1] != "arrows":
            return match[0]
        count += 1
        right = drawing(found, (match[2] or "").split() or [""])
        if match[4] != right:
            wrong.append(f"{path}:{text.count(chr(10), 0, match.start(4)) + 1}: the arrows are\n{right}")
        return text[match.start():match.start(4)] + right + text[match.end(4):match.end()]

    now = FENCED.sub(redraw, text)
    if not count:
        wrong.append(f"{path}: it has no arrows")
    elif write:
        path.write_text(now)
        wrong.clear()
    return wrong


def check_levels(path, pipeline):
    created = set(re.findall(r"\bcreate([A-Z]\w+)\(", pipeline.read_text())) - {"VerifyLevel"}
    defined = {name for file in (ROOT / "passes").rglob("Passes.td")
               for name in re.findall(r"^def (\w+) : Pass<", file.read_text(), re.MULTILINE)}
    named = {name for row in re.findall(r"^\| `\w+` \|[^|]*\|([^|]*)\|$", Document(path).prose, re.MULTILINE)
             for name in re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", row)}
    yield from (f"{path}: no level has {name}, which {pipeline.name} creates" for name in sorted(created - named))
    yield from (f"{path}: there is no pass {name}" for name in sorted(named - defined))


def check_precision(path, definitions):
    rows = "".join(re.findall(r"^\|.*$", Document(path).prose, re.MULTILINE))
    for file in sorted(definitions.parent.glob("*.td")):
        for name, traits in re.findall(r'^def \w+ : NN_(?:Model|Unary)Op<"(\w+)"(.*?)> \{$', file.read_text(),
                                       re.MULTILINE | re.DOTALL):
            trait = re.search(r"\b(Rounds\w+|IsPlain|MovesElements)\b", traits)
            if trait and f"`nn.{name}`" not in rows:
                yield f"{path}: no table has nn.{name}, whose trait {trait[0]} says what 16 bits do to it"


def main():
    flags = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    paths = [Path(argument) for argument in sys.argv[1:] if argument not in flags]
    if len(paths) != 2:
        sys.exit(__doc__)
    if flags == ["--levels"]:
        wrong = list(check_levels(*paths))
    elif flags == ["--precision"]:
        wrong = list(check_precision(*paths))
    else:
        wrong = check_arrows(paths[0], arrows.read_arrows(paths[1]), flags == ["--write"])
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
