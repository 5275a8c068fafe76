"""Writes edited versions of a plan, for -split-input-file -verify-diagnostics.

    python3 edits.py FILE.test > plans.mlir     writes every plan of FILE, and its errors
    zero-opt plans.mlir -split-input-file -verify-diagnostics ...

FILE is split at `// -----`, and edits at blank lines.  A part is a complete plan, or edits of the last plan
above that is complete and has no error, or is a `base`.  That plan is printed first, so it is accepted before any
edit of it.  An edit is a line:

    in TEXT                    from here on only the block that the line with TEXT begins
                               (before any `in`, and after `in plan`: the whole plan)
    replace TEXT => NEW        TEXT is there once
    replace N x TEXT => NEW    TEXT is there N times, and replaced everywhere
    replace first TEXT => NEW  ... and replaced in the first line that has it
    delete TEXT                the line with TEXT
    delete block TEXT          the block that the line with TEXT begins
    replace block TEXT         ... by the lines `+ NEW` that follow
    before TEXT, after TEXT    puts the lines `+ NEW` that follow beside the line with TEXT
    case NAME: NEW             puts the line NEW before the line with `return`; NAME is for the reader
    error TEXT => MESSAGE      the edited plan has this error at the line with TEXT
    note TEXT => MESSAGE       ... and this note
    accepted                   the edited plan has no error
    base                       ... and the edits below are of it

Edits are made in order.  TEXT finds a line if no other line contains it, `first TEXT` the first one
that does; it is an error if the number of matches differs from the stated one.
"""
import re
import sys

SEPARATOR = "// -----\n"
EDIT = re.compile(r"(in|replace block|replace|delete block|delete|before|after|case|error|note|\+) (.+)"
                  r"|accepted|base")


def indentation(line):
    return len(line) - len(line.lstrip())


class Plan:
    """The lines of a plan under successive edits; raises ValueError if an edit is impossible."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.block = None  # the TEXT of `in`
        self.place = None  # where the next `+` goes
        self.waits = False  # for a first `+`
        self.expected = []
        self.accepted = self.is_base = False

    def end(self, begin):
        """Returns the last line of the block that begins at line `begin`."""
        for at in range(begin + 1, len(self.lines)):
            if indentation(self.lines[at]) <= indentation(self.lines[begin]):
                if self.lines[at].lstrip().startswith("}"):
                    return at
                break
        raise ValueError(f"no block begins at: {self.lines[begin]}")

    def scope(self):
        if self.block is None:
            return range(len(self.lines))
        begin = self.find(self.block, range(len(self.lines)))
        return range(begin, self.end(begin) + 1)

    def find(self, text, lines=None):
        """Returns the index of the only line that contains `text`, or of the first one."""
        is_first, text = text.startswith("first "), text.removeprefix("first ")
        found = [at for at in lines or self.scope() if text in self.lines[at]]
        if len(found) != 1 and not (is_first and found):
            raise ValueError(f"{len(found)} lines have: {text}")
        return found[0]

    def replace(self, text, new):
        times, lines = 1, self.scope()
        if text.startswith("first "):
            lines = [self.find(text)]
            text = text.removeprefix("first ")
        if counted := re.match(r"(\d+) x (.*)", text):
            times, text = int(counted[1]), counted[2]
        found = sum(self.lines[at].count(text) for at in lines)
        if found != times:
            raise ValueError(f"{found} instead of {times} x {text}")
        if text == new:
            raise ValueError(f"nothing is replaced in: {text}")
        for at in lines:
            self.lines[at] = self.lines[at].replace(text, new)

    def edit(self, word, text):
        if self.waits and word != "+":
            raise ValueError("nothing is put beside a line, or in place of a block")
        self.waits = word in ("before", "after", "replace block")
        if word == "in":
            self.block = None
            if text != "plan":
                self.find(text)
                self.block = text
        elif word == "replace":
            self.replace(*split(text))
        elif word == "delete":
            del self.lines[self.find(text)]
        elif word in ("delete block", "replace block"):
            begin = self.find(text)
            self.place = begin, indentation(self.lines[begin])
            del self.lines[begin:self.end(begin) + 1]
        elif word == "+":
            if self.place is None:
                raise ValueError("a line to insert follows no before, after or replace block")
            at, indent = self.place
            self.lines.insert(at, " " * indent + text)
            self.place = at + 1, indent
        elif word in ("before", "after"):
            at = self.find(text)
            self.place = at + (word == "after"), indentation(self.lines[at])
        elif word == "case":
            at = self.find("return")
            self.lines.insert(at, " " * indentation(self.lines[at]) + text.split(": ", 1)[1])
        elif word in ("accepted", "base"):
            self.accepted = True
            self.is_base = word == "base"
        else:
            self.expected.append((self.block, word, *split(text)))
        if word != "+" and not self.waits:
            self.place = None

    def write(self):
        """Yields the text, with expected diagnostics above the lines that they concern."""
        comments = {}
        for self.block, kind, text, message in self.expected:
            comments.setdefault(self.find(text), []).append((kind, message))
        for at, line in enumerate(self.lines):
            for kind, message in comments.get(at, []):
                yield f"{' ' * indentation(line)}// expected-{kind} @below {{{{{message}}}}}"
            yield line


def split(text):
    """Splits "TEXT => NEW"."""
    parts = text.split(" => ")
    if len(parts) != 2:
        raise ValueError(f"there is not one => in: {text}")
    return parts


def expand(part, base):
    """Returns the text of a plan that is given by edits of `base`, and what later ones are edits of."""
    plan, comments = Plan(base), []
    for line in part.splitlines():
        if not line or line.startswith("//"):
            comments.append(line)
        elif command := EDIT.fullmatch(line):
            plan.edit(command[1] or line, command[2])
        else:
            raise ValueError(f"no edit: {line}")
    plan.edit("in", "plan")  # nothing waits for a line
    lines = list(plan.write())
    if any("expected-" in line for line in lines) == plan.accepted:
        raise ValueError("an edited plan has errors, or is accepted")
    return "\n".join([*comments, *lines]) + "\n", "\n".join(lines) if plan.is_base else base


def begins_with_edit(part):
    code = [line for line in part.splitlines() if line and not line.startswith("//")]
    return bool(code and EDIT.fullmatch(code[0]))


def parts_of(text):
    """Yields the parts of FILE, and whether each consists of edits."""
    for part in text.split(SEPARATOR):
        if not begins_with_edit(part):
            yield part, False
            continue
        comment = ""
        for paragraph in re.split(r"\n\n+", part.strip("\n")):
            comment += paragraph + "\n\n"
            if begins_with_edit(paragraph):
                yield comment, True
                comment = ""
        if without_comments(comment):
            raise ValueError(f"no edit begins with {without_comments(comment).splitlines()[0]!r}")


def without_comments(part):
    return "\n".join(line for line in part.splitlines() if line and not line.startswith("//"))


def main(path):
    base, printed = None, []
    for part, is_edits in parts_of(open(path).read()):
        if is_edits:
            try:
                if base is None:
                    raise ValueError("no plan without an error comes before them")
                text, base = expand(part, base)
                printed.append(text)
            except ValueError as error:
                sys.exit(f"{path}: error: {error}; in the edits:\n{part}")
        else:
            printed.append(part)
            if "expected-" not in part:
                base = without_comments(part)
    print(SEPARATOR.join(printed), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
