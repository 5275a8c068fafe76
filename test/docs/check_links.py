#!/usr/bin/env python3
"""Checks that links of documents lead somewhere, and that the files which they name exist.

    check_links.py DOC.md...

A link leads to a file or folder, from the document's folder, and to a heading that is there.
A link named like a file leads to that file.  Pages of the web are not visited.

A word of code with a slash names a file if it begins with a folder of the repository, or ends
like a source file; one without, if it ends like a script or C++.  Files are those of the
repository's root or of the document's folder; in words without a slash, of any folder.
If README.md is among the documents, it links to each of docs/.
"""
import re
import sys
from pathlib import Path

from documents import ROOT, Document

FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "build" and path.name[0] != "."}
SOURCE = re.compile(r"\.(?:cpp|h|inc|def|td|py|sh|test|pml)$")
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)*/?")
#: Words that look like files of the repository, and are none.
OTHERS = {
    "train/loss", "train/lr", "train/grad_norm", "train/loss_scale", "train/skipped", "train/spikes",  # TensorBoard's
    "cuda.h", "cublasLt.h", "nccl.h",  # of CUDA
    "model.py",  # of a user
}


def names():
    """The names of all files of the repository."""
    return {path.name for top in FOLDERS for path in (ROOT / top).rglob("*")} | {path.name for path in ROOT.iterdir()}


def words(document):
    """(line, word) of all code but what tools print and files of their own."""
    codes = [(line, text) for line, text in document.codes()]
    for block in document.blocks:
        if not block.is_shown:
            codes += [(block.line + i, text) for i, text in enumerate(block.text.splitlines())]
    for line, text in codes:
        for word in re.findall(r"[^\s()\[\]{}<>'\"`|,;=#:]+", text):
            yield line, word.rstrip(".")


def missing_files(document, known):
    for line, word in words(document):
        if not PATH.fullmatch(word) or word.startswith("./") or word in OTHERS:
            continue
        if "/" not in word:
            if SOURCE.search(word) and word not in known and "*" not in word:
                yield line, f"there is no file {word}"
            continue
        here = document.path.resolve().parent
        first = word.split("/")[0]
        if (first in FOLDERS or (here / first).is_dir() or SOURCE.search(word)) and not any(
                any(folder.glob(word.rstrip("/"))) for folder in (ROOT, here)):
            yield line, f"there is no {word}"


def broken_links(document, documents):
    for line, text, target in document.links():
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (document.path.parent / path).resolve() if path else document.path.resolve()
        if not file.exists():
            yield line, f"[{text}] leads to {target}, which does not exist"
            continue
        text = text.strip("`")
        if SOURCE.search(text) and Path(text).name != file.name:
            yield line, f"[{text}] leads to {file.name}"
        if anchor:
            if file not in documents:
                documents[file] = Document(file)
            if anchor not in set(documents[file].anchors()):
                yield line, f"{file.name} has no heading #{anchor}"


def unlinked(document):
    linked = {(document.path.parent / target.partition("#")[0]).resolve() for *_, target in document.links()}
    for file in sorted((ROOT / "docs").glob("*.md")):
        if file not in linked:
            yield 1, f"nothing leads to docs/{file.name}"


def main():
    paths = [Path(argument) for argument in sys.argv[1:]] or sys.exit(__doc__)
    documents, known, wrong = {}, names(), []
    for path in paths:
        document = documents[path.resolve()] = Document(path)
        found = [*missing_files(document, known), *broken_links(document, documents)]
        if path.resolve() == ROOT / "README.md":
            found += unlinked(document)
        wrong += [f"{path}:{line}: {what}" for line, what in sorted(found)]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
