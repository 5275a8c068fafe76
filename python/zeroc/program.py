"""The command zeroc of the wheel: runs the compiler, which runs this Python for its commands in Python."""
import os
import sys
from pathlib import Path


def main():
    program = Path(__file__).parent / "bin" / "zeroc"
    os.environ.setdefault("ZEROC_PYTHON", sys.executable)
    os.execv(program, ["zeroc", *sys.argv[1:]])
