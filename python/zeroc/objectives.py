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
"""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .conversations import Text, messages, new_chat, read_completion, read_sample
from .errors import UserError
from .fields import check_f32, check_text, drop_absent
from .tokens import IGNORED
from .turns import texts_of

NAMES = ("sft", "dpo", "kto", "reward", "classify")
#: Those whose samples are compared, with each other or with a reference model.
COMPARED, WITH_REFERENCE = ("dpo", "kto", "reward"), ("dpo", "kto")
#: Fields that say what is right; a record has one of these forms.
PAIR = ("chosen", "rejected")
UNDESIRABLE, DESIRABLE, OTHER, NONE = range(4)


@dataclass
class Unit:
    """Samples that are compared with each other: (ids, weights) of each, and what the record says of them."""
    samples: list
    facts: dict = field(default_factory=dict)


def read_units(record, place, objective):
    """[(Chats or Texts, facts)] of a record; throws UserError."""
    record = drop_absent(record)
    if objective == "sft":
        return [([read_sample(record, place)], {})]
    if objective == "classify":
        label = record.get("label")
        if not isinstance(label, (str, int)) or isinstance(label, bool):
            raise UserError(f"{place} has label {label!r}; --objective=classify reads a text or a number")
        return [([read_whole(record, place)], {"label": label})]
    if objective == "kto" and not all(name in record for name in PAIR):
        label = record.get("label")
        if not isinstance(label, bool) or "prompt" not in record or "completion" not in record:
            raise UserError(f"{place}: --objective=kto reads prompt, completion, and label, which is true or false; or "
                            "prompt, chosen and rejected")
        return [([read_completion(record, place)], {"label": label})]
    pair = read_pair(record, place, objective)
    if objective == "kto":
        return [([answer], {"label": name == "chosen"}) for answer, name in zip(pair, PAIR)]
    margin = record.get("margin")
    if objective != "reward" or margin is None:
        return [(pair, {})]
    return [(pair, {"margin": float(check_f32(margin, "margin", place))})]


def read_whole(record, place):
    """A Chat or Text, as it is: no turn is trained on."""
    for name in ("messages", "conversations"):
        if name in record:
            turns = messages(record[name], place, name)
            return new_chat(record, place, turns, [0] * len(turns))
    if "text" in record:
        return Text(None, check_text(record["text"], "text", place), place)
    raise UserError(f"{place} has no messages, conversations or text, one of which --objective=classify reads")


def read_pair(record, place, objective):
    """Both answers, as completions of their prompt."""
    for name in PAIR:
        if name not in record:
            raise UserError(f"{place} has no {name}; --objective={objective} reads prompt, chosen and rejected")
    chosen, rejected = (read_answer(record[name], name, place) for name in PAIR)
    if isinstance(chosen, str) != isinstance(rejected, str):
        raise UserError(f"{place}: chosen and rejected are both texts, or both lists of messages")
    common = common_beginning(chosen, rejected)
    prompt = find_prompt(record, place, chosen[:common])
    if prompt is None:
        prompt, chosen, rejected = chosen[:common], chosen[common:], rejected[common:]
    elif not isinstance(prompt, str):
        chosen, rejected = (turns_of(answer, prompt) for answer in (chosen, rejected))
    if not chosen or not rejected or chosen == rejected:
        raise UserError(f"{place}: chosen and rejected {'are the same' if chosen == rejected else 'begin alike, and one ends there'}"
                        ", so there is nothing to prefer")
    if not prompt and not isinstance(chosen, str):
        raise UserError(f"{place}: chosen and rejected have no first turn in common, which is the prompt")
    return [read_completion({**record, "prompt": prompt, "completion": answer}, place) for answer in (chosen, rejected)]


def read_answer(answer, name, place):
    """A text, or a list of messages; ShareGPT's form has the message itself."""
    return check_text(answer, name, place) if isinstance(answer, str) else messages(
        [answer] if isinstance(answer, dict) else answer, place, name)


def find_prompt(record, place, common):
    """The prompt of a pair; None if it is what both answers have in common."""
    prompt = record.get("prompt")
    for name in ("messages", "conversations") if prompt is None else ():
        if name in record:
            turns = messages(record[name], place, name)
            return turns if turns[-1]["role"] != "assistant" else None  # ultrafeedback repeats the chosen answer
    if isinstance(common, str) or not isinstance(prompt, str):
        return prompt if prompt is None or isinstance(prompt, str) else messages(prompt, place, "prompt")
    check_text(prompt, "prompt", place)
    if not common:
        return [{"role": "user", "content": prompt}]
    if not any(said.strip() == prompt.strip() for turn in common for said in texts_of(turn)):
        raise UserError(f"{place}: prompt is none of the turns that chosen and rejected begin with; leave one of both out")
    return None


def turns_of(answer, prompt):
    """An answer to a prompt of turns: it may be a text, or repeat the prompt."""
    if isinstance(answer, str):
        return [{"role": "assistant", "content": answer}]
    return answer[len(prompt):] if answer[:len(prompt)] == prompt else answer


def common_beginning(chosen, rejected):
    """The length of the prompt of two whole conversations or texts; a text's ends before a space."""
    common = next((i for i, (one, other) in enumerate(zip(chosen, rejected)) if one != other),
                  min(len(chosen), len(rejected)))
    return common - 1 if common and isinstance(chosen, str) and chosen[common - 1] == " " else common


def complete(units, objective, place):
    """Gives each unit of kto its second sample: the last answer before it to another prompt, to this prompt."""
    if objective != "kto":
        return units
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


def count_labels(units, config):
    """The names of labels: of the config, or those of all units in order."""
    found = {unit.facts["label"] for unit in units}
    names = config.get("label2id") or {}
    if all(isinstance(label, int) and 0 <= label < MOST_LABELS for label in found):
        if names and max(found) < len(names):
            return sorted(names, key=names.get)
        return [str(i) for i in range(max(max(found) + 1, 2))]
    if not all(isinstance(label, str) for label in found):
        raise UserError(f"labels are texts in some records and numbers in others, or not from 0 to {MOST_LABELS - 1:,}")
    if found <= set(names):
        return sorted(names, key=names.get)
    if len(found) < 2:
        raise UserError(f"all records have the label {next(iter(found))!r}; there is nothing to tell apart")
    return sorted(found)


def more_arrays(objective, rows, seq, summary):
    """The arrays of an objective beside those of all; `rows` are lists of (unit, [(begin, end) of its samples])."""
    count, samples, labels = len(rows), summary.most, summary.labels
    if objective == "sft":
        return {}
    if objective == "classify":
        targets = np.full((count, seq), IGNORED, np.int32)
        for row, placed in enumerate(rows):
            for unit, [(_, end)] in placed:
                label = unit.facts["label"]
                targets[row, end - 1] = label if isinstance(label, int) else labels.index(label)
        return {"targets": targets}
    members = np.full((count, seq), samples, np.int32)
    choices = np.full((count, samples // 2), IGNORED, np.int32)
    margins = np.zeros((count, samples), np.float32)
    kinds = np.full((count, samples), NONE, np.int32)
    for row, placed in enumerate(rows):
        for place, (unit, ranges) in enumerate(placed):
            choices[row, place] = 0
            margins[row, 2 * place] = unit.facts.get("margin", 0)
            kinds[row, 2 * place:2 * place + 2] = DESIRABLE if unit.facts.get("label") else UNDESIRABLE, OTHER
            for number, ((begin, end), (_, weights)) in enumerate(zip(ranges, unit.samples), 2 * place):
                if objective == "reward":
                    members[row, end - 1] = number
                else:
                    members[row, begin:end - 1][weights[1:] != 0] = number
    if objective == "kto":
        return {"samples": members, "labels": kinds}
    return {"samples": members, "choices": choices, **({"margins": margins} if summary.margins else {})}
