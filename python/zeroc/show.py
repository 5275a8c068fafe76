"""Prints samples, with what is trained on in colour, or, without colours, in [[ ]]."""
from __future__ import annotations

import os
import sys

from . import notes
from .dataset import Summary, Worker, fit
from .records import find_files, read_records

GREEN, DIM, PLAIN = "\033[32m", "\033[2m", "\033[0m"


def show(folder, arguments, count, template=None, stops=(), objective="sft", seq=None, columns=None, split=None):
    Worker.begin(folder, template, stops, objective)
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    records = (record for file in find_files(arguments, split) for record in read_records(file, columns))
    found = []
    for (record, place), _ in zip(records, range(count)):
        [(units, of_record, _)] = Worker.encode([(record, place)])
        notes.add(found, of_record)
        if seq:
            units = fit(units, Summary(seq=seq), Worker.objective)
        samples = [(*sample, unit.facts) for unit in units for sample in unit.samples]
        for number, (ids, trained, facts) in enumerate(samples, 1):
            of = f", sample {number} of {len(samples)}" if len(samples) > 1 and "piece" not in facts else ""
            told = "".join(f", {name} {value}" for name, value in facts.items())
            print(f"--- {place}{of}: {len(ids):,} tokens, {int((trained[1:] != 0).sum()):,} trained on{told}")
            print(render(Worker.tokenizer.tokenizer, ids.tolist(), trained.tolist(), colours))
    for line in notes.lines(found):
        print(f"zeroc data: {line}", file=sys.stderr)


def render(tokenizer, ids, trained, colours):
    text, begun = "", 0
    for i in range(1, len(ids) + 1):
        if i == len(ids) or trained[i] != trained[begun]:
            piece = tokenizer.decode(ids[begun:i], skip_special_tokens=False)
            weight = trained[begun]
            before, after = ((GREEN if weight else DIM), PLAIN) if colours else ("[[", "]]") if weight else ("", "")
            text += before + piece + after + (f" x {weight:g}" if weight not in (0, 1) else "")
            begun = i
    return text
