"""Which characters of a conversation are trained on: what the assistant says, with its stop token.

A template that marks its generations says so.  Of any other, the turn of an assistant is the difference
between the conversation up to that turn and the prompt for it:

    prompt   <user> Hi <end> <assistant>
    turn     <user> Hi <end> <assistant> Hello! <end>
                                         ~~~~~~~~~~~~

The prompt must be the beginning of the turn, else the template does not continue its own prompts, which is
an error.  The turn must be the beginning of the whole conversation, but for an end of text after it: a
template may write earlier turns differently from the last (Qwen3 drops their thinking).  Then each turn
becomes a sample of its own, which ends with it: the model is trained on what it will be asked to write.
"""
from __future__ import annotations

import os
from dataclasses import dataclass, field

from .conversations import Chat
from .errors import UserError
from .turns import texts_of
from .written import check_chat, check_turn, sayings, without_thinking


@dataclass
class Masked:
    """A text, and what is trained on: (begin, end, weight) of its characters."""
    text: str
    ranges: list = field(default_factory=list)


def mask_chat(chat, template):
    """The samples of a Chat: one, or one for each trained turn."""
    for i, weight in enumerate(chat.trained):
        if weight and not any(sayings(chat.messages[i])):
            chat.notes.setdefault(("empty", ""), f"{chat.place}, turn {i + 1}")
    if template.has_marks:
        return [mask_by_marks(chat, template)]
    last = max(i for i, message in enumerate(chat.messages) if message["role"] == "assistant")
    whole, _ = template.render(chat, last + 1)
    check_chat(chat, template, whole, [i for i, weight in enumerate(chat.trained[:last + 1]) if not weight], last + 1)
    turns = [(weight, *find_turn(chat, template, i, whole if i == last else None))
             for i, weight in enumerate(chat.trained) if weight]
    ends = [find_end(text, whole, template) for _, text, _ in turns]
    if None not in ends:
        return [Masked(whole, [(begin, end, weight) for (weight, _, begin), end in zip(turns, ends)])] if turns else []
    return [Masked(text, [(begin, len(text), weight)]) for weight, text, begin in turns]


def find_end(turn, whole, template):
    """Where a turn, at the end of its own text, ends in the whole conversation; None if it is not there."""
    common = len(os.path.commonprefix([turn, whole]))
    rest = turn[common:].replace(template.tokens.get("eos_token") or "\n", "")
    return common if not rest.strip() else None


def find_turn(chat, template, index, text=None):
    """The conversation up to message `index`, an assistant's, and where that message begins in it."""
    if text is None:
        text, _ = template.render(chat, index + 1)
    prompt, _ = template.render(chat, index, prompt=True)
    place = f"{chat.place}, turn {index + 1}"
    if not text.startswith(prompt):
        # A turn after another of the assistant, or after its call of a tool, may have no prompt of its own.
        plain, _ = template.render(chat, index)
        if chat.messages[index - 1]["role"] == "user" or not text.startswith(plain):
            raise UserError(f"{place}: the chat template of {template.path} does not begin an assistant's turn with "
                            "its own prompt for it, so what to train on is not known; use a template with "
                            "{% generation %} marks (--chat-template)")
        prompt = plain
    check_content(chat, index, text[len(prompt):], template)
    check_turn(chat, index, template, text, text[len(prompt):], index + 1)
    return text, len(prompt)


def check_content(chat, index, text, template):
    if any(without_thinking(said) not in text for said in texts_of(chat.messages[index])):
        raise UserError(f"{chat.place}, turn {index + 1}: what the chat template of {template.path} writes for this "
                        f"turn lacks its content; it writes {shorten(text)}")


def shorten(text):
    return repr(text if len(text) <= 80 else text[:60] + " ... " + text[-15:])


def check_marks(template):
    """Refuses a template that marks more, or less, than what the assistant says."""
    spoken_by = {"system": "zqsystem", "user": "zquser", "assistant": "zqassistant"}

    def probe(*roles):
        messages = [{"role": role, "content": f"{spoken_by[role]}{i}"} for i, role in enumerate(roles)]
        return Chat(messages, [], "a probe of its marks")

    turns = ("user", "assistant", "user", "assistant")
    for chat in (probe("system", *turns), probe(*turns)):
        try:
            text, ranges = template.render(chat)
        except UserError:
            continue  # some templates take no system turn
        for message in chat.messages:
            marked = sum(message["content"] in text[begin:end] for begin, end in ranges)
            if marked != (message["role"] == "assistant"):
                fault = f"marks what the {message['role']} says" if marked else "leaves a turn of the assistant unmarked"
                raise UserError(f"the chat template of {template.path} {fault}; {{% generation %}} must hold each turn "
                                "of the assistant and nothing else")


def mask_by_marks(chat, template):
    text, ranges = template.render(chat)
    turns = [i for i, message in enumerate(chat.messages) if message["role"] == "assistant"]
    if len(ranges) != len(turns):
        raise UserError(f"{chat.place}: the chat template of {template.path} marks {len(ranges)} generations, and the "
                        f"assistant has {len(turns)} turns; it must mark each turn of the assistant, and nothing else")
    for index, (begin, end) in zip(turns, ranges):
        check_content(chat, index, text[begin:end], template)
        if chat.trained[index]:
            check_turn(chat, index, template, text, text[begin:end])
    check_chat(chat, template, text, [i for i, weight in enumerate(chat.trained) if not weight])
    return Masked(text, [(*range_, chat.trained[index]) for index, range_ in zip(turns, ranges) if chat.trained[index]])
