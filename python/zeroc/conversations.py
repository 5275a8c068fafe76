"""What a record means: a chat, whose assistant turns are trained on, or a text.

| fields | meaning |
|---|---|
| `messages` | OpenAI's turns: `role`, `content`, `tool_calls` and more (turns.py) |
| `conversations` | ShareGPT's: `from`, `value` (or `role`, `content`) |
| `prompt`, `completion` | two texts, or two lists of messages; trained on the completion |
| `instruction`, `input`, `output` | Alpaca's: one turn; also `system`, and `history`, a list of pairs |
| `text` | a text; trained on all of it |

Beside the turns may stand `system`, `tools` and `chat_template_kwargs`, which the template gets.  The first
of these lines whose fields a record has decides; other fields are ignored, and so are those that are null.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from .errors import UserError
from .fields import check_text, describe, drop_absent, parse_json, text_of, value_of
from .turns import message, texts_of


@dataclass
class Chat:
    """`trained[i]` is the weight of messages[i], an assistant's; 0 if it is not trained on.

    `notes` are what the user should know of it, each (kind, name) with its place (notes.py)."""
    messages: list
    trained: list
    place: str
    tools: list | None = None
    arguments: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)


@dataclass
class Text:
    """A completion after a prompt, or, if the prompt is None, a text."""
    prompt: str | None
    completion: str
    place: str
    notes: dict = field(default_factory=dict)


def read_sample(record, place):
    """The Chat or Text of a record."""
    record = drop_absent(record)
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
    return f"the fields {names}{', ...' if len(record) > 6 else ''}" if record else "no fields, or null ones alone"


def messages(turns, place, name):
    turns = value_of(turns, name, place)
    if not isinstance(turns, list):
        raise UserError(f"{place}: {name} is {describe(turns)}, where a list of turns is needed")
    if not turns:
        raise UserError(f"{place}: {name} is empty")
    return [message(turn, f"{place}, turn {number}") for number, turn in enumerate(turns, 1)]


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
    system = text_of(record, "system", place, "")
    if system and turns[0]["role"] != "system":
        turns.insert(0, {"role": "system", "content": system})
        trained = [0, *trained]
    elif system and texts_of(turns[0]) != [system]:
        raise UserError(f"{place}: system is another text than that of turn 1, of the system; leave one")
    arguments = value_of(record.get("chat_template_kwargs"), "chat_template_kwargs", place) or {}
    if not isinstance(arguments, dict):
        raise UserError(f"{place}: chat_template_kwargs is {describe(arguments)}, where an object is needed")
    return Chat(turns, trained, place, read_tools(record.get("tools"), place), arguments)


def read_prompt(record, place):
    """The prompt of a record: a Chat that does not end with the assistant's turn, or a text to continue."""
    record = drop_absent(record)
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
    if isinstance(tools, str):
        tools = parse_json(tools, f"{place}: the text of tools") if tools.strip() else None
    if not tools:
        return None
    if not isinstance(tools, list):
        raise UserError(f"{place}: tools is {describe(tools)}, where a list is needed")
    tools = [parse_json(tool, f"{place}: the text of tool {number}") if isinstance(tool, str) else tool
             for number, tool in enumerate(tools, 1)]
    for number, tool in enumerate(tools, 1):
        if not isinstance(tool, dict):
            raise UserError(f"{place}: tool {number} is {describe(tool)}, where an object is needed")
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
    history = value_of(record.get("history"), "history", place) or []
    for pair in history if isinstance(history, list) else [history]:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise UserError(f"{place}: history is no list of pairs of texts")
        turns += [{"role": role, "content": check_text(text, "history", place)}
                  for role, text in zip(("user", "assistant"), pair)]
    turns += [{"role": "user", "content": f"{given}\n{more}" if more else given},
              {"role": "assistant", "content": answer}]
    return read_chat(record, place, turns)


def read_whole(record, place):
    """A Chat or Text, as it is: no turn is trained on."""
    for name in ("messages", "conversations"):
        if name in record:
            turns = messages(record[name], place, name)
            return new_chat(record, place, turns, [0] * len(turns))
    if "text" in record:
        return Text(None, check_text(record["text"], "text", place), place)
    raise UserError(f"{place} has no messages, conversations or text, one of which --objective=classify reads")
