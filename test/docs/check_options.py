#!/usr/bin/env python3
"""Checks that options, commands and variables that documents name exist.

    check_options.py DOC.md...
    check_options.py --commands DOC.md     the list of commands is that of zeroc --help

Options are words of code that begin with `--`.  In `PROGRAM ... --option` the program has it:
zeroc, one of its commands or a tool by its --help, a training program by
abi/TrainOptions.def, a script of the repository by its text.  Options without a program are
of any of ours.  Those of other projects' programs are not looked up.

The list of commands is the block after <!-- commands -->; it has each once.
"""
import functools
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from documents import ROOT, Document

OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
#: Programs of other projects.
OTHER_PROGRAMS = {"apt-get", "cmake", "ctest", "deepspeed", "hf", "iree-opt", "mpirun", "srun", "torchrun"}
#: Options that no help lists.
OTHER_OPTIONS = {
    "--debug-only",  # LLVM's, in builds with assertions
    "--signal",  # of sbatch
}
#: Programs that pass options on to others.
PASSED_ON = {"zeroc finetune": ("zeroc", "train"), "zeroc pretrain": ("zeroc", "train"),
             "zeroc replay": ("zeroc", "train"), "zeroc tune": ("zeroc",),
             "benchmark/gpu_limits.py": ("zeroc",), "test/sass/lint.py": ("zeroc",)}
TOOLS = ("zero-gradcheck", "zero-kernels", "zero-mutate", "zero-opt")
VARIABLE = re.compile(r"\b(?:ZRT|ZERO|ZEROC|FAKE_CUDA)_[A-Z_]+\b")


def listed(*command):
    """The options that a program's help lists.  If that needs Python packages that are missing, those of all commands
    in Python."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if "the Python package" in done.stderr:
        return {option for file in (ROOT / "python/zeroc").glob("*.py") for option in OPTION.findall(file.read_text())}
    if done.returncode:
        sys.exit(f"error: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return set(re.findall(r"^ +(?:-\w(?: \w+)?, )?(--[\w-]+)", done.stdout, re.MULTILINE))


@functools.cache
def commands():
    """The commands of zeroc, as --help lists them."""
    done = subprocess.run(["zeroc", "--help"], capture_output=True, text=True, check=True)
    return re.findall(r"^  (\w+) +- ", done.stdout.partition("Commands;")[2].partition("OPTIONS:")[0], re.MULTILINE)


@functools.cache
def of_training():
    """Options of training programs, and of those that only generate or score."""
    found = set(re.findall(r'^TRAIN_OPTION\("(--[\w-]+)"', (ROOT / "abi/TrainOptions.def").read_text(), re.MULTILINE))
    for name in ("ForwardProgram", "Generate", "Score"):
        text = (ROOT / "train/run" / f"{name}.cpp").read_text()
        found.update(re.findall(r'line\.add(?:Flag)?\(\s*"(--[\w-]+)"', text))
    return found


@functools.cache
def options_of(program):
    """The options of one of our programs."""
    name, _, command = program.partition(" ")
    if command == "data":
        parts = [listed(name, command, part, "--help") for part in ("build", "show")]
    elif command:
        parts = [listed(name, command, "--help")]
    elif name in ("zeroc", *TOOLS):
        parts = [listed(name, "--help-hidden")]
    elif name == "train":
        parts = [of_training()]
    else:
        parts = [set(OPTION.findall((ROOT / name).read_text()))]
    parts += [options_of(other) for other in PASSED_ON.get(program, ())]
    return {"--help"}.union(*parts)


@functools.cache
def of_any():
    programs = ["zeroc", "train", *TOOLS, *(f"zeroc {command}" for command in commands())]
    scripts = [path.relative_to(ROOT) for top in ("benchmark", "examples", "test", "tools")
               for path in (ROOT / top).rglob("*") if path.suffix in (".py", ".sh") and os.access(path, os.X_OK)]
    return set.union(*(options_of(str(one)) for one in [*programs, *scripts]))


def program_at(words, i):
    """The program that the i-th word starts, or None: "" for another project's."""
    word = words[i]
    begins = all("=" in before for before in words[:i]) or words[i - 1] in ("&&", "|")
    if word == "zeroc" and begins:
        following = words[i + 1].rstrip(":") if i + 1 < len(words) else ""
        return f"zeroc {following}" if re.fullmatch(r"[a-z]+", following) else "zeroc"
    if word in TOOLS:
        return word
    if re.match(r"[\w/]*/\w+\.(py|sh)$", word) and (ROOT / word).is_file():
        return word
    if word.startswith("./") or word == "train" and begins:
        return "train"
    return "" if word in OTHER_PROGRAMS else None


def uses(text):
    """(program or None, option) of each option of a line, and (program, None) of each program."""
    program, words = None, re.sub(r" #.*", "", text).replace("[", " ").replace("]", " ").split()
    for i, word in enumerate(words):
        if not i or words[i - 1] not in ("-o", "--prefix"):
            found = program_at(words, i)
            if found is not None:
                program = found
                yield program, None
        for option in OPTION.findall(word):
            yield program, option


def lines_of(document):
    """(line, text) of all code but what tools print; of a block, continued lines as one."""
    yield from document.codes()
    for block in document.blocks:
        if block.is_shown:
            continue
        number = block.line
        for text in re.split(r"(?<!\\)\n", block.text):
            yield number, text.replace("\\\n", " ")
            number += 1 + text.count("\n")


@functools.cache
def variables():
    """The environment variables in the sources."""
    tops = ("benchmark", "examples", "python", "runtime", "test", "tools", "train", "targets", "passes")
    return {name for top in tops for path in (ROOT / top).rglob("*") if path.suffix in (".cpp", ".h", ".py", ".sh")
            for name in VARIABLE.findall(path.read_text())}


def complaints(document):
    for line, text in lines_of(document):
        for program, option in uses(text):
            if program and program.startswith("zeroc ") and program.split()[1] not in commands():
                if option is None:
                    yield line, f"zeroc --help has no command {program.split()[1]}"
            elif option and program != "":
                known = of_any() if program is None else options_of(program)
                if option not in known and option not in OTHER_OPTIONS:
                    yield line, f"{program or 'no program'} has no option {option}"
        for name in VARIABLE.findall(text):
            if name not in variables() and not name.endswith("_"):
                yield line, f"no source has {name}"


def differences(document):
    """How the list of commands differs from --help."""
    for block in document.blocks:
        if block.mark != "commands":
            continue
        named = Counter(re.findall(r"^ *zeroc ([a-z]+)\b(?!\.)", block.text, re.MULTILINE))
        for name in sorted({*named, *commands()}):
            if named[name] != commands().count(name):
                yield block.line, f"zeroc {name} is listed {named[name]} times, and zeroc --help has it " \
                                  f"{commands().count(name)} times"
        return
    yield 1, "there is no list of commands"


def main():
    flags = [argument for argument in sys.argv[1:] if argument.startswith("-")]
    paths = sys.argv[1 + len(flags):] or sys.exit(__doc__)
    wrong = []
    for path in paths:
        document = Document(Path(path))
        found = differences(document) if flags == ["--commands"] else complaints(document)
        wrong += [f"{path}:{line}: {what}" for line, what in sorted(set(found))]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
