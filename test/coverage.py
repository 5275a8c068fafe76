#!/usr/bin/env python3
"""Prints coverage by folder from what `llvm-cov export --format=lcov` wrote; see coverage.sh.

    coverage.py [--lines=FOLDER ...] FILE.lcov

unreached.txt beside this file holds functions that tests do not reach, or not all of, with reasons.  It has all of
the product that no test calls, and of the folders that it names (`folder NAME`) each that has a line that no test
reaches.  What it lacks and what it has in excess is printed, and the status is 1; reasons that begin with "on machines"
need not hold on this one.
"""
import argparse
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REASONS = Path(__file__).with_name("unreached.txt")


class File:
    """What was counted in a source file."""

    def __init__(self, name):
        self.name = name
        self.lines = {}  # number -> count
        self.starts = defaultdict(dict)  # line -> mangled name -> count; instances of a template share the line
        self.branches = defaultdict(int)  # (line, block, branch) -> count, of all instances

    def function_at(self, line):
        """The line where the function with this line starts."""
        return max((start for start in self.starts if start <= line), default=None)


def read(path):
    """The files with the code of the product: neither what tablegen wrote, which lies in `build`, nor tables."""
    files, file, at = [], None, {}
    for line in Path(path).read_text().splitlines():
        kind, _, rest = line.partition(":")
        if kind == "SF":
            name = str(Path(rest).relative_to(ROOT)) if Path(rest).is_relative_to(ROOT) else "build"
            file, at = File(name), {}
            if not name.startswith("build") and name.endswith((".cpp", ".h")):
                files.append(file)
        elif kind == "FN":
            start, name = re.match(r"(\d+),(?:\d+,)?(.*)", rest).groups()
            at[name] = int(start)
        elif kind == "FNDA":
            count, name = rest.split(",", 1)
            file.starts[at[name]][name] = int(count)
        elif kind == "DA":
            number, count = rest.split(",")[:2]
            file.lines[int(number)] = int(count)
        elif kind == "BRDA":
            *place, count = rest.split(",")
            file.branches[tuple(place)] += 0 if count == "-" else int(count)
    return files


def demangled(names):
    """{mangled: name}, without our namespaces and without parameters.  A lambda has the name of its function."""
    names = list(names)
    bare = (name.rsplit(":", 1)[-1].rsplit(";", 1)[-1] for name in names)  # without the file that has it
    outer = "\n".join(re.sub(r"^_Z(Z+)(.*?)ENK?\d*(Ul|\$_).*", r"_Z\2", name) for name in bare)
    said = subprocess.run(["llvm-cxxfilt-22"], input=outer, capture_output=True, text=True, check=True).stdout
    return dict(zip(names, map(short, said.splitlines())))


def short(name):
    name = re.sub(r"\(anonymous namespace\)::|\b(?:mlir|zero|nn|zrt)::|\[abi:\w+\]", "", name)
    depth, kept = 0, ""  # without arguments of templates
    for at, c in enumerate(name):
        if c == "(" and depth == 0 and not kept.endswith("operator"):
            break
        depth += (c == "<") - (c == ">" and name[at - 1] != "-")
        kept += c if depth == 0 and c != ">" else ""
    return kept.split(" ")[-1].split("::$_")[0]


def percent(part, whole):
    return f"{100 * part / whole:6.1f}" if whole else "     -"


def print_table(files):
    folders = defaultdict(lambda: [0] * 6)
    for file in files:
        for row in (folders[str(Path(file.name).parent)], folders["~"]):
            for i, counts in enumerate((file.lines.values(), [max(at.values()) for at in file.starts.values()],
                                        file.branches.values())):
                row[2 * i] += sum(count > 0 for count in counts)
                row[2 * i + 1] += len(counts)
    print(f"{'':32}{'lines':>7} {'%':>6}{'functions':>11} {'%':>6}{'branches':>10} {'%':>6}")
    for folder, row in sorted(folders.items()):
        print(f"{'total' if folder == '~' else folder:32}{row[1]:7} {percent(*row[:2])}{row[3]:11} "
              f"{percent(*row[2:4])}{row[5]:10} {percent(*row[4:])}")


def read_reasons():
    """(the folders, {(file, function): reason})"""
    folders, reasons = [], {}
    for number, line in enumerate(REASONS.read_text().splitlines(), 1):
        if line.startswith("folder "):
            folders.append(line.split()[1])
        elif line and not line.startswith("#"):
            found = re.match(r"(\S+): (\S+)  +(\S.*)", line)
            if not found:
                sys.exit(f"{REASONS.name}:{number}: error: expected `file: function  reason`")
            reasons[found[1], found[2]] = found[3]
    return folders, reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lines", action="append", default=[], help="a folder whose lines that are not reached follow")
    parser.add_argument("file")
    options = parser.parse_args()
    files = read(options.file)
    names = demangled({name for file in files for at in file.starts.values() for name in at})
    print_table(files)

    folders, reasons = read_reasons()
    uncalled, unreached = set(), defaultdict(list)
    for file in files:
        name_at = {start: names[next(iter(at))] for start, at in file.starts.items()}
        uncalled |= {(file.name, name_at[start]) for start, at in file.starts.items() if max(at.values()) == 0}
        for line, count in file.lines.items():
            start = file.function_at(line)
            if count == 0 and start is not None:
                unreached[file.name, name_at[start]].append(line)
    print("\nfunctions that no test calls:")
    for place in sorted(uncalled):
        print(f"  {place[0]}: {place[1]}  {reasons.get(place, '')}")
    for (name, function), lines in sorted(unreached.items()):
        if any(name.startswith(folder.rstrip("/") + "/") or name == folder for folder in options.lines):
            print(f"{name}: {function}: {' '.join(map(str, lines))}")

    explained = uncalled | {place for place in unreached if place[0].startswith(tuple(f + "/" for f in folders))}
    for place in sorted(explained - set(reasons)):
        print(f"not reached, and not in {REASONS.name}: {': '.join(place)}")
    excess = {place for place in set(reasons) - explained if not reasons[place].startswith("on machines ")}
    for place in sorted(excess):
        print(f"reached, but in {REASONS.name}: {', '.join(place)}")
    return 1 if excess or explained - set(reasons) else 0


if __name__ == "__main__":
    sys.exit(main())
