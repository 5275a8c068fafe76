"""zeroc tune: measures the plans that zeroc plan predicts to be fastest, and keeps the program of the fastest."""
from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from .calibrate import SKIPPED, quiet, run, say, step_seconds
from .commands import zeroc
from .errors import UserError
from .options import add_output, parser_of
from .own_files import check_output
from .whole_file import whole


def parser():
    p = parser_of("tune", usage="zeroc tune MODEL.mlir --machine=FILE --data TOKENS [options] -o TRAIN",
                  epilog="Options of zeroc plan are taken, too.")
    p.add_argument("model", metavar="MODEL.mlir")
    p.add_argument("--machine", metavar="FILE", required=True, help="as for zeroc plan")
    p.add_argument("--data", metavar="TOKENS", required=True, help="as for the program")
    add_output(p, "TRAIN", "the program of the fastest plan")
    p.add_argument("--plans", type=int, default=3, metavar="N", help="plans that are measured [3]")
    p.add_argument("--steps", type=int, default=6, metavar="N", help="steps of a run, of which the first two do not count [6]")
    p.add_argument("--rounds", type=int, default=2, metavar="N", help="runs of each plan [2]")
    p.add_argument("--run-options", default="", metavar="TEXT", help='more options of the program, as in "--nvme-path /mnt"')
    return p


class Candidate:
    def __init__(self, plan, program):
        self.options, self.predicted, self.program = plan["options"], plan["step_seconds"], program
        command = shlex.split(plan["commands"][-1])
        self.compile = [zeroc(), *command[1:command.index("-o")], "-o", program]
        self.steps = []

    def measure(self, a):
        metrics = self.program.with_suffix(".jsonl")
        run([self.program, "--data", Path(a.data).absolute(), "--steps", a.steps, "--lr", "0", "--progress", "none",
             "--metrics", metrics, *shlex.split(a.run_options)], cwd=self.program.parent)
        self.steps += step_seconds(metrics)

    def seconds(self):
        return quiet(self.steps)


def find_plans(a, options):
    command = [zeroc(), "plan", a.model, f"--machine={a.machine}", *options, "--certificate=json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise UserError("zeroc plan failed; its error is above")
    plans = [plan for plan in json.loads(done.stdout)["plans"] if plan["fits"]]
    if not plans:
        raise UserError("no plan fits; see zeroc plan")
    return sorted(plans, key=lambda plan: plan["step_seconds"])[:a.plans]


def main(arguments):
    a, options = parser().parse_known_args(arguments)
    for name, least in (("plans", 1), ("steps", SKIPPED + 1), ("rounds", 1)):
        if getattr(a, name) < least:
            raise UserError(f"--{name} must be an integer of at least {least}, got {getattr(a, name)}")
    if Path(a.model).is_dir() or a.model.endswith(".json"):
        raise UserError(f"{a.model} has no batch yet, and no tokens fit it; zeroc import it first, or see zeroc plan")
    check_output(a.o, "a program", a.force, [a.model, a.machine])  # before minutes of measuring
    with tempfile.TemporaryDirectory() as folder:
        plans = [Candidate(plan, Path(folder) / f"plan{i}") for i, plan in enumerate(find_plans(a, options))]
        for plan in plans:
            say(f"compiling {plan.options}")
            run(plan.compile)
        for number in range(a.rounds):
            for plan in plans:
                say(f"measuring {plan.options}, {number + 1} of {a.rounds}")
                plan.measure(a)
        best = min(plans, key=Candidate.seconds)
        with whole(a.o) as partial:
            shutil.copy2(best.program, partial)
    for plan in sorted(plans, key=Candidate.seconds):
        print(f"{'*' if plan is best else ' '} {1e3 * plan.seconds():10.2f} ms measured, {1e3 * plan.predicted:10.2f} ms "
              f"simulated: {plan.options}")
    print(f"wrote {a.o}, with {best.options}")
