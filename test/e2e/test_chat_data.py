"""zeroc data build: sequences of samples, with their targets."""
import json
import random

import support
from chats import CHATML, ChatCase

try:
    import numpy as np
    import safetensors.numpy
    from zeroc import conversations, packing, records, tokens
except ImportError:
    pass  # ChatCase skips


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

    def test_long_texts(self):
        """All of a text is read, of a file and of a record; what would lack its prompt is cut off."""
        folder, rng = self.model(), random.Random(5)
        text = "".join(rng.choice("abcdef ") for _ in range(1000))
        ids = tokens.Tokenizer(folder).encode(conversations.read_sample({"text": text}, "t"))[0].ids
        for name, data in (("t.txt", text), ("t.jsonl", json.dumps({"text": text}))):
            path = self.write(name, data)
            for options in ((), ("--no-packing",)):
                out, arrays = self.build(folder, path, 64, *options)
                self.assertIn("1 record, 16 samples, 1,001 tokens, 1,000 of them trained on\n", out)
                self.assertIn("1 text longer than 64 tokens, cut into 16 pieces", out)
                targets = arrays["targets"][arrays["targets"] != -100]
                self.assertEqual(targets.tolist(), ids[1:])
                self.assertEqual(arrays["tokens"][1, 0], ids[63])
            shown = self.run_ok(support.ZEROC, "data", "show", folder, path, "--seq=64").out
            self.assertRegex(shown, r"--- .*t\.\w+(, line 1)?: 64 tokens, 63 trained on, piece 2 of 16\n\[\[")
        path = self.write("c.jsonl", json.dumps({"prompt": "a", "completion": text}) + "\n" + json.dumps({"text": "ab"}))
        out, arrays = self.build(folder, path, 64)
        self.assertIn("2 records, 2 samples, 67 tokens", out)
        self.assertIn("warning: 1 sample longer than 64 tokens, cut off there: 938 tokens are not read; for more, raise --seq", out)
        self.assertNotIn("pieces", out)

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

    def test_weights(self):
        """Of targets; there is no tensor if all are 0 or 1."""
        folder, turn = self.model(), {"role": "user", "content": "u"}
        lines = [json.dumps({"messages": [turn, {"role": "assistant", "content": "a", "weight": weight}]}) + "\n"
                 for weight in (1, 0.25)]
        path = self.write("w.jsonl", "".join(lines))
        _, arrays = self.build(folder, path, 32, "--no-packing")
        counted = arrays["targets"] != -100
        self.assertEqual([set(row[on]) for row, on in zip(arrays["token_weights"], counted)], [{1.0}, {0.25}])
        self.assertTrue((arrays["token_weights"][~counted] == 0).all() and counted.sum() == 4)
        self.assertIn("[[a<|im_end|>]] x 0.25\n", self.run_ok(support.ZEROC, "data", "show", folder, path).out)
        self.assertNotIn("token_weights", self.build(folder, self.write("one.jsonl", lines[0]), 32)[1])

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
                                     ((folder, out.parent / "model", "-o", out, "--seq=8"), "config.json, line 1 has the fields vocab_size"),
                                     ((folder, good, "-o", "out.bin", "--seq=8"), "out.bin must be named"),
                                     ((folder, good, "-o", out, "--seq=1"), "--seq=1 must be 2 or more"),
                                     ((self.folder, good, "-o", out, "--seq=8"), "tokenizer.json"),
                                     ((folder, good, "-o", "/proc/x/y.safetensors", "--seq=8"), "cannot write /proc/x")):
            with self.subTest(keywords):
                self.assert_refused(support.run(support.ZEROC, "data", "build", *arguments), *keywords, status=1)
                self.assertFalse(out.exists())
