"""zeroc report: one page, which needs no network, of a plan's predicted step, a trace, and the curves of runs.

Dygraphs (MIT) is put into the page: that of the wheel, or of Debian's libjs-dygraphs; ZEROC_DYGRAPHS names another
folder that has dygraph.min.js and dygraph.min.css.
"""
from __future__ import annotations

import datetime
import json
import math
import os
import statistics
from collections import defaultdict
from pathlib import Path

from .errors import UserError, plural
from .explain import kind_of, largest, milliseconds, path_sums, peak, read
from .metrics import read_metrics
from .options import add_output, parser_of
from .own_files import check_output
from .template import read_json, today
from .trace import read_ranks
from .whole_file import write_whole

OF_WHEEL, OF_DEBIAN = Path(__file__).parent / "dygraphs", Path("/usr/share/javascript/dygraphs")
FOLDER = Path(os.environ.get("ZEROC_DYGRAPHS") or (OF_WHEEL if OF_WHEEL.exists() else OF_DEBIAN))


def parser():
    p = parser_of("report")
    p.add_argument("plan", nargs="?", metavar="SIMULATED.json",
                   help="what zeroc simulate or zeroc plan printed with --certificate=json")
    p.add_argument("--trace", metavar="PREFIX", help="of a run of this plan with ZRT_TRACE=PREFIX")
    p.add_argument("--run", action="append", default=[], metavar="RUN.jsonl", help="metrics of a run; may be repeated")
    add_output(p, "REPORT.html")
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


def memory_of(use, end):
    """MiB alive by category, and the largest temporaries: [begin ms, end ms, MiB, name]."""
    rows = [[rounded(seconds), *(round(alive / 2**20, 3) for alive in bytes_alive)] for seconds, *bytes_alive in use["points"]]
    return {"labels": ["ms", *use["categories"]], "points": [*rows, [rounded(end), *rows[-1][1:]]],
            "largest": [[rounded(begin), rounded(last), round(size / 2**20, 3), name] for begin, last, size, name in use["largest"]]}


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


def scatter_of_rates(step):
    points = rates(step)
    return [{"title": "Operations by flops per byte (as powers of 10), and GFLOP/s", "labels": ["log10 of flops per byte", "GFLOP/s"],
             "points": points}] if points else []


def scatter_of_plans(plans):
    """Device memory against time, and the plans that no other beats in both."""
    points, best = [], math.inf
    for plan in sorted(plans, key=lambda plan: (device_bytes(plan), plan["step_seconds"])):
        best = min(best, plan["step_seconds"])
        points.append([round(device_bytes(plan) / 2**20, 3), rounded(plan["step_seconds"]),
                       f"{plan['options']}: {milliseconds(plan['step_seconds'])}, {device_bytes(plan) / 2**20:,.1f} MiB",
                       rounded(best)])
    return {"title": "Plans: MiB of device memory of a rank, and ms a step, simulated; the line has the fastest within so many",
            "labels": ["MiB", "ms", "fastest"], "points": points}


def device_bytes(plan):
    return next(arena["bytes"] for arena in plan["certificate"]["arenas"] if arena["tier"] == "device")


def table_of_plans(plans):
    return {"title": "Plans", "rows": [[("* " if plan["best"] else "") + plan["options"], milliseconds(plan["step_seconds"]),
                                        f"{device_bytes(plan) / 2**20:,.1f} MiB", plan["why_not"]] for plan in plans]}


def read_plans(path):
    """What zeroc plan printed; None if it is something else."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        plans = found if "plans" in found else None
    except (ValueError, TypeError) as error:
        raise UserError(f"{path} is not what zeroc simulate or zeroc plan --certificate=json prints: {error}") from error
    if plans and any(plan["step_seconds"] is None for plan in plans["plans"]):
        raise UserError(f"{path} has plans without times; give zeroc plan --machine=FILE, too")
    return plans


#: What is drawn of runs: (a title, [(a key of a line of metrics, what the curve is called behind the run)]).
CURVES = [("Loss", [("loss", ""), ("eval_loss", ", evaluation")]), ("Norm of the gradient", [("grad_norm", "")]),
          ("Learning rate", [("lr", "")]), ("Milliseconds a step, measured: all of it, with reading its batch", [("step_ms", "")])]


def curves(runs):
    """What runs print of each step, one chart of all runs for each of CURVES."""
    for title, keys in CURVES:
        by_step, labels = defaultdict(dict), []
        for name, lines in runs:
            for key, label in keys:
                points = {line["step"]: line[key] for line in lines if line.get(key) is not None}
                if points:
                    labels.append(name + label)
                    for number, value in points.items():
                        by_step[number][name + label] = value
        if labels:
            yield {"title": title, "labels": ["step", *labels],
                   "points": [[number, *(by_step[number].get(label) for label in labels)] for number in sorted(by_step)]}


def read_runs(paths):
    """[(name, lines of metrics)]; a name is that of the file, or, if it is that of several, its path."""
    names = [Path(path).name for path in paths]
    return [(name if names.count(name) == 1 else path, read_metrics(path)) for name, path in zip(names, paths)]


def about_run(path, lines):
    """A table: what is known of a run, also from settings.json of zeroc finetune or pretrain beside its metrics."""
    path, last = Path(path), lines[-1]
    was = read_json(path.parent / "settings.json") if path.name == "metrics.jsonl" else {}
    losses = [f"{name} {last[key]:.6g}" for key, name in (("loss", "last loss"), ("eval_loss", "of the evaluation"))
              if last.get(key) is not None]
    times = [line["step_ms"] for line in lines[1:] if line.get("step_ms") is not None]
    rows = {"model": was.get("model"), "begun": was.get("date") and moment(int(was["date"])),
            "last written": moment(path.stat().st_mtime), "steps": ", ".join([f"{len(lines):,}", *losses]),
            "a step, measured": times and f"{milliseconds(statistics.median(times) / 1e3)} (median; all of it, with reading its batch)",
            "sequences of a step": was.get("sequences of a step"), "tokens of a sequence": was.get("tokens of a sequence"),
            "peak learning rate": was.get("lr"), "options of zeroc": " ".join(was.get("options of zeroc", ())),
            "options of train": " ".join(was.get("options of train", ()))}
    return {"title": f"Run {path}", "rows": [[name, str(value)] for name, value in rows.items() if value]}


def about_plans(found):
    """A table: the model of plans, their machine, and which is the best."""
    best = next((f"{plan['options']}: {milliseconds(plan['step_seconds'])} a step" for plan in found["plans"] if plan["best"]), None)
    rows = {"model": found.get("model"), "machine": found.get("machine"), "the fastest that fits": best}
    return {"title": f"{plural(len(found['plans']), 'plan')}, simulated, not measured",
            "rows": [[name, value] for name, value in rows.items() if value]}


def about_plan(step):
    """A table: the plan, its machine and its time."""
    inside = sum(part["runs"] * part["seconds"] for part in step["programs"])
    rows = {"model": step.get("model"), "options": step.get("options"),
            "machine": f"{step['machine']}, {plural(step['ranks'], 'rank')} of {plural(step['threads'], 'thread')}",
            "a step, simulated": f"{milliseconds(step['step_seconds'])}: {milliseconds(inside)} in its programs, "
                                 f"{milliseconds(step['step_seconds'] - inside)} beside them and for ranks that wait for each other",
            "device memory alive": f"at most {peak(step) / 2**20:,.1f} MiB"}
    return {"title": "The plan, simulated, not measured", "rows": [[name, value] for name, value in rows.items() if value]}


def moment(seconds):
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%Y-%m-%d %H:%M} UTC"


def tables(step):
    total = step["step_seconds"] or 1
    yield {"title": "The critical path", "rows": [[f"{kind} on {stream}", milliseconds(seconds), f"{seconds / total:.1%}"]
                                                  for (stream, kind), seconds in largest(path_sums(step))]}
    if step["waits"]:
        yield {"title": "Compute waits longest", "rows": [
            [f"{wait['task']} of @{wait['program']}, for {wait['for']} on {wait['stream']}", milliseconds(wait["seconds"]),
             f"{wait['seconds'] / total:.1%}"] for wait in step["waits"][:5]]}


def page(a):
    plans = read_plans(a.plan) if a.plan else None
    step = read(a.plan) if a.plan and plans is None else None
    runs = read_runs(a.run)
    content = {"title": "zeroc report", "summary": f"Of {moment(today().timestamp())}.", "about": [], "programs": [],
               "kinds": [], "scatters": [], "curves": list(curves(runs)), "tables": []}
    if plans:
        content["about"].append(about_plans(plans))
        content["scatters"], content["tables"] = [scatter_of_plans(plans["plans"])], [table_of_plans(plans["plans"])]
    if step:
        operations = read_ranks(a.trace)[0] if a.trace else None
        kinds = defaultdict(float)
        for part in step["programs"]:
            for task in part["tasks"]:
                kinds[kind_of(task)] += task["end"] - task["begin"]
            program = {"name": part["program"], "runs": part["runs"], "ms": rounded(part["seconds"]),
                       "simulated": simulated_lanes(part),
                       "memory": {tier: memory_of(use, part["seconds"]) for tier, use in part["memory"].items()}}
            if operations:
                program["measured"], program["measuredMs"] = measured_lanes(part, operations)
            content["programs"].append(program)
        content["kinds"] = sorted(kinds, key=lambda kind: -kinds[kind])
        content["scatters"], content["tables"] = scatter_of_rates(step), list(tables(step))
        content["about"].append(about_plan(step))
    elif a.trace:
        raise UserError("--trace is of a plan's run; name SIMULATED.json of that plan, too")
    elif not a.run and not plans:
        raise UserError("there is nothing to report on; name SIMULATED.json, or --run=RUN.jsonl")
    content["about"] += [about_run(path, lines) for path, (_, lines) in zip(a.run, runs)]
    text = (Path(__file__).parent / "report.html").read_text(encoding="utf-8")
    for mark, value in (("@@DYGRAPHS_CSS@@", library("dygraph.min.css")), ("@@DYGRAPHS_JS@@", library("dygraph.min.js")),
                        ("@@DATA@@", json.dumps(content, separators=(",", ":")).replace("</", "<\\/"))):
        text = text.replace(mark, value)
    return text


def main(arguments):
    a = parser().parse_args(arguments)
    check_output(a.o, "a report", a.force, filter(None, (a.plan, *a.run)))
    text = page(a)
    write_whole(a.o, text)
    print(f"wrote {a.o}: {len(text.encode()):,} bytes")
