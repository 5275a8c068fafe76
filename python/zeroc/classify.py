"""zeroc classify: the labels of texts by a tuned classifier, or their scores by a reward model.

    texts -> token ids -> sequences of T tokens -> the program of --score-only -> a row of scores for each text

A model is compiled once for its config, T and options, as that of zeroc generate is (generation.py).
"""
from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import hub
from .cache import find_program
from .commands import positions_of
from .conversations import read_sample, read_whole
from .errors import UserError, plural
from .fields import drop_absent
from .generate import output
from .generation import OF_PROGRAM
from .hub import LABELS
from .objectives import find_label
from .options import add_output, parse, parser_of
from .own_files import check_output
from .packing import pack
from .records import find_files, read_records
from .source import find_source, forward_options
from .template import read_json
from .tokens import IGNORED, Tokenizer
from .weights import read_header

MANAGED = {"--score-only": "it is always on", "--sample-only": "use zeroc generate", "--sample": "use zeroc generate",
           "--emit": "use zeroc itself", "--lora": "say --adapter", "--dora": "say --adapter", "--rslora": "say --adapter",
           "--modules-to-save": "say --adapter", "--eval": "use zeroc itself", "--init": "name the model's folder first",
           "--data": "name the files after the model", "--ds-config": "give its options by themselves"}
#: Tokens of a sequence, and samples of one of rewards: few numbers, so that few programs are compiled.
FEWEST_TOKENS, MOST_TOKENS, SAMPLES = 64, 4096, 32
#: Numbers that a program holds at once.
MOST_VALUES = 1 << 28
#: The head of transformers' classes for sequence classification.
HEAD = "score.weight"


def parser():
    p = parser_of("classify", epilog="Options of zeroc for the compiled program are taken, too, and of the program "
                  f"{', '.join(OF_PROGRAM)}: see zeroc --help.")
    p.add_argument("model", metavar="MODEL_DIR", help="a folder that zeroc finetune --objective=classify or reward has "
                   "written, or the checkpoints of its run, OUT/zeroc/run")
    p.add_argument("data", metavar="DATA", nargs="+", help="records with text, messages or conversations, and label if "
                   "they are to be compared: *.jsonl, *.json, *.parquet, *.txt, or folders of them")
    add_output(p, "OUT.jsonl", "the file to write (default: standard output)", "-")
    p.add_argument("--adapter", metavar="DIR", help="adapters in PEFT's format, for the model")
    p.add_argument("--seq", type=int, metavar="T", help="most tokens of a text; longer ones are cut off (default: of the "
                   "longest)")
    p.add_argument("--batch", type=int, default=8, metavar="B", help="sequences that are computed at once (default: 8)")
    p.add_argument("--chat-template", metavar="FILE", help="in place of the model's")
    return p


class Text(NamedTuple):
    record: dict
    place: str
    ids: list
    label: int | None


def head_of(source, adapter):
    """The rows of the head for scores: the number of labels, or 1 for rewards."""
    if adapter:
        files, rows = [Path(adapter) / "adapter_model.safetensors"], {}
    elif source.weights != source.folder:  # checkpoints
        found = sorted(source.weights.glob("step-*"), key=lambda path: int(path.name.partition("-")[2]))
        manifest = read_json((found[-1] if found else source.weights) / "manifest.json")
        files, rows = [], {one["name"]: one["shape"] for one in manifest.get("parameters", ())}
    else:
        files, rows = sorted(source.weights.glob("*.safetensors")), {}
    for file in files:
        rows.update((name, facts.get("shape")) for name, facts in read_header(file)[0].items())
    for name, shape in rows.items():
        if (name == HEAD or name.endswith("." + HEAD)) and shape:
            return shape[0]
    raise UserError(f"{adapter or source.weights} has no head {HEAD}; name what zeroc finetune --objective=classify or "
                    "--objective=reward has written")


def labels_of(source, adapter, count):
    """The names of `count` labels."""
    for names in kept_labels(source, adapter):
        if len(names) == count:
            return names
    print(f"zeroc classify: warning: the names of the {count} labels are not known, and 0 to {count - 1} stand for them; put "
          f"the {LABELS} of zeroc finetune beside its adapters, or id2label into config.json", file=sys.stderr)
    return [str(i) for i in range(count)]


def kept_labels(source, adapter):
    """Names of labels: those of adapters or checkpoints, of the data of a run that did not keep them, of the config."""
    if adapter:
        yield names_in(Path(adapter) / LABELS)
        runs = [Path(adapter) / "zeroc"]
    else:
        runs = [*source.weights.resolve().parents][:2] if source.weights != source.folder else []
    for run in runs:
        settings = read_json(run / "settings.json")
        yield settings.get("labels", ()) if not adapter else ()
        yield names_of_data(run / "data.safetensors", settings.get("data"))
    yield names_in(source.config_path)


def names_in(file):
    names = read_json(file).get("id2label") or {}
    return [str(names[key]) for key in map(str, range(len(names))) if names.get(key) is not None]


def names_of_data(file, key):
    """The names in a file of data, if it has the hash `key`."""
    if not key or not file.exists():
        return ()
    import safetensors
    with safetensors.safe_open(file, "numpy") as data:
        known = data.metadata() or {}
    return json.loads(known["zeroc.summary"]).get("labels", ()) if known.get("zeroc.key") == key else ()


class Classification:
    def __init__(self, arguments):
        self.args, found = parse(parser(), arguments, MANAGED, "classify", OF_PROGRAM)
        a = self.args
        for name, value, least in (("--seq", a.seq, 2), ("--batch", a.batch, 1)):
            if value is not None and value < least:
                raise UserError(f"{name}={value} must be {least} or more")
        # A file of scores looks like many others, so it is replaced only with --force.
        if a.o != "-":
            check_output(a.o, "labels", a.force, a.data)
        self.compiled, self.run_options = found["compile"], found["train"]
        self.source = find_source(hub.find_folder(a.model))
        a.adapter = a.adapter and str(hub.find_folder(a.adapter, hub.ADAPTER))
        self.tokenizer = Tokenizer(self.source.folder, a.chat_template)
        count = head_of(self.source, a.adapter)
        self.labels = labels_of(self.source, a.adapter, count) if count > 1 else []

    def read(self):
        """The Texts of all files."""
        a = self.args
        written = ("predicted", "probabilities") if self.labels else ("score",)
        for file in find_files(a.data):
            for record, place in read_records(file):
                for name in written:
                    if name in record:
                        raise UserError(f"{place} has a field {name}, in which the result is written; rename it, or leave "
                                        "it out")
                known = drop_absent(record)
                if self.labels:  # as they were trained on
                    ids = self.tokenizer.encode_whole(read_whole(known, place)).ids
                else:
                    samples = self.tokenizer.encode(read_sample(known, place))
                    ids = samples[-1].ids if samples else []
                if not ids:
                    raise UserError(f"{place} has no tokens; give it one at least")
                yield Text(record, place, ids, self.number_of(known.get("label"), place) if self.labels else None)

    def number_of(self, label, place):
        if label is None or label == "":  # of a table
            return None
        number = find_label(label, self.labels)
        if number is not None:
            return number
        raise UserError(f"{place} has the label {label!r}, and the model has {', '.join(self.labels[:8])}"
                        f"{', ...' * (len(self.labels) > 8)}")

    def options(self):
        return forward_options(self.source, self.args.adapter, self.args.model, self.compiled)

    def score(self, texts):
        """[N, labels] or [N, 1]: what the model says of each."""
        longest = max(len(text.ids) for text in texts)
        most = min(MOST_TOKENS, positions_of(self.source.config) or MOST_TOKENS)
        seq = self.args.seq or min(most, max(FEWEST_TOKENS, 1 << (longest - 1).bit_length()))
        if cut := sum(len(text.ids) > seq for text in texts):
            print(f"zeroc classify: warning: {plural(cut, 'text')} longer than {seq:,} tokens, cut off there"
                  f"{'' if seq >= most else '; raise --seq'}", file=sys.stderr)
        lengths = [min(len(text.ids), seq) for text in texts]
        step = len(lengths) if self.labels else SAMPLES
        rows = [row[at:at + step] for row in pack(lengths, seq) for at in range(0, len(row), step)]
        imports = ["--packed", *(["--objective=classify", f"--labels={len(self.labels)}"] if self.labels else
                                 ["--objective=reward", f"--samples={SAMPLES}"])]
        program = find_program(self.source.config_path, self.args.batch, seq, self.options(), "classify", "--score-only",
                               imports)
        found = np.zeros((len(texts), max(1, len(self.labels))), np.float32)
        at_once = max(self.args.batch, MOST_VALUES // (seq * found.shape[1]))
        for begin in range(0, len(rows), at_once):
            self.score_rows(program, texts, rows[begin:begin + at_once], seq, found)
        return found

    def score_rows(self, program, texts, rows, seq, found):
        import safetensors.numpy
        arrays = {name: np.zeros((len(rows), seq), np.int32) for name in ("tokens", "starts", "positions")}
        targets, members = np.full((len(rows), seq), IGNORED, np.int32), np.full((len(rows), seq), SAMPLES, np.int32)
        ends = []
        for number, row in enumerate(rows):
            at = 0
            for place, i in enumerate(row):
                ids = texts[i].ids[:seq]
                end = at + len(ids)
                arrays["tokens"][number, at:end] = ids
                arrays["starts"][number, at:] = at
                targets[number, end - 1], members[number, end - 1] = 0, place
                ends.append((i, number, end - 1 if self.labels else place))
                at = end
            arrays["starts"][number, at:] = at
        arrays["positions"] = np.arange(seq, dtype=np.int32) - arrays["starts"]
        arrays.update({"targets": targets} if self.labels else {"samples": members})
        with tempfile.TemporaryDirectory() as folder:
            data, out = Path(folder) / "data.safetensors", Path(folder) / "scores.npy"
            safetensors.numpy.save_file(arrays, data)
            adapter = ["--adapter", self.args.adapter] if self.args.adapter else []
            done = subprocess.run(["zeroc classify", "--weights", str(self.source.weights), *adapter, "--data", data, "--out",
                                   out, *self.run_options], executable=program, stdout=subprocess.DEVNULL)
            if done.returncode:
                raise UserError("the program that scores failed, as said above")
            values = np.load(out)
        values = values.reshape(len(rows), -1, found.shape[1])
        for i, number, place in ends:
            found[i] = values[number, place]

    def result(self, text, scores):
        """The record of a text, with what the model says."""
        if not self.labels:
            return {**text.record, "score": float(scores[0])}
        parts = np.exp(scores.astype(np.float64) - scores.max())
        return {**text.record, "predicted": self.labels[int(scores.argmax())],
                "probabilities": dict(zip(self.labels, map(float, parts / parts.sum())))}


def comparison(labels, true, predicted):
    """Lines that compare the labels of texts with those that they get; those of which there is none are left out."""
    hits = int((true == predicted).sum())
    rows = []
    for number, name in enumerate(labels):
        has, gets = int((true == number).sum()), int((predicted == number).sum())
        both = int(((true == number) & (predicted == number)).sum())
        if has + gets:
            rows.append((name, 2 * both / (has + gets), both / gets if gets else 0.0, both / has if has else 0.0, has))
    yield f"accuracy {hits / len(true):.4f}, F1 {sum(row[1] for row in rows) / len(rows):.4f} on average over labels"
    width = max(len(row[0]) for row in rows)
    yield f"{'label':<{max(width, 5)}}      F1  precision  recall  texts"
    for name, f1, precision, recall, has in rows:
        yield f"{name:<{max(width, 5)}}  {f1:6.4f}     {precision:6.4f}  {recall:6.4f}  {has:5,}"


def main(arguments):
    task = Classification(arguments)
    out = task.args.o
    texts = list(task.read())
    if not texts:
        raise UserError(f"{', '.join(task.args.data)}: there is no record")
    scores = task.score(texts)
    with output(out) as file:
        for text, row in zip(texts, scores):
            file.write(json.dumps(task.result(text, row), ensure_ascii=False) + "\n")
    known = [i for i, text in enumerate(texts) if text.label is not None]
    print(f"zeroc classify: {plural(len(texts), 'text')}", file=sys.stderr)
    if known:
        true = np.array([texts[i].label for i in known])
        for line in comparison(task.labels, true, scores[known].argmax(1)):
            print(line, file=sys.stderr)
