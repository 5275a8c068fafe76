#!/usr/bin/env python3
"""Checks by SPIN that ranks which issue collectives never stop each other (lanes.pml).

    check.py               a step of ZeRO-3 (zero3.pml), and faults that SPIN must find
    check.py PROGRAM.pml   another program, for two ranks
    check.py PLAN.mlir     the programs of a plan, as `zeroc --emit=memory` prints them
    check.py --random N    N short programs: the moves that are left out change no result
    check.py --show FAULT  a shortest run that the fault stops

Prints states and moves of each case.  Needs spin and clang.
"""
import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEBIBYTES = 4096  # of a search, at most

ORDERS = {"NCCL": [], "NCCL before 2.26": ["CHAINED"], "direct": ["DIRECT"]}
VARIANTS = {
    "streams of one operation": ["DEPTH=1"],
    "streams of four operations": ["DEPTH=4"],
    "room for all exchanges": ["ROOM=3"],
    "with a profile": ["OBSERVED"],
    "two ranks": ["RANKS=2"],
    "four ranks": ["RANKS=4"],
}
# Each stops all ranks in some run.
FAULTS = {
    "no-turns": ("collectives are not issued in one order", ["NO_TURNS"]),
    "no-turns-chained": ("the same, NCCL before 2.26", ["NO_TURNS", "CHAINED"]),
    "no-turns-direct": ("the same, direct: full streams hold threads", ["NO_TURNS", "DIRECT"]),
    "no-chain": ("NCCL before 2.26, no events between exchanges", ["UNORDERED"]),
    "no-give-up": ("a failure does not end waits for a turn", ["FAILS", "NO_GIVE_UP"]),
    "one-by-one": ("lanes are aborted one after another", ["FAILS", "ONE_BY_ONE"]),
    "locked-abort": ("an abort needs the driver's lock", ["FAILS", "LOCKED_ABORT"]),
}
# The streams of a plan that are not the GPU's.
HOST_STREAMS = {"host", "nvme_read", "nvme_write"}
# The exchanges of a collective in the model.
EXCHANGES = {"all_gather": 1, "all_reduce": 1, "reduce_scatter": 2}
# Operations of a plan that do nothing when it runs.
NO_WORK = {"view", "pack", "collapse_shape", "expand_shape", "return"}


def fail(text):
    sys.exit(f"check.py: error: {text}")


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


class Model:
    """lanes.pml with a program; macros choose what is modelled."""

    def __init__(self, folder, program, macros, *flags):
        self.folder, self.program = Path(folder), program
        (self.folder / "program.pml").write_text(program)
        (self.folder / "lanes.pml").write_text((HERE / "lanes.pml").read_text())
        run(folder, "spin", "-Pclang -E -x c", "-a", *("-D" + macro for macro in macros), "lanes.pml")
        # Most searches take less time than an optimized compilation.
        run(folder, "clang", "-O0", "-w", "-DSAFETY", "-DVECTORSZ=8192", f"-DMEMLIM={MEBIBYTES}", *flags, "-o", "pan",
            "pan.c")

    def search(self, *options):
        """Returns (states, moves, the error or "")."""
        text = run(self.folder, "./pan", "-m1000000", "-w20", *options)
        errors = re.findall(r"^pan:1: (.*) \(at depth", text, re.MULTILINE)
        if not errors and ("Search not completed" in text or "errors: 0" not in text):
            fail(text)
        states, moves = (int(re.search(rf"(\d+) {what}", text)[1]) for what in ("states, stored", "transitions"))
        return states, moves, errors[-1] if errors else ""

    def replay(self):
        """Returns what happens in the run that led to an error."""
        verbs = ["issues", "holds the driver's lock until it can issue", "leaves out", "starts", "ends"]
        kinds = ["", "work", "record", "wait for", "exchange", "wait for the end of the exchange before",
                 "record the end of"]
        streams = {int(number): name for name, number in re.findall(r"#define ([a-z]\w*) (\d+)", self.program)}
        for line in run(self.folder, "./pan", "-A", "-r", "-S").splitlines():
            if match := re.fullmatch(r"\s*(\d+) (\d+) (\d+) (\d+) (\d+)", line):
                rank, stream, verb, kind, what = map(int, match.groups())
                operation = kinds[kind] + ("" if kind == 1 else f" {what}")
                yield f"rank {rank} " + (f"{streams[stream]:8} {verbs[verb]} {operation}" if verb < len(verbs)
                                         else "aborts")


def program_of(streams, events, rows):
    """Returns a program as zero3.pml has it."""
    exchanges = sum(EXCHANGES.get(row.split("(")[0], 0) for row in rows)
    host = [f"runsOnHost({stream})" for stream in streams if stream in HOST_STREAMS]
    return "\n".join([f"#define STREAMS {len(streams)}", f"#define EVENTS {max(1, events)}",
                      f"#define EXCHANGES {max(1, exchanges)}", *(f"#define {s} {n}" for n, s in enumerate(streams)),
                      "inline program() {", "  " + ";\n  ".join(host + rows), "}\n"])


def programs_of(plan):
    """Returns the programs of a plan, by name."""
    programs = {}
    for name, body in re.findall(r"^  zero\.program @(\w+)\((.*?)^  }", plan, re.MULTILINE | re.DOTALL):
        streams, events, rows = ["compute"], {}, []
        for result, kind, rest in re.findall(r"^    (?:(%[\w.$-]+)\S* = )?[a-z]+\.([a-z_]+)(.*)", body, re.MULTILINE):
            if kind in NO_WORK:
                continue
            on = re.search(r" on (\w+)" if kind in ("record", "wait") else r"#zero\.stream<(\w+)>", rest)
            stream = on[1] if on else "compute"
            if stream not in streams:
                streams.append(stream)
            if kind == "record":
                rows.append(f"record({events.setdefault(result, len(events))}, {stream})")
            elif kind == "wait":
                rows.append(f"wait({events[rest.split()[0]]}, {stream})")
            else:
                rows.append(f"{kind if kind in EXCHANGES else 'work'}({stream})")
        programs[name] = program_of(streams, len(events), rows)
    return programs


def random_program(source):
    streams, events, rows = ["compute", "gather", "reduce"], 0, []
    for _ in range(source.randint(5, 9)):
        kind = source.choice(["all_gather", "all_gather", "record", "wait", "work"])
        stream = source.choice(streams[1:] if kind == "all_gather" else streams)
        if kind == "record":
            rows.append(f"record({events}, {stream})")
            events += 1
        elif kind != "wait":
            rows.append(f"{kind}({stream})")
        elif events:
            rows.append(f"wait({source.randrange(events)}, {stream})")
    return program_of(streams, events, rows)


def report(what, states, moves, start, text):
    print(f"{what:64} {states:>9} {moves:>9} {time.monotonic() - start:6.1f}  {text}", flush=True)


def check(what, program, macros):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        states, moves, error = Model(folder, program, macros).search()
        report(what, states, moves, start, error or "passed")
    return not error


def check_orders(program, macros, what=""):
    return [check(what + name + (", rank 0 fails" if fails else ""), program, [*macros, *order, *fails])
            for name, order in ORDERS.items() for fails in ([], ["FAILS"])]


def check_fault(name, program):
    start = time.monotonic()
    what, macros = FAULTS[name]
    with tempfile.TemporaryDirectory() as folder:
        # -A: exchanges out of order do not end the search.
        states, moves, error = Model(folder, program, macros).search("-A")
    isFound = error == "invalid end state"
    report(f"{name}: {what}", states, moves, start, "found" if isFound else "NOT FOUND")
    return isFound


def check_random(count):
    passed, stopped = True, 0
    cases = [*ORDERS.values(), ["FAILS"], *(macros for _, macros in FAULTS.values())]
    for seed in range(count):
        source = random.Random(seed)
        program = random_program(source)
        macros = ["RANKS=2", f"DEPTH={source.randint(1, 2)}", *cases[seed % len(cases)]]
        more = ["ANY"] if "FAILS" in macros or program.count(";") > 5 else ["ANY", "LATE"]
        errors = []
        for all_macros in (macros, macros + more):
            with tempfile.TemporaryDirectory() as folder:
                errors.append(Model(folder, program, all_macros).search("-A")[2])
        stopped += errors[0] != ""
        if errors[0] != errors[1]:
            passed = False
            print(f"seed {seed}, {macros}: {errors[0] or 'passed'}; with {more}: {errors[1] or 'passed'}\n{program}")
    print(f"{count} random programs, of which {stopped} stop: the same results with {'and' if passed else 'NOT'} without "
          "the moves that are left out")
    return passed


def show(name, program):
    what, macros = FAULTS[name]
    with tempfile.TemporaryDirectory() as folder:
        model = Model(folder, program, macros, "-DREACH")
        model.search("-A", "-i")
        print(f"{what}:", *model.replay(), sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--ranks", type=int, default=2, help="of a program or a plan; 2")
    parser.add_argument("--random", type=int, metavar="N")
    parser.add_argument("--show", choices=FAULTS, metavar="FAULT", help=", ".join(FAULTS))
    options = parser.parse_args()
    program = (HERE / "zero3.pml").read_text()
    if options.show:
        return show(options.show, program)
    if options.random:
        sys.exit(0 if check_random(options.random) else 1)
    print(f"{'':64} {'states':>9} {'moves':>9} {'s':>6}")
    if options.file:
        text = options.file.read_text()
        programs = {options.file.name: text} if options.file.suffix == ".pml" else programs_of(text)
        passed = [result for name, program in programs.items()
                  for result in check_orders(program, [f"RANKS={options.ranks}"], f"{name}, ")]
    else:
        passed = check_orders(program, [])
        passed += [check("NCCL, " + name, program, macros) for name, macros in VARIANTS.items()]
        passed += [check_fault(name, program) for name in FAULTS]
    sys.exit(0 if passed and all(passed) else 1)


if __name__ == "__main__":
    main()
