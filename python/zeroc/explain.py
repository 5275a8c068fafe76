"""zeroc explain and zeroc diff: what binds a step, and in what two plans differ.

Both read what `zeroc simulate --certificate=json` prints.
"""
from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from .calibrate import quiet
from .errors import UserError
from .options import parser_of
from .trace import read_ranks


def explain_parser():
    p = parser_of("explain")
    p.add_argument("plan", metavar="SIMULATED.json", help="what zeroc simulate --certificate=json printed")
    p.add_argument("--trace", metavar="PREFIX", help="of a run with ZRT_TRACE=PREFIX, to compare with")
    return p


def diff_parser():
    p = parser_of("diff")
    for name in ("a", "b"):
        p.add_argument(name, metavar=f"{name.upper()}.json", help="what zeroc simulate --certificate=json printed")
    return p


def read(path):
    try:
        step = json.loads(Path(path).read_text(encoding="utf-8"))
        return step | {"programs": [part | {"tasks": list(part["tasks"])} for part in step["programs"]]}
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is not what zeroc simulate --certificate=json prints: {error}") from error


def kind_of(task):
    """Of the work that an operation is named after: "matmul", "kernel", "all_gather"."""
    return next(kind for kind in task["work"] if kind.endswith(".call")).removesuffix(".call")


def milliseconds(seconds):
    return f"{1e3 * seconds:,.2f} ms"


def path_sums(step):
    """{(stream, kind): seconds on the critical paths of a step}."""
    sums = defaultdict(float)
    for part in step["programs"]:
        for number in part["critical_path"]:
            task = part["tasks"][number]
            sums[task["stream"], kind_of(task)] += part["runs"] * (task["end"] - task["begin"])
    return sums


def table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def largest(sums, count=8):
    return sorted(sums.items(), key=lambda item: -abs(item[1]))[:count]


def explain_step(step):
    total = step["step_seconds"] or 1
    sums = path_sums(step)
    by_stream = defaultdict(float)
    for (stream, _), seconds in sums.items():
        by_stream[stream] += seconds
    stream, bound = max(by_stream.items(), key=lambda item: item[1])
    yield f"simulated: {milliseconds(total)} a step; {bound / total:.0%} of it is the critical path's part on {stream}"
    yield "the critical path:"
    yield table([(f"{kind} on {stream}", milliseconds(seconds), f"{seconds / total:.1%}")
                 for (stream, kind), seconds in largest(sums)])
    if step["waits"]:
        yield "compute waits longest:"
        yield table([(f"{wait['task']} of @{wait['program']}, for {wait['for']} on {wait['stream']}",
                      milliseconds(wait["seconds"]), f"{wait['seconds'] / total:.1%}") for wait in step["waits"][:3]])
    else:
        yield "compute never waits"


def measured_kinds(prefix, step):
    """{kind: seconds of a step}, of rank 0."""
    samples = defaultdict(list)
    for one in read_ranks(prefix)[0]:
        samples[one["program"], one["stream"], one["number"]].append((one["end"] - one["begin"]) / 1e9)
    times = {key: quiet(values[1:] or values) for key, values in samples.items()}
    sums = defaultdict(float)
    for part in step["programs"]:
        numbers = defaultdict(int)
        for task in part["tasks"]:
            numbers[task["stream"]] += 1
            key = part["program"], task["stream"], numbers[task["stream"]]
            if key not in times:
                raise UserError(f"{prefix}.0.jsonl has no operation {key[2]} on {key[1]} of @{key[0]}; it is of another plan")
            sums[kind_of(task)] += part["runs"] * times[key]
    return sums


def compare_with_trace(step, prefix):
    measured = measured_kinds(prefix, step)
    simulated = defaultdict(float)
    for part in step["programs"]:
        for task in part["tasks"]:
            simulated[kind_of(task)] += part["runs"] * (task["end"] - task["begin"])
    rows = [("", "simulated", "measured", "")]
    for kind, _ in largest({kind: measured[kind] - simulated[kind] for kind in measured}, 12):
        rows.append((kind, milliseconds(simulated[kind]), milliseconds(measured[kind]),
                     f"{simulated[kind] / measured[kind] - 1:+.1%}" if measured[kind] else ""))
    yield "operations of rank 0 by kind, the largest difference first:"
    yield table(rows)


def peak(step, tier="device"):
    """The most bytes of a tier that are alive at once."""
    return max((sum(alive) for part in step["programs"] for _, *alive in part["memory"].get(tier, {"points": []})["points"]),
               default=0)


def amounts(step):
    """{kind of work: amount in a step}."""
    sums = defaultdict(float)
    for part in step["programs"]:
        for task in part["tasks"]:
            for kind, amount in task["work"].items():
                sums[kind] += part["runs"] * amount
    return sums


def compare_plans(a, b):
    ta, tb = a["step_seconds"], b["step_seconds"]
    yield f"simulated: {milliseconds(ta)} and {milliseconds(tb)} a step, {tb / (ta or 1) - 1:+.1%}"
    if a["machine"] != b["machine"]:
        yield f"on two machines: {a['machine']}, and {b['machine']}"
    yield f"compute waits {milliseconds(a['waited'])} and {milliseconds(b['waited'])}"
    kinds = {kind: b["by_kind"].get(kind, 0) - a["by_kind"].get(kind, 0) for kind in a["by_kind"] | b["by_kind"]}
    changed = [(kind, milliseconds(a["by_kind"].get(kind, 0)), milliseconds(b["by_kind"].get(kind, 0)),
                f"{1e3 * more:+,.2f} ms") for kind, more in largest(kinds) if abs(more) > 1e-4 * ta]
    yield "work by kind, as if alone:" if changed else "the same times of work"
    if changed:
        yield table(changed)
    before, after = amounts(a), amounts(b)
    rows = [(kind, f"{before[kind]:,.0f}", f"{after[kind]:,.0f}") for kind in sorted(before | after)
            if kind.endswith((".call", ".byte", ".flop")) and before[kind] != after[kind]]
    yield "calls, bytes over links and flops of a step:" if rows else "the same calls, bytes over links and flops"
    if rows:
        yield table(rows)
    for part, other in zip(a["programs"], b["programs"]):
        names = [[(task["stream"], task["name"]) for task in one["tasks"]] for one in (part, other)]
        at = next((i for i, (one, two) in enumerate(zip(*names)) if one != two), min(map(len, names)))
        if names[0] != names[1]:
            first = [" on ".join(reversed(one[at])) if at < len(one) else "its end" for one in names]
            yield f"@{part['program']} and @{other['program']} differ first at operation {at + 1}: {first[0]}, and {first[1]}"


def main(arguments):
    a = explain_parser().parse_args(arguments)
    step = read(a.plan)
    for line in explain_step(step):
        print(line)
    if a.trace:
        for line in compare_with_trace(step, a.trace):
            print(line)


def main_diff(arguments):
    a = diff_parser().parse_args(arguments)
    for line in compare_plans(read(a.a), read(a.b)):
        print(line)
