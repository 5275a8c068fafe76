"""What a record means: a chat, whose assistant turns are trained on, or a text.

| fields | meaning |
|---|---|
| `messages` | OpenAI's: `role`, `content`, `tool_calls`; an assistant's `weight` says how much its turn counts |
| `conversations` | ShareGPT's: `from`, `value` (or `role`, `content`) |
| `prompt`, `completion` | two texts, or two lists of messages; trained on the completion |
| `instruction`, `input`, `output` | Alpaca's: one turn; also `system`, and `history`, a list of pairs |
| `text` | a text; trained on all of it |

Beside the turns may stand `system`, `tools` and `chat_template_kwargs`, which the template gets.  The first
of these lines whose fields a record has decides; other fields are ignored.
"""
from __future__ import annotations

import json
from dataclasses import dataclass, field

from .errors import UserError

ROLES = ("system", "developer", "user", "assistant", "tool")
#: ShareGPT's names of roles, and those of its relatives.
SENDERS = {"human": "user", "gpt": "assistant", "chatgpt": "assistant", "bot": "assistant", "model": "assistant",
           "function_call": "assistant", "observation": "tool", "function_response": "tool", "function": "tool",
           **{role: role for role in ROLES}}


@dataclass
class Chat:
    """`trained[i]` is the weight of messages[i], an assistant's; 0 if it is not trained on."""
    messages: list
    trained: list
    place: str
    tools: list | None = None
    arguments: dict = field(default_factory=dict)


@dataclass
class Text:
    """A completion after a prompt, or, if the prompt is None, a text."""
    prompt: str | None
    completion: str
    place: str


def read_sample(record, place):
    """The Chat or Text of a record."""
    if "messages" in record:
        return read_chat(record, place, messages(record["messages"], place, "messages"))
    if "conversations" in record:
        return read_chat(record, place, messages(record["conversations"], place, "conversations"))
    if "prompt" in record and "completion" in record:
        return read_completion(record, place)
    if "instruction" in record and ("output" in record or "response" in record):
        return read_instruction(record, place)
    if "text" in record:
        return Text(None, text_of(record, "text", place), place)
    raise UserError(f"{place} has {known_fields(record)}; zeroc reads messages, conversations, prompt and "
                    "completion, instruction and output, or text")


def known_fields(record):
    names = ", ".join(map(str, list(record)[:6]))
    return f"the fields {names}{', ...' if len(record) > 6 else ''}" if record else "no fields"


def text_of(record, name, place, default=None):
    return check_text(record.get(name, default), name, place)


def check_text(value, name, place):
    """`value`, a text that UTF-8 can hold: JSON may have half of a pair of surrogates."""
    if not isinstance(value, str):
        raise UserError(f"{place}: {name} is {describe(value)}, where a text is needed")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UserError(f"{place}: {name} has {value[error.start]!r} at {error.start}, which is no character; "
                        "remove it") from error
    return value


def describe(value):
    if value is None:
        return "null"
    return {bool: "a truth value", int: "a number", float: "a number", str: "a text", list: "a list",
            dict: "an object"}.get(type(value), str(type(value)))


def messages(turns, place, name):
    if not isinstance(turns, list):
        raise UserError(f"{place}: {name} is {describe(turns)}, where a list of turns is needed")
    if not turns:
        raise UserError(f"{place}: {name} is empty")
    return [message(turn, f"{place}, turn {number}") for number, turn in enumerate(turns, 1)]


def message(turn, place):
    """A turn with `role` and `content`, checked; other fields stay for the template."""
    if not isinstance(turn, dict):
        raise UserError(f"{place} is {describe(turn)}, where an object with role and content is needed")
    turn = dict(turn)
    if "role" not in turn and "from" in turn:
        sender = turn.pop("from")
        if not isinstance(sender, str) or sender not in SENDERS:
            raise UserError(f"{place} is from {sender!r}; use {', '.join(SENDERS)}")
        turn = {"role": SENDERS[sender], "content": turn.pop("value", None), **turn}
    role = turn.get("role")
    if role not in ROLES:
        raise UserError(f"{place} has role {role!r}; use {', '.join(ROLES)}")
    content = turn.get("content")
    if isinstance(content, list):
        turn["content"] = content = join_parts(content, place)
    calls = turn.get("tool_calls")
    if content is None and role == "assistant" and calls:
        turn["content"] = content = ""
    check_text(content, "content", place)
    if calls is not None:
        turn["tool_calls"] = [tool_call(call, place) for call in calls] if isinstance(calls, list) else fail_calls(place)
    weight = turn.get("weight", 1)
    if "weight" in turn and role != "assistant" or not isinstance(weight, (int, float)) or not 0 <= weight <= 1e6:
        raise UserError(f"{place}: weight is {weight!r}; it is a number from 0 to 1e6, of an assistant's turn")
    return turn


def join_parts(parts, place):
    """The text of content in parts, as OpenAI and transformers write it."""
    texts = []
    for part in parts:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            kind = part.get("type") if isinstance(part, dict) else part
            raise UserError(f"{place}: a part of content has type {kind!r}; zeroc trains on text alone")
        texts.append(part["text"])
    return "".join(texts)


def fail_calls(place):
    raise UserError(f"{place}: tool_calls is no list")


def tool_call(call, place):
    """Templates expect arguments as an object; OpenAI's format has its text."""
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise UserError(f"{place}: a tool call has no function with a name")
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            function = {**function, "arguments": json.loads(arguments)}
        except (ValueError, RecursionError) as error:
            raise UserError(f"{place}: the arguments of {function['name']} are not JSON: {error}") from error
    return {**call, "function": function} if "function" in call else function


def weight_of(turn):
    return turn.get("weight", 1) if turn["role"] == "assistant" else 0


def read_chat(record, place, turns, trained=None):
    if trained is None:
        trained = [weight_of(turn) for turn in turns]
    if not any(turn["role"] == "assistant" for turn in turns):
        raise UserError(f"{place} has no assistant's turn, so there is nothing to train on")
    return new_chat(record, place, turns, trained)


def new_chat(record, place, turns, trained):
    """The Chat of these turns, with what stands beside them in a record."""
    turns = [{key: value for key, value in turn.items() if key != "weight"} for turn in turns]
    if isinstance(record.get("system"), str) and record["system"] and turns[0]["role"] != "system":
        turns.insert(0, {"role": "system", "content": check_text(record["system"], "system", place)})
        trained = [0, *trained]
    arguments = record.get("chat_template_kwargs") or {}
    if not isinstance(arguments, dict):
        raise UserError(f"{place}: chat_template_kwargs is {describe(arguments)}, where an object is needed")
    return Chat(turns, trained, place, read_tools(record.get("tools"), place), arguments)


def read_prompt(record, place):
    """What is to be answered: a Chat whose last turn is not the assistant's, or a text that goes on."""
    name = next((name for name in ("messages", "conversations", "prompt") if name in record), None)
    if not name:
        raise UserError(f"{place} has {known_fields(record)}; zeroc generate reads messages, conversations or prompt")
    if name == "prompt" and not isinstance(record[name], list):
        return text_of(record, name, place)
    turns = messages(record[name], place, name)
    if turns[-1]["role"] == "assistant":
        raise UserError(f"{place} ends with a turn of the assistant, so there is nothing to answer; leave it out")
    return new_chat(record, place, turns, [0] * len(turns))


def read_tools(tools, place):
    if isinstance(tools, str) and tools.strip():
        try:
            tools = json.loads(tools)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{place}: tools are not JSON: {error}") from error
    if not tools:
        return None
    if not isinstance(tools, list):
        raise UserError(f"{place}: tools is {describe(tools)}, where a list is needed")
    return tools


def read_completion(record, place):
    prompt, completion = record["prompt"], record["completion"]
    if isinstance(prompt, str) and isinstance(completion, str):
        if not completion:
            raise UserError(f"{place}: completion is empty, so there is nothing to train on")
        return Text(check_text(prompt, "prompt", place), check_text(completion, "completion", place), place)
    before, after = messages(prompt, place, "prompt"), messages(completion, place, "completion")
    return read_chat(record, place, before + after,
                     [0] * len(before) + [weight_of(turn) for turn in after])


def read_instruction(record, place):
    given = text_of(record, "instruction", place)
    more = text_of(record, "input", place, "")
    answer = text_of(record, "output" if "output" in record else "response", place)
    turns = []
    history = record.get("history") or []
    for pair in history if isinstance(history, list) else [history]:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise UserError(f"{place}: history is no list of pairs of texts")
        turns += [{"role": role, "content": check_text(text, "history", place)}
                  for role, text in zip(("user", "assistant"), pair)]
    turns += [{"role": "user", "content": f"{given}\n{more}" if more else given},
              {"role": "assistant", "content": answer}]
    return read_chat(record, place, turns)
