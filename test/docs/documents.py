"""Reads what Markdown documents hold: blocks of code, code and links in the text, headings."""
import dataclasses
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: A mark alone on its line, and the fenced block that follows it.
FENCED = re.compile(r"(?:^<!-- (\w+)(?:: (.*?))? -->\n)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)(?: {4}.*\n|[ \t]*\n(?= {4}))+", re.MULTILINE)
CODE = re.compile(r"(`+)((?:(?!\n\n)[^`])+?)\1")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of code, fenced or indented; `mark` is of the line before it, or None."""
    line: int
    text: str
    mark: str = None

    @property
    def is_shown(self):
        """Whether check_blocks.py compares it, or its sketch, with what tools read or print."""
        return self.mark in ("file", "output", "sketch")


class Document:
    def __init__(self, path):
        self.path = Path(path)
        self.blocks = []
        self.prose = self._take(INDENTED, self._take(FENCED, self.path.read_text()))
        self.blocks.sort(key=lambda block: block.line)

    def _take(self, pattern, text):
        """Moves what `pattern` finds into the blocks; leaves its lines empty."""
        def take(match):
            groups = match.groups()
            body = groups[3] if groups else match[0]
            start = match.start(4) if groups else match.start()
            self.blocks.append(Block(self._line(text, start), body, groups[0] if groups else None))
            return "\n" * match[0].count("\n")
        return pattern.sub(take, text)

    @staticmethod
    def _line(text, offset):
        return text.count("\n", 0, offset) + 1

    def codes(self):
        """(line, text) of each code in the text."""
        for match in CODE.finditer(self.prose):
            yield self._line(self.prose, match.start()), match[2].replace("\n", " ")

    def links(self):
        """(line, text, target) of each link; code that looks like one is none."""
        text = CODE.sub(lambda match: re.sub(r"[\[\]]", " ", match[0]), self.prose)
        for match in LINK.finditer(text):
            yield self._line(text, match.start()), match[1], match[2]

    def anchors(self):
        """The anchors that GitHub gives to headings."""
        seen = {}
        for heading in HEADING.findall(self.prose):
            text = LINK.sub(r"\1", heading).replace("`", "").lower()
            anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            seen[anchor] = seen.get(anchor, -1) + 1
            yield anchor if not seen[anchor] else f"{anchor}-{seen[anchor]}"
