"""A turn of a chat in one form, which is the one that transformers 5 gives to chat templates.

| in a record | here |
|---|---|
| `from`, `value` | `role`, `content` |
| a text, or a list of parts that are texts | `content`, as it is |
| `tool_calls`; `function_call`; ShareGPT's `from: function_call` | `tool_calls`, each {"type", "function": {"name", "arguments"}} |
| `reasoning_content`, `thinking`, `reasoning` | the first that says anything, under the first two names |
| `weight`; `train`, `training`, `trainable`, `loss`; `mask` | `weight` of an assistant's turn |

Other fields stay, for the template.
"""
from __future__ import annotations

from .errors import UserError
from .fields import check_f32, check_text, describe, parse_json

ROLES = ("system", "developer", "user", "assistant", "tool")
#: ShareGPT's names of roles, and those of its relatives.
SENDERS = {"human": "user", "gpt": "assistant", "chatgpt": "assistant", "bot": "assistant", "model": "assistant",
           "function_call": "assistant", "observation": "tool", "function_response": "tool", "function": "tool",
           **{role: role for role in ROLES}}
REASONING = ("reasoning_content", "thinking", "reasoning")
#: Other trainers' flags, and what they say of a turn that is trained on.
FLAGS = {"train": True, "training": True, "trainable": True, "loss": True, "mask": False}
#: What zeroc reads, or hands on without a word.
KNOWN = {"role", "content", "tool_calls", "weight", *REASONING, "name", "id", "tool_call_id"}


def message(turn, place):
    """A turn in that form, checked."""
    if not isinstance(turn, dict):
        raise UserError(f"{place} is {describe(turn)}, where an object with role and content is needed")
    turn = dict(turn)
    if "role" not in turn and "from" in turn:
        sender, value = turn.pop("from"), turn.pop("value", None)
        if not isinstance(sender, str) or sender not in SENDERS:
            raise UserError(f"{place} is from {sender!r}; use {', '.join(SENDERS)}")
        said = {"function_call": value} if sender == "function_call" else {"content": value}
        turn = {"role": SENDERS[sender], **said, **turn}
    if turn.get("role") not in ROLES:
        raise UserError(f"{place} has role {turn.get('role')!r}; use {', '.join(ROLES)}")
    take_calls(turn, place)
    take_content(turn, place)
    take_weight(turn, place)
    return take_reasoning(turn, place)


def take_calls(turn, place):
    calls = turn.pop("tool_calls", [])
    if not isinstance(calls, list):
        raise UserError(f"{place}: tool_calls is no list")
    if "function_call" in turn:
        call = turn.pop("function_call")
        call = parse_json(call, f"{place}: the text of function_call") if isinstance(call, str) else call
        calls = calls + (call if isinstance(call, list) else [call])
    if calls:
        turn["tool_calls"] = [tool_call(call, place) for call in calls]


def tool_call(call, place):
    """Templates expect arguments as an object; OpenAI's format has its text."""
    function = call.get("function", call) if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise UserError(f"{place}: a tool call has no function with a name")
    name, arguments = function["name"], function.get("arguments", {})
    if isinstance(arguments, str):
        arguments = parse_json(arguments, f"{place}: the text of arguments of {name}") if arguments.strip() else {}
    if not isinstance(arguments, dict):
        raise UserError(f"{place}: arguments of {name} is {describe(arguments)}, where an object is needed")
    if "function" in call:
        call = {**call, "function": {**function, "arguments": arguments}}
    else:
        call = {**call, "function": {"name": name, "arguments": arguments}}
        del call["name"]
        call.pop("arguments", None)
    call.setdefault("type", "function")
    return call


def take_content(turn, place):
    content = turn.get("content")
    if isinstance(content, list):
        for part in content:
            if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
                kind = part.get("type") if isinstance(part, dict) else part
                raise UserError(f"{place}: a part of content has type {kind!r}; zeroc trains on text alone")
            check_text(part["text"], "content", place)
    elif content is None and "tool_calls" in turn:
        turn["content"] = ""
    else:
        check_text(content, "content", place)


def texts_of(message):
    """The texts of its content."""
    content = message["content"]
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def take_weight(turn, place):
    """Leaves one `weight`, in the turn of an assistant, if it is not 1."""
    given = {name: turn.pop(name) for name in ("weight", *FLAGS) if name in turn}
    weight = 1
    for name, value in given.items():
        if name in FLAGS:
            valid, kind = value in (0, 1), "true or false"
        else:
            valid, kind = isinstance(value, (int, float)) and 0 <= value <= 1e6, "a number from 0 to 1e6"
        if not valid:
            raise UserError(f"{place}: {name} is {value!r}; it is {kind}")
        weight *= value == FLAGS[name] if name in FLAGS else check_f32(float(value), name, place)
    if turn["role"] == "assistant":
        if weight != 1:
            turn["weight"] = weight
    elif given and weight:
        said = ", ".join(f"{name} is {value!r}" for name, value in given.items())
        raise UserError(f"{place}: {said}, and the turn is of the {turn['role']}; zeroc trains on what the assistant says, "
                        "so drop it")


def take_reasoning(turn, place):
    given = {name: check_text(turn[name], name, place) for name in REASONING if name in turn}
    if not given:
        return turn
    said = {text: name for name, text in given.items() if text.strip()}
    if len(said) > 1:
        raise UserError(f"{place}: {' and '.join(said.values())} have different texts; leave one")
    text = next(iter(said), "")
    return {**turn, "reasoning_content": text, "thinking": text}
