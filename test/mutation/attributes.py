"""Plans with one attribute changed, dropped or added, for every attribute that a plan has.

What can stand in a plan is read from the dialect's definitions (dialect/zero/*.td, abi/PlanOptions.def): the
words of its enumerations, the optional attributes of its operations and the fields of
`#zero.options`. What does stand in a plan is read from its generic text, where every
attribute is a `name = value`. So an attribute that is new in the dialect has mutants as
soon as a plan has it, and `Definitions.missing` names those that no plan has.

A *place* is an attribute of one kind of operation, down to the field of a value:
`zero.bucket members init std`. Those of arguments and results of programs that only go
forward have a place for each name, such as `zero.program arg_attrs @prefill:begin zero.vocab`.
The model inside a plan is left alone, since it says what a plan is to compute; bodies of
kernels have mutations of their own (zero-mutate). But what the host reads of the inputs
that the compiler adds for generation is no choice of a model, so it is also changed
everywhere at once: in all programs and in the model.
"""
import collections
import random
import re
from typing import NamedTuple

from plans import support

DIALECT = support.ROOT / "dialect" / "zero"
OPEN, CLOSE = "<{[(", ">}])"
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|@[\w.]+|(?<![\w.])(?:#?[A-Za-z_][\w.]*|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)')
#: Attributes of the dialect that a finished plan for a CPU does not have.
ELSEWHERE = {
    "zero.block": "a model", "zero.frozen": "a model", "zero.init": "a model", "zero.packing": "a model",
    "zero.param": "a model",
    "zero.given": "a text of what was typed, which is printed again and changes nothing",
    "zero.kernels": "machine code", "zero.plain": "machine code for GPUs",
    "zero.workspace": "a plan for GPUs", "zero.target": "a plan for GPUs",
    "zero.program program": "a plan whose ranks differ", "zero.program rank": "a plan whose ranks differ",
}
#: Programs that only go forward, and the inputs that the compiler adds for them.
FORWARD = ("prefill", "decode", "score")
ADDED = ("begin", "count", "prompt", "token", "document")
NAME = re.compile(r'zero\.(?:input|scalar|cache|output) = "([^"]*)"')
ELEMENTS = ("f64", "f32", "bf16", "f16", "i64", "i32", "i8")


def closing(text, begin):
    """Returns the index after the bracket that closes the one at `begin`."""
    depth = 0
    at = begin
    while at < len(text):
        if text[at] == '"':
            at = text.index('"', at + 1)
        elif text.startswith("->", at):
            at += 1
        elif text[at] in OPEN:
            depth += 1
        elif text[at] in CLOSE:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    raise ValueError(f"no end of {text[begin:begin + 60]}")


def split(text, begin, end):
    """Returns the spans of a list's elements between two indices, without the commas."""
    spans, first, at = [], begin, begin
    while at < end:
        if text[at] == '"':
            at = text.index('"', at + 1)
        elif text.startswith("->", at):
            at += 1
        elif text[at] in OPEN:
            at = closing(text, at) - 1
        elif text[at] == ",":
            spans.append((first, at))
            first = at + 1
        at += 1
    if text[first:end].strip():
        spans.append((first, end))
    return [(b + len(text[b:e]) - len(text[b:e].lstrip()), e) for b, e in spans]


class Edit(NamedTuple):
    """Replaces the text from begin to end by `text`, and so in `more` places."""
    place: str
    kind: str
    begin: int
    end: int
    text: str
    more: tuple = ()


class Definitions:
    """The attributes that plans can have, according to the dialect's definitions."""

    def __init__(self):
        td = "\n".join(path.read_text() for path in sorted(DIALECT.glob("*.td")))
        header = (DIALECT / "Zero.h").read_text() + (DIALECT / "Origin.h").read_text()
        known = (DIALECT / "DiscardableAttributes.cpp").read_text()
        self.groups = [re.findall(r'I32EnumAttrCase<"\w+", \d+, "(\w+)">', body)
                       for body in re.findall(r"I32EnumAttr<(.*?)\]>", td, re.S)]
        listed = re.sub(r"\n +", " ", (support.ROOT / "abi" / "PlanOptions.def").read_text())
        enumerations = {name: re.findall(r'ZERO_CASE\(\w+, "(\w+)"\)', cases)
                        for name, cases in re.findall(r"^ZERO_ENUM\((\w+), (.*)\)$", listed, re.M)}
        rows = re.findall(r'^ZERO_(?:(SWITCH|COUNT|BYTES|NUMBER)\(|(?:CHOICE|FIELD)\((\w+), )\w+, \w+, "([\w-]+)',
                          listed, re.M)
        fields = {name.replace("-", "_"): kind or type for kind, type, name in rows}
        self.strings = {field: enumerations[kind] for field, kind in fields.items() if kind in enumerations}
        self.switches = [field for field, kind in fields.items() if kind in ("SWITCH", "bool")]
        #: Fields and values that are added to a plan without them.
        self.numbers = {field: (0.5, 3.0) if kind == "NUMBER" else (3, 4096) for field, kind in fields.items()
                        if kind in ("COUNT", "BYTES", "NUMBER")}
        self.attributes, self.optional = {}, {}
        # The text of an operation ends at the next definition.
        for name, body in re.findall(r'^def \w+Op : \w+<"(\w+)"(.*?)(?=^(?:def|class) |\Z)', td, re.S | re.M):
            arguments = re.search(r"let arguments = (.*?);\n", body, re.S)
            arguments = arguments[1] if arguments else ""
            declared = re.findall(r"([\w<>:, \[\]{}\"]*?(?:Attr|Prop)\w*(?:<[^$]*?>)?):\$(\w+)", arguments)
            self.attributes["zero." + name] = [attribute for _, attribute in declared]
            self.optional["zero." + name] = {attribute: "UnitAttr" in kind for kind, attribute in declared
                                             if "UnitAttr" in kind or "OptionalAttr" in kind}
        names = dict(re.findall(r'(k\w+Attr)(?:\[\])?\s*=\s*"(zero\.\w+)"', header))
        self.found = set()  # places of all plans
        self.corpus = {}  # values by the attribute's name
        self.discardable = sorted({names[constant] for constant in re.findall(r"\{(k\w+Attr), On", known)})

    def siblings(self, word):
        return sorted({other for group in self.groups if word in group for other in group} - {word})

    def missing(self):
        """Returns names of attributes and options that no plan had, but should have."""
        seen = self.found
        heads = {" ".join(place.split(" ")[:2]) for place in seen}
        fields = {place.split(" ")[-1] for place in seen if " zero.options " in place}
        lacking = [f"{op} {name}" for op, names in self.attributes.items() for name in names
                   if f"{op} {name}" not in heads]
        lacking += [name for name in self.discardable if not any(f" {name}" in place for place in seen)]
        lacking += [f"zero.options {field}" for field in (*self.strings, *self.switches, *self.numbers)
                    if field not in fields]
        return sorted(set(lacking) - set(ELSEWHERE))


class Mutator:
    """All edits of a plan in its generic text."""

    def __init__(self, text, definitions):
        self.text, self.definitions = text, definitions
        self.edits = []
        self.said = collections.defaultdict(set)  # names and strings that stand at a place
        self.collect()
        self.edits = [edit for edit in self.edits if " zero.given" not in edit.place]

    def collect(self):
        """Walks the lines of operations: those of programs, and declarations."""
        names, position, self.found, self.program = [], 0, [], ""
        for line in self.text.splitlines(True):
            begin, position = position, position + len(line)
            head = re.match(r'\s*(?:%[\w:]+ = )?"([\w.]+)"\(', line)
            name = names.pop() if line.lstrip().startswith("})") and names else head and head[1]
            # The first module is the plan's; another one is the model.
            if name and names.count("builtin.module") < 2 and name.split(".")[0] in ("zero", "nn", "builtin"):
                self.operation(name, begin, position)
            if line.rstrip().endswith("({"):
                names.append(name)
        self.everywhere()
        for place, token, begin, end in self.found:
            for other in self.others(token, place):
                self.edits.append(Edit(place, "change", begin, end, other))

    def operation(self, name, begin, end):
        line = self.text[begin:end]
        symbol = re.search(r'sym_name = "(\w+)"', line) if name == "zero.program" else None
        self.program = symbol[1] if symbol and symbol[1] in FORWARD else ""
        at = line.find("<{")
        if at >= 0 and not line.lstrip().startswith("})"):
            stop = closing(line, at)
            self.dictionary(name, begin + at + 1, begin + stop - 1, name)
        for match in re.finditer(r"[)>}] (?=\{)", line):
            if not line.endswith("({\n") or match.end() < len(line) - 2:
                self.dictionary(name, begin + match.end(), begin + closing(line, match.end()))
                break

    def dictionary(self, place, begin, end, operation=None):
        """Adds edits of the entries between braces at begin and before end; for an operation also
        edits that add missing ones."""
        present = set()
        for first, last in split(self.text, begin + 1, end - 1):
            entry = self.text[first:last]
            name, _, _ = entry.partition(" = ")
            present.add(name)
            inner = f"{place} {name}"
            self.remove(inner, first, last)
            if " = " in entry:
                self.definitions.corpus.setdefault(name, set()).add(entry[len(name) + 3:])
                self.value(inner, first + len(name) + 3, last)
        for name, isUnit in self.definitions.optional.get(operation, {}).items():
            if name in present:
                continue
            for value in [""] if isUnit else sorted(self.definitions.corpus.get(name, ()))[:3]:
                entry = f"{name} = {value}" if value else name
                self.edits.append(Edit(f"{place} {name}", "add", begin + 1, begin + 1,
                                       entry + (", " if present else "")))

    def everywhere(self):
        """Adds edits of what the host reads of each input of generation, alike wherever the input is."""
        for name in ADDED:
            entries = [match.span() for match in re.finditer(r'\{[^{}]*zero\.input = "%s"[^{}]*\}' % name, self.text)]
            for attribute in ("zero.vocab", "zero.ignored", "zero.separator"):
                found = [match for begin, end in entries
                         if (match := re.compile(re.escape(attribute) + r" = (-?\d+)").search(self.text, begin, end))]
                for other in self.others(found[0][1], "") if found else []:
                    (begin, end), *more = (match.span(1) for match in found)
                    self.edits.append(Edit(f"zero.program arg_attrs everywhere:{name} {attribute}", "change", begin, end,
                                           other, tuple(more)))

    def remove(self, place, first, last):
        """Adds the edit that removes an element of a list, and its comma."""
        if self.text[last] == ",":
            last += 2
        elif self.text[first - 2] == ",":
            first -= 2
        self.edits.append(Edit(place, "drop", first, last, ""))

    def value(self, place, begin, end):
        text = self.text[begin:end]
        if text.startswith("{"):
            self.dictionary(place, begin, end)
        elif text.startswith("["):
            for first, last in split(self.text, begin + 1, end - 1):
                if not self.text[first:last].startswith("{"):
                    self.remove(place, first, last)
                name = NAME.search(self.text, first, last) if self.program and place.endswith("_attrs") else None
                self.value(f"{place} @{self.program}:{name[1]}" if name else place, first, last)
        # The types of values are no attribute.
        elif place.split(" ")[-1] != "function_type":
            self.tokens(place, begin, end)
            if text.startswith("#zero.options<"):
                self.fields(place, end - 1, text)

    def fields(self, place, end, text):
        """Adds fields that are omitted because they have their default."""
        for field, words in self.definitions.strings.items():
            if f" {field} = " not in text:
                for word in words:
                    self.edits.append(Edit(f"{place} {field}", "add", end, end, f', {field} = "{word}"'))
        for field in self.definitions.switches:
            if f" {field} = " not in text:
                self.edits.append(Edit(f"{place} {field}", "add", end, end, f", {field} = true"))
        for field, numbers in self.definitions.numbers.items():
            if f" {field} = " not in text:
                for number in numbers:
                    self.edits.append(Edit(f"{place} {field}", "add", end, end, f", {field} = {number}"))

    def tokens(self, place, begin, end):
        field = ""
        for match in TOKEN.finditer(self.text, begin, end):
            token = match[0]
            if self.text.startswith(" = ", match.end()):
                field = f" {token}"
                continue
            self.found.append((place + field, token, match.start(), match.end()))
            if token[0] in '"@':
                self.said[place + field].add(token)
            if re.match(r"[A-Za-z_]", token) and not field:
                field = f" {token}" if token not in ELEMENTS else ""

    def others(self, token, place):
        """Returns possible replacements of a token."""
        if re.match(r"-?\d", token):
            if re.search(r"[.eE]", token):
                return [repr(float(token) * 2), "0.0", repr(-float(token) - 1)]
            number = int(token)
            return sorted({str(n) for n in (number + 1, number - 1, 0, 2 * number, number + 64, -1)} - {token})
        if token in ("true", "false"):
            return ["false" if token == "true" else "true"]
        if token in ELEMENTS:
            return [other for other in ELEMENTS if other != token]
        if token[0] in '"@':
            known = [f'"{word}"' for word in self.definitions.strings.get(place.split(" ")[-1], [])]
            unknown = '"other"' if token[0] == '"' else "@other"
            return sorted({*known, *self.said[place], unknown} - {token})
        return self.definitions.siblings(token)

    def draw(self, per_place, seed):
        """Draws `per_place` edits for each place, of different kinds if possible."""
        places = {}
        for edit in self.edits:
            places.setdefault((edit.place, edit.kind), []).append(edit)
        rng = random.Random(seed)
        return [edit for edits in places.values() for edit in rng.sample(edits, min(per_place, len(edits)))]

    def apply(self, edit):
        text = self.text
        for begin, end in sorted([(edit.begin, edit.end), *edit.more], reverse=True):
            text = text[:begin] + edit.text + text[end:]
        return text

    def describe(self, edit):
        before = self.text[edit.begin:edit.end] or "nothing"
        line = self.text.count("\n", 0, edit.begin) + 1
        return f"line {line}: {edit.place}: {edit.text or 'nothing'} for {before}"


def mutator_of(plan, definitions):
    """The mutator of a plan's file."""
    done = support.run(support.BUILD / "bin" / "zero-opt", plan, "--mlir-print-op-generic", "--mlir-print-debuginfo")
    assert not done.returncode, done.err
    return Mutator(done.out, definitions)
