"""zeroc classify: labels and scores of texts are those of the program of --score-only, however texts are packed."""
import json
import shutil

import chats
import support

try:
    import numpy as np
    from zeroc import objectives
except ImportError:
    pass  # ChatCase skips

GOLDEN = support.ROOT / "test" / "golden" / "preferences"
MODEL = GOLDEN / "model"
TRAINED = ("--seq=40", "--batch=4", "--accumulate=1", "--threads=1", "--progress=none", "--precision=fp32", "--steps=4")


class Classify(chats.ChatCase):
    def setUp(self):
        super().setUp()
        self.texts = [{"text": " ".join(f"w{(7 * i + k) % 90}" for k in range(1 + i % 9)), "label": "bad" if i % 3 else "good",
                       "number": i} for i in range(30)]
        self.data = self.records("texts.jsonl", self.texts)

    def records(self, name, records):
        return self.write(name, "".join(json.dumps(record) + "\n" for record in records))

    def finetune(self, objective, out, data, *options):
        self.run_ok(support.ZEROC, "finetune", MODEL, data, "-o", self.folder / out, f"--objective={objective}", *TRAINED,
                    "--lr=1e-2", *options)
        return self.folder / out

    def classify(self, *words):
        done = support.run(support.ZEROC, "classify", *words, "--precision=fp32", "--threads=1", cwd=self.folder,
                           env={"ZEROC_CACHE": str(self.folder / "cache")})
        return done, [json.loads(line) for line in done.out.splitlines()]

    def values(self, objective, data, weights, *options):
        """A row for each sequence, by single commands, and the data."""
        built, model, out = (self.folder / name for name in ("built.safetensors", "model.mlir", "values.npy"))
        self.run_ok(support.ZEROC, "data", "build", MODEL, data, "-o", built, "--seq=40", f"--objective={objective}",
                    "--no-packing", "--force")
        self.run_ok(support.ZEROC, "import", weights, "--batch=1", "--seq=40", "--packed", f"--objective={objective}", *options,
                    "-o", model, "--force")
        score = support.compile_model(model, "--score-only", "--precision=fp32")
        self.run_ok(score, "--weights", weights, "--data", built, "--out", out, "--force")
        arrays = {name: np.array(values).reshape(shape) for name, (shape, values) in support.read_safetensors(built).items()}
        return np.load(out), arrays

    def assert_same(self, found, expected):
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)

    def test_labels(self):
        out = self.finetune("classify", "out", self.data)
        done, found = self.classify(out, self.data)
        self.assertEqual(done.returncode, 0, done.err)
        values, data = self.values("classify", self.data, out, "--labels=2")
        scores = values.reshape(len(values), 40, 2)[data["targets"] != -100].astype(float)
        parts = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
        self.assert_same([[one["probabilities"][name] for name in ("bad", "good")] for one in found], parts)
        self.assertEqual([one["predicted"] for one in found], [("bad", "good")[i] for i in parts.argmax(1)])
        self.assertEqual([one["number"] for one in found], [one["number"] for one in self.texts])
        right = sum(one["predicted"] == one["label"] for one in found)
        self.assertIn(f"accuracy {right / 30:.4f}, F1 ", done.err)
        gets = sum(one["predicted"] == "bad" for one in found)
        both = sum(one["predicted"] == one["label"] == "bad" for one in found)
        self.assertRegex(done.err, rf"bad +{2 * both / (20 + gets):.4f} +{both / max(gets, 1):.4f} +{both / 20:.4f} +20\n")
        # One text in a sequence, and texts without labels.
        plain = self.write("plain.csv", f'text,label,history\n{self.texts[8]["text"]},,prose\n')
        done, [alone] = self.classify(out, plain, "--batch=1", "--seq=16")
        self.assert_same(alone["probabilities"]["bad"], parts[8][0])
        self.assertNotIn("accuracy", done.err)
        done, cut = self.classify(out, self.data, "-o", "cut.jsonl", "--seq=4")
        self.assertRegex(done.err, r"\d+ texts longer than 4 tokens, cut off there; raise --seq")
        self.assertEqual(len((self.folder / "cut.jsonl").read_text().splitlines()), 30)

    def test_names(self):
        """Numbers are the same as texts, which tables have; of other texts, numbers are in order."""
        for labels, ids, names in (
                (("1", "2"), {}, "0 1 2"), ((1, 2), {}, "0 1 2"), ((0, "1"), {}, "0 1"), (("9", "10", "-1"), {}, "-1 9 10"),
                (("70000", "100000", "b", "a"), {}, "70000 100000 a b"), (("1", "0"), {"no": 0, "yes": 1}, "no yes"),
                ((1, 2), {"1": 0, "2": 1}, "1 2"), ((0, 1), {"1": 0, "2": 1}, "0 1"), (("a", "b"), {"b": 0, "a": 1}, "b a")):
            with self.subTest(labels=labels, ids=ids):
                units = [objectives.Unit([], {"label": label}) for label in labels]
                self.assertEqual(objectives.count_labels(units, {"label2id": ids}), names.split())
        for label, names, number in ((1, "1 2", 0), ("2", "1 2", 1), (0, "1 2", None), (1, "no yes", 1), ("1", "no yes", 1),
                                     (2, "no yes", None), ("01", "no yes", None), ("9" * 5000, "no yes", None)):
            self.assertEqual(objectives.find_label(label, names.split()), number, label)

    def test_adapters_and_checkpoints(self):
        out = self.finetune("classify", "out", self.data, "--lora=4")
        (done, adapted), (again, kept) = self.classify(MODEL, self.data, "--adapter", out), self.classify(
            out / "zeroc" / "run", self.data)
        self.assertEqual((done.returncode, again.returncode), (0, 0), done.err + again.err)
        for one, other in zip(adapted, kept):
            self.assertEqual(set(one["probabilities"]), {"bad", "good"})
            self.assert_same(list(one["probabilities"].values()), list(other["probabilities"].values()))
        twice = support.run(support.ZEROC, "classify", out / "zeroc" / "run", self.data, "--adapter", out)
        self.assert_refused(twice, "has adapters itself, and --adapter=", status=1)

    def test_names_are_kept(self):
        """With adapters and with checkpoints, whatever becomes of the data."""
        out = self.finetune("classify", "out", self.data, "--lora=4")
        data, settings = (out / "zeroc" / name for name in ("data.safetensors", "settings.json"))
        before = data.read_bytes()
        others = self.records("others.jsonl", [{**text, "label": {"bad": "down", "good": "up"}[text["label"]]}
                                               for text in self.texts])
        done = support.run(support.ZEROC, "finetune", MODEL, others, "-o", out, "--objective=classify", *TRAINED, "--lora=4",
                           "--lr=1e-2")
        self.assert_refused(done, "has a run with other data", status=1)
        self.assertEqual(data.read_bytes(), before)
        copy = self.folder / "copy"
        copy.mkdir()
        for name in ("adapter_model.safetensors", "adapter_config.json", "labels.json"):
            shutil.copyfile(out / name, copy / name)

        def names_of(*words):
            done, found = self.classify(*words, self.data)
            self.assertEqual(done.returncode, 0, done.err)
            return list(found[0]["probabilities"]), "names of the 2 labels are not known" in done.err

        self.assertEqual(names_of(MODEL, "--adapter", copy), (["bad", "good"], False))
        # A run that did not keep them has them in its data, if they are those of the run.
        kept = (out / "labels.json").rename(self.folder / "kept.json")
        was = json.loads(settings.read_text())
        settings.write_text(json.dumps({key: value for key, value in was.items() if key != "labels"}))
        for words in ((MODEL, "--adapter", out), (out / "zeroc" / "run",)):
            self.assertEqual(names_of(*words), (["bad", "good"], False))
        self.run_ok(support.ZEROC, "data", "build", MODEL, others, "-o", data, "--seq=40", "--objective=classify")
        settings.write_text(json.dumps(was))
        self.assertEqual(names_of(out / "zeroc" / "run"), (["bad", "good"], False))
        plain = self.records("plain.jsonl", [{"text": "w1"}])
        done, [found] = self.classify(MODEL, plain, "--adapter", out)
        self.assertEqual(list(found["probabilities"]), ["0", "1"])
        self.assertIn("names of the 2 labels are not known", done.err)
        kept.rename(out / "labels.json")
        self.finetune("classify", "out", self.data, "--lora=4", "--merge")
        self.assertFalse((out / "labels.json").exists())

    def test_scores(self):
        pairs = [json.loads(line) for line in (GOLDEN / "reward.jsonl").read_text().splitlines()]
        out = self.finetune("reward", "out", GOLDEN / "reward.jsonl")
        texts = [{"prompt": pair["prompt"], "completion": pair[name]} for pair in pairs for name in ("chosen", "rejected")]
        done, found = self.classify(out, self.records("answers.jsonl", texts))
        self.assertEqual(done.returncode, 0, done.err)
        values, _ = self.values("reward", GOLDEN / "reward.jsonl", out, "--samples=2")
        self.assert_same([one["score"] for one in found], values.reshape(-1))

    def test_refused(self):
        done, _ = self.classify(MODEL, self.data)
        self.assert_refused(done, "has no head score.weight", "--objective=classify or --objective=reward", status=1)
        out = self.finetune("classify", "out", self.data)
        for record, keyword in (({"text": "w1", "label": "ugly"}, "line 1 has the label 'ugly', and the model has bad, good"),
                                ({"text": "w1", "predicted": 1}, "line 1 has a field predicted, in which the result"),
                                ({"prompt": "w1"}, "line 1 has no messages, conversations or text"), ({"text": ""}, "no tokens")):
            with self.subTest(keyword):
                done, _ = self.classify(out, self.records("bad.jsonl", [record]))
                self.assert_refused(done, keyword, status=1)
        done, _ = self.classify(out, self.data, "--lr=1")
        self.assert_refused(done, "--lr is an option of training", status=1)
        (self.folder / "mine.jsonl").write_text("mine\n")
        done, _ = self.classify(out, self.data, "-o", "mine.jsonl")
        self.assert_refused(done, "mine.jsonl is there already, and was not written by zeroc as labels", status=1)
