"""The two answers of a record, of which one is preferred, and the prompt of both."""
from __future__ import annotations

from .conversations import messages, read_completion
from .errors import UserError
from .fields import check_text
from .turns import texts_of

PAIR = ("chosen", "rejected")


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
