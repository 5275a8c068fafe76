"""Mutants of what ranks that share sequences compute (V15): each is rejected, or the same model.

    python3 test/mutation/split.py [--mutants=N] [--seed=S] [--context=C]

A mutant is the plan of a small model whose @split has one change: another operand of the same type, an attribute,
or an operation of the same types.  One that is accepted must be the same text after common subexpressions are
merged, operands of commutative operations exchanged or not.
"""
import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
import support

ZERO_OPT = support.BUILD / "bin" / "zero-opt"
JUDGE = (ZERO_OPT, "--mlir-print-op-on-diagnostic=false", "--zero-verify-plan", "-o", "/dev/null")
CONFIG = {"model_type": "llama", "vocab_size": 48, "hidden_size": 8, "intermediate_size": 12, "num_hidden_layers": 2,
          "num_attention_heads": 4, "num_key_value_heads": 4, "max_position_embeddings": 32, "rms_norm_eps": 1e-5,
          "head_dim": 2, "tie_word_embeddings": True}
OTHER_NAMES = {"arith.addf": "arith.mulf", "arith.mulf": "arith.addf", "nn.silu": "nn.gelu", "nn.rms_norm": "nn.rms_norm"}
VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")


def find_split(lines):
    begin = next(i for i, line in enumerate(lines) if "@split(" in line)
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    end = next(i for i in range(begin + 1, len(lines)) if lines[i].startswith(" " * indent + "}"))
    body = next(i for i in range(begin, end) if lines[i].rstrip().endswith("{"))
    return begin, body, end


class Split:
    """The text of a plan, and the values of @split by type."""

    def __init__(self, text):
        self.lines = text.splitlines(keepends=True)
        self.begin, self.body, self.end = find_split(self.lines)
        head = "".join(self.lines[self.begin:self.body + 1])
        self.types = {}  # by value
        self.order = []
        for name, kind in re.findall(r"(%[\w.$-]+): (tensor<[^>]*>)", head):
            self.add(name, kind, -1)
        for i in range(self.body + 1, self.end):
            if found := re.match(r"\s*(%[\w.$-]+) = (.*)", self.lines[i]):
                kinds = re.findall(r"tensor<[^>]*>", found[2].split(" loc(")[0])
                if kinds:
                    self.add(found[1], kinds[-1] if "->" in found[2] or " to " in found[2] or "into" in found[2]
                             else kinds[0], i)

    def add(self, name, kind, at):
        self.types[name] = (kind, at)
        self.order.append(name)

    def mutate(self, rng):
        """Returns the text with one change, and what it is; None if that finds nothing."""
        i = rng.randrange(self.body + 1, self.end)
        line, kind = self.lines[i], rng.choice(("operand", "operand", "operand", "number", "name"))
        head, equals, rest = line.partition(" = ")
        if not equals:
            rest, head = line, ""
        if kind == "operand":
            uses = [use for use in VALUE.finditer(rest) if use[0] in self.types]
            if not uses:
                return None
            use = rng.choice(uses)
            type_, _ = self.types[use[0]]
            others = [name for name in self.order if name != use[0] and self.types[name][0] == type_
                      and self.types[name][1] < i]
            if not others:
                return None
            new = rng.choice(others)
            rest = rest[:use.start()] + new + rest[use.end():]
            what = f"{use[0]} => {new}"
        elif kind == "number":
            numbers = list(re.finditer(r"(?<=[= :(])(\d+\.\d+(?:e[+-]?\d+)?)", rest))
            if not numbers:
                return None
            number = rng.choice(numbers)
            rest = rest[:number.start()] + "1.250000e-01" + rest[number.end():]
            what = f"{number[0]} => 0.125"
        else:
            names = [name for name in OTHER_NAMES if name + " " in rest and OTHER_NAMES[name] != name]
            if not names:
                return None
            rest = rest.replace(names[0] + " ", OTHER_NAMES[names[0]] + " ", 1)
            what = f"{names[0]} => {OTHER_NAMES[names[0]]}"
        lines = list(self.lines)
        lines[i] = head + equals + rest
        return "".join(lines), f"line {i + 1}: {what}"


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def merged(path):
    """@split with operations that compute the same merged, as text without names and places."""
    done = run(ZERO_OPT, path, "--mlir-print-op-generic=false", "--pass-pipeline=builtin.module(builtin.module("
               "builtin.module(func.func(cse,canonicalize))))")
    if done.returncode:
        return done.stderr
    lines = done.stdout.splitlines(keepends=True)
    begin, _, end = find_split(lines)
    return re.sub(r"%[\w.$-]+", "%", re.sub(r" loc\([^\n]*", "", "".join(lines[begin:end])))


def check(count, seed, context):
    """Returns how many are rejected by V15, by others, accepted as the same; and the others, which must be none."""
    rng, missed, numbers = random.Random(seed), [], {"V15": 0, "invalid": 0, "same": 0}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        for command in ((support.ZEROC, "import", folder / "config.json", "--batch=1", "--seq=8", "-o", folder / "model.mlir"),
                        (support.ZEROC, folder / "model.mlir", f"--context={context}", f"--world-size={context}", "--emit=memory",
                         "-o", folder / "plan.mlir")):
            done = run(*command)
            if done.returncode:
                raise SystemExit(done.stderr)
        done = run(*JUDGE, folder / "plan.mlir")
        if done.returncode:
            raise SystemExit(done.stderr)
        split = Split((folder / "plan.mlir").read_text())
        expected = merged(folder / "plan.mlir")
        mutants = []
        while len(mutants) < count:
            if mutant := split.mutate(rng):
                mutants.append(mutant)

        def judge(numbered):
            number, (text, what) = numbered
            path = folder / f"mutant{number}.mlir"
            path.write_text(text)
            done = run(*JUDGE, path)
            result = ("V15" if "(V15)" in done.stderr else "invalid" if done.returncode
                      else "same" if merged(path) == expected else "missed")
            path.unlink()
            return result, what

        with ThreadPoolExecutor(2) as pool:
            for result, what in pool.map(judge, enumerate(mutants)):
                if result == "missed":
                    missed.append(what)
                else:
                    numbers[result] += 1
    return numbers, missed


def main():
    parser = argparse.ArgumentParser()
    for option, value in (("--mutants", 500), ("--seed", 1), ("--context", 2)):
        parser.add_argument(option, type=int, default=value)
    args = parser.parse_args()
    numbers, missed = check(args.mutants, args.seed, args.context)
    print(", ".join(f"{what} {number}" for what, number in numbers.items()), f"missed {len(missed)}")
    for what in missed:
        print("missed:", what)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
