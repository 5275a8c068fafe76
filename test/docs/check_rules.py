#!/usr/bin/env python3
"""Checks that a document has the table of the options of plans that need or exclude others (abi/PlanRules.def).

    check_rules.py DOC.md [--write]

It is after <!-- rules -->.  --write writes it anew.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "e2e"))
import plan_rules

TABLE = re.compile(r"(<!-- rules -->\n)((?:\|.*\n)*)")


def shown(name, relation, value):
    """One term: `--stage=3`, no `--offload-params`, `--accumulate` above 1."""
    option = f"`--{name}`"
    if value == plan_rules.DEFAULTS[name]:
        if relation == "!=" and name != "precision":
            return option
        if relation == "=" and value in ("", "0", "none", "full"):
            return f"no {option}"
    if (name, relation) == ("sample", "="):
        return f"`--{'sample' if value == 'only' else value}-only`"
    return {"=": f"`--{name}={value}`", "!=": f"not `--{name}={value}`", "<": f"{option} below {value}",
            ">": f"{option} above {value}"}[relation]


def joined(texts, word):
    texts = list(dict.fromkeys(texts))
    return f" {word} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def either(alternatives):
    return joined([joined([shown(*term) for term in terms if term[0]], "and") for terms in alternatives], "or")


def table():
    rows = [(either(given), f"excludes {joined([f'`--{name}`' for name, *_ in excluded], 'and')}" if excluded else
             f"needs {either(needs)}") for given, needs, excluded in plan_rules.RULES]
    return "| options | |\n|---|---|\n" + "".join(f"| {given} | {says} |\n" for given, says in rows)


def main():
    path = Path(sys.argv[1])
    text = path.read_text()
    if not TABLE.search(text):
        sys.exit(f"{path}: there is no <!-- rules -->")
    right = TABLE.sub(lambda match: match[1] + table(), text)
    if sys.argv[2:] == ["--write"]:
        path.write_text(right)
    elif right != text:
        sys.exit(f"{path}: its table is not what abi/PlanRules.def says; test/docs/check_rules.py {path} --write")


if __name__ == "__main__":
    main()
