"""zeroc trace: what ZRT_TRACE has written, as a file that Perfetto and chrome://tracing open.

A rank is a process, a stream a thread.  Ranks of one host share a clock.  Clocks of several hosts are moved by the
collectives: no rank has read a collective before its peers have arrived there, which bounds the difference of two clocks
from both sides.  A clock is left alone where that holds already, and else set to the middle of the bounds.
"""
from __future__ import annotations

import json
import re
from pathlib import Path

from .errors import UserError, plural
from .options import add_output, parser_of
from .own_files import check_output
from .whole_file import write_whole

NAME = re.compile(r"(.*)\.(\d+)\.jsonl")


def parser():
    p = parser_of("trace", epilog="ZRT_TRACE=PREFIX ./train ... writes PREFIX.0.jsonl of rank 0, and so on. "
                  "Perfetto (ui.perfetto.dev) and chrome://tracing open FILE.json.")
    p.add_argument("prefix", metavar="PREFIX", help="as in ZRT_TRACE")
    add_output(p, "FILE.json")
    return p


def read_ranks(prefix):
    """{rank: operations}, of the files PREFIX.RANK.jsonl."""
    path, ranks = Path(prefix), {}
    for file in sorted(path.parent.glob(f"{path.name}.*.jsonl")):
        found = NAME.fullmatch(file.name)
        if not found or found[1] != path.name:
            continue
        ranks[int(found[2])] = read_operations(file)
    if not ranks:
        raise UserError(f"there is no {prefix}.0.jsonl; run the program with ZRT_TRACE={prefix}")
    missing = sorted(set(range(max(ranks))) - set(ranks))
    if missing:
        raise UserError(f"{prefix}.{missing[0]}.jsonl is missing; copy the files of all ranks into one folder")
    return ranks


def read_operations(file):
    operations = []
    with open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                operation = json.loads(line)
                operations.append({key: operation[key] for key in ("program", "run", "stream", "number", "name", "begin",
                                                                   "end")} | {key: operation.get(key) for key in (
                                                                       "kind", "collective", "arrived", "read")})
            except (ValueError, KeyError, TypeError) as error:
                raise UserError(f"{file}, line {number} is no operation of a trace") from error
    return operations


def collectives_of(operations):
    return {(operation["stream"], operation["collective"]): operation for operation in operations
            if operation["collective"] is not None}


def clock_shift(mine, others):
    """Nanoseconds to add to the times of `mine`, so that both agree on their collectives; both are collectives_of a rank."""
    low, high = -float("inf"), float("inf")
    for key, one in mine.items():
        other = others.get(key)
        if other:
            low = max(low, other["arrived"] - one["read"])
            high = min(high, other["read"] - one["arrived"])
    if low <= 0 <= high:
        return 0
    return round((low + high) / 2) if low > -float("inf") else 0


def events_of(rank, operations, shift, begin):
    """Events of a rank in microseconds after `begin`."""
    streams = list(dict.fromkeys(operation["stream"] for operation in operations))
    yield {"ph": "M", "name": "process_name", "pid": rank, "tid": 0, "args": {"name": f"rank {rank}"}}
    for thread, stream in enumerate(streams, 1):
        yield {"ph": "M", "name": "thread_name", "pid": rank, "tid": thread, "args": {"name": stream}}
    for operation in operations:
        at = (operation["begin"] + shift - begin) / 1e3
        place = {"pid": rank, "tid": streams.index(operation["stream"]) + 1}
        yield {"ph": "X", "name": operation["name"], "cat": operation["kind"] or "work", "ts": at,
               "dur": (operation["end"] - operation["begin"]) / 1e3, **place,
               "args": {key: operation[key] for key in ("program", "run", "number")}}
        if operation["collective"] is not None:
            # An arrow from the first rank that arrives, through the others.
            yield {"ph": "t", "name": "collective", "cat": "collective",
                   "id": f"{operation['stream']} {operation['collective']}",
                   "ts": (operation["arrived"] + shift - begin) / 1e3, **place}


def convert(ranks):
    """The trace as a dict of Chrome's trace event format."""
    first = collectives_of(ranks[0])
    shifts = {rank: clock_shift(collectives_of(operations), first) if rank else 0 for rank, operations in ranks.items()}
    begin = min((operation["begin"] + shifts[rank] for rank, operations in ranks.items() for operation in operations),
                default=0)
    events = [event for rank, operations in ranks.items() for event in events_of(rank, operations, shifts[rank], begin)]
    arrows = {}
    for event in sorted((event for event in events if event["ph"] == "t"), key=lambda event: event["ts"]):
        arrows.setdefault(event["id"], []).append(event)
    for of_one in arrows.values():
        of_one[0]["ph"] = "s"
        of_one[-1]["ph"] = "f" if len(of_one) > 1 else "s"
    return {"traceEvents": events, "displayTimeUnit": "ms",
            "otherData": {"clock shifts in ns": {str(rank): shift for rank, shift in shifts.items() if shift}}}


def main(arguments):
    a = parser().parse_args(arguments)
    check_output(a.o, "a trace", a.force)
    ranks = read_ranks(a.prefix)
    trace = convert(ranks)
    write_whole(a.o, json.dumps(trace, separators=(",", ":")) + "\n")
    shifted = trace["otherData"]["clock shifts in ns"]
    print(f"wrote {a.o}: {plural(sum(map(len, ranks.values())), 'operation')} of {plural(len(ranks), 'rank')}"
          + (f"; the clocks of {plural(len(shifted), 'rank')} were moved" if shifted else ""))
