"""Whether what a chat says is in what its template writes.

A turn says its content, its reasoning and its calls of tools, and a chat has tools.  Each is looked for in the text.
If it is not found there, and the first time of each role in any case, the chat is rendered without it, or with another
content: when the text is the same, the template does not write it.

| what is not written | |
|---|---|
| content; calls and their arguments | an error: the model would learn to answer something else |
| reasoning of a turn that is trained on; tools | a note: a template without them can be meant |
"""
from __future__ import annotations

import dataclasses
import json
import re

from .errors import UserError
from .turns import KNOWN, REASONING, texts_of

#: Added to a content, without which a template may fail.
MORE = "zq"


def without_thinking(text):
    """A template may drop thinking that stands in content."""
    return text.rpartition("</think>")[2].strip()


def leaves(value):
    """All keys and strings in the arguments of a call, at any depth."""
    if isinstance(value, dict):
        return [text for name, inner in value.items() for text in (name, *leaves(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in leaves(inner)]
    return [value] if isinstance(value, str) else []


def without(message, *names):
    return {name: value for name, value in message.items() if name not in names}


def sayings(message):
    """(what, its texts, the turn without it, or with another content) of all that a turn says."""
    content = message["content"]
    for number, text in enumerate(texts_of(message)):
        if said := without_thinking(text):
            other = text + MORE if isinstance(content, str) else [
                {**part, "text": text + MORE} if i == number else part for i, part in enumerate(content)]
            yield "content", [said], {**message, "content": other}
    if isinstance(content, str) and "</think>" in content:
        thinking, _, rest = content.rpartition("</think>")
        if thinking := thinking.replace("<think>", "").strip():
            yield "reasoning", [thinking], {**message, "content": rest}
    if reasoning := message.get("reasoning_content", "").strip():
        yield "reasoning", [reasoning], without(message, *REASONING)
    if calls := message.get("tool_calls"):
        functions = [call["function"] for call in calls]
        yield "tool_calls", [function["name"] for function in functions], without(message, "tool_calls")
        if said := [text for function in functions for text in leaves(function["arguments"])]:
            yield "arguments of tool_calls", said, {**message, "tool_calls": [
                {**call, "function": {**call["function"], "arguments": {}}} for call in calls]}


def check_turn(chat, index, template, text, part=None, count=None, prompt=False):
    """Looks for what a turn says in `text`, the rendering of `count` messages; of a turn that is trained on, in `part`."""
    message, is_trained = chat.messages[index], part is not None
    rest = part if is_trained else text
    for what, texts, less in sayings(message):
        if what == "reasoning" and not is_trained:
            continue  # templates drop that of earlier turns
        changed = dataclasses.replace(chat, messages=[*chat.messages[:index], less, *chat.messages[index + 1:]])
        if is_written((message["role"], what), texts, rest, template, text, changed, count, prompt):
            if what == "content":  # may name what it calls
                rest = rest.replace(texts[0], "")
            continue
        place = f"{chat.place}, turn {index + 1}"
        if what != "reasoning":
            raise UserError(f"{place}: the chat template of {template.path} does not write the {what} of this turn of the "
                            f"{message['role']}; use a template that does (--chat-template), or leave the record out")
        chat.notes.setdefault(("reasoning", ""), place)


def is_written(kind, texts, shown, template, text, changed, count, prompt):
    if kind in template.writes and all(said in shown or json.dumps(said, ensure_ascii=False)[1:-1] in shown
                                       for said in texts):
        return True
    try:
        if template.render(changed, count, prompt)[0] == text:
            return False
    except UserError:
        pass  # what a template cannot do without, it reads
    template.writes.add(kind)
    return True


def check_chat(chat, template, text, indices, count=None, prompt=False):
    """Looks in the text for what these turns say, none of which is trained on, and for what stands beside turns."""
    for index in indices:
        check_turn(chat, index, template, text, count=count, prompt=prompt)
    if chat.tools:
        functions = [tool.get("function", tool) for tool in chat.tools]
        names = [str(function.get("name")) for function in functions if isinstance(function, dict)]
        if not is_written(("", "tools"), names, text, template, text, dataclasses.replace(chat, tools=None), count, prompt):
            chat.notes.setdefault(("tools", ""), chat.place)
    fields = [*chat.arguments, *(name for message in chat.messages for name in message if name not in KNOWN)]
    for name in dict.fromkeys(fields):
        if not re.search(rf"\b{re.escape(name)}\b", template.text):
            chat.notes.setdefault(("unread", name), chat.place)
