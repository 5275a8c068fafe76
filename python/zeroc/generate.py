"""zeroc generate: answers the prompts of a file."""
from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path

from . import notes
from .answer import Answer
from .conversations import read_prompt
from .errors import UserError, plural
from .generation import Generation, new_parser
from .options import add_output
from .own_files import check_output
from .records import decode, kind_of, open_file, read_records
from .whole_file import whole

#: Of an answer, if --max-tokens does not say it.
MOST_TOKENS = 256
#: Fields of an answer.
ANSWER = ("text", "end", "prompt_tokens", "tokens")
#: Each line is a prompt.
LINES = (".txt", ".md")
REASONS = {"token": "by an end token", "length": "at --max-tokens", "stop": "before a text of --stop",
           "full": "at --seq", "nonfinite": "with logits that are not finite"}


def parser():
    p = new_parser("generate")
    p.add_argument("--prompts", metavar="FILE", required=True, help="*.txt: a prompt in each line; or records with prompt "
                   "or messages: *.jsonl, *.json, *.parquet, *.csv")
    add_output(p, "OUT.jsonl", "the file to write (default: standard output)", "-")
    p.add_argument("--slots", type=int, default=8, metavar="S", help="answers that are computed at once (default: 8)")
    return p


def read_prompts(path):
    """Yields (record, place)."""
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path} is a folder; name a file of prompts" if path.is_dir() else f"cannot read {path}: no such file")
    if not kind_of(path):
        raise UserError(f"{path} does not say what it holds; name it *.txt, with a prompt in each line, or *.jsonl, "
                        "*.json, *.parquet or *.csv")
    if kind_of(path) not in LINES:
        yield from read_records(path)
        return
    with open_file(path) as file:
        for number, line in enumerate(file, 1):
            place = f"{path}, line {number}"
            if text := decode(line, place).rstrip("\r\n"):
                yield {"prompt": text}, place


def check_record(record, place):
    """The answer is written beside what the record has."""
    for name in ANSWER:
        if name in record:
            raise UserError(f"{place} has a field {name}, in which the answer is written; rename it, or leave it out")
    try:
        json.dumps(record, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UserError(f"{place} has a value that JSON cannot write beside the answer: {error}; leave it out") from error


@contextlib.contextmanager
def output(path):
    """A file that is there once all is written; "-": standard output."""
    if path == "-":
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        yield sys.stdout
        return
    # A half of a pair of surrogates is an escape of JSON.
    with whole(path) as partial, open(partial, "w", encoding="utf-8", errors="backslashreplace") as file:
        yield file


class Batch:
    """The prompts of a file, and their answers, of which some wait for those before them."""

    def __init__(self, generation, prompts):
        self.generation, self.prompts = generation, prompts
        self.answers, self.ends = {}, {}  # by the number of the prompt
        self.counts, self.tokens = dict.fromkeys(REASONS, 0), 0

    def run(self, program, write):
        """As many requests are asked as keep all slots busy."""
        running, asked, written = {}, 0, 0
        while written < len(self.prompts):
            while asked < len(self.prompts) and len(running) < 2 * self.generation.args.slots:
                request = self.generation.request(self.prompts[asked][1], sample=asked)
                running[program.ask(request)] = asked
                self.answers[asked] = Answer(self.generation.tokenizer.tokenizer, self.generation.stops)
                asked += 1
            number, kind, value = program.read()
            if kind == "end":
                self.ends.setdefault(running.pop(number), value)
            else:
                self.add(program, number, running[number], value)
            while written in self.ends:
                write(self.record(written))
                written += 1

    def add(self, program, number, index, token):
        answer = self.answers[index]
        if not answer.words:  # the text is needed at the end only
            answer.ids.append(token)
            return
        stopped = answer.stopped_by is not None
        answer.add(token)
        if answer.stopped_by is not None and not stopped:
            program.stop(number)

    def record(self, index):
        """The record of a prompt, with its answer."""
        answer, end = self.answers.pop(index), self.ends.pop(index)
        record, ids = self.prompts[index]
        answer.end()
        end = "stop" if answer.stopped_by is not None else end
        self.counts[end] += 1
        self.tokens += len(answer.ids)
        return {**record, **dict(zip(ANSWER, (answer.text, end, len(ids), len(answer.ids))))}

    def summary(self, seconds):
        ends = ", ".join(f"{count:,} ended {REASONS[end]}" for end, count in self.counts.items() if count)
        return (f"{plural(len(self.prompts), 'answer')}, {plural(self.tokens, 'token')} in {seconds:.1f} s "
                f"({self.tokens / max(seconds, 1e-9):.1f}/s): {ends}")


def main(arguments):
    generation = Generation("generate", parser(), arguments, MOST_TOKENS)
    out = generation.args.o
    if out != "-":
        check_output(out, "answers", generation.args.force, [generation.args.prompts])
    prompts, found = [], []
    for record, place in read_prompts(generation.args.prompts):
        prompt = read_prompt(record, place)
        check_record(record, place)
        ids = generation.tokenizer.encode_prompt(prompt, place)
        generation.check_prompt(ids, place)
        prompts.append((record, ids))
        notes.add(found, getattr(prompt, "notes", {}))
    for line in notes.lines(found):
        print(f"zeroc generate: {line}", file=sys.stderr)
    if not prompts:
        raise UserError(f"{generation.args.prompts} has no prompt")
    batch = Batch(generation, prompts)
    with output(out) as file, generation.start() as program:
        def write(record):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()

        begun = time.monotonic()
        batch.run(program, write)
    print(f"zeroc generate: {batch.summary(time.monotonic() - begun)}", file=sys.stderr)
