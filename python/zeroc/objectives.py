"""What a model is trained for: the records and the arrays of each --objective.

| objective | records | a unit of samples |
|---|---|---|
| sft | chats and texts (conversations.py) | one sample |
| dpo | `prompt`, `chosen`, `rejected`; or the last two alone, which begin alike | both answers |
| | a prompt may also be a text beside lists of turns, or `messages` that end before the answer | |
| reward | the same, also without a common beginning; `margin` | both answers |
| kto | `prompt`, `completion`, `label`: true or false; or pairs as above | an answer, and another record's to this prompt |
| classify | a chat or text, and `label` | one sample |

Formats are those of TRL.  All samples of a unit are in one sequence, and a sequence has up to S samples:

    samples    [N, T]     dpo, kto: the sample whose answer the target belongs to; reward: that ends here; else S
    choices    [N, S / 2] dpo, reward: 0 for each pair that is there, else -100
    margins    [N, S]     reward, if a record has one: at the first of a pair
    labels     [N, S]     kto: 1 desirable, 0 not, 2 another record's answer, 3 no sample

The log probabilities of a reference model are an input of their own, which the model's program `score` computes.

Each objective is a class here, which has all that the commands of Python know of it.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .conversations import Text, read_completion, read_sample, read_whole
from .errors import UserError
from .fields import check_f32, value_of
from .pairs import PAIR, read_pair
from .template import read_json
from .tokens import IGNORED

#: Of samples of kto.
UNDESIRABLE, DESIRABLE, OTHER, NONE = range(4)
#: What a table says of an answer.
TRUTHS = {"true": True, "1": True, "false": False, "0": False}


@dataclass
class Unit:
    """Samples that are compared with each other: (ids, weights) of each, and what the record says of them.

    `goes_on`: what is longer than a sequence goes on in the next."""
    samples: list
    facts: dict = field(default_factory=dict)
    goes_on: bool = False


def arrays_of(sample):
    return np.array(sample.ids, np.int32), np.array(sample.trained, np.float32)


def add_others(units, place):
    """Gives each unit of kto its second sample: the last answer before it to another prompt, to this prompt."""
    units = [unit for unit in units if unit.samples[0][1].any()]
    parts = []
    for unit in units:
        ids, weights = unit.samples[0]
        begin = int(np.flatnonzero(weights)[0])
        parts.append((ids[:begin], weights[:begin], ids[begin:], weights[begin:]))
    # The last answer of each run of one prompt; the first run follows the last.
    before = next((part for part in reversed(parts) if bytes(part[0]) != bytes(parts[0][0])), None)
    if before is None:
        raise UserError(f"{place}: all answers are to one prompt, and --objective=kto compares with answers to others")
    last = None
    for unit, part in zip(units, parts):
        prompt, prompt_weights, *_ = part
        if last is not None and bytes(last[0]) != bytes(prompt):
            before = last
        last = part
        unit.samples.append((np.concatenate([prompt, before[2]]), np.concatenate([prompt_weights, before[3]])))
    return units


#: The most labels; what is above is no number of a label.
MOST_LABELS = 1 << 16


def is_number_of_label(label):
    """Whether it counts labels: also as a text, since tables have no other numbers."""
    return bool(re.fullmatch("0|[1-9][0-9]{0,4}", str(label), re.ASCII)) and int(label) < MOST_LABELS


def find_label(label, names):
    """The number of a label of these names, or None.  A number is a name first, and counts names that are none."""
    if str(label) in names:
        return names.index(str(label))
    counts = is_number_of_label(label) and int(label) < len(names) and not any(map(is_number_of_label, names))
    return int(label) if counts else None


def by_value(text):
    """The order of labels: numbers, then texts."""
    is_number = re.fullmatch(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?", text, re.ASCII)
    return (0, float(text), text) if is_number else (1, 0, text)


def count_labels(units, config):
    """The names of labels: of the config, or those of all units in order."""
    labels, ids = {unit.facts["label"] for unit in units}, config.get("label2id") or {}
    found, names = set(map(str, labels)), sorted(ids, key=ids.get)
    if names and all(find_label(label, names) is not None for label in labels):
        return names
    if all(map(is_number_of_label, found)):
        return [str(i) for i in range(max(*map(int, found), 1) + 1)]
    if not all(isinstance(label, str) for label in labels):
        raise UserError(f"labels are texts in some records and numbers in others, or not from 0 to {MOST_LABELS - 1:,}")
    if len(found) < 2:
        raise UserError(f"all records have the label {next(iter(found))!r}; there is nothing to tell apart")
    return sorted(found, key=by_value)


class Objective:
    """The next token.  The others say in what they differ."""
    name, learns = "sft", "the next token (sft, the default)"
    #: The peak learning rate of all weights; adapters take ten times that.
    rate, epochs = 2e-5, 3
    #: Options of zeroc import that zeroc finetune has; the former knows whether they fit.
    options = ()
    #: Whether targets have weights; whether samples are compared, with each other or with a reference model; whether
    #: there is a reference; whether the model has a head "score" in place of that for tokens.
    has_weights, compares, has_reference, has_scores = True, False, False, False
    #: The names of labels, until the data are known.
    labels_until_known = ()
    #: Whether the loss reads targets; whether the beginning of a sample can be trained on.
    has_targets, may_cut = True, True

    def read(self, record, place):
        """[(Chats or Texts, facts)] of a record; throws UserError."""
        return [([read_sample(record, place)], {})]

    def encode(self, tokenizer, parts, facts, place):
        """The Units of Chats or Texts."""
        is_text = isinstance(parts[0], Text) and parts[0].prompt is None
        return [Unit([arrays_of(sample)], facts, is_text) for sample in tokenizer.encode(parts[0])]

    def complete(self, units, place):
        return units

    def labels_of(self, units, folder):
        """The names of labels, for the model of a folder."""
        return []

    def trains(self, ids, weights):
        """Whether there is anything to train on in a sample."""
        return weights[1:].any()

    def arrays(self, rows, seq, summary):
        """The arrays beside those of all; `rows` are lists of (unit, [(begin, end) of its samples])."""
        return {}


class Classify(Objective):
    name, learns = "classify", "a label (classify)"
    labels_until_known = ("0", "1")
    has_weights, has_scores = False, True

    def read(self, record, place):
        label = record.get("label")
        if not isinstance(label, (str, int)) or isinstance(label, bool):
            raise UserError(f"{place} has label {label!r}; --objective=classify reads a text or a number")
        if not str(label).strip():
            raise UserError(f"{place} has an empty label; name one, or leave the record out")
        return [([read_whole(record, place)], {"label": label})]

    def encode(self, tokenizer, parts, facts, place):
        return [Unit([arrays_of(tokenizer.encode_whole(parts[0]))], facts)]

    def labels_of(self, units, folder):
        return count_labels(units, read_json(Path(folder) / "config.json"))

    def trains(self, ids, weights):
        return len(ids) > 0

    def arrays(self, rows, seq, summary):
        targets = np.full((len(rows), seq), IGNORED, np.int32)
        for row, placed in enumerate(rows):
            for unit, [(_, end)] in placed:
                targets[row, end - 1] = find_label(unit.facts["label"], summary.labels)
        return {"targets": targets}


class Dpo(Objective):
    name, learns = "dpo", "preferred answers (dpo)"
    rate, epochs, options = 1e-6, 1, ("--beta",)
    has_weights, compares, has_reference = False, True, True

    def read(self, record, place):
        return [(read_pair(record, place, self.name), {})]

    def encode(self, tokenizer, parts, facts, place):
        found = [tokenizer.encode(part) for part in parts]
        if any(not samples for samples in found):
            raise UserError(f"{place}: an answer has the weight 0, so there is nothing to compare; drop the weight")
        if any(len(samples) > 1 for samples in found):
            raise UserError(f"{place}: an answer has several turns of the assistant, which the chat template writes "
                            "differently from the last; leave one")
        return [Unit([arrays_of(samples[0]) for samples in found], facts)]

    def mark(self, members, number, begin, end, weights):
        """Marks the positions that count for a sample."""
        members[begin:end - 1][weights[1:] != 0] = number

    def arrays(self, rows, seq, summary):
        members = np.full((len(rows), seq), summary.most, np.int32)
        choices = np.full((len(rows), summary.most // 2), IGNORED, np.int32)
        for row, placed in enumerate(rows):
            choices[row, :len(placed)] = 0
            samples = ((begin, end, weights) for unit, ranges in placed
                       for (begin, end), (_, weights) in zip(ranges, unit.samples))
            for number, (begin, end, weights) in enumerate(samples):
                self.mark(members[row], number, begin, end, weights)
        return {"samples": members, "choices": choices}


class Kto(Dpo):
    name, learns = "kto", "desirable ones (kto)"
    options = ("--beta", "--desirable-weight", "--undesirable-weight")

    def read(self, record, place):
        if all(name in record for name in PAIR):
            pair = read_pair(record, place, self.name)
            return [([answer], {"label": name == "chosen"}) for answer, name in zip(pair, PAIR)]
        label = record.get("label")
        label = TRUTHS.get(label.lower(), label) if isinstance(label, str) else label
        if not isinstance(label, bool) or "prompt" not in record or "completion" not in record:
            raise UserError(f"{place}: --objective=kto reads prompt, completion, and label, which is true or false; or "
                            "prompt, chosen and rejected")
        return [([read_completion(record, place)], {"label": label})]

    def complete(self, units, place):
        return add_others(units, place)

    def arrays(self, rows, seq, summary):
        kinds = np.full((len(rows), summary.most), NONE, np.int32)
        for row, placed in enumerate(rows):
            for place, (unit, _) in enumerate(placed):
                kinds[row, 2 * place:2 * place + 2] = DESIRABLE if unit.facts["label"] else UNDESIRABLE, OTHER
        return {"samples": super().arrays(rows, seq, summary)["samples"], "labels": kinds}


class Reward(Dpo):
    name, learns = "reward", "a reward"
    rate, options = 1e-5, ()
    has_reference, has_scores = False, True
    has_targets, may_cut = False, False  # a reward is that of a whole answer

    def read(self, record, place):
        [(pair, facts)] = super().read(record, place)
        margin = value_of(record.get("margin"), "margin", place)
        return [(pair, facts if margin is None else {"margin": float(check_f32(margin, "margin", place))})]

    def mark(self, members, number, begin, end, weights):
        members[end - 1] = number

    def arrays(self, rows, seq, summary):
        margins = np.zeros((len(rows), summary.most), np.float32)
        for row, placed in enumerate(rows):
            for place, (unit, _) in enumerate(placed):
                margins[row, 2 * place] = unit.facts.get("margin", 0)
        return {**super().arrays(rows, seq, summary), **({"margins": margins} if summary.margins else {})}


#: By name, in the order of errors.
ALL = {one.name: one for one in (Objective(), Dpo(), Kto(), Reward(), Classify())}


def those_that(holds):
    """The names of some."""
    return [one.name for one in ALL.values() if holds(one)]
