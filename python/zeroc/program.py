"""The programs that Python starts: the compiler of the wheel, and where it is."""
import os
import shutil
import sys
from pathlib import Path


def find_compiler():
    """The path of zeroc: ZEROC_PROGRAM, that of the wheel, or the first in PATH."""
    own = Path(__file__).parent / "bin" / "zeroc"
    return os.environ.get("ZEROC_PROGRAM") or (str(own) if own.exists() else shutil.which("zeroc"))


def main():
    """The command zeroc of the wheel: runs the compiler, which runs this Python for its commands in Python."""
    program = Path(__file__).parent / "bin" / "zeroc"
    os.environ.setdefault("ZEROC_PYTHON", sys.executable)
    os.execv(program, ["zeroc", *sys.argv[1:]])
