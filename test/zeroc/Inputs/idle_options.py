#!/usr/bin/env python3
"""idle_options.py: finds options of plans that change nothing and of which zeroc says nothing.

Each option of abi/PlanOptions.def, with a few of its values, is added to each mode: on ranks and alone, at
each stage, with state in host memory, with several micro-steps, with adapters, for programs that generate or
score.  The plan with the option must differ from the plan without it, in more than what #zero.options says;
or zeroc refuses the option, or says that it changes nothing here.  An option that changes the plan of no
model in no mode is found, too.

    idle_options.py              # all, of three models; prints what is wrong and returns 1
    idle_options.py --part=40    # every 40th case, in seconds
"""
import argparse
import concurrent.futures
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
#: Of the words that are no field of their own.
FIELDS = {"skip-nonfinite": ("--skip-nonfinite=on", "--skip-nonfinite=off"),
          "sample": ("--sample", "--sample-only", "--score-only")}
MODES = ("", "--stage=3", "--world-size=2", "--world-size=2 --stage=1", "--world-size=4 --stage=2 --accumulate=2",
         "--world-size=4 --stage=3", "--world-size=2 --stage=3 --accumulate=2 --precision=bf16",
         "--world-size=2 --stage=3 --persist-below=1GiB", "--world-size=2 --stage=3 --prefetch=1GiB",
         "--offload=cpu --accumulate=2",
         "--world-size=2 --stage=3 --offload=cpu --precision=bf16", "--world-size=4 --stage=3 --wire-gradients=int8",
         "--remat=block --offload-optimizer=nvme --precision=fp16", "--optimizer=sgd --momentum=0",
         "--lora=4", "--lora=4 --world-size=4 --stage=3 --precision=bf16", "--sample-only",
         "--sample-only --world-size=4 --stage=3", "--sample-only --offload=cpu --lora=4", "--score-only",
         "--score-only --world-size=4 --stage=3 --precision=bf16", "--reference")
TINY = {"model_type": "gpt2", "n_layer": 2, "n_head": 2, "n_embd": 8, "vocab_size": 48, "n_positions": 16}


def read_options():
    """The options: name, its default as a text, and values."""
    text = (ROOT / "abi" / "PlanOptions.def").read_text()
    text = text[text.index("// clang-format off"):]
    words = {name: re.findall(r'ZERO_CASE\(\w+, "(\w*)"\)', cases)
             for name, cases in re.findall(r"ZERO_ENUM\((\w+), (.*?)\)\n(?=ZERO|\n)", text, re.DOTALL)}
    options = {}
    for kind, row in re.findall(r"^ZERO_(SWITCH|CHOICE|COUNT|BYTES|NUMBER|FIELD)\((.*)$", text, re.MULTILINE):
        name = re.search(r'"([\w-]+)', row)[1]
        parts = [part.strip() for part in re.sub(r'"[^"]*"', '""', row).split(",")]
        if kind == "FIELD":
            options[name] = FIELDS[name]
        elif kind == "SWITCH":
            options[name] = (f"--{name}",)
        elif kind == "CHOICE":
            options[name] = tuple(f"--{name}={word}" for word in words[parts[0]][1:])
        else:
            low = float(eval(parts[4 if kind != "BYTES" else 4]))
            values = {"COUNT": (0, 1, 2, 3, 4), "BYTES": (0, 1, "100KiB", "1GiB"), "NUMBER": (low, 0.5, 2)}[kind]
            high = float(eval(parts[5])) if kind != "BYTES" else float("inf")
            default = eval(re.sub(r"int64_t\((\d+)\)", r"\1", parts[3]))
            options[name] = tuple(f"--{name}={value:g}" if isinstance(value, float) else f"--{name}={value}" for value in values
                                  if value != default and (isinstance(value, str) or low <= value <= high))
    return options


def says_default(option, mode):
    """Whether a value is what the option is by default in a mode."""
    halves = "--precision=" in mode
    same = {"--offload-optimizer=cpu", "--offload-params=cpu"} if "--offload=cpu" in mode else ()
    return option == ("--skip-nonfinite=on" if halves else "--skip-nonfinite=off") or option in (*mode.split(), *same)


class Sweep:
    def __init__(self, folder, zeroc):
        self.folder, self.zeroc = folder, zeroc
        gpt2, pairs = folder / "gpt2.json", ROOT / "test/golden/preferences/model/config.json"
        gpt2.write_text(json.dumps(TINY))
        self.models = {"mlp": ROOT / "examples" / "mlp.mlir", "gpt2": folder / "gpt2.mlir", "pairs": folder / "pairs.mlir"}
        for name, *words in (("gpt2", gpt2, "--batch=2", "--seq=16"),
                             ("pairs", pairs, "--batch=1", "--seq=11", "--packed", "--objective=dpo", "--samples=4")):
            subprocess.run([zeroc, "import", *words, "-o", self.models[name]], check=True, capture_output=True)

    @functools.lru_cache(None)
    def plan(self, model, options):
        """The text of a plan without its options, and what zeroc says; None if it is refused."""
        done = subprocess.run([self.zeroc, self.models[model], *options, "--emit=memory", "-o", "-"], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{model} {' '.join(options)}: {done.stderr}")
        if done.returncode:
            return None, done.stderr
        text, start = done.stdout, done.stdout.index("zero.options = #zero.options<")
        at, depth = text.index("<", start), 0
        while True:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                # The model in a plan has two of them.
                rest = re.sub(r"(, )?zero\.(loss_chunk|grad_dtype) = [^,}]+", "", text[at:])
                return text[:start] + rest, done.stderr

    def check(self, case):
        """What is wrong with an option in a mode of a model: "idle", or "" beside whether it worked."""
        model, mode, option = case
        name = option.split("=")[0]
        before, _ = self.plan(model, tuple(mode.split()))
        if before is None or name in re.sub(r"=\S+", "", mode).split() or says_default(option, mode):
            return "", False
        after, said = self.plan(model, (*mode.split(), option))
        if after is None:
            return ("" if "error:" in said else "no message"), False
        noted = re.search(rf"(note|warning): {name}(=\S+)? (changes|shards) nothing", said)
        if after == before and not noted:
            return "idle", False
        return ("noted, but changes the plan" if after != before and noted and "warning" not in noted[0] else ""), after != before


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--part", type=int, default=1)
    p.add_argument("--zeroc", default="zeroc")
    a = p.parse_args()
    options = read_options()
    cases = [(model, mode, option) for mode in MODES for values in options.values() for option in values
             for model in ("mlp", "gpt2", "pairs")]
    cases = cases[::a.part]
    works, wrong = {}, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sweep = Sweep(Path(folder), a.zeroc)
        for (model, mode, option), (problem, worked) in zip(cases, pool.map(sweep.check, cases)):
            works[option] = works.get(option, False) or worked
            if problem:
                wrong += 1
                print(f"{model} {mode} {option}: {problem}", flush=True)
    if a.part == 1:
        for name, values in options.items():
            if not any(works[value] for value in values):
                wrong += 1
                print(f"--{name} changes no plan")
    print(f"{len(cases)} cases of {len(options)} options, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
