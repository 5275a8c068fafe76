"""Tables, columns of other names, and splits: the same data as records of JSON."""
import csv
import gzip
import io
import json
import random

import chats
import support

try:
    import numpy as np
    import safetensors.numpy
    from zeroc import columns, records, splits
except ImportError:
    pass  # ChatCase skips

#: Texts that a table must quote.
PIECES = ("a", "ä", " ", ",", '"', "\n", "\t", "'", ";", "<|", "\r\n", '""', "true", "0")
TURN, ANSWER, OTHER = ([{"role": role, "content": text, "tool_calls": None}] for role, text in (
    ("user", "u"), ("assistant", "a, b"), ("user", "c")))


class Tables(chats.ChatCase):
    def table(self, name, rows, mark=""):
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), delimiter="\t" if ".tsv" in name else ",")
        writer.writeheader()
        writer.writerows(rows)
        data = mark.encode() + text.getvalue().encode()
        path = self.folder / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    def test_rows(self):
        rng = random.Random(3)
        text = lambda: "".join(rng.choice(PIECES) for _ in range(rng.randrange(6)))  # noqa: E731
        for name in ("a.csv", "b.tsv", "c.csv.gz", "d.tsv.gz"):
            rows = [{"prompt": text(), "completion": text(), "other": text()} for _ in range(60)]
            path = self.table(name, rows, "\ufeff" * rng.randrange(2))
            self.assertEqual([record for record, _ in records.read_records(path)], rows)
        for text, says in (("a,b\n1,2\n3\n", "t.csv, line 3 has 1 columns, and line 1 names 2: a, b"),
                           ("a,a\n1,2\n", "t.csv, line 1: columns have the names 'a', 'a'"),
                           ('a,b\n"x"y,1\n', "t.csv, line 2 is no row of a table"),
                           ('a,b\n1,"2\n', "t.csv, line 2 is no row of a table")):
            self.refused(says, of=lambda: list(records.read_records(self.write("t.csv", text))))
        self.refused("t.csv is not UTF-8", of=lambda: list(records.read_records(self.latin())))

    def latin(self):
        path = self.folder / "t.csv"
        path.write_bytes("a\nä\n".encode("latin-1"))
        return path

    #: (objective, records, {field: another name}).
    FORMS = (
        ("sft", [{"text": "one, two"}, {"text": "three"}], {"text": "body"}),
        ("sft", [{"prompt": "p ", "completion": "c"}, {"prompt": "q ", "completion": "d\ne"}],
         {"prompt": "question", "completion": "answer"}),
        ("sft", [{"instruction": "do", "input": "it", "output": "done"}], {"instruction": "task", "output": "result"}),
        ("sft", [{"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]}],
         {"messages": "dialogue"}),
        ("sft", [{"conversations": [{"from": "human", "value": "u"}, {"from": "gpt", "value": "a"}], "system": "s"}],
         {"conversations": "turns", "system": "rules"}),
        ("dpo", [{"prompt": "p ", "chosen": "good", "rejected": "bad"}], {"chosen": "better", "rejected": "worse"}),
        ("sft", [{"prompt": TURN, "completion": ANSWER}], {"prompt": "question"}),
        ("dpo", [{"chosen": TURN + ANSWER, "rejected": TURN + [{"role": "assistant", "content": "c"}]}], {"chosen": "better"}),
        ("kto", [{"prompt": TURN, "completion": ANSWER, "label": True}, {"prompt": OTHER, "completion": ANSWER, "label": False}],
         {"label": "liked"}),
        ("kto", [{"prompt": "p ", "completion": "c", "label": True}, {"prompt": "q ", "completion": "d", "label": False}],
         {"completion": "answer", "label": "liked"}),
        ("reward", [{"prompt": "p ", "chosen": "good", "rejected": "bad", "margin": 0.5}], {"margin": "by"}),
        ("classify", [{"text": "x", "label": "no"}, {"text": "y", "label": "yes"}], {"text": "review", "label": "stars"}),
        ("classify", [{"text": "x", "label": 2}, {"text": "y", "label": 10}], {"label": "stars"}))

    def test_cells(self):
        """A cell is parsed only where it is read, and text that is no turns stays as it is."""
        folder = self.model()
        rows = [{"text": "one", "margin": "5%", "history": "prose", "prompt": '[{"a": 1}]', "chosen": '[{"role": "user"',
                 "label": "no"}, {"text": "two", "margin": "", "history": "[", "prompt": "", "chosen": "", "label": "yes"}]
        path = self.table("cells.csv", rows)
        self.assertEqual([record["prompt"] + record["chosen"] for record, _ in records.read_records(path)],
                         [row["prompt"] + row["chosen"] for row in rows])
        self.run_ok(support.ZEROC, "data", "show", folder, path)
        self.run_ok(support.ZEROC, "data", "show", folder, path, "--objective=classify")
        self.run_ok(support.ZEROC, "tokenize", path, "-o", "cells.u16", "--bytes", "--field=margin")
        self.assertEqual((self.folder / "cells.u16").read_bytes(), b"5\0%\0")
        for given, table, says in (
                ([], "messages\nno JSON\n", "the text of messages is not JSON"),
                ([], 'messages\n{}\n', "messages is an object, where a list"),
                (["--objective=reward"], "prompt,chosen,rejected,margin\np ,a,b,5%\n", "the text of margin is not JSON"),
                ([], "instruction,output,history\np,a,prose\n", "the text of history is not JSON"),
                (["--objective=classify"], "text,label\na,\n", "has an empty label")):
            done = support.run(support.ZEROC, "data", "show", folder, self.write("t.csv", table), *given)
            self.assert_refused(done)
            self.assertIn(f"t.csv, line 2{'' if 'empty' in says else ':'} {says}", done.err)

    def test_forms(self):
        """Each form of records, as a table and with columns of other names, gives the file of the JSON."""
        folder = self.model()
        for number, (objective, rows, names) in enumerate(self.FORMS):
            renamed = [{names.get(key, key): value for key, value in {"id": "7", **row}.items()} for row in rows]
            if "messages" not in names:  # what would count first
                renamed = [{"messages": [{"role": "user", "content": "no"}], **row} for row in renamed]
            if objective != "sft" or "text" in names:
                renamed = [{key: value for key, value in row.items() if key != "messages"} for row in renamed]
            cells = lambda row: {key: value if isinstance(value, str) else json.dumps(value)  # noqa: E731
                                 for key, value in row.items()}
            files = [self.write(f"plain{number}.jsonl", "".join(json.dumps(row) + "\n" for row in rows)),
                     self.table(f"table{number}.csv", list(map(cells, rows))),
                     self.write(f"named{number}.jsonl", "".join(json.dumps(row) + "\n" for row in renamed)),
                     self.table(f"named{number}.tsv", list(map(cells, renamed)))]
            found = []
            for file in files:
                given = [f"--column={name}={column}" for name, column in names.items()] if "named" in file.name else []
                out = file.with_suffix(".safetensors")
                self.run_ok(support.ZEROC, "data", "build", folder, file, "-o", out, "--force", "--seq=64", *given,
                            f"--objective={objective}")
                found.append(safetensors.numpy.load_file(out))
            for file, arrays in zip(files[1:], found[1:]):
                with self.subTest(objective=objective, file=file.name):
                    self.assertEqual(arrays.keys(), found[0].keys())
                    self.assertTrue(all(np.array_equal(arrays[name], found[0][name]) for name in arrays))

    def test_columns(self):
        for given, says in ((["body=text"], "did you mean text=body?"), (["x=y"], "fields are messages, conversations"),
                            (["text"], "needs FIELD=COLUMN"), (["text=a", "text=b"], "--column names text twice, a and b")):
            self.refused(says, of=lambda: columns.read_columns(given))
        path = self.write("a.jsonl", '{"a": "x", "b": "y"}\n')
        self.refused("a.jsonl, line 1 has no column c; it has a, b", of=lambda: list(records.read_records(path, {"text": "c"})))

    def test_columns_of_texts(self):
        """zeroc tokenize and pretrain: a document per row."""
        rows = [{"id": "1", "body": "one, two"}, {"id": "2", "body": "three"}]
        expected = self.write("a.jsonl", "".join(json.dumps({"text": row["body"]}) + "\n" for row in rows))
        self.run_ok(support.ZEROC, "tokenize", expected, "-o", "a.u16", "--bytes", "--separator=0")
        self.run_ok(support.ZEROC, "tokenize", self.table("a.csv", rows), "-o", "b.u16", "--bytes", "--separator=0", "--field=body")
        self.assert_same_bytes(self.folder / "a.u16", self.folder / "b.u16")
        done = support.run(support.ZEROC, "pretrain", self.write("config.json", json.dumps(support.SMALL)), self.folder / "a.csv",
                           "-o", self.folder / "out", "--bytes", "--column=text=body", "--seq=8", "--dry-run")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertIn("--field=body", done.out)


class Splits(chats.ChatCase):
    def test_names(self):
        for path, split in (("train.jsonl", "train"), ("data/train-00000-of-00002.parquet", "train"),
                            ("train_sft-00000-of-00001.parquet", "train_sft"), ("my-test.csv", "test"), ("dev/a.jsonl", "validation"),
                            ("valid.jsonl.gz", "validation"), ("latest.jsonl", None), ("strain.txt", None), ("test/train.json", "train"),
                            ("train.txt", "train"), ("Test-00000-of-00002.txt", "Test"), ("train_02.jsonl", "train"),
                            ("test_set.csv", "test"), ("how-to-train.txt", None), ("dev-notes.txt.gz", None), ("test/a.txt", "test"),
                            ("a-test-of-time.jsonl", None), ("my test.json", None), ("dev notes/a.jsonl", None),
                            ("train-notes/test/a.txt", "test")):
            self.assertEqual(splits.split_of(path), split, path)

    def test_titles(self):
        """A text whose title has such a word is one of the texts."""
        texts = self.folder / "texts"
        texts.mkdir()
        for name in ("a", "b", "how-to-train"):
            (texts / f"{name}.txt").write_text("red")
        done = self.run_ok(support.ZEROC, "tokenize", texts, "-o", "texts.u16", "--bytes")
        self.assertIn("3 documents", done.out)

    def test_choice(self):
        """What is read is said, and what is not."""
        folder = self.model()
        data = self.folder / "data"
        data.mkdir()
        for name in ("train.jsonl", "test.csv", "more-test.jsonl", "other.jsonl"):
            (data / name).write_text(f'text\n{name}\n' if name.endswith("csv") else json.dumps({"text": name}) + "\n")
        for given, read, said in (
                ([], ["train.jsonl"], "train of {}, 1 file; not test (2 files), others (1 file): see --split"),
                (["--split=test"], ["more-test.jsonl", "test.csv"], "test of {}, 2 files; not train (1 file), others (1 file)")):
            done = self.run_ok(support.ZEROC, "data", "show", folder, data, *given)
            self.assertEqual([name for name in sorted(path.name for path in data.iterdir()) if f"[[{name}" in done.out
                              or f"{name}<" in done.out], read, done.out)
            self.assertIn(said.format(data), done.err)
        done = self.run_ok(support.ZEROC, "data", "show", folder, data, "--split=all", "--samples=4")
        self.assertTrue(all(path.name in done.out for path in data.iterdir()), done.out)
        self.assertNotIn("see --split", done.err)
        (data / "train.jsonl").unlink()
        done = self.run_ok(support.ZEROC, "data", "show", folder, data)
        self.assertIn(f"files of no split of {data}, 1 file; not test (2 files)", done.err)
        (data / "other.jsonl").rename(data / "train_sft-00000-of-00001.jsonl")
        for given, says in ((data, "has test, train_sft; choose one with --split=train_sft, or --split=all"),
                            (data / "test.csv", "--split=train is for folders and data sets of a hub")):
            done = support.run(support.ZEROC, "data", "show", folder, given, *["--split=train"] * (given != data))
            self.assert_refused(done)
            self.assertIn(says, done.err)
