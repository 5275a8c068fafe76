"""zeroc data: chats and texts become sequences with targets where the assistant speaks."""
import gzip
import json
import random
import sys
import unittest

import support

sys.path[:0] = [str(support.ROOT / "python"), str(support.ROOT / "test" / "chat")]
try:
    import numpy as np
    import pyarrow
    import pyarrow.parquet
    import safetensors.numpy
    from byte_tokenizer import byte_tokenizer
    from zeroc import conversations, dataset, masks, packing, records, template, tokens
    from zeroc.errors import UserError
    MISSING = ""
except ImportError as error:
    MISSING = str(error)

GOLDEN = json.loads((support.ROOT / "test/chat/masks.json").read_text())["families"] if not MISSING else {}
CHATML = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
#: Without marks: a turn ends with the beginning of the next; a prompt has thinking that turns lack.
REFUSED = {"glm4moe": "ends without a stop token", "deepseekv3": "does not begin an assistant's turn with"}
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def runs(trained):
    edges = [i for i in range(len(trained) + 1)
             if bool(i and trained[i - 1]) != bool(i < len(trained) and trained[i])]
    return [list(pair) for pair in zip(edges[::2], edges[1::2])]


class ChatCase(support.Case):
    def setUp(self):
        super().setUp()
        if MISSING:
            self.skipTest(f"no Python package: {MISSING}")

    def model(self, text=CHATML, special=SPECIAL, bos="", eos="<|im_end|>", name="model", **config):
        """A folder with a tokenizer of bytes."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        tokenizer = byte_tokenizer(special)
        tokenizer.save(str(folder / "tokenizer.json"))
        settings = {"eos_token": eos, **({"bos_token": bos} if bos else {})}
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
        if text is not None:
            (folder / "chat_template.jinja").write_text(text)
        (folder / "config.json").write_text(json.dumps({"vocab_size": tokenizer.get_vocab_size(), **config}))
        return folder

    def samples(self, folder, record, **how):
        tokenizer = tokens.Tokenizer(folder, **how)
        return tokenizer, tokenizer.encode(conversations.read_sample(record, "a.jsonl, line 1"))

    def trained_text(self, folder, record, **how):
        """What is trained on, of all samples, run by run."""
        tokenizer, samples = self.samples(folder, record, **how)
        return [tokenizer.tokenizer.decode(sample.ids[begin:end], skip_special_tokens=False)
                for sample in samples for begin, end in runs(sample.trained)]

    def refused(self, *keywords, of):
        with self.assertRaises(UserError) as caught:
            of()
        for keyword in keywords:
            self.assertIn(keyword, str(caught.exception))


class Masks(ChatCase):
    """Ten families' templates, against transformers' masks of TRL's marked variants."""

    def check_family(self, name):
        family = GOLDEN[name]
        how = {"special": family["special"], "bos": family["bos"], "eos": family["eos"], "eos_token_id": []}
        stop = byte_tokenizer(family["special"]).token_to_id(family["stop"])
        marked = self.model(family["marked"], name="marked", **{**how, "eos_token_id": stop})
        plain = self.model(family["template"], name="plain", **{**how, "eos_token_id": stop})
        self.assertGreaterEqual(len(family["chats"]), 2)
        for chat in family["chats"]:
            record = {"messages": chat["messages"]}
            said = [m["content"] for m in chat["messages"] if m["role"] == "assistant"]
            tokenizer, [sample] = self.samples(marked, record)
            self.assertEqual(sample.ids, chat["ids"])
            self.assertEqual(runs(sample.trained), chat["trained"])
            if name in REFUSED:
                self.refused(REFUSED[name], of=lambda: self.samples(plain, record))
                continue
            # Without marks: the same turns, each up to its stop token.
            found = self.trained_text(plain, record)
            self.assertEqual(len(found), len(said))
            expected = [tokenizer.tokenizer.decode(chat["ids"][begin:end], skip_special_tokens=False)
                        for begin, end in chat["trained"]]
            for text, marks, content in zip(found, expected, said):
                self.assertIn(content.strip(), text)
                self.assertTrue(text.endswith(family["stop"]), text)
                # qwen3's marked variant has thinking in each turn; qwen2_5's begins with a newline of the prompt.
                if name != "qwen3":
                    self.assertEqual(text, marks[:marks.index(family["stop"])].lstrip("\n") + family["stop"])

    def test_earlier_turns_that_are_rewritten(self):
        """Qwen3 drops earlier thinking: each turn is a sample of its own, as the model will be asked."""
        family = GOLDEN["qwen3"]
        folder = self.model(family["template"], special=family["special"])
        record = {"messages": [{"role": "user", "content": "a"},
                               {"role": "assistant", "content": "<think>\nt1\n</think>\n\nb"},
                               {"role": "user", "content": "c"},
                               {"role": "assistant", "content": "<think>\nt2\n</think>\n\nd"}]}
        tokenizer, samples = self.samples(folder, record)
        self.assertEqual([tokenizer.tokenizer.decode(s.ids, skip_special_tokens=False) for s in samples],
                         ["<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n<think>\nt1\n</think>\n\nb<|im_end|>\n",
                          "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>user\nc"
                          "<|im_end|>\n<|im_start|>assistant\n<think>\nt2\n</think>\n\nd<|im_end|>\n"])
        self.assertEqual(self.trained_text(folder, record),
                         ["<think>\nt1\n</think>\n\nb<|im_end|>", "<think>\nt2\n</think>\n\nd<|im_end|>"])

    def test_seeded_mistakes(self):
        """Templates with a mistake, which would train a model that never stops, or on what it should not say."""
        record = {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"},
                               {"role": "assistant", "content": "a"}, {"role": "user", "content": "v"},
                               {"role": "assistant", "content": "b"}]}
        begin = "{% for m in messages %}<|im_start|>{{ m.role }}\n"
        for text, keyword in (
                (begin + "{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
                 "ends without a stop token ('<|im_end|>')"),
                # The prompt of generation is not how turns begin.
                (CHATML.replace("<|im_start|>assistant", "<|im_start|>model"), "does not begin an assistant's turn with"),
                (begin + "{% generation %}{{ m.content }}<|im_end|>\n{% endgeneration %}{% endfor %}",
                 "marks what the system says"),
                (begin + "{% if m.role == 'user' %}{% generation %}{{ m.content }}<|im_end|>\n{% endgeneration %}"
                 "{% else %}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}", "marks what the user says"),
                (begin + "{% if m.role == 'assistant' and loop.last %}{% generation %}{{ m.content }}<|im_end|>\n"
                 "{% endgeneration %}{% else %}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}",
                 "leaves a turn of the assistant unmarked"),
                (begin + "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}<|im_end|>\n"
                 "{% else %}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}", "ends without a stop token"),
                (CHATML.replace("{{ m.content }}", "{{ m.content | replace('a', 'x') }}"), "lacks its content")):
            with self.subTest(keyword, text=text):
                self.refused(keyword, of=lambda: self.samples(self.model(text), record))
        self.assertEqual(self.trained_text(self.model(), record), ["a<|im_end|>", "b<|im_end|>"])

    def test_stop_tokens(self):
        """Of generation_config.json, of the model's config, and of the option."""
        text = CHATML.replace("<|im_end|>", "<|endoftext|>")
        record = {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]}
        folder = self.model(text)
        end = byte_tokenizer(SPECIAL).token_to_id("<|endoftext|>")
        self.refused("without a stop token", "--stop-token", of=lambda: self.samples(folder, record))
        self.assertEqual(self.trained_text(folder, record, stops=("<|endoftext|>",)), ["a<|endoftext|>"])
        (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [1, end]}))
        self.assertEqual(self.trained_text(folder, record), ["a<|endoftext|>"])
        for ids in ("x", [[1]], {}, -1, 2.0, [True], 10**6):
            (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": ids}))
            self.refused("generation_config.json: eos_token_id", "is no token", of=lambda: tokens.Tokenizer(folder))
        (folder / "generation_config.json").write_text("{}")
        self.refused("--stop-token '<none>' is no token", of=lambda: tokens.Tokenizer(folder, stops=("<none>",)))

    def test_weights_of_turns(self):
        record = {"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a", "weight": 0},
                               {"role": "user", "content": "v"}, {"role": "assistant", "content": "b"}]}
        self.assertEqual(self.trained_text(self.model(), record), ["b<|im_end|>"])


for name in GOLDEN:
    setattr(Masks, f"test_{name}", lambda self, name=name: self.check_family(name))


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
                ({"messages": [user, {**said, "weight": 0.5}]}, "weight is 0.5"),
                ({"messages": [user, {**said, "tool_calls": {}}]}, "tool_calls is no list"),
                ({"messages": [user, {**said, "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]},
                 "the arguments of f are not JSON"),
                ({"messages": [user, said], "tools": "{"}, "tools are not JSON"),
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
                ({"text": None}, "text is null")):
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


class Build(ChatCase):
    """Sequences of samples."""

    def test_packing(self):
        rng = random.Random(3)
        for count in (0, 1, 2, 7, 200):
            lengths = [rng.randrange(1, 65) for _ in range(count)]
            rows = packing.pack(lengths, 64)
            self.assertEqual(sorted(i for row in rows for i in row), list(range(count)))
            self.assertTrue(all(sum(lengths[i] for i in row) <= 64 for row in rows))
            # First-fit decreasing: at most 11/9 of the fewest, and one.
            self.assertLessEqual(len(rows), 11 / 9 * (sum(lengths) / 64 + 1) + 1)

    def build(self, folder, path, seq, *options):
        out = self.folder / "train.safetensors"
        done = self.run_ok(support.ZEROC, "data", "build", folder, path, "-o", out, f"--seq={seq}", *options)
        return done.out, safetensors.numpy.load_file(out)

    def chats(self, count, longest=20, name="chats.jsonl"):
        rng = random.Random(count)
        text = lambda: "".join(rng.choice("abcdef ") for _ in range(rng.randrange(1, longest)))  # noqa: E731
        return self.write(name, "".join(json.dumps({"messages": [
            message for _ in range(rng.randrange(1, 3)) for message in
            ({"role": "user", "content": text()}, {"role": "assistant", "content": text()})]}) + "\n"
            for _ in range(count)))

    def test_sequences(self):
        """Each sample stands once in the sequences, with its targets, and no target crosses samples."""
        folder, path = self.model(), self.chats(700)  # several processes
        expected = []
        tokenizer = tokens.Tokenizer(folder)
        for record, place in records.read_records(path):
            for sample in tokenizer.encode(conversations.read_sample(record, place)):
                targets = [i if trained else -100 for i, trained in zip(sample.ids[1:], sample.trained[1:])]
                expected.append((tuple(sample.ids), (*targets, -100)))
        for options in ((), ("--no-packing",)):
            text, arrays = self.build(folder, path, 192, *options)
            found = []
            for row in range(len(arrays["tokens"])):
                starts = arrays["starts"][row]
                for start in np.unique(starts):
                    inside = np.flatnonzero(starts == start)
                    self.assertEqual(inside[0], start)
                    self.assertTrue((arrays["positions"][row][inside] == np.arange(len(inside))).all())
                    ids, targets = arrays["tokens"][row][inside], arrays["targets"][row][inside]
                    if (targets == -100).all():
                        self.assertTrue((ids == 0).all())  # the rest of a sequence
                        continue
                    length = len(ids)
                    if options:  # the rest belongs to the only sample
                        length = next(len(e[0]) for e in expected if tuple(ids[:len(e[0])]) == e[0]
                                      and (ids[len(e[0]):] == 0).all())
                    found.append((tuple(map(int, ids[:length])), tuple(map(int, targets[:length]))))
            self.assertEqual(sorted(found), sorted(expected))
            self.assertIn("700 records, 700 samples", text)
            if options:
                self.assertEqual(len(arrays["tokens"]), 700)
            else:
                self.assertLess(len(arrays["tokens"]), 350)

    def test_long_samples(self):
        folder = self.model()
        path = self.write("long.jsonl", "".join(json.dumps({"messages": [
            {"role": "user", "content": "u" * u}, {"role": "assistant", "content": "a" * a}]}) + "\n"
            for u, a in ((5, 5), (5, 80), (80, 5))))
        text, arrays = self.build(folder, path, 64)
        self.assertIn("3 records, 2 samples", text)
        self.assertIn("2 samples longer than 64 tokens, cut off there: ", text)
        self.assertIn("1 sample left out: nothing to train on in them", text)
        done = support.run(support.ZEROC, "data", "build", folder, path, "-o", self.folder / "x.safetensors", "--seq=12")
        self.assert_refused(done, "no sample has anything to train on in its first 12 tokens", status=1)

    def test_same_file_again(self):
        folder, path = self.model(), self.chats(9)
        first, arrays = self.build(folder, path, 64)
        out = self.folder / "train.safetensors"
        before = out.stat().st_mtime_ns
        self.assertIn("kept", self.build(folder, path, 64)[0])
        self.assertEqual(out.stat().st_mtime_ns, before)
        for change in (lambda: self.chats(10, name="chats.jsonl"), lambda: self.model(CHATML + "{# #}")):
            change()
            self.assertIn("wrote", self.build(folder, path, 64)[0])

    def test_key_of_a_file(self):
        """The kind of file counts; the date does only if the template writes it."""
        folder = self.model()
        line = json.dumps({"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]})
        out, date = self.folder / "k.safetensors", lambda day: {"SOURCE_DATE_EPOCH": str(86400 * day)}

        def build(path, day):
            done = support.run(support.ZEROC, "data", "build", folder, path, "-o", out, "--seq=200", env=date(day))
            self.assertEqual(done.returncode, 0, done.err)
            return done.out.split()[0]

        self.assertEqual(build(self.write("h.txt", line), 1), "wrote")
        self.assertEqual(build(self.write("h.jsonl", line), 1), "wrote")
        self.assertEqual(build(self.folder / "h.jsonl", 2), "kept")
        self.model("{{ strftime_now('%d') }}" + CHATML)
        self.assertEqual([build(self.folder / "h.jsonl", day) for day in (1, 1, 2)], ["wrote", "kept", "wrote"])

    def test_evaluation(self):
        folder, path, out = self.model(), self.chats(50), self.folder / "eval.safetensors"
        _, all_of = self.build(folder, path, 64, "--no-packing")
        text, train = self.build(folder, path, 64, "--no-packing", "--eval-split=0.1", f"--eval={out}")
        kept = safetensors.numpy.load_file(out)
        self.assertEqual((len(train["tokens"]), len(kept["tokens"])), (45, 5))
        self.assertEqual(sorted(map(bytes, [*train["tokens"], *kept["tokens"]])), sorted(map(bytes, all_of["tokens"])))
        # Filled up for batches, with sequences that have no targets.
        self.build(folder, path, 64, "--no-packing", "--eval-split=0.1", f"--eval={out}", "--eval-batch=4")
        filled = safetensors.numpy.load_file(out)
        self.assertEqual(filled["tokens"].shape, (8, 64))
        self.assertTrue((filled["targets"][5:] == -100).all() and (filled["tokens"][:5] == kept["tokens"]).all())
        done = support.run(support.ZEROC, "data", "build", folder, path, "-o", out, "--seq=64", "--eval-split=0.1")
        self.assert_refused(done, "--eval-split and --eval belong together", status=1)

    def test_special_tokens_in_texts(self):
        path = self.write("s.jsonl", json.dumps({"messages": [{"role": "user", "content": "<|im_end|>"},
                                                              {"role": "assistant", "content": "a"}]}))
        self.assertIn("1 record with the name of a special token in a text, first <|im_end|>",
                      self.build(self.model(), path, 64)[0])

    def test_show(self):
        path = self.write("s.jsonl", json.dumps({"messages": [{"role": "user", "content": "Hi"},
                                                              {"role": "assistant", "content": "Hello"}]}))
        self.assertIn("s.jsonl, line 1: 28 tokens, 6 trained on\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
                      "[[Hello<|im_end|>]]\n",
                      self.run_ok(support.ZEROC, "data", "show", self.model(), path).out)

    def test_errors(self):
        """The command's errors name the file, and leave no output."""
        folder, out = self.model(), self.folder / "out.safetensors"
        bad = self.write("bad.jsonl", '{"text": "a"}\n{"text": \n')
        good = self.write("good.jsonl", '{"text": "a"}\n')
        empty = self.write("empty.jsonl", "\n")
        many = self.write("many.jsonl", '{"text": "a"}\n' * 600 + '{"messages": []}\n')
        for arguments, *keywords in (((folder, bad, "-o", out, "--seq=8"), "bad.jsonl, line 2 is not JSON"),
                                     ((folder, many, "-o", out, "--seq=8"), "many.jsonl, line 601: messages is empty"),
                                     ((folder, empty, "-o", out, "--seq=8"), "empty.jsonl: there is no record"),
                                     ((folder, good, good, "-o", out, "--seq=8"), "is named twice"),
                                     ((folder, "none.jsonl", "-o", out, "--seq=8"), "cannot read none.jsonl"),
                                     ((folder, out.parent / "model", "-o", out, "--seq=8"), "tokenizer.json, line 1 is not JSON"),
                                     ((folder, good, "-o", "out.bin", "--seq=8"), "out.bin must be named"),
                                     ((folder, good, "-o", out, "--seq=1"), "--seq=1 must be 2 or more"),
                                     ((self.folder, good, "-o", out, "--seq=8"), "tokenizer.json"),
                                     ((folder, good, "-o", "/proc/x/y.safetensors", "--seq=8"), "cannot write /proc/x")):
            with self.subTest(keywords):
                self.assert_refused(support.run(support.ZEROC, "data", "build", *arguments), *keywords, status=1)
                self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
