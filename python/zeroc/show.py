"""Prints samples, with what is trained on in colour, or, without colours, in [[ ]]."""
from __future__ import annotations

import os
import sys

from .conversations import read_sample
from .dataset import Tokenizer
from .records import find_files, read_records

GREEN, DIM, PLAIN = "\033[32m", "\033[2m", "\033[0m"


def show(folder, arguments, count, template=None, stops=()):
    tokenizer = Tokenizer(folder, template, stops)
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    records = (record for file in find_files(arguments) for record in read_records(file))
    for (record, place), _ in zip(records, range(count)):
        samples = tokenizer.encode(read_sample(record, place))
        for number, sample in enumerate(samples, 1):
            of = f", sample {number} of {len(samples)}" if len(samples) > 1 else ""
            print(f"--- {place}{of}: {len(sample.ids):,} tokens, {sum(map(bool, sample.trained)):,} trained on")
            print(render(tokenizer.tokenizer, sample, colours))


def render(tokenizer, sample, colours):
    text, begun = "", 0
    for i in range(1, len(sample.ids) + 1):
        if i == len(sample.ids) or sample.trained[i] != sample.trained[begun]:
            piece = tokenizer.decode(sample.ids[begun:i], skip_special_tokens=False)
            weight = sample.trained[begun]
            before, after = ((GREEN if weight else DIM), PLAIN) if colours else ("[[", "]]") if weight else ("", "")
            text += before + piece + after + (f" x {weight:g}" if weight not in (0, 1) else "")
            begun = i
    return text
