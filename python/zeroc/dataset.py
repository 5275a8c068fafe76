"""Files of data to one file of sequences, which `train --data` reads.

    records -> samples -> token ids -> sequences of T tokens, with

    tokens     [N, T]   ids; the rest of a sequence is filled with the id 0
    targets    [N, T]   the next token where it is trained on, else -100
    starts     [N, T]   where the sample of a position begins in its sequence
    positions  [N, T]   the place of a position in its sample
    token_weights [N, T] of the target; only there if one is not 0 or 1

and what objectives.py adds for objectives other than the next token.

A position attends from `starts` on, so samples in one sequence do not affect each other.  The file's header
has a hash of all that it was made from: a file that is there already is made only once.
"""
from __future__ import annotations

import concurrent.futures
import hashlib
import itertools
import json
import os
import random
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from . import notes, objectives
from .errors import UserError, plural
from .fields import drop_absent
from .packing import pack
from .needs import need
from .records import find_files, kind_of, read_records
from .template import find_template, read_json, today
from .tokens import IGNORED, Tokenizer
from .whole_file import whole

#: Part of the hash; a change of what is computed here, or of any module above, is a new version.
VERSION = 6
#: Records that a process gets at once, and from which on there are several.
CHUNK = 256


@dataclass
class Request:
    """`seq` is T; `evaluation` the part of the records that is kept for evaluation."""
    folder: str
    files: list
    seq: int
    packed: bool = True
    evaluation: float = 0.0
    evaluated_at_once: int = 1  # rows of the evaluation are filled up to a multiple of it
    seed: int = 0
    template: str | None = None
    stops: tuple = ()
    objective: str = "sft"
    columns: dict = field(default_factory=dict)  # {field of a record: its name in the files}
    split: str | None = None


@dataclass
class Summary:
    """`most` is the most samples of a sequence, in all files of a build; `labels` are names, in order."""
    records: int = 0
    samples: int = 0
    tokens: int = 0
    trained: int = 0
    sequences: int = 0
    seq: int = 0
    limit: int = 0  # tokens of a sample
    texts: int = 0  # that are longer, and their pieces
    pieces: int = 0
    truncated: int = 0
    lost: int = 0
    dropped: int = 0
    notes: list = field(default_factory=list)  # of records (notes.py)
    weighted: bool = False
    most: int = 1
    margins: bool = False
    labels: list = field(default_factory=list)

    def lines(self):
        """What a user should know of the data."""
        yield (f"{plural(self.records, 'record')}, {plural(self.samples, 'sample')}, {plural(self.tokens, 'token')}, "
               f"{self.trained:,} of them trained on")
        share = self.tokens / max(1, self.sequences * self.seq)
        yield f"{plural(self.sequences, 'sequence')} of {self.seq:,} tokens, {share:.1%} full"
        if self.most > 1:
            yield f"up to {self.most} samples in a sequence (zeroc import --samples)"
        if self.labels:
            yield f"{plural(len(self.labels), 'label')}: {', '.join(self.labels[:8])}{', ...' * (len(self.labels) > 8)}"
        if self.texts:
            yield (f"{plural(self.texts, 'text')} longer than {self.limit:,} tokens, cut into {self.pieces:,} pieces: each "
                   "goes on where the one before ends")
        if self.truncated:
            yield (f"warning: {plural(self.truncated, 'sample')} longer than {self.limit:,} tokens, cut off there: "
                   f"{plural(self.lost, 'token')} are not read; for more, raise --seq")
        if self.dropped:
            yield f"warning: {plural(self.dropped, 'sample')} left out: nothing to train on in them"
        yield from notes.lines(self.notes)


class Worker:
    """Encodes records; one in each process."""
    tokenizer = objective = None

    @classmethod
    def begin(cls, folder, template, stops, objective):
        cls.tokenizer, cls.objective = Tokenizer(folder, template, stops), objectives.ALL[objective]

    @classmethod
    def encode(cls, records):
        """For each record its Units, and what the user should know of it."""
        encoded = []
        for record, place in records:
            read = cls.objective.read(drop_absent(record), place)
            units = [unit for parts, facts in read
                     for unit in cls.objective.encode(cls.tokenizer, parts, facts, place)]
            samples, found = [sample for parts, _ in read for sample in parts], {}
            for sample in reversed(samples):
                found.update(sample.notes)
            special = next(filter(None, map(cls.tokenizer.special_in, samples)), None)
            if special:
                found["special", special] = place
            encoded.append((units, found, place))
        return encoded


def chunks_of(files, columns):
    records = (record for file in files for record in read_records(file, columns))
    while chunk := list(itertools.islice(records, CHUNK)):
        yield chunk


def encode_all(request, files):
    """Yields what Worker.encode returns, in the order of the records."""
    chunks = chunks_of(files, request.columns)
    first = next(chunks, None)
    if first is None:
        raise UserError(f"{', '.join(map(str, files))}: there is no record")
    Worker.begin(request.folder, request.template, request.stops, request.objective)
    yield from Worker.encode(first)
    second = next(chunks, None)
    if second is None:
        return
    done, count = len(first), os.cpu_count() or 1
    with concurrent.futures.ProcessPoolExecutor(count, initializer=Worker.begin, initargs=(
            request.folder, request.template, request.stops, request.objective)) as pool:
        waiting, chunks = [], itertools.chain([second], chunks)
        try:
            while waiting or chunks:
                while chunks and len(waiting) < 4 * count:
                    chunk = next(chunks, None)
                    if chunk is None:
                        chunks = None
                        break
                    waiting.append(pool.submit(Worker.encode, chunk))
                if not waiting:
                    break
                try:
                    encoded = waiting.pop(0).result()
                except concurrent.futures.process.BrokenProcessPool as error:
                    raise UserError("a process that prepares data was killed, perhaps for lack of memory; "
                                    "give it more, or fewer files at once") from error
                yield from encoded
                done += len(encoded)
                show_progress(done)
        finally:
            pool.shutdown(cancel_futures=True)
            show_progress(None)


def show_progress(done):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done:,} records " if done is not None else "\r\033[K")


def hash_of(request, files):
    """A hash of the files' contents, those of the tokenizer, and the request."""
    digest = hashlib.sha256()
    folder = Path(request.folder)
    names = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "config.json",
             "generation_config.json", "chat_template.jinja", "chat_template.json")
    inputs = [*files, *(folder / name for name in names), *([Path(request.template)] if request.template else [])]
    for path in inputs:
        if path.exists():
            digest.update(hash_file(path))
        digest.update(b"/")
    # The place of a record is not in the output, and so not in the hash.
    what = {**asdict(request), "folder": "", "template": "", "version": VERSION,
            "files": [(kind_of(file), file.name.lower().endswith(".gz")) for file in files]}
    if not request.evaluation:
        del what["evaluated_at_once"], what["seed"]
    del what["split"]  # the files are its
    if not request.columns:
        del what["columns"]
    if uses_date(request):
        what["date"] = str(today().date())
    digest.update(json.dumps(what, sort_keys=True).encode())
    return digest.hexdigest()


def uses_date(request):
    """Whether the chat template writes the date."""
    folder = Path(request.folder)
    text, _ = find_template(folder, read_json(folder / "tokenizer_config.json"), request.template)
    return bool(text) and "strftime_now" in text


def hash_file(path):
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from error
    return digest.digest()


def build(request, output, evaluation=None, check=None):
    """Writes `output`, and the records that `request.evaluation` keeps to `evaluation`, after `check` of the hash.

    Returns the Summary of each, whether they were there already, and the hash of what they are made from."""
    files = find_files(request.files, request.split)
    if parquet := [file for file in files if kind_of(file) == ".parquet"]:
        need(parquet[0], ["pyarrow"])  # before the files before it are read
    key, objective = hash_of(request, files), objectives.ALL[request.objective]
    if check:
        check(key)
    outputs = [Path(output)] + ([Path(evaluation)] if evaluation else [])
    found = [read_summary(path, key) for path in outputs]
    if all(found):
        return found, True, key
    encoded = list(encode_all(request, files))
    kept = choose_evaluation(len(encoded), request) if evaluation else set()
    parts = [[e for i, e in enumerate(encoded) if i not in kept]]
    if evaluation:
        parts.append([e for i, e in enumerate(encoded) if i in kept])
    units = [unit for of_record, *_ in encoded for unit in of_record]
    weighted = any(weight not in (0, 1) for unit in units for _, weights in unit.samples for weight in weights)
    labels = objective.labels_of(units, request.folder)
    margins = any("margin" in unit.facts for unit in units)
    if weighted and not objective.has_weights:
        raise UserError(f"a turn has a weight, and --objective={request.objective} has none; drop it")
    del encoded, units
    laid = [lay_out(part, request, request.evaluated_at_once if part is not parts[0] else 1) for part in parts]
    most = max(sum(len(unit.samples) for unit in row) for _, rows in laid for row in rows)
    for path, (summary, rows) in zip(outputs, laid):
        summary.weighted, summary.labels, summary.margins = weighted, labels, margins
        summary.most = most if objective.compares else 1
        write_rows(path, summary, rows, request, key)
    return [summary for summary, _ in laid], False, key


def check_split(part):
    if not 0 <= part < 1:
        raise UserError(f"--eval-split={part:g} must be from 0 to below 1")


def choose_evaluation(records, request):
    count = max(1, round(records * request.evaluation))
    if count >= records:
        raise UserError(f"--eval-split={request.evaluation:g} of {plural(records, 'record')} leaves none to train on; "
                        "more are needed, and a text is one: split its file")
    return set(random.Random(request.seed).sample(range(records), count))


def lay_out(encoded, request, multiple):
    """(The Summary, the units of each sequence) of records; sequences without any fill up to a multiple."""
    summary = Summary(records=len(encoded), seq=request.seq)
    for of_record, found, _ in encoded:
        if not of_record:
            summary.dropped += 1
        notes.add(summary.notes, found)
    objective = objectives.ALL[request.objective]
    units = objective.complete([unit for of_record, *_ in encoded for unit in of_record], encoded[0][2])
    kept = fit(units, summary, objective)
    if not kept:
        if summary.truncated:
            raise UserError(f"{encoded[0][2]}: no sample has anything to train on in its first {summary.limit:,} tokens; "
                            "raise --seq")
        raise UserError(f"{encoded[0][2]}: this record has nothing to train on, nor has any other: texts are empty, or "
                        "weights are 0")
    lengths = [sum(len(ids) for ids, _ in unit.samples) for unit in kept]
    summary.samples = sum(len(unit.samples) for unit in kept)
    summary.tokens = sum(lengths) - (summary.pieces - summary.texts)  # a token of two pieces is one
    rows = pack(lengths, request.seq) if request.packed else [[i] for i in range(len(kept))]
    summary.sequences = len(rows)
    # An evaluation reads whole batches; rows without targets do not count in its mean.
    rows += [[] for _ in range(-len(rows) % multiple)]
    return summary, [[kept[i] for i in row] for row in rows]


def fit(units, summary, objective):
    """What sequences of `summary.seq` tokens have room for of units; counts what is left out."""
    summary.limit = summary.seq // (2 if objective.compares else 1)
    return [piece for unit in units for piece in pieces_of(unit, summary) if cut(piece, summary, objective)]


def pieces_of(unit, summary):
    """The unit; if it goes on in further sequences, its pieces.

    Each begins with the last token of the one before, so that each token but the first is the target of one."""
    ids, weights = unit.samples[0]
    if not unit.goes_on or len(ids) <= summary.limit:
        return [unit]
    begins = range(0, len(ids) - 1, summary.limit - 1)
    summary.texts, summary.pieces = summary.texts + 1, summary.pieces + len(begins)
    return [objectives.Unit([(ids[begin:begin + summary.limit], weights[begin:begin + summary.limit])],
                            {**unit.facts, "piece": f"{number} of {len(begins)}"}) for number, begin in enumerate(begins, 1)]


def cut(unit, summary, objective):
    """Cuts samples of a unit off at the limit; whether anything is left to train on."""
    longer = [len(ids) - summary.limit for ids, _ in unit.samples if len(ids) > summary.limit]
    summary.truncated += len(longer)
    summary.lost += sum(longer)
    if longer and not objective.may_cut:
        summary.dropped += len(unit.samples)
        return False
    unit.samples = [(ids[:summary.limit], weights[:summary.limit]) for ids, weights in unit.samples]
    if all(objective.trains(ids, weights) for ids, weights in unit.samples):
        return True
    summary.dropped += len(unit.samples)
    return False


def write_rows(path, summary, rows, request, key):
    arrays = fill(rows, request, summary)
    if not summary.weighted:
        del arrays["token_weights"]
    summary.trained = int((arrays["targets"] != IGNORED).sum())
    if not objectives.ALL[request.objective].has_targets:
        del arrays["targets"]
    write_safetensors(path, arrays, {"zeroc.key": key, "zeroc.summary": json.dumps(asdict(summary))})


def fill(rows, request, summary):
    seq = request.seq
    tokens = np.zeros((len(rows), seq), np.int32)
    targets = np.full((len(rows), seq), IGNORED, np.int32)
    starts = np.zeros((len(rows), seq), np.int32)
    weights = np.zeros((len(rows), seq), np.float32)
    placed = []
    for row, units in enumerate(rows):
        at, of_row = 0, []
        for unit in units:
            ranges = []
            for ids, trained in unit.samples:
                end = at + len(ids)
                tokens[row, at:end] = ids
                targets[row, at:end - 1] = np.where(trained[1:], ids[1:], IGNORED)
                weights[row, at:end - 1] = trained[1:]
                starts[row, at:end] = at
                ranges.append((at, end))
                at = end
            of_row.append((unit, ranges))
        starts[row, at:] = at
        placed.append(of_row)
    positions = np.arange(seq, dtype=np.int32) - starts
    return {"tokens": tokens, "targets": targets, "starts": starts, "positions": positions, "token_weights": weights,
            **objectives.ALL[request.objective].arrays(placed, seq, summary)}


def write_safetensors(path, arrays, metadata):
    """Writes a file completely or not at all."""
    import safetensors.numpy
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial:
        try:
            safetensors.numpy.save_file(arrays, partial, metadata)
        except safetensors.SafetensorError as error:  # also of a full disk
            raise UserError(f"cannot write {path}: {error}") from error


def read_summary(path, key):
    """The Summary of a file that was made from the same; else None."""
    import safetensors
    try:
        with safetensors.safe_open(path, "numpy") as file:
            metadata = file.metadata() or {}
    except (OSError, safetensors.SafetensorError):
        return None
    return Summary(**json.loads(metadata["zeroc.summary"])) if metadata.get("zeroc.key") == key else None
