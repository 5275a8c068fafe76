#!/usr/bin/env python3
"""About 1 MB of English text, for the quickstart.

    text.py OUT.txt

The text is the prose of the Jargon File (in the public domain), from Debian's package jargon-text, which is
unpacked but not installed.  Without a network it uses the licences that every Debian system has.
"""
import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def jargon_file():
    """The text of the package, or None."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["apt-get", "-q", "download", "jargon-text"], cwd=folder, check=True,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
            for package in Path(folder).glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
            (path,) = Path(folder).rglob("jargon.txt.gz")
            return gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
        except (OSError, ValueError, subprocess.SubprocessError):
            return None


def licences():
    paths = sorted(Path("/usr/share/common-licenses").glob("*"))
    return "\n\n".join(path.read_text("utf-8", "replace") for path in paths
                       if path.is_file() and not path.is_symlink())


def is_prose(paragraph):
    """Short paragraphs are headings; pictures, tables and programs have few letters and blanks."""
    letters = sum(sign.isalpha() or sign == " " for sign in paragraph)
    return len(paragraph) > 200 and letters > 0.88 * len(paragraph)


def prose(text):
    """One paragraph per line, in ASCII."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text))
    return ("\n".join(filter(is_prose, paragraphs)) + "\n").encode("ascii", "ignore")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text, source = jargon_file(), "the Jargon File"
    if text is None:
        print("text.py: cannot fetch Debian's package jargon-text; taking the licences of this "
              "system", file=sys.stderr)
        text, source = licences(), "the licences of this system"
    content = prose(text)
    if len(content) < 100_000:
        sys.exit(f"text.py: error: {source} hold only {len(content)} bytes of prose")
    Path(sys.argv[1]).write_bytes(content)
    print(f"{len(content):,} bytes of English prose, from {source}")


if __name__ == "__main__":
    main()
