#!/usr/bin/env python3
"""Checks that folders do not include each other in a cycle.

    folder_cycles.py ROOT EXCEPTIONS.txt

Folders are dialect/*, passes/*, runtime/* and tools/*, each with all below it, and
frontend; what lies in passes/ and runtime/ themselves is `passes` and `runtime`.  An
edge A -> B says that a file of A includes one of B.

EXCEPTIONS.txt lists edges that are left out, and each must be needed: it exists, and
with it alone there would be a cycle.  Prints cycles, each with an include for every
edge, and lines that are not needed; the status is 1 if there are any.
"""
import re
import sys
from pathlib import Path

TOPS = ("abi", "dialect", "passes", "runtime", "tools", "frontend")
SUFFIXES = (".c", ".cpp", ".def", ".h", ".inc", ".td")
INCLUDE = re.compile(r'^[ \t]*#?[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


def folder_of(path):
    """Returns the folder of a path relative to the root; None for other files."""
    parts = Path(path).parts
    if len(parts) < 2 or parts[0] not in TOPS:
        return None
    return parts[0] if parts[0] in ("abi", "frontend") or len(parts) == 2 else "/".join(parts[:2])


def read_edges(root):
    """Returns {(from, to): one include that causes the edge}."""
    edges = {}
    for file in sorted(file for top in TOPS for file in (root / top).rglob("*") if file.suffix in SUFFIXES):
        path = file.relative_to(root)
        for name in INCLUDE.findall(file.read_text()):
            # Generated files are in the folders of their sources.
            edge = folder_of(path), folder_of(name)
            if edge[1] and edge[0] != edge[1]:
                edges.setdefault(edge, f"{path} includes {name}")
    return edges


def path_between(start, end, edges):
    """Returns the folders on a shortest path from one to the other, or None."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == end:
            return way
        for a, b in sorted(edges):
            if a == way[-1] and b not in seen:
                seen.add(b)
                ways.append(way + [b])
    return None


def cycles(edges):
    """Returns shortest cycles, each once, until they cover every edge that lies on any cycle."""
    left = set(edges)
    for a, b in sorted(edges):
        if (a, b) in left and (way := path_between(b, a, edges)):
            left -= set(zip([a, *way], way))
            yield [a, *way]


def read_exceptions(path):
    """Returns {edge: number of its line}."""
    listed = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            a, _, b = line.partition(" -> ")
            listed[a, b] = number
    return listed


def check(root, exceptions):
    """Returns the errors."""
    edges, listed = read_edges(root), read_exceptions(exceptions)
    if not edges:
        yield f"{root} has no includes between folders"
    rest = {edge: include for edge, include in edges.items() if edge not in listed}
    for cycle in cycles(rest):
        yield "\n    ".join(["folders include each other: " + " -> ".join(cycle),
                             *(rest[edge] for edge in zip(cycle, cycle[1:]))])
    for (a, b), number in listed.items():
        line = f"{exceptions.name}:{number}: {a} -> {b}"
        if (a, b) not in edges:
            yield f"{line} is included no more; remove the line"
        elif not path_between(b, a, rest):
            yield f"{line} closes no cycle; remove the line"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wrong = list(check(Path(sys.argv[1]), Path(sys.argv[2])))
    for text in wrong:
        print(f"error: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
