#!/usr/bin/env python3
"""Checks that a folder includes only the folders that it may.

    arrows.py ROOT ARROWS.txt [--write]

Folders are all below abi, numerics, dialect, frontend, passes, targets, runtime, train and
tools, at any depth; a subfolder is a folder of its own.

ARROWS.txt has a line `folder: folders` for each, after those that it includes: so there is
no cycle.  Prints includes that it lacks, and names in it that are not needed or stand too
late; the status is 1 if there are any.  --write writes the file anew.
"""
import re
import sys
from pathlib import Path

TOPS = ("abi", "numerics", "dialect", "frontend", "passes", "targets", "runtime", "train", "tools")
SUFFIXES = (".c", ".cpp", ".def", ".h", ".inc", ".td")
INCLUDE = re.compile(r'^[ \t]*#?[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
HEAD = """# The includes between folders that are allowed, all of them: `folder: the folders that its
# files may include`.  A folder stands after those that it includes, so there is no cycle.
"""


def folder_of(path):
    """Returns the folder of a path relative to the root; None for other files."""
    parts = Path(path).parts
    if len(parts) < 2 or parts[0] not in TOPS:
        return None
    return "/".join(parts[:-1])


def read_includes(root):
    """Returns (from, to) -> one include that says so."""
    found = {}
    for file in sorted(file for top in TOPS for file in (root / top).rglob("*") if file.suffix in SUFFIXES):
        path = file.relative_to(root)
        for name in INCLUDE.findall(file.read_text()):
            # Generated files are in the folders of their sources.
            arrow = folder_of(path), folder_of(name)
            if arrow[1] and arrow[0] != arrow[1]:
                found.setdefault(arrow, f"{path} includes {name}")
    return found


def read_arrows(path):
    """Returns folder -> (line number, folders), in the file's order."""
    lines = [(number, line.partition(":")) for number, line in enumerate(path.read_text().splitlines(), 1)
             if line.strip() and not line.startswith("#")]
    return {folder: (number, to.split()) for number, (folder, _, to) in lines}


def complaints(found, arrows, name):
    if not found:
        yield f"{name}: there are no includes between folders"
    for (source, target), include in sorted(found.items()):
        if target not in arrows.get(source, (0, ()))[1]:
            yield f"{source} may not include {target}: {include}"
    above = set()
    for source, (number, targets) in arrows.items():
        for target in targets:
            if (source, target) not in found:
                yield f"{name}:{number}: {source} no longer includes {target}; remove it"
            elif target not in above:
                yield f"{name}:{number}: {source} includes {target}, which stands below it"
        above.add(source)


def listed(found):
    """Returns the text of the file for these includes; a cycle is an error."""
    text, left = HEAD, {folder for arrow in found for folder in arrow}
    done = []
    while left:
        ready = sorted(folder for folder in left if not any((folder, other) in found for other in left))
        if not ready:
            sys.exit(f"error: folders include each other: {', '.join(sorted(left))}")
        for folder in ready:
            text += " ".join([f"{folder}:", *(other for other in done if (folder, other) in found)]) + "\n"
        done += ready
        left -= set(ready)
    return text


def main():
    root, path = Path(sys.argv[1]), Path(sys.argv[2])
    found = read_includes(root)
    if "--write" in sys.argv[3:]:
        path.write_text(listed(found))
    wrong = list(complaints(found, read_arrows(path), path.name))
    for line in wrong:
        print(f"error: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
