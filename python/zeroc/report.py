"""zeroc report: one page, which needs no network, of a plan's predicted step, a trace, and the curves of runs.

Dygraphs (MIT), from Debian's libjs-dygraphs, is put into the page; ZEROC_DYGRAPHS names another folder that has
dygraph.min.js and dygraph.min.css.
"""
from __future__ import annotations

import argparse
import json
import math
import os
from collections import defaultdict
from pathlib import Path

from .errors import UserError
from .explain import kind_of, largest, milliseconds, path_sums, peak, read
from .trace import read_ranks
from .whole_file import write_whole

FOLDER = Path(os.environ.get("ZEROC_DYGRAPHS", "/usr/share/javascript/dygraphs"))


def parser():
    p = argparse.ArgumentParser(prog="zeroc report", allow_abbrev=False, description="Writes a page about a plan and its runs.")
    p.add_argument("plan", nargs="?", metavar="SIMULATED.json", help="what zeroc simulate --certificate=json printed")
    p.add_argument("--trace", metavar="PREFIX", help="of a run of this plan with ZRT_TRACE=PREFIX")
    p.add_argument("--run", action="append", default=[], metavar="RUN.jsonl", help="metrics of a run; may be repeated")
    p.add_argument("-o", metavar="REPORT.html", required=True, help="the file to write")
    return p


def library(name):
    try:
        return (FOLDER / name).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"zeroc report needs {FOLDER / name}: {error.strerror}; apt-get install libjs-dygraphs, or name the "
                        "folder in ZEROC_DYGRAPHS") from error


def rounded(seconds):
    return round(1e3 * seconds, 4)


def simulated_lanes(part):
    """[{stream, tasks: [begin ms, end ms, name, kind, what it came after]}]."""
    lanes, ends = defaultdict(list), {}
    for task in part["tasks"]:
        # The operation of another stream that ended right when this one began.
        after = ends.get(rounded(task["begin"]), ("", ""))
        lanes[task["stream"]].append([rounded(task["begin"]), rounded(task["end"]), task["name"], kind_of(task),
                                      after[1] if after[0] != task["stream"] else ""])
        ends[rounded(task["end"])] = task["stream"], task["name"]
    return [{"stream": stream, "tasks": tasks} for stream, tasks in lanes.items()]


def measured_lanes(part, operations):
    """(lanes, ms) of the last run of a program in a trace of rank 0."""
    runs = [one for one in operations if one["program"] == part["program"]]
    if not runs:
        raise UserError(f"the trace has no run of @{part['program']}; it is of another plan")
    last = [one for one in runs if one["run"] == runs[-1]["run"]]
    begin, end = min(one["begin"] for one in last), max(one["end"] for one in last)
    kinds = defaultdict(list)
    for task in part["tasks"]:
        kinds[task["stream"]].append(kind_of(task))
    lanes = defaultdict(list)
    for one in last:
        of_stream = kinds[one["stream"]]
        if one["number"] > len(of_stream):
            raise UserError(f"the trace has an operation {one['number']} on {one['stream']} of @{part['program']}, and the plan "
                            f"{len(of_stream)}; it is of another plan")
        lanes[one["stream"]].append([rounded((one["begin"] - begin) / 1e9), rounded((one["end"] - begin) / 1e9), one["name"],
                                     of_stream[one["number"] - 1], ""])
    return [{"stream": stream, "tasks": tasks} for stream, tasks in lanes.items()], rounded((end - begin) / 1e9)


def rates(step):
    """[log10 of flops per byte, GFLOP/s, text] of the operations that count flops."""
    points = []
    for part in step["programs"]:
        for task in part["tasks"]:
            work = task["work"]
            flops = sum(amount for kind, amount in work.items() if kind.endswith(".flop"))
            moved = sum(amount for kind, amount in work.items() if kind.endswith((".memory", ".cache")))
            seconds = task["end"] - task["begin"]
            if flops and moved and seconds:
                points.append([round(math.log10(flops / moved), 4), round(flops / seconds / 1e9, 2),
                               f"{task['name']}: {flops / seconds / 1e9:,.1f} GFLOP/s, {flops / moved:,.1f} flops per byte"])
    return sorted(points)


def curves(paths):
    """The losses of runs by step, and of evaluations."""
    by_step, labels = defaultdict(dict), []
    for path in paths:
        try:
            lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        except ValueError as error:
            raise UserError(f"{path} is not what train --metrics writes: {error}") from error
        for key, label in (("loss", Path(path).name), ("eval_loss", f"{Path(path).name}, evaluation")):
            points = {line["step"]: line[key] for line in lines if line.get(key) is not None and "step" in line}
            if points:
                labels.append(label)
                for number, value in points.items():
                    by_step[number][label] = value
    if not labels:
        return []
    return [{"title": "Loss", "labels": ["step", *labels],
             "points": [[number, *(by_step[number].get(label) for label in labels)] for number in sorted(by_step)]}]


def tables(step):
    total = step["step_seconds"] or 1
    yield {"title": "The critical path", "rows": [[f"{kind} on {stream}", milliseconds(seconds), f"{seconds / total:.1%}"]
                                                  for (stream, kind), seconds in largest(path_sums(step))]}
    if step["waits"]:
        yield {"title": "Compute waits longest", "rows": [
            [f"{wait['task']} of @{wait['program']}, for {wait['for']} on {wait['stream']}", milliseconds(wait["seconds"]),
             f"{wait['seconds'] / total:.1%}"] for wait in step["waits"][:5]]}


def page(a):
    step = read(a.plan) if a.plan else None
    content = {"title": "zeroc report", "summary": "", "programs": [], "kinds": [], "rates": [], "curves": curves(a.run),
               "tables": []}
    if step:
        operations = read_ranks(a.trace)[0] if a.trace else None
        kinds = defaultdict(float)
        for part in step["programs"]:
            for task in part["tasks"]:
                kinds[kind_of(task)] += task["end"] - task["begin"]
            program = {"name": part["program"], "runs": part["runs"], "ms": rounded(part["seconds"]),
                       "simulated": simulated_lanes(part),
                       "memory": {tier: [[rounded(seconds), round(alive / 2**20, 3)] for seconds, alive in points]
                                  + [[rounded(part["seconds"]), round(points[-1][1] / 2**20, 3)]]
                                  for tier, points in part["memory"].items()}}
            if operations:
                program["measured"], program["measuredMs"] = measured_lanes(part, operations)
            content["programs"].append(program)
        content["kinds"] = sorted(kinds, key=lambda kind: -kinds[kind])
        content["rates"], content["tables"] = rates(step), list(tables(step))
        content["summary"] = (f"Simulated, not measured: {milliseconds(step['step_seconds'])} a step on {step['machine']}, "
                              f"{step['ranks']} x {step['threads']} ranks x threads; at most {peak(step) / 2**20:,.1f} MiB of "
                              "device memory alive.")
    elif a.trace:
        raise UserError("--trace is of a plan's run; name SIMULATED.json of that plan, too")
    elif not a.run:
        raise UserError("there is nothing to report on; name SIMULATED.json, or --run=RUN.jsonl")
    text = (Path(__file__).parent / "report.html").read_text(encoding="utf-8")
    for mark, value in (("@@DYGRAPHS_CSS@@", library("dygraph.min.css")), ("@@DYGRAPHS_JS@@", library("dygraph.min.js")),
                        ("@@DATA@@", json.dumps(content, separators=(",", ":")).replace("</", "<\\/"))):
        text = text.replace(mark, value)
    return text


def main(arguments):
    a = parser().parse_args(arguments)
    text = page(a)
    write_whole(a.o, text)
    print(f"wrote {a.o}: {len(text.encode()):,} bytes")
