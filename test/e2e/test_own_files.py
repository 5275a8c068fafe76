"""No command removes or replaces what zeroc did not write: files, folders, links, inputs."""
import json
import os
import re

import chats
import support
from test_simulate import SECONDS

#: With words that files of zeroc have, too.
MINE = b'this is mine: the plans of a simulated step, "digest": 1\n'


class OwnFiles(chats.ChatCase):
    """Each command that writes meets files of somebody else."""

    def setUp(self):
        super().setUp()
        self.home = self.folder / "home"
        self.home.mkdir()
        config = dict(support.SMALL, vocab_size=259, eos_token_id=258)
        self.base = self.model(**{**config, "architectures": ["GPT2LMHeadModel"]})
        self.mlir = support.import_model(config, 1, 16)
        self.program = support.compile_model(self.mlir)
        self.tokens = self.write_tokens(200, 250)
        self.text = self.write("text.txt", support.TEXT[:2000])
        self.chats = self.write("chats.jsonl", json.dumps({"prompt": "a", "completion": "b"}) + "\n")
        self.machine = self.write("machine.json", {
            "machine": "a test", "target": "cpu", "cores": 2, "cache_bytes": 1 << 20,
            "layouts": [{"ranks": 1, "threads": 1, "error": 0.1, "seconds": SECONDS}]})
        self.trained = ["--data", self.tokens, "--steps", 1, "--lr", "0", "--threads", 1]
        self.run_ok(self.program, *self.trained, "--save", self.base / "model.safetensors", "--metrics",
                    self.folder / "run.jsonl", "--checkpoint", self.folder / "run", "--save-at-exit",
                    env={"ZRT_TRACE": str(self.folder / "trace")})

    def files(self):
        """(What is run, before the name of a file that it writes; an input of it, or None) of each command."""
        zeroc, prompts = support.ZEROC, self.write("prompts.txt", "a\n")
        predicted = [self.mlir, f"--machine={self.machine}", "--threads-per-rank=1"]
        return {
            "": ([zeroc, self.mlir, "-o"], self.mlir),
            "--emit": ([zeroc, self.mlir, "--emit=memory", "-o"], self.mlir),
            "--emit=obj": ([zeroc, self.mlir, "--emit=obj", "-o"], self.mlir),
            "import": ([zeroc, "import", self.base / "config.json", "--batch=1", "--seq=8", "-o"], self.base / "config.json"),
            "export": ([zeroc, "export", self.folder / "run", "-o"], None),
            "tokenize": ([zeroc, "tokenize", self.text, "--bytes", "-o"], self.text),
            "plot": ([zeroc, "plot", self.folder / "run.jsonl", "-o"], self.folder / "run.jsonl"),
            "simulate": ([zeroc, "simulate", *predicted, "-o"], self.mlir),
            "plan": ([zeroc, "plan", *predicted, "-o"], self.mlir),
            "data": ([zeroc, "data", "build", self.base, self.chats, "--seq=16", "-o"], self.chats),
            "trace": ([zeroc, "trace", self.folder / "trace", "-o"], None),
            "calibrate": ([zeroc, "calibrate", "-o"], None),
            "report": ([zeroc, "report", "--run", self.folder / "run.jsonl", "-o"], self.folder / "run.jsonl"),
            "tune": ([zeroc, "tune", *predicted, "--data", self.tokens, "-o"], self.mlir),
            "classify": ([zeroc, "classify", self.base, self.text, "-o"], self.text),
            "generate": ([zeroc, "generate", self.base, "--prompts", prompts, "-o"], prompts),
            "train --save": ([self.program, *self.trained, "--save"], self.tokens),
            "train --metrics": ([self.program, *self.trained, "--metrics"], self.tokens),
            "train --digest": ([self.program, *self.trained, "--digest"], self.tokens),
        }

    #: The end of the name that a command wants.
    ENDS = {"export": ".safetensors", "data": ".safetensors", "tokenize": ".bin"}
    #: Runs that take too long for this test, or need more than it has.
    LONG = ("calibrate", "tune", "generate", "classify")
    #: Commands that write no file, and those that write folders.
    SILENT, FOLDERS = ("explain", "diff", "chat", "replay"), ("finetune", "grpo", "pretrain")

    def refused(self, command, *keywords):
        done = support.run(*command, timeout=100)
        self.assertNotEqual(done.returncode, 0, command)
        for keyword in keywords:
            self.assertIn(keyword, done.err, command)

    def test_every_command_is_here(self):
        listed = set(re.findall(r"^    zeroc ([a-z]+) ", (support.ROOT / "README.md").read_text(), re.M))
        shown = set(re.findall(r"^  ([a-z]+) +- ", support.run(support.ZEROC, "--help").out.split("OPTIONS:")[0], re.M))
        covered = {name.split()[0] for name in self.files() if name[:1].isalpha()} - {"train"}
        self.assertLessEqual(listed | shown, covered | set(self.SILENT) | set(self.FOLDERS))

    def test_files(self):
        for name, (command, source) in self.files().items():
            with self.subTest(name):
                path = self.home / f"out{self.ENDS.get(name, '')}"
                path.write_bytes(MINE)
                self.refused([*command, path], str(path), "zeroc", "--force")
                link = self.home / f"link{self.ENDS.get(name, '')}"
                link.symlink_to(path)
                self.refused([*command, link], "link to a file")
                self.refused([*command, link, "--force"], "link to a file")
                self.assertEqual(path.read_bytes(), MINE)
                link.unlink()
                if source and not name.startswith("train") and source.suffix == self.ENDS.get(name, source.suffix):
                    before = source.read_bytes()
                    self.refused([*command, source, "--force"], "overwrite")
                    self.assertEqual(source.read_bytes(), before)
                path.unlink()
                if name != "export":
                    path.mkdir()
                    self.refused([*command, path, "--force"])
                    path.rmdir()
                self.assertEqual(list(self.home.iterdir()), [])

    def test_own_files(self):
        """What a command wrote it writes again, and with --force it replaces anything."""
        for name, (command, _) in self.files().items():
            if name in self.LONG:
                continue
            with self.subTest(name):
                path = self.home / f"out{self.ENDS.get(name, '')}"
                path.write_bytes(MINE)
                self.run_ok(*command, path, "--force")
                first = path.read_bytes()
                self.assertNotEqual(first, MINE)
                self.run_ok(*command, path)
                path.write_bytes(b"")  # as mktemp makes it
                self.run_ok(*command, path)
                path.unlink()

    def foreign(self):
        out = self.home / "other"
        out.mkdir()
        for name in ("model.safetensors", "model-00001-of-00002.safetensors", "adapter_config.json", "README.md", "notes"):
            (out / name).write_bytes(MINE)
        return out

    def everything(self, folder):
        return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    def test_folders(self):
        """A folder that is not empty and has no run of zeroc is refused, and nothing in it changes."""
        out = self.foreign()
        before = self.everything(out)
        adapters = support.compile_model(self.mlir, "--lora=2")
        reward = self.write("reward.py", "def reward(completions):\n    return [0.0] * len(completions)\n")
        for command in ([support.ZEROC, "finetune", self.base, self.chats, "--lora=2", "-o", out],
                        [support.ZEROC, "finetune", self.base, self.chats, "-o", out, "--dry-run"],
                        [support.ZEROC, "grpo", self.base, self.text, f"--reward={reward}", "-o", out, "--max-tokens=2"],
                        [support.ZEROC, "pretrain", self.base, self.text, "-o", out],
                        [support.ZEROC, "export", self.folder / "run", "-o", out],
                        [adapters, *self.trained, "--init", "random", "--save", out],
                        [self.program, *self.trained, "--checkpoint", out, "--save-at-exit"]):
            self.refused(command, str(out), "no run of zeroc wrote it", "--force")
            self.assertEqual(self.everything(out), before)

    def test_a_run_of_another_kind(self):
        """Only what a run wrote goes when adapters take the place of weights."""
        out = self.home / "out"
        tuned = [support.ZEROC, "finetune", self.base, self.chats, "-o", out, "--accumulate=1", "--steps=1", "--threads=1"]
        self.run_ok(*tuned)
        (out / "notes.txt").write_bytes(MINE)
        self.assertTrue((out / "model.safetensors").exists())
        self.run_ok(*tuned, "--lora=2", "--restart")
        self.assertFalse((out / "model.safetensors").exists())
        self.assertTrue((out / "adapter_model.safetensors").exists())
        self.assertEqual((out / "notes.txt").read_bytes(), MINE)
        # A file that has changed, and one that came from elsewhere.
        (out / "README.md").write_bytes(MINE)
        self.refused([*tuned, "--restart"], "README.md was changed after zeroc wrote it")
        self.run_ok(*tuned, "--lora=2", "--restart", "--force")
        self.assertNotEqual((out / "README.md").read_bytes(), MINE)
        (out / "model.safetensors").write_bytes(MINE)
        self.refused([*tuned, "--lora=2", "--restart"], "model.safetensors was changed after zeroc wrote it")
        self.assertEqual((out / "model.safetensors").read_bytes(), MINE)
        self.assertTrue(os.path.exists(out / "adapter_model.safetensors"))
