"""zeroc data: formats of files and records, and those that are refused."""
import gzip
import json
import random

from chats import CHATML, SPECIAL, ChatCase

try:
    import pyarrow
    import pyarrow.parquet
    from byte_tokenizer import byte_tokenizer
    from zeroc import conversations, records, tokens
    from zeroc.errors import UserError
except ImportError:
    pass  # ChatCase skips


class Records(ChatCase):
    """Formats of files and of records."""

    def test_kinds_of_records(self):
        """All mean the same chat."""
        turns = [("system", "s"), ("user", "u"), ("assistant", "a")]
        folder = self.model()
        expected = None
        for record in (
                {"messages": [{"role": role, "content": content} for role, content in turns], "text": "ignored"},
                {"messages": [{"role": role, "content": [{"type": "text", "text": content}]} for role, content in turns]},
                {"conversations": [{"from": {"user": "human", "assistant": "gpt"}.get(role, role), "value": content}
                                   for role, content in turns]},
                {"conversations": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}],
                 "system": "s"},
                {"prompt": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
                 "completion": [{"role": "assistant", "content": "a"}]},
                {"instruction": "u", "output": "a", "system": "s"}):
            _, [sample] = self.samples(folder, record)
            expected = expected or sample
            self.assertEqual(sample, expected, record)
        self.assertEqual(self.trained_text(folder, record), ["a<|im_end|>"])
        self.assertEqual(self.trained_text(folder, {"instruction": "i", "input": "more", "output": "o",
                                                    "history": [["p", "q"]]}), ["q<|im_end|>", "o<|im_end|>"])

    def test_texts(self):
        folder = self.model()
        self.assertEqual(self.trained_text(folder, {"text": "plain"}), ["plain<|im_end|>"])
        self.assertEqual(self.trained_text(folder, {"prompt": "one ", "completion": "two"}), ["two<|im_end|>"])
        self.assertEqual(self.trained_text(folder, {"text": "ended<|im_end|>"}), ["ended<|im_end|>"])

    def test_tool_calls(self):
        """The text of arguments becomes an object, which templates write."""
        text = CHATML.replace("{{ m.content }}", "{{ m.content }}{% for c in m.tool_calls or [] %}"
                              "{{ c.function.name }} {{ c.function.arguments | tojson }}{% endfor %}")
        call = {"type": "function", "function": {"name": "add", "arguments": '{"x": 1}'}}
        record = {"messages": [{"role": "user", "content": "u"},
                               {"role": "assistant", "content": None, "tool_calls": [call]},
                               {"role": "tool", "content": "2"}, {"role": "assistant", "content": "It is 2"}],
                  "tools": [{"type": "function", "function": {"name": "add"}}]}
        self.assertEqual(self.trained_text(self.model(text), record),
                         ['add {"x": 1}<|im_end|>', "It is 2<|im_end|>"])

    def test_files(self):
        rows = [{"messages": [{"role": "user", "content": f"u{i}"}, {"role": "assistant", "content": "ä" * i}]}
                for i in range(1, 6)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        self.write("a.jsonl", lines + "\n")
        self.write("b.json", json.dumps(rows))
        (self.folder / "c.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), self.folder / "d.parquet")
        for name in ("a.jsonl", "b.json", "c.jsonl.gz", "d.parquet"):
            with self.subTest(name):
                self.assertEqual([record for record, _ in records.read_records(self.folder / name)], rows)
        files = self.folder / "files"
        files.mkdir()
        (files / "below").mkdir()
        for name in ("z.jsonl", "b.json", "x.log", "README.md", "below/c.txt"):
            (files / name).write_text(lines if name[0] == "z" else "[]")
        self.assertEqual([str(file.relative_to(files)) for file in records.find_files([files])],
                         ["b.json", "below/c.txt", "z.jsonl"])
        self.write("t.txt", "text")
        self.assertEqual([record for record, _ in records.read_records(self.folder / "t.txt")], [{"text": "text"}])

    def test_forms_of_files(self):
        """Nulls, byte order marks, CRLF, objects over several lines: the same records, in each kind of file."""
        rows = [{"messages": [{"role": "user", "content": "u\r\n", "weight": None},
                              {"role": "assistant", "content": "a", "weight": 0.5}], "text": None},
                {"messages": None, "text": "plain"}]
        expected = [conversations.read_sample(row, "r") for row in (
            {"messages": [{"role": "user", "content": "u\r\n"}, {"role": "assistant", "content": "a", "weight": 0.5}]},
            {"text": "plain"})]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), self.folder / "p.parquet")
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        forms = {"a.jsonl": lines, "b.json": lines, "c.json": json.dumps(rows), "d.json": json.dumps(rows, indent=1),
                 "e.json": "\n" + "\n".join(json.dumps(row, indent=2) for row in rows), "f.jsonl.gz": lines}
        for name, text in forms.items():
            for mark in (b"", b"\xef\xbb\xbf"):
                for end in (b"\n", b"\r\n"):
                    data = mark + text.encode().replace(b"\n", end)
                    (self.folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
                    self.assertEqual([conversations.read_sample(record, "r") for record, _ in records.read_records(
                        self.folder / name)], expected, (name, mark, end))
        self.assertEqual([conversations.read_sample(record, "r") for record, _ in records.read_records(
            self.folder / "p.parquet")], expected)
        self.assertEqual([place for _, place in records.read_records(self.folder / "e.json")],
                         [f"{self.folder}/e.json, line 2", f"{self.folder}/e.json, line 17"])
        (self.folder / "t.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
        self.assertEqual([record for record, _ in records.read_records(self.folder / "t.txt")], [{"text": "one\ntwo"}])
        for name, text, keyword in (("e.json", '{\n"a": 1\n}\n{\n"b" 1\n}', "e.json, line 4 is not JSON: .* line 5"),
                                    ("g.jsonl", '{"text": "a", "n": 1e400}', "line 1 is not JSON: 1e400 is beyond")):
            with self.assertRaisesRegex(UserError, keyword):
                list(records.read_records(self.write(name, text)))

    def test_parts(self):
        """A list where the template takes lists, else the text."""
        listed = CHATML.replace("{{ m.content }}", "{% for part in m.content %}[{{ part.text }}]{% endfor %}")
        strict = CHATML.replace("{{ m.content }}", "{{ m.content + '' }}")
        first = listed.replace("m.content %}", "m.content[:1] %}")
        parts = [{"type": "text", "text": text, "image": None} for text in ("one", " two")]
        record = {"messages": [{"role": "user", "content": parts}, {"role": "assistant", "content": parts}]}
        for text, said in ((listed, "[one][ two]"), (CHATML, "one two"), (strict, "one two")):
            self.assertEqual(self.trained_text(self.model(text), record), [f"{said}<|im_end|>"])
        self.refused("turn 1: the chat template", "does not write the content", of=lambda: self.samples(
            self.model(first), record))
        record["messages"][0]["content"] = parts[:1]
        self.refused("turn 2: what the chat template", "lacks its content", of=lambda: self.samples(
            self.model(first), record))

    def test_tokens_beyond_the_model(self):
        """A token that was added to the tokenizer only, with its record; in texts, chats and prompts."""
        folder = self.model(vocab_size=258)
        new = SPECIAL[2]  # the last of 259
        chat = {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]}
        for record in ({"text": "a"}, chat):
            self.refused(f"a.jsonl, line 1: the token {new!r} has the id 258, and the model has rows for 0 to 257",
                         of=lambda: self.samples(folder, record))
        self.refused("r: the token", of=lambda: tokens.Tokenizer(folder).encode_prompt(f"say {new}", "r"))
        self.assertEqual(tokens.Tokenizer(folder).encode_prompt("say", "r")[-1], 88)

    def test_bad_records(self):
        user, said = {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}
        for record, *keywords in (
                ({}, "has no fields"),
                ({"question": "q", "answer": "a"}, "has the fields question, answer", "zeroc reads messages"),
                ({"messages": "u"}, "messages is a text, where a list"),
                ({"messages": []}, "messages is empty"),
                ({"messages": [user]}, "no assistant's turn"),
                ({"messages": [user, "a"]}, "turn 2 is a text"),
                ({"messages": [user, {"role": "bot", "content": "a"}]}, "turn 2 has role 'bot'"),
                ({"messages": [user, {"role": ["user"], "content": "a"}]}, "turn 2 has role ['user']"),
                ({"messages": [user, {"role": "assistant"}]}, "turn 2: content is null"),
                ({"messages": [{"role": "user", "content": 5}, said]}, "turn 1: content is a number"),
                ({"messages": [{"role": "user", "content": [{"type": "image"}]}, said]}, "has type 'image'"),
                ({"messages": [{**user, "weight": 1}, said]}, "weight is 1"),
                ({"messages": [user, {**said, "weight": -0.5}]}, "weight is -0.5; it is a number from 0 to 1e6"),
                ({"messages": [user, {**said, "weight": "1"}]}, "weight is '1'"),
                ({"messages": [user, {**said, "tool_calls": {}}]}, "tool_calls is no list"),
                ({"messages": [user, {**said, "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]},
                 "the text of arguments of f is not JSON"),
                ({"messages": [user, said], "tools": "{"}, "the text of tools is not JSON"),
                ({"messages": [user, said], "chat_template_kwargs": 3}, "chat_template_kwargs is a number"),
                ({"conversations": [{"from": "alien", "value": "x"}]}, "is from 'alien'"),
                ({"prompt": "p", "completion": ""}, "completion is empty"),
                ({"prompt": "p", "completion": [said]}, "prompt is a text"),
                ({"instruction": 1, "output": "a"}, "instruction is a number"),
                ({"instruction": "i", "output": "a", "history": [["x"]]}, "history is no list of pairs"),
                ({"messages": [{"role": "user", "content": "hi \ud83d"}, said]}, "turn 1: content has", "no character"),
                ({"text": "\ud83d"}, "text has", "no character"),
                ({"prompt": "p", "completion": "\udc00"}, "completion has", "no character"),
                ({"instruction": "i", "output": "a", "history": 5}, "history is no list of pairs"),
                ({"text": None}, "has no fields, or null ones alone")):
            with self.subTest(record):
                self.refused("a.jsonl, line 1", *keywords, of=lambda: conversations.read_sample(record, "a.jsonl, line 1"))

    def test_template_errors(self):
        record = {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"},
                               {"role": "assistant", "content": "a"}]}
        for text, *keywords in (("{% for %}", "has an error in line 1"),
                                ("{{ raise_exception('System role not supported') }}", "a.jsonl, line 1",
                                 "refuses it: System role not supported"),
                                ("{{ messages[9].content }}", "a.jsonl, line 1", "refuses it"),
                                ("{{ 1 // 0 }}", "fails: ZeroDivisionError"),
                                ("{{ messages.__class__.__mro__ }}", "refuses it", "unsafe"),
                                (None, "has no chat template", "--chat-template")):
            with self.subTest(text):
                self.refused(*keywords, of=lambda: self.samples(self.model(text, name=f"m{len(keywords)}{text}"[:6]
                                                                           .replace("/", "").replace("{", "")), record))

    def test_advice(self):
        """Where a template refuses the order of turns, what is unusual in them."""
        refuses = "{{ raise_exception('Conversation roles must alternate user/assistant/...') }}"
        user, said = ({"role": role, "content": "x"} for role in ("user", "assistant"))
        for turns, advice in (([said, user, said], "...; it begins with a turn of the assistant: put one of the user before "
                               "it, or drop it"),
                              ([user, user, said], "...; turns 1 and 2 are both of the user: make one of them"),
                              ([user, said], "alternate user/assistant/...")):
            with self.assertRaises(UserError) as caught:
                self.samples(self.model(refuses), {"messages": turns})
            self.assertTrue(str(caught.exception).endswith(advice), caught.exception)

    def test_byte_order_marks(self):
        """Of the files of a model, as of data: a mark is no part of them."""
        record = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
        folder = self.model()
        expected = self.samples(folder, record)[1]
        for file in folder.iterdir():
            file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
        self.assertEqual(self.samples(folder, record)[1], expected)

    def test_damaged_files(self):
        """Files that are cut off or changed where structure is: an error with the file, or the same records."""
        rng = random.Random(7)
        rows = [{"messages": [{"role": "user", "content": f"question {i}"}, {"role": "assistant", "content": "yes"}]}
                for i in range(40)]
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        table = self.folder / "rows.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), table, write_page_checksum=True)
        tokenizer = self.folder / "tokenizer.json"
        byte_tokenizer(SPECIAL).save(str(tokenizer))
        whole = {"rows.jsonl": lines, "rows.json": json.dumps(rows).encode(), "rows.jsonl.gz": gzip.compress(lines),
                 "rows.parquet": table.read_bytes(), "tokenizer.json": tokenizer.read_bytes()}
        refused = 0
        for number in range(100):
            for name, content in whole.items():
                damaged = bytearray(content)
                if number % 2:
                    del damaged[rng.randrange(len(damaged)):]
                else:
                    for _ in range(8):
                        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
                path = self.folder / f"damaged-{name}"
                path.write_bytes(damaged)
                try:
                    if name == "tokenizer.json":
                        tokens.load_tokenizer(path)
                        continue
                    read = [conversations.read_sample(*found) for found in records.read_records(path)]
                    # A cut at the end of a line leaves whole lines; changed letters are another text.
                    self.assertTrue(name == "rows.jsonl" or len(read) == len(rows), (name, number))
                except UserError as error:
                    self.assertIn(path.name, str(error))
                    refused += 1
        self.assertGreater(refused, 400)
