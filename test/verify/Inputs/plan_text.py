"""A plan as text, for manual edits: its programs, their lines, and the contents of lines.

A search or a replacement without a match is an error, so that no edit leaves a plan unchanged.
"""
import re
import sys

PLACE = r"#zero\.bytes<[^>]*>"


class Program:
    """A program: finds lines by their contents, and edits them."""

    def __init__(self, text):
        self.lines = text.splitlines()

    def find_all(self, pattern, after=-1):
        """Returns the indices of the lines that match `pattern`."""
        found = [i for i, line in enumerate(self.lines) if i > after and re.search(pattern, line)]
        if not found:
            sys.exit(f"no line has {pattern}")
        return found

    def find(self, pattern):
        """Returns the index of the only line that matches `pattern`."""
        found = self.find_all(pattern)
        if len(found) > 1:
            sys.exit(f"{len(found)} lines have {pattern}")
        return found[0]

    def definition(self, value):
        """Returns the index of the line that defines `value`."""
        return self.find(rf"^    {value}(:\d+)? =")

    def result(self, at):
        """Returns the first result of a line."""
        return re.match(r" *(%\w+)", self.lines[at])[1]

    def operands(self, at):
        """Returns the operands of a line."""
        return re.findall(r"%[\w#]+", re.sub(r"^ *%[^=]*=", "", self.lines[at]))

    def place(self, at):
        """Returns the bytes of a line's only result."""
        return re.search(rf"zero\.at = \[({PLACE})\]", self.lines[at])[1]

    def place_of_state(self, bucket, slot):
        state = re.escape(f'zero.state = #zero.state<{bucket}, "{slot}">')
        return re.search(rf"({PLACE}), {state}", self.lines[0])[1]

    def waits(self, waiter, recorder):
        """Returns the waits of the stream `waiter` for events recorded on `recorder`."""
        events = [self.result(i) for i in self.find_all(f"zero.record on {recorder}$")]
        return [i for i in self.find_all(rf"zero\.wait %\w+ on {waiter}$")
                if self.operands(i)[0] in events]

    def replace(self, at, old, new):
        """Replaces `old` in a line."""
        changed = re.sub(re.escape(old) + r"(?![\w#])", new, self.lines[at])
        if changed == self.lines[at]:
            sys.exit(f"no {old} to replace by {new}: {changed}")
        self.lines[at] = changed

    def place_at(self, at, place):
        """Moves a line's only result to other bytes."""
        self.replace(at, f"zero.at = [{self.place(at)}]", f"zero.at = [{place}]")

    def drop(self, at):
        del self.lines[at]

    def move(self, begin, end, to):
        """Moves lines down to before the line `to`."""
        self.lines[begin:to] = self.lines[end:to] + self.lines[begin:end]

    def insert(self, at, *lines):
        self.lines[at:at] = ["    " + line for line in lines]


class Plan:
    """The text of a plan, and its programs."""

    def __init__(self, text):
        self.rest = text
        self.programs = {}
        for name in ("count", "micro", "step"):
            if found := re.search(rf"^  zero\.program @{name}\(.*?^  }}\n", text, re.S | re.M):
                self.rest = self.rest.replace(found[0], f"<{name}>\n")
                self.programs[name] = [Program(found[0])]

    def __getitem__(self, name):
        return self.programs[name][0]

    def of_rank_one(self, name):
        """Returns a copy of a program that rank 1 runs instead."""
        copy = Program("\n".join(self[name].lines))
        head = copy.lines[0].replace(f"@{name}(", f"@{name}_of_1(").removesuffix("{")
        copy.lines[0] = head + f'attributes {{program = "{name}", rank = 1 : i64}} {{'
        self.programs[name].append(copy)
        return copy

    def __str__(self):
        text = self.rest
        for name, programs in self.programs.items():
            lines = [line for program in programs for line in program.lines]
            text = text.replace(f"<{name}>\n", "\n".join(lines) + "\n")
        return text
