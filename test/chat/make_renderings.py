#!/usr/bin/env python3
"""Writes test/chat/renderings.json: what transformers writes for turns with reasoning, calls, tools, nulls and parts.

    pip install transformers trl
    make_renderings.py          the templates of masks.json and of MORE
    make_renderings.py --all    all templates of TRL, to compare once (test_chat_turns.py, ZEROC_RENDERINGS=FILE)

For each template and record: the text, null where transformers fails, and what the text lacks: what can be taken out of
the record without a change of the text.  The templates are those in the wheel of TRL (Apache License 2.0), which has
them from the families' folders.
"""
import copy
import json
import sys
from pathlib import Path

import transformers
import trl
from transformers.utils.chat_template_utils import _normalize_chat_messages, render_jinja_template

HERE, TEMPLATES = Path(__file__).parent, Path(trl.__file__).parent / "chat_templates"
#: With reasoning; with calls; that take lists of parts alone; that drop calls beside content.
MORE = ("llama3_1", "qwen3_5_think", "gemma4_v2", "lfm2_2_5", "smolvlm", "llava_next", "deepseek_r1_distill_training")
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}

USER = {"role": "user", "content": "a question"}
CALL = {"type": "function", "id": "abcdefghi", "function": {"name": "get_weather", "arguments": {"place": "Rome"}}}
RESULT = {"role": "tool", "content": 'it is "sunny"', "tool_call_id": "abcdefghi", "name": "get_weather"}
TOOLS = [{"type": "function", "function": {"name": "find_path", "description": "finds", "parameters": {
    "type": "object", "properties": {"goal": {"type": "string", "description": "where to"}}, "required": ["goal"]}}}]


def said(content="an answer", **more):
    return {"role": "assistant", "content": content, **more}


def parts(text):
    return [{"type": "text", "text": text}, {"type": "text", "text": " and more"}]


RECORDS = {
    "system": {"messages": [{"role": "system", "content": "be terse"}, USER, said()]},
    **{name: {"messages": [USER, said(**{name: "it thinks"})]} for name in ("reasoning_content", "thinking", "reasoning")},
    "thinking in content": {"messages": [USER, said("<think>\nit thinks\n</think>\n\nan answer")]},
    "nulls": {"messages": [{**USER, "tool_calls": None, "reasoning": None}, said(tool_calls=None, weight=None)]},
    "calls": {"messages": [USER, said("", tool_calls=[CALL]), RESULT, said()]},
    "calls beside content": {"messages": [USER, said("get_weather of Rome", tool_calls=[CALL])]},
    "tools": {"messages": [USER, said()], "tools": TOOLS},
    "parts": {"messages": [{**USER, "content": parts("a question")}, said(parts("an answer"))]},
}


def write(text, record):
    """The text of transformers; None if it fails."""
    try:
        return render_jinja_template([_normalize_chat_messages(copy.deepcopy(record["messages"]))], chat_template=text,
                                     tools=record.get("tools"), **TOKENS)[0][0]
    except Exception:  # a template may fail in any way
        return None


def without(record):
    """(what, the record without it, or with another content)."""
    for number, turn in enumerate(record["messages"]):
        def change(**how):
            turns = copy.deepcopy(record["messages"])
            turns[number] = {name: value for name, value in {**turn, **how}.items() if value is not None}
            return {**record, "messages": turns}

        if turn["content"]:
            other = "other words"
            other = other if isinstance(turn["content"], str) else [{"type": "text", "text": other}]
            yield "content", change(content=other)
        for name in ("reasoning_content", "thinking", "reasoning"):
            if turn.get(name):
                yield "reasoning", change(**{name: None})
        if "<think>" in turn["content"]:
            yield "reasoning", change(content=turn["content"].split("</think>")[1])
        if turn.get("tool_calls"):
            yield "tool_calls", change(tool_calls=None)
    if "tools" in record:
        yield "tools", {"messages": record["messages"]}


def main():
    wanted = sorted(path.stem for path in TEMPLATES.glob("*.jinja")) if "--all" in sys.argv[1:] else MORE
    known = {} if "--all" in sys.argv[1:] else json.loads((HERE / "masks.json").read_text())["families"]
    templates = {name: (TEMPLATES / f"{name}.jinja").read_text() for name in wanted}
    found = {}
    for name, text in {**{name: family["template"] for name, family in known.items()}, **templates}.items():
        found[name] = {}
        for of, record in RECORDS.items():
            whole = write(text, record)
            found[name][of] = {"text": whole, "lacks": sorted({what for what, less in without(record)
                                                               if whole is not None and write(text, less) == whole})}
    text = json.dumps({"transformers": transformers.__version__, "trl": trl.__version__, "tokens": TOKENS,
                       "records": RECORDS, "templates": templates, "found": found}, ensure_ascii=False)
    (Path("renderings-all.json") if "--all" in sys.argv[1:] else HERE / "renderings.json").write_text(text + "\n")


main()
