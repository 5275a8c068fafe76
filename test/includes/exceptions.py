#!/usr/bin/env python3
"""Checks that no file built without exceptions has code that throws.

    exceptions.py ROOT BUILD

A library of headers is compiled wherever it is included, and the linker keeps one copy of
each function.  Built without exceptions, nlohmann's parser ends the process where a caller
elsewhere expects to catch.  Reads BUILD/compile_commands.json; the status is 1 if such a
file includes one of these libraries.
"""
import json
import re
import shlex
import sys
from pathlib import Path

#: Header libraries that throw.
LIBRARIES = ("nlohmann/", "CLI/")
INCLUDE = re.compile(r'^ *# *include [<"]([^">]+)[">]', re.MULTILINE)


def included(path, root, seen):
    """Returns the libraries that `path` includes, directly or through files of ROOT."""
    if path in seen:
        return set()
    seen.add(path)
    found = set()
    for name in INCLUDE.findall(path.read_text()):
        if name.startswith(LIBRARIES):
            found.add(name)
        for at in (root / name, path.parent / name):
            if at.is_file():
                found |= included(at.resolve(), root, seen)
                break
    return found


def throws(words):
    switches = [word for word in words if word in ("-fexceptions", "-fno-exceptions")]
    return not switches or switches[-1] == "-fexceptions"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, build = (Path(argument).resolve() for argument in sys.argv[1:])
    checked, wrong = 0, []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        if throws(shlex.split(entry["command"])) or not file.is_file():
            continue
        checked += 1
        for name in sorted(included(file, root, set())):
            wrong.append(f"error: {file.name} is built without exceptions and includes <{name}>; give it -fexceptions, "
                         "or read JSON elsewhere")
    print("\n".join(sorted(set(wrong))) or f"{checked} files")
    return 1 if wrong or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
