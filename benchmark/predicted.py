#!/usr/bin/env python3
"""Holds predicted times of steps against measured ones.

    benchmark/predicted.py [--machine=FILE] [--case=NAME,...] [--rounds=N]

Without --machine it first measures this machine (zeroc calibrate).  The cases are named in CASES; no model or shape of them
is among those that calibration measures.  Each is compiled, predicted (zeroc simulate), and run; the measured time is the
lower quartile of the steps of all rounds but the first two of each run, as calibration takes it of operations.  ZERO_BUILD_DIR names another build folder.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import trainer
import watch
from cases import median, quiet

MODELS = {"gpt2": "examples/gpt2-small.json", "char": "examples/char-gpt2.json",
          "llama": "benchmark/models/llama-100m.json", "mixtral": "benchmark/models/mixtral-121m.json"}

#: name: (model, batch, tokens, options of zeroc).  One rank has all threads, several share them.
CASES = {
    "gpt2-b4t256": ("gpt2", 4, 256, []),
    "gpt2-b4t256-bf16": ("gpt2", 4, 256, ["--precision=bf16"]),
    "gpt2-b4t64": ("gpt2", 4, 64, []),
    "gpt2-b1t1024-bf16": ("gpt2", 1, 1024, ["--precision=bf16"]),
    "gpt2-b2t64-r2s3": ("gpt2", 2, 64, ["--world-size=2", "--stage=3"]),
    "gpt2-b2t64-r2s0": ("gpt2", 2, 64, ["--world-size=2", "--stage=0"]),
    "gpt2-b2t64-r2s1-bf16": ("gpt2", 2, 64, ["--world-size=2", "--stage=1", "--precision=bf16"]),
    "gpt2-b2t128-r2s2-bf16-k2": ("gpt2", 2, 128, ["--world-size=2", "--stage=2", "--precision=bf16", "--accumulate=2"]),
    "llama-b2t256": ("llama", 2, 256, []),
    "llama-b2t256-bf16-remat": ("llama", 2, 256, ["--precision=bf16", "--remat=block"]),
    "llama-b1t256-r2s3-bf16": ("llama", 1, 256, ["--world-size=2", "--stage=3", "--precision=bf16"]),
    "mixtral-b1t256": ("mixtral", 1, 256, []),
    "mixtral-b2t128-bf16": ("mixtral", 2, 128, ["--precision=bf16"]),
    "llama-b2t256-lora": ("llama", 2, 256, ["--lora=16"]),
    "llama-b2t256-lora-nf4-bf16": ("llama", 2, 256, ["--lora=16", "--base-storage=nf4", "--precision=bf16"]),
    "gpt2-b4t128-host": ("gpt2", 4, 128, ["--offload=cpu"]),
    "gpt2-b4t128-moments-host-bf16": ("gpt2", 4, 128, ["--offload-optimizer=cpu", "--precision=bf16"]),
    "gpt2-b4t128-nvme": ("gpt2", 4, 128, ["--offload=nvme"]),
    "gpt2-b2t128-r2s3-host-bf16": ("gpt2", 2, 128, ["--world-size=2", "--stage=3", "--offload=cpu", "--precision=bf16"]),
    "char-b8t64": ("char", 8, 64, []),
}


class Case:
    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        model, self.batch, self.seq, self.options = CASES[name]
        self.config = trainer.ROOT / MODELS[model]
        self.model, self.program = folder / f"{name}.mlir", folder / name
        self.steps = []

    def run(self, command):
        return watch.run(self.name, command, watch.environment(), self.folder).out

    def compile(self):
        self.run([trainer.ZEROC, "import", self.config, f"--batch={self.batch}", f"--seq={self.seq}", "-o", self.model])
        self.run([trainer.ZEROC, self.model, *self.options, "-o", self.program])

    def predict(self, machine):
        return json.loads(self.run([trainer.ZEROC, "simulate", self.model, *self.options, f"--machine={machine}",
                                    "--certificate=json"]))

    def measure(self, steps):
        tokens = self.folder / "tokens.u16"
        if not tokens.exists():
            trainer.write_tokens(tokens, 1 << 16, 256)
        metrics = self.folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        nvme = ["--nvme-path", self.folder] if "--offload=nvme" in self.options else []
        self.run([self.program, "--data", tokens, "--steps", steps, "--lr", "1e-4", "--metrics", metrics, "--init", "random",
                  "--progress", "none", *nvme])
        self.steps += [json.loads(line)["step_ms"] / 1e3 for line in metrics.read_text().splitlines()][trainer.WARM_UP:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", help="a machine file of this machine")
    parser.add_argument("--case", default=",".join(CASES), help="cases, with commas between")
    parser.add_argument("--steps", type=int, default=6, help="of a run")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    for name in options.case.split(","):
        if name not in CASES:
            parser.error(f"{name} is no case; they are {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        machine = options.machine and Path(options.machine).resolve()
        if not machine:
            machine = folder / "machine.json"
            watch.run("zeroc calibrate", [trainer.ZEROC, "calibrate", "-o", machine, "--nvme-path", folder],
                      watch.environment(), folder)
        cases = [Case(name, folder) for name in options.case.split(",")]
        for case in cases:
            case.compile()
        for _ in range(options.rounds):
            for case in cases:
                case.measure(options.steps)
        errors = []
        print(f"{'case':32} {'simulated':>10} {'measured':>10}  {'ms; error':>8}")
        for case in cases:
            seconds = case.predict(machine)["step_seconds"]
            measured = quiet(case.steps)
            errors.append(abs(seconds / measured - 1))
            print(f"{case.name:32} {1e3 * seconds:10.1f} {1e3 * measured:10.1f}  {100 * (seconds / measured - 1):+7.1f} %")
        print(f"error: median {100 * median(errors):.1f} %, worst {100 * max(errors):.1f} %")


if __name__ == "__main__":
    try:
        main()
    except watch.Failed as error:
        sys.exit(f"predicted.py: error: {error}")
