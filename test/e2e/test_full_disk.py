"""A full disk: whoever writes names the file, and leaves no part of it."""
import json
import unittest

import chats
import support

#: Bytes of a file; imitates a full disk.
LIMIT = 600


class FullDisk(support.Case):
    def setUp(self):
        super().setUp()
        self.tokens = self.write_tokens(600, 256)
        self.config = self.write("config.json", {**support.SMALL, "n_embd": 64})
        self.train = support.compile_gpt2(support.SMALL, 1, 16)
        self.write("text.txt", "red green blue " * 100)

    def check(self, name, *command, status=1, env=None):
        before = set(self.folder.iterdir())
        done = support.run(*command, cwd=self.folder, env=env, file_limit=LIMIT)
        with self.subTest(command):
            self.assertEqual(done.returncode, status, done.err + done.out)
            self.assertRegex(done.err, rf"(error|warning): .*\b{name}\b.*[Ff]ile too large")
            made = {path.name for path in set(self.folder.iterdir()) - before}
            self.assertEqual({name for name in made if "partial" in name or name.startswith(".")}, set())

    def test_compiler(self):
        self.check("model.mlir", support.ZEROC, "import", self.config, "--batch=1", "--seq=16", "-o", "model.mlir")
        model = support.import_model(support.SMALL, 1, 16)
        self.check("plan.mlir", support.ZEROC, model, "--emit=memory", "-o", "plan.mlir")
        self.check("text.u16", support.ZEROC, "tokenize", "text.txt", "-o", "text.u16", "--bytes")

    def test_runs(self):
        start = (self.train, "--data", self.tokens, "--steps", 9, "--lr", 0, "--quiet")
        self.check("w.safetensors", *start, "--save", "w.safetensors")
        self.check("m.jsonl", *start, "--metrics", "m.jsonl", status=4)
        self.check("d.digest", *start, "--digest", "d.digest")
        self.check("ck", *start, "--checkpoint", "ck", "--save-at-exit", status=4)
        self.check("tb", *start, "--tensorboard", "tb", status=4)
        whole = self.train_whole()
        self.check("out", support.ZEROC, "export", self.folder / "run" / "step-2", "-o", "out", "--config", self.config)
        self.check("run.svg", support.ZEROC, "plot", whole, "-o", "run.svg")
        only = support.compile_model(support.import_model(support.SMALL, 1, 16), "--sample-only")
        self.check("l.npy", only, "--weights", self.folder / "run" / "step-2", "--prompt-ids", "1,2,3", "--logits", "l.npy")
        self.check("t.json", support.ZEROC, "trace", self.folder / "traced", "-o", "t.json")

    def train_whole(self):
        metrics = self.folder / "whole.jsonl"
        self.run_ok(self.train, "--data", self.tokens, "--steps", 2, "--lr", 0, "--quiet", "--checkpoint", "run",
                    "--save-at-exit", "--metrics", metrics, env={"ZRT_TRACE": str(self.folder / "traced")})
        return metrics


@unittest.skipIf(chats.MISSING, chats.MISSING)
class FullDiskOfData(chats.ChatCase, FullDisk):
    test_compiler = test_runs = None

    def test_data(self):
        base = self.model()
        chat = [{"role": "user", "content": "red"}, {"role": "assistant", "content": "blue"}]
        self.write("a.jsonl", json.dumps({"messages": chat}) + "\n")
        self.check("a.safetensors", support.ZEROC, "data", "build", base, "a.jsonl", "-o", "a.safetensors", "--seq=64")
