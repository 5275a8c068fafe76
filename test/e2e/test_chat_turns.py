"""zeroc data: what a turn says is what is written, refused, or said once."""
import json
import os
from pathlib import Path

import support
from chats import CHATML, ChatCase

try:
    from zeroc import conversations, dataset, masks
    from zeroc.errors import UserError
    from zeroc.template import ChatTemplate
except ImportError:
    pass  # ChatCase skips

CHAT = support.ROOT / "test" / "chat"
USER, SAID = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}
CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"place": "Rome"}}}
TOOLS = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"place": {"type": "string"}}}}]
#: It reads reasoning under one name, and calls of OpenAI's form.
THINKING = CHATML.replace("{{ m.content }}", "{% if m.role == 'assistant' %}<think>{{ m.reasoning_content or '' }}</think>"
                          "{% endif %}{{ m.content }}")
CALLING = ("{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}" +
           CHATML.replace("{{ m.content }}", "{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>"
                          "{{ c.function.name }} {{ c.function.arguments | tojson }}</tool_call>{% endfor %}"))


class Renderings(ChatCase):
    """Against transformers' texts, over templates of TRL; ZEROC_RENDERINGS names a file with all of them."""

    def test_templates(self):
        golden = json.loads((CHAT / "masks.json").read_text())["families"]
        renderings = json.loads(Path(os.environ.get("ZEROC_RENDERINGS") or CHAT / "renderings.json").read_text())
        templates = {**{name: golden[name]["template"] for name in golden}, **renderings["templates"]}
        compared = refused = warned = 0
        for name, of_template in renderings["found"].items():
            template = ChatTemplate(templates[name], name, renderings["tokens"])
            for of, right in of_template.items():
                with self.subTest(name, record=of):
                    template.writes.clear()
                    chat = conversations.read_sample(renderings["records"][of], "r")
                    if right["text"] is None:
                        continue
                    # Of parts, some templates write Python's own form of a list, or nothing; zeroc gives them the text.
                    text, lacks = template.render(chat)[0], set(right["lacks"])
                    if of == "parts" and text != right["text"]:
                        self.assertTrue("type" in right["text"] or "content" in lacks)
                        self.assertIn("an answer and more", text)
                        continue
                    self.assertEqual(text, right["text"])
                    try:
                        masks.mask_chat(chat, template)
                    except UserError as error:
                        if "with its own prompt" in str(error) or "generations" in str(error):
                            continue  # what to train on is not known
                        self.assertTrue("lacks its content" in str(error) or "does not write the" in str(error), error)
                        self.assertTrue(lacks & {"content", "tool_calls"} or of == "parts", error)
                        refused += 1
                        continue
                    self.assertEqual({kind for kind, _ in chat.notes}, lacks)
                    compared, warned = compared + 1, warned + bool(lacks)
        self.assertGreater(min(compared // 4, refused, warned), 10)


class Turns(ChatCase):
    """Forms of turns, and what becomes of them."""

    def notes(self, text, *records):
        """What `zeroc data build` warns of, or its error."""
        path = self.write("r.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        request = dataset.Request(str(self.model(text)), [str(path)], 600)
        try:
            [summary], *_ = dataset.build(request, self.folder / "r.safetensors")
        except UserError as error:
            return str(error)
        return [line for line in summary.lines() if line.startswith("warning")]

    def test_reasoning(self):
        for name in ("reasoning_content", "thinking", "reasoning"):
            record = {"messages": [USER, {**SAID, name: "the fox thinks"}]}
            self.assertEqual(self.trained_text(self.model(THINKING), record),
                             ["<think>the fox thinks</think>hello<|im_end|>"])
        both = {**SAID, "reasoning": "a", "thinking": "b"}
        self.refused("turn 2: thinking and reasoning have different texts",
                     of=lambda: conversations.read_sample({"messages": [USER, both]}, "r"))
        # Equal, or empty: there is nothing to choose.
        for more in ({"reasoning": "a", "thinking": "a"}, {"reasoning_content": "", "thinking": "a"}):
            self.assertEqual(conversations.read_sample({"messages": [USER, {**SAID, **more}]}, "r")
                             .messages[1]["reasoning_content"], "a")
        [warning] = self.notes(CHATML, *2 * [record], {"messages": [USER, SAID]})
        self.assertIn("2 records with reasoning that the chat template does not write, first", warning)
        self.assertIn("r.jsonl, line 1, turn 2; it is not trained on", warning)

    def test_calls(self):
        """The same of OpenAI's two forms and of ShareGPT's; refused if they, or their arguments, are not written."""
        call, text = CALL["function"], json.dumps(CALL["function"]["arguments"])
        turns = ({"role": "assistant", "tool_calls": [CALL]}, {"role": "assistant", "content": None, "tool_calls": [call]},
                 {"role": "assistant", "content": "", "function_call": {**call, "arguments": text}},
                 {"from": "function_call", "value": json.dumps(call)},
                 {"from": "function_call", "value": json.dumps([{**call, "arguments": text}])})
        folder, found = self.model(CALLING), []
        for turn in turns:
            record = {"messages": [USER, turn, {"from": "observation", "value": "sunny"}, SAID], "tools": json.dumps(TOOLS)}
            found.append(self.samples(folder, record)[1])
            self.assertEqual(found[0], found[-1], turn)
        self.assertEqual(self.trained_text(folder, record), [
            '<tool_call>get_weather {"place": "Rome"}</tool_call><|im_end|>', "hello<|im_end|>"])
        self.refused("the text of function_call is not JSON", of=lambda: conversations.read_sample(
            {"conversations": [{"from": "human", "value": "u"}, {"from": "function_call", "value": "get it"}]}, "r"))
        for arguments in ("[1]", [1], '"{}"'):
            self.refused("arguments of f is ", "where an object is needed", of=lambda: conversations.read_sample(
                {"messages": [USER, {"role": "assistant", "tool_calls": [{"name": "f", "arguments": arguments}]}]}, "r"))
        # Beside content that names all of the call, too; trained on, or not.
        for content, weight in (("", 1), ("get_weather place Rome", 1), ("get_weather place Rome", 0)):
            record = {"messages": [USER, {**turns[0], "content": content, "weight": weight}, SAID]}
            self.assertIn("turn 2: the chat template of", error := self.notes(CHATML, record))
            self.assertIn("does not write the tool_calls of this turn of the assistant", error)
        self.assertIn("does not write the arguments of tool_calls",
                      self.notes(CALLING.replace("{{ c.function.arguments | tojson }}", ""), record))

    def test_other_turns_and_tools(self):
        """Of any role; of tools there is a warning."""
        silent = CHATML.replace("{{ m.content }}", "{% if m.role != 'system' %}{{ m.content }}{% endif %}")
        record = {"messages": [{"role": "system", "content": "hi"}, USER, SAID]}
        self.assertIn("does not write the content of this turn of the system", self.notes(silent, record))
        [warning] = self.notes(CHATML, {"messages": [USER, SAID], "tools": TOOLS})
        self.assertIn("1 record with tools that the chat template does not write", warning)
        self.assertEqual(self.notes(CALLING, {"messages": [USER, SAID], "tools": TOOLS}), [])
        self.refused("system is another text than that of turn 1", of=lambda: conversations.read_sample(
            {**record, "system": "ho"}, "r"))
        [warning] = self.notes(CHATML, {"messages": [USER, {**SAID, "content": ""}]})
        self.assertIn("1 record with an empty turn of the assistant", warning)

    def test_flags(self):
        folder, wrong = self.model(), {**SAID, "content": "wrong"}
        for flag in ({"weight": 0}, {"train": False}, {"training": 0}, {"trainable": False}, {"loss": False},
                     {"mask": True}, {"weight": 1, "train": False}):
            record = {"messages": [USER, {**wrong, **flag}, {**USER, "train": False, "weight": 0}, SAID]}
            self.assertEqual(self.trained_text(folder, record), ["hello<|im_end|>"], flag)
        for flag in ({"train": True}, {"loss": 1}, {"mask": 0}, {"weight": True}):
            self.assertEqual(self.trained_text(folder, {"messages": [USER, {**SAID, **flag}]}), ["hello<|im_end|>"])
        for turn, *words in (({**SAID, "loss": 0.5}, "loss is 0.5; it is true or false"),
                             ({**SAID, "train": "no"}, "train is 'no'; it is true or false"),
                             ({**SAID, "weight": 1e-50}, "has weight 1e-50, which is beyond float32"),
                             ({**USER, "mask": False}, "mask is False, and the turn is of the user", "drop it")):
            self.refused("turn 2", *words, of=lambda: conversations.read_sample({"messages": [USER, turn, SAID]}, "r"))
        unknown = {**SAID, "loss_mask": 0, "name": "x", "extra": [1], "shown": 3}
        record = {"messages": [USER, unknown], "chat_template_kwargs": {"enable_thinking": False}}
        [warning] = self.notes(CHATML.replace("{{ m.content }}", "{{ m.content }}{% if m.shown %}{% endif %}"),
                               record, record, {"messages": [USER, {**SAID, "extra": 1}]})
        self.assertIn("reads these fields of turns or of chat_template_kwargs: enable_thinking (2 records), "
                      "loss_mask (2 records), extra (3 records), first", warning)

    def test_nulls(self):
        """A template that asks whether a key is there, as Llama 3.1's."""
        text = CHATML.replace("{{ m.content }}", "{% if 'tool_calls' in m %}{{ m.tool_calls[0].function.name }}{% else %}"
                              "{{ m.content }}{% endif %}")
        for calls in (None, []):
            record = {"messages": [{**USER, "tool_calls": calls}, {**SAID, "tool_calls": calls, "weight": None}],
                      "system": None, "tools": None}
            self.assertEqual(self.trained_text(self.model(text), record), ["hello<|im_end|>"])
        # What is in a text of JSON stays.
        call = {"name": "f", "arguments": '{"a": null}'}
        self.assertEqual(conversations.read_sample({"messages": [USER, {"role": "assistant", "tool_calls": [call]}]}, "r")
                         .messages[1]["tool_calls"][0]["function"]["arguments"], {"a": None})
        for record in ({"instruction": "say hi", "input": None, "output": "hi"}, {"messages": None, "text": "hi"}):
            self.assertEqual(self.trained_text(self.model(), record)[0][-12:], "hi<|im_end|>")

    def test_prompts(self):
        """The same of what zeroc generate answers."""
        tokenizer, _ = self.samples(self.model(), {"messages": [USER, SAID]})
        chat = conversations.read_prompt({"messages": [USER, {"role": "assistant", "tool_calls": [CALL]},
                                                       {"role": "tool", "content": "sunny"}]}, "r")
        self.refused("does not write the tool_calls", of=lambda: tokenizer.encode_prompt(chat, "r"))
        chat = conversations.read_prompt({"messages": [USER], "tools": TOOLS}, "r")
        tokenizer.encode_prompt(chat, "r")
        self.assertEqual(list(chat.notes), [("tools", "")])
