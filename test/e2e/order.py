"""Compares the trace of a run (ZRT_TRACE) with the promises of the plan's judge (zero-print-order).

The judge knows for every operation how many operations of each other stream are complete when it
starts, whatever the streams' speeds.  The runtime records the same from the records and waits of
its streams, and when each operation began and ended.  `violations` reports where they disagree.

Times of several ranks are compared, so they are those of one host that share
memory: between hosts a rank may go on before its peers have read what it sent.
"""
import itertools
import json
import re
from pathlib import Path
from typing import NamedTuple


#: The compiler's names of kernels that differ from the operation's name.
KERNELS = {"clip": "grad_norm", "total": "squares_total", "zeros": "clear"}


class Promise(NamedTuple):
    """One line of zero-print-order."""
    stream: str
    number: int
    words: str
    after: dict  # stream -> number of its completed operations


def parse_promises(text):
    """Returns {program: its operations in program order}."""
    programs = {}
    for line in text.splitlines():
        if header := re.fullmatch(r"order of @(\w+)", line):
            operations = programs.setdefault(header[1], [])
            continue
        match = re.fullmatch(r"  (\w+) (\d+): (\w+\.\w+.*?)(?:, after (\w+ \d+(?:, \w+ \d+)*))?", line)
        assert match and programs, f"not a line of zero-print-order: {line!r}"
        after = dict(edge.split() for edge in match[4].split(", ")) if match[4] else {}
        operations.append(Promise(match[1], int(match[2]), match[3],
                                  {stream: int(count) for stream, count in after.items()}))
    return programs


def read_trace(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def is_named(words, name):
    """Returns true if the judge and the runtime can mean the same operation: same kernel, same
    bucket, or at least the same kind."""
    verb, symbol, bucket = re.match(r"\w+\.(\w+)(?: @(\S+))?(?: of @(\S+))?", words).groups()
    if symbol:  # a kernel, or an optimizer and its bucket
        return (name == f"{symbol} of {bucket}" if bucket
                else name.split(" of ")[0] == symbol)
    if bucket and " of " in name:
        return name == f"{verb} of {bucket}"
    return name.startswith(KERNELS.get(verb, verb))


def title(rank, line):
    return (f"rank {rank}, run {line['run']} ({line['program']}): {line['stream']} "
            f"{line['number']} ({line['name']})")


def edges(after):
    return ", ".join(f"{stream} {count}" for stream, count in after.items()) or "nothing"


def runs_of(trace):
    return [list(lines) for _, lines in itertools.groupby(trace, key=lambda line: line["run"])]


def compare_order(rank, lines, promises):
    """Checks that one run of one rank has the judge's operations and clocks."""
    where = f"rank {rank}, run {lines[0]['run']} ({lines[0]['program']})"
    if len(lines) != len(promises):
        yield f"{where} has {len(lines)} operations, the judge's program {len(promises)}"
    for line, promise in zip(lines, promises):
        if ((line["stream"], line["number"]) != (promise.stream, promise.number)
                or not is_named(promise.words, line["name"])):
            yield (f"{title(rank, line)} stands where the judge has {promise.stream} "
                   f"{promise.number} ({promise.words})")
            return  # what follows is shifted
        if line["after"] != promise.after:
            yield (f"{title(rank, line)} came after {edges(line['after'])}; the judge says "
                   f"after {edges(promise.after)}")


def compare_times(rank, lines, start):
    """Checks that operations of one run begin after `start`, in the order of their streams, and
    after all operations that their clocks name."""
    done = {}
    for line in lines:
        done[line["stream"], line["number"]] = line
    for line in lines:
        before = [done.get((line["stream"], line["number"] - 1))] if line["number"] > 1 else []
        for stream, count in line["after"].items():
            before.append(done.get((stream, count)))
            if before[-1] is None:
                yield f"{title(rank, line)} came after {stream} {count}, which has not run"
        for other in filter(None, before):
            if line["begin"] < other["end"]:
                yield (f"{title(rank, line)} began {other['end'] - line['begin']} ns before the "
                       f"end of {other['stream']} {other['number']} ({other['name']})")
        if line["begin"] < start:
            yield f"{title(rank, line)} began {start - line['begin']} ns before the last run ended"
        if line["end"] < line["begin"]:
            yield f"{title(rank, line)} ended before it began"


def compare_ranks(traces):
    """Checks that collectives of all ranks are the same, in the same order, and that the ranks met."""
    by_stream = []
    for trace in traces:
        streams = {}
        for line in trace:
            if "kind" in line:
                streams.setdefault(line["stream"], []).append(line)
        by_stream.append(streams)
    for stream in sorted(set().union(*by_stream)):
        columns = [streams.get(stream, []) for streams in by_stream]
        for rank, column in enumerate(columns):
            if len(column) != len(columns[0]):
                yield (f"rank {rank} has {len(column)} collectives on {stream}, rank 0 "
                       f"{len(columns[0])}")
        for number, row in enumerate(zip(*columns), 1):
            yield from compare_collective(number, row)


def compare_collective(number, row):
    """Checks one collective; `row` has its line from each rank."""
    for rank, line in enumerate(row):
        if line["collective"] != number:
            yield (f"{title(rank, line)} is collective {line['collective']} of its stream, but "
                   f"stands where {number} does")
            return
        if any(line[key] != row[0][key] for key in ("kind", "name", "program", "run", "number")):
            yield f"{title(rank, line)} is another collective than {title(0, row[0])}"
            return
    for rank, line in enumerate(row):
        if not line["begin"] <= line["arrived"] <= line["read"] <= line["end"]:
            yield f"{title(rank, line)} did not begin, arrive, read and end in this order"
        for peer, other in enumerate(row):
            if line["read"] < other["arrived"]:
                yield (f"{title(rank, line)} had read {other['arrived'] - line['read']} ns before "
                       f"rank {peer} arrived")
            # The operand of an all_reduce has been copied when a rank arrives.
            if line["kind"] != "all_reduce" and line["end"] < other["read"]:
                yield (f"{title(rank, line)} ended {other['read'] - line['end']} ns before rank "
                       f"{peer} had read")


def violations(promises, traces, programs):
    """Returns all violations; `traces` has a trace per rank, `programs` the names of the programs
    that every rank ran, in order."""
    found = []
    for rank, trace in enumerate(traces):
        runs, start = runs_of(trace), 0
        ran = [(lines[0]["run"], lines[0]["program"]) for lines in runs]
        if ran != list(enumerate(programs, 1)):
            found.append(f"rank {rank} ran {ran}, expected {list(enumerate(programs, 1))}")
        for lines in runs:
            found += compare_order(rank, lines, promises[lines[0]["program"]])
            found += compare_times(rank, lines, start)
            start = max(line["end"] for line in lines)
    return found + list(compare_ranks(traces))
