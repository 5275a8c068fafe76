#!/usr/bin/env python3
"""Checks that files of one folder can be compiled together.

    internal_names.py ROOT

In preset `release` a few files of a folder are one translation unit.  So a name that only
its own .cpp knows (in an unnamed namespace, static, or const) must not stand in another
.cpp of the folder, where an overload might be chosen silently, nor at namespace scope of a
header that one of these includes, which it would hide.  Prints such names; the status is 1 if there are any.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

TOPS = ("dialect", "passes", "runtime", "train", "tools", "frontend", "test/unit")
#: Beginnings of lines at namespace scope that are not declarations.
OTHER = r"(?!return\b|using\b|namespace\b|template\b|public:|private:|case\b|default:|extern\b|friend\b|typedef\b)"
#: `type name(`, `type name = `, `type name{`, `type name[`; a name of a class is not one.
DECLARED = re.compile(rf"^(?:template <[^\n]*>\n)?{OTHER}[A-Za-z_][^\n;{{}}()=\"]*?[ *&]([A-Za-z_]\w*)(?:\(| =|\{{|\[)",
                      re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum class|enum) (\w+)(?: final)?(?: :[^;\n]*)? \{", re.MULTILINE)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\} // namespace$", re.MULTILINE | re.DOTALL)
STATIC = re.compile(r"^(?:static|constexpr) [^\n;{}()=\"]*?[ *&]([A-Za-z_]\w*)(?:\(| =|\{|\[)", re.MULTILINE)
CONST = re.compile(r"^const [^\n;{}()=\"]*?[ *&]([A-Za-z_]\w*)(?: =|\{|\[)", re.MULTILINE)


def text_of(path):
    """Returns the text without comments, with the beginning of each declaration on one line."""
    text = re.sub(r"//(?! namespace$)[^\n]*", "", path.read_text(), flags=re.MULTILINE)
    return re.sub(r"(?<=[\w>*&,])\n +(?=[\w(])", " ", text)


def declared(text):
    return set(DECLARED.findall(text)) | set(TYPE.findall(text))


def internal(text):
    names = {*STATIC.findall(text), *CONST.findall(text)}
    for body in UNNAMED.findall(text):
        names |= declared(body)
    return names


INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


class Tree:
    """The source files below a root, by relative path."""

    def __init__(self, root):
        self.texts = {path.relative_to(root): text_of(path) for top in TOPS
                      for suffix in ("*.h", "*.cpp") for path in sorted((root / top).rglob(suffix))}
        self.seen = {}

    def headers(self, path):
        """Returns all files of the tree that a file includes, without the file itself."""
        if path not in self.seen:
            self.seen[path] = set()  # headers do not include each other in a circle
            for name in INCLUDE.findall(self.texts[path]):
                for header in (Path(name), path.parent / name):
                    if header in self.texts:
                        self.seen[path] |= {header} | self.headers(header)
        return self.seen[path]


def wrong(root):
    tree = Tree(root)
    folders = defaultdict(list)
    for path in tree.texts:
        if path.suffix == ".cpp":
            folders[path.parent].append(path)
    if not folders:
        yield f"{root} has no source files"
    for files in folders.values():
        own = defaultdict(list)  # name -> files
        for file in files:
            for name in internal(tree.texts[file]):
                own[name].append(file)
        hidden = {name: header for file in files for header in tree.headers(file)
                  for name in declared(tree.texts[header])}
        for name, where in sorted(own.items()):
            if len(where) > 1:
                yield f"{name} is internal to {', '.join(map(str, where))}; give each a name of its own"
            elif name in hidden:
                yield f"{name} is internal to {where[0]} and hides that of {hidden[name]}; give it another name"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(wrong(Path(sys.argv[1])))
    for text in found:
        print(f"error: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
