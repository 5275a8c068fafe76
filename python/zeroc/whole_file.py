"""Files that appear whole or not at all."""
from pathlib import Path


def write_whole(path, text):
    """Writes a text file under another name, and renames it when it is complete."""
    partial = Path(f"{path}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
