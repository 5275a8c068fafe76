"""Which files a command may replace: those that zeroc wrote, and any with --force.

The rules are those of runtime/files/OwnFiles.h: a file has the mark of its kind near its beginning or its end, and a
folder has the list .zeroc-files of what zeroc wrote in it.
"""
from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from .errors import UserError
from .whole_file import check_writable

#: Kinds of files, and the text that each has; others have none.
MARKS = {"data": b'"zeroc.key"', "a report": b"<title>zeroc report</title>", "a machine": b'{\n "machine":',
         "a trace": b'"clock shifts in ns"', "answers": b'"prompt_tokens":', "labels": b'"probabilities":',
         "a program": b"zrtfile1", "a picture": b'<svg id="zeroc"', "tokens": b"written by zeroc"}
LIST = ".zeroc-files"
SEARCHED = 1 << 16


def check_output(path, kind, force, inputs=()):
    """Raises UserError if a file of that kind cannot be written to `path`; before the work for it is done."""
    path = Path(path)
    for other in inputs:
        if path.exists() and Path(other).exists() and path.samefile(other):
            raise UserError(f"-o {path} would overwrite {other}; name another file")
    if path.is_dir():
        raise UserError(f"cannot write {path}: it is a folder")
    if path.exists() and not path.is_file():  # a pipe, a device
        return
    if path.is_symlink():
        raise UserError(f"cannot write {path}: it is a link to a file; name the file itself")
    check_writable(path.parent, path)
    if path.exists() and path.stat().st_size and not force and not (kind in MARKS and has_mark(path, MARKS[kind])):
        raise UserError(f"{path} is there already, and was not written by zeroc as {kind}; name another file, move it away, "
                        "or replace it with --force")


def has_mark(path, mark):
    with open(path, "rb") as file:
        begin = file.read(SEARCHED)
        file.seek(max(0, path.stat().st_size - SEARCHED))
        return mark in begin or mark in file.read(SEARCHED)


class OwnFolder:
    """The files in a folder that zeroc wrote; programs that a command calls add to the list, too."""

    def __init__(self, path):
        self.path = Path(path)

    def read(self):
        """{name: "SIZE TIME", or "" if it was begun}; None if there is no list."""
        try:
            lines = (self.path / LIST).read_text(encoding="utf-8", errors="surrogateescape").split("\n")[:-1]
        except FileNotFoundError:
            return None
        return {name: state for name, _, state in (line.partition("\t") for line in lines)}

    def check(self, names, force):
        """Raises UserError if the folder is not of zeroc, or has one of the files `names` from somebody else."""
        if force or not self.path.exists():
            return
        listed = self.read()
        # The commands that a run prints begin with files in OUT/zeroc.
        if listed is None and any(file.name != "zeroc" for file in self.path.iterdir()):
            raise UserError(f"{self.path} is not empty, and no run of zeroc wrote it; name another folder with -o, or write "
                            "into this one with --force")
        for name in names:
            if os.path.lexists(self.path / name) and not self.owns(name):
                why = "was changed after zeroc wrote it" if name in listed else "is there already, and zeroc did not write it"
                raise UserError(f"{self.path / name} {why}; name another folder with -o, move it away, or replace it with "
                                "--force")

    def owns(self, name):
        """Whether the list has the file, as it is now."""
        state = (self.read() or {}).get(name)
        return state is not None and state in ("", size_and_mtime(self.path / name))

    def make(self):
        """Makes the folder, and its list."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.append("")

    @contextlib.contextmanager
    def writing(self, name):
        """Around the writing of a file of the folder: its name enters the list before it is there."""
        self.append(f"{name}\n")
        yield self.path / name
        self.append(f"{name}\t{size_and_mtime(self.path / name)}\n")

    def remove(self, name):
        """Removes a file, if zeroc wrote it."""
        if self.owns(name):
            (self.path / name).unlink(missing_ok=True)

    def append(self, text):
        with open(self.path / LIST, "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)


def size_and_mtime(path):
    try:
        info = path.lstat()
    except FileNotFoundError:
        return ""
    return f"{info.st_size} {info.st_mtime_ns // 10**9}.{info.st_mtime_ns % 10**9:09}" if stat.S_ISREG(info.st_mode) else ""
