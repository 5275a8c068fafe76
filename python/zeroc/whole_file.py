"""Files that appear whole or not at all."""
import os
from pathlib import Path

from .errors import UserError


def check_writable(path):
    """Raises UserError if a file cannot be created there, before the work for it is done."""
    if not os.access(Path(path).parent, os.W_OK):
        raise UserError(f"cannot write {path}; choose a folder that exists and is writable")


def write_whole(path, text):
    """Writes a text file under another name, and renames it when it is complete."""
    partial = Path(f"{path}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
