"""Fills in templates: one module for each of their cases.

    each.py FILE > modules.mlir     writes all modules, with `// -----` between them
    each.py FILE COMMAND ...        runs a command with each module as its standard input

FILE is split at `// -----`.  A part is a module, or a template and its cases:

    each $a $b                      the names of what differs
    (lines of the module, with $a and $b in them)
    of
    // A comment on the case.
    value of a; value of b

A line that ends in `;` goes on in the next one.  The comment stays with the module.
"""
import re
import string
import subprocess
import sys

SEPARATOR = "// -----\n"
TEMPLATE = re.compile(r"^each (.*)\n((?:.*\n)*?)of\n", re.MULTILINE)


def cases_of(text):
    """Yields the comment and the values of each case."""
    comment = ""
    for line in text.replace(";\n", "; ").splitlines(keepends=True):
        if line.startswith("//"):
            comment += line
        elif line.strip():
            yield comment, [value.strip() for value in line.split(";")]
            comment = ""


def modules_of(part):
    """Yields the module of a part that is one, or those of a template."""
    template = TEMPLATE.search(part)
    if not template:
        yield part
        return
    cases = list(cases_of(part[template.end():]))
    if not cases:
        raise ValueError("a template has no case")
    names = template[1].replace("$", "").split()
    for comment, values in cases:
        given = dict(zip(names, values, strict=True))
        yield comment + string.Template(template[2]).substitute(given)


def main(path, *command):
    modules = [module for part in open(path).read().split(SEPARATOR) for module in modules_of(part)]
    if not command:
        print(SEPARATOR.join(modules), end="")
        return 0
    for module in modules:
        done = subprocess.run(command, input=module, text=True, capture_output=True)
        print(done.stdout, end="")
        if done.returncode != 0:
            print(f"{path}: error: {' '.join(command)} failed for:\n{module}{done.stderr}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
