"""Measures the limits of this machine with the programs in limits/."""
import os
import subprocess
from pathlib import Path

import watch

SOURCES = Path(__file__).resolve().parent / "limits"

ADAMW_PARAMETERS = 32 << 20
COLLECTIVE_BYTES = 64 << 20
#: What `limits/` has the sources of; `store` is of store.py.
PROGRAMS = ("matmuls", "adamw", "collectives")


def build(folder):
    """Compiles the programs into `folder`."""
    for program in PROGRAMS:
        command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O3", "-march=native", "-fopenmp",
                   "-fno-math-errno", SOURCES / f"{program}.cpp", "-o", Path(folder) / program]
        if program == "matmuls":
            command.append("-ldnnl")
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode != 0:
            raise watch.Failed(f"{program}.cpp does not compile:\n{done.stderr}")


def _lines(folder, threads, program, *arguments):
    done = watch.run(f"{program} on {threads} thread{'s' * (threads > 1)}",
                     [Path(folder) / program, *arguments],
                     watch.environment(OMP_NUM_THREADS=str(threads)), folder)
    return [line.split() for line in done.out.splitlines()]


def measure(limits, cases, model, folder, budget, precision):
    """Adds one measurement of everything that the limits of `cases` need; each median takes at least `budget`
    seconds."""
    for threads in sorted({case.threads for case in cases}):
        shapes = {shape for case in cases if case.threads == threads
                  for shape in model.products(case.tokens)}
        names = ["x".join(map(str, shape)) for shape in sorted(shapes)]
        # Where the processor multiplies bf16 more slowly, a step can widen it to f32.
        for kind in (("fp32", "bf16") if precision == "bf16" else ("fp32",)):
            first = ["bf16"] if kind == "bf16" else []
            for m, n, k, form, seconds in _lines(folder, threads, "matmuls", budget, *first,
                                                 *names):
                limits.add((threads, int(m), int(n), int(k), f"{kind} {form}"), float(seconds))
    for threads in sorted({case.threads * case.ranks for case in cases}):
        for form, seconds in _lines(folder, threads, "adamw", budget, ADAMW_PARAMETERS):
            limits.add(("adamw", threads, form), float(seconds) / ADAMW_PARAMETERS)
    if any(case.ranks > 1 for case in cases):
        for name, seconds in _lines(folder, 2, "collectives", budget, COLLECTIVE_BYTES):
            limits.add(name, float(seconds) / COLLECTIVE_BYTES)
