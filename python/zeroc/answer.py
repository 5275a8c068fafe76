"""The text of an answer while its tokens come."""
from __future__ import annotations

#: In place of bytes that are no character yet.
BROKEN = "\ufffd"


class Answer:
    """`ids`, and `text` up to the first of `words`, which is then `stopped_by`.

    The text that is returned never changes later: bytes that do not make a character yet are held back, and so is
    what may be the beginning of one of `words`."""

    def __init__(self, tokenizer, words=()):
        self.tokenizer, self.words = tokenizer, words
        self.ids, self.text, self.returned, self.stopped_by = [], "", 0, None

    def add(self, token):
        """The text that is certain with one more token."""
        self.ids.append(token)
        if self.stopped_by is not None:
            return ""
        self.decode()
        return self.take(len(self.text) if self.stopped_by is not None else self.certain())

    def end(self):
        """The rest of the text."""
        if self.stopped_by is None:
            self.decode()
        return self.take(len(self.text))

    def decode(self):
        # All of it, since a decoder may write a token by what is before it.
        self.text = self.tokenizer.decode(self.ids, skip_special_tokens=True)
        found = [(at, -len(word), word) for word in self.words if (at := self.text.find(word)) >= 0]
        if found:
            at, _, self.stopped_by = min(found)
            self.text = self.text[:at]

    def certain(self):
        """The length of the text that stays."""
        text = self.text.rstrip(BROKEN)
        return len(text) - max((size for word in self.words for size in range(1, len(word))
                                if text.endswith(word[:size])), default=0)

    def take(self, length):
        begin, self.returned = self.returned, max(self.returned, length)
        return self.text[begin:self.returned]
