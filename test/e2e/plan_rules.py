"""The rules of abi/PlanRules.def: which options of plans need or exclude others.

Tests leave out what they refuse; that zeroc refuses just that is what test_plans.py checks.
"""
import re
from pathlib import Path

ABI = Path(__file__).resolve().parents[2] / "abi"


def _defaults():
    """name -> the value that an option has where it is not given."""
    text = (ABI / "PlanOptions.def").read_text()
    words = dict(re.findall(r'^ZERO_ENUM\((\w+),\s*ZERO_CASE\(\w+, "(\w*)"\)', text, re.MULTILINE))
    found = {}
    for kind, usage, rest in re.findall(r'^ZERO_(?!ENUM|CASE)[A-Z]+\((\w+), [^"\n]*"([^"\n]*)"([^"\n]*)', text, re.MULTILINE):
        number = re.match(r", (\d[\d.]*),", rest)
        found[usage.partition("=")[0]] = words[kind] if kind in words else number[1] if number else ""
    return found


DEFAULTS = _defaults()


def _term(text):
    """(name, relation, value) of a term; "known" has no name, since tests know the model's precision."""
    if text == "known":
        return None, "", ""
    negated, name, relation, value = re.fullmatch(r"(!?)([\w-]+)(?:(!=|[=<>])(\S+))?", text).groups()
    return name, relation or ("=" if negated else "!="), value or DEFAULTS[name]


def _rules():
    """(given, needs, excluded) of each rule: alternatives of terms, the same, and terms."""
    string = r'\s*((?:"[^"]*"\s*)+)'
    for macro, *texts in re.findall(rf"^ZERO_(NEEDS|EXCLUDES)\(C\d+,{string},{string},{string}\)",
                                    (ABI / "PlanRules.def").read_text(), re.MULTILINE):
        given, other = [[[_term(term) for term in terms.split()] for terms in "".join(re.findall('"([^"]*)"', text)).split("|")]
                        for text in texts[:2]]
        yield (given, other, []) if macro == "NEEDS" else (given, [], other[0])


RULES = tuple(_rules())


def read(options):
    """name -> value of options as they are typed; that of a switch is "on"."""
    pairs = [option.removeprefix("--").partition("=") for option in options]
    return {name: value if equals else "on" for name, equals, value in pairs if name in DEFAULTS}


def _meets(term, value):
    _, relation, other = term
    if value == "auto":  # zeroc chooses one that fits
        return True
    if relation in "<>":
        return float(value) < float(other) if relation == "<" else float(value) > float(other)
    return (value == other) is (relation == "=")


class Rules:
    """The rules for options with these values: name -> values.  A set of values of an option is a number, bit i for value i."""

    def __init__(self, values):
        self.values = {name: tuple(dict.fromkeys((*values.get(name, ()), DEFAULTS[name]))) for name in DEFAULTS}
        self.usual = self.of(DEFAULTS)
        self.rules = [([self._terms(terms) for terms in given], [self._terms(terms) for terms in needs] or
                       [self._terms([(name, "=", DEFAULTS[name]) for name, _, _ in excluded])])
                      for given, needs, excluded in RULES]

    def _terms(self, terms):
        """(name, set of the values for which it holds) of each term."""
        return [(term[0], sum(1 << i for i, value in enumerate(self.values[term[0]]) if _meets(term, value)))
                for term in terms if term[0]]

    def of(self, options):
        """The sets of single values: name -> set."""
        return {name: 1 << self.values[name].index(value) for name, value in options.items()}

    def find_broken(self, sets):
        """The first rule that all options break whose values are among `sets`; what is not in them is not given.  Returns the
        alternative of what is given, or None if options may agree."""
        sets, changes = self.usual | sets, True
        while changes:
            changes = False
            for given, needs in self.rules:
                for terms in given:
                    for name, holds in terms:
                        if sets[name] & ~holds:
                            break
                    else:
                        left = [other for other in needs if all(sets[name] & holds for name, holds in other)]
                        if not left:
                            return terms
                        if len(left) == 1:  # so it must hold
                            for name, holds in left[0]:
                                if sets[name] & ~holds:
                                    sets[name] &= holds
                                    changes = True
        return None


def allowed(options):
    """Options as they are typed, without those that need or exclude others."""
    options = list(options)
    while True:
        given = read(options)
        rules = Rules({name: (value,) for name, value in given.items()})
        terms = rules.find_broken(rules.of(given))
        if terms is None:
            return options
        options = [option for option in options if option.partition("=")[0] != f"--{terms[0][0]}"]
