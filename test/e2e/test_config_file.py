"""--config=FILE.yaml and --ds-config of zeroc finetune and pretrain."""
import json
import shutil

import support
from test_finetune import FinetuneCase

try:
    import yaml
    MISSING = ""
except ImportError as error:
    MISSING = f"no Python package: {error}"


class ConfigFile(FinetuneCase):
    def setUp(self):
        super().setUp()
        if MISSING:
            self.skipTest(MISSING)

    def config(self, text, name="run.yaml"):
        return self.write(name, text)

    def test_runs_the_same(self):
        """What a dry run writes, and a file of one's own, give the bytes of the command with options."""
        words = ("--lora=4:16", "--lr=2e-3", "--steps=3", "--accumulate=2", "--betas=0.8,0.9", "--skip-nonfinite=on",
                 "--threads=1", "--no-packing", "--progress=none")
        self.run_ok(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "typed", *words)
        done = self.run_ok(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "dry", "--dry-run", *words)
        written = self.folder / "dry" / "zeroc" / "config.yaml"
        self.assertIn(f"wrote {written}", done.out)
        self.run_ok(support.ZEROC, "finetune", f"--config={written}")
        own = self.config(f"model: {self.base}\ndata: [{self.chats}]\nout: {self.folder}/own\nlora: 16:32 # typed, too\nlr: 2e-3\n"
                          "steps: 3\naccumulate: 2\nbetas: [0.8, 0.9]\nskip_nonfinite: on\nthreads: 1\nno-packing: true\n"
                          "merge: false\nprogress: none\n")
        self.run_ok(support.ZEROC, "finetune", f"--config={own}", "--lora=4:16")
        for name in ("dry", "own"):
            self.assert_same_bytes(self.folder / "typed" / "adapter_model.safetensors",
                                   self.folder / name / "adapter_model.safetensors")
        texts = self.write("texts.txt", "red green " * 100)
        self.config(f"model: {self.base}\ndata: {texts}\nbytes: true\nsteps: 2\nseq: 16\n", "pretrain.yaml")
        self.run_ok(support.ZEROC, "pretrain", "--config=pretrain.yaml", "-o", "pretrained", "--progress=none")

    def test_characters(self):
        """What YAML does not take as it is comes back from the file of a dry run."""
        text = "\x01\t\x7f\x85\xa0\u2028\u2029\ufeff\ufffe \U0001f600\\\"'#: {"
        self.run_ok(support.ZEROC, "finetune", self.base, self.chats, "-o", "out", "--dry-run", f"--sample-prompt={text}")
        written = self.folder / "out" / "zeroc" / "config.yaml"
        self.assertEqual(yaml.safe_load(written.read_text(encoding="utf-8"))["sample-prompt"], text)
        self.run_ok(support.ZEROC, "finetune", f"--config={written}", "--dry-run")  # writes it again
        self.assertEqual(yaml.safe_load(written.read_text(encoding="utf-8"))["sample-prompt"], text)

    def test_arguments(self):
        """Typed arguments win over the file's, between options, too; files alone are data of its model."""
        other, third = (self.write(name, self.chats.read_text()) for name in ("other.jsonl", "third.jsonl"))
        model = self.folder / "model-2"
        shutil.copytree(self.base, model)
        both = self.config(f"model: {self.base}\ndata: {self.chats}\n")
        named = self.config(f"model: {self.base}\n", "model.yaml")
        given = self.config(f"data: [{self.chats}]\n", "data.yaml")
        for file, words, reads in ((both, (), (self.base, self.chats)), (both, (other,), (self.base, other)),
                                   (both, (other, "--lr=1e-3", third), (self.base, other, third)),
                                   (both, (model,), (model, self.chats)),
                                   (both, (model, "--lr", "1e-3", other), (model, other)),
                                   (named, (other,), (self.base, other)), (named, (other, third), (self.base, other, third)),
                                   (named, (model, "--steps=1", other), (model, other)),
                                   (given, (model,), (model, self.chats)), (given, (model, "--steps=1", other), (model, other))):
            with self.subTest(file=file, words=words):
                done = self.run_ok(support.ZEROC, "finetune", f"--config={file}", *words, "-o", "out", "--dry-run")
                self.assertIn(f"zeroc data build {' '.join(map(str, reads))} -o ", done.out)
        texts = self.write("texts.txt", "red green " * 100)
        file = self.config(f"model: {self.base}\ndata: {self.chats}\nbytes: true\nsteps: 2\nseq: 16\n", "pretrain.yaml")
        config = shutil.copy(self.base / "config.json", self.folder / "other.json")
        for words, model in (((texts,), self.base), ((config, "--lr=1e-3", texts), config)):
            done = self.run_ok(support.ZEROC, "pretrain", f"--config={file}", *words, "-o", "pretrained", "--dry-run")
            self.assertIn(f"zeroc import {model} ", done.out)
            self.assertIn(f"zeroc tokenize {texts} ", done.out)
        done = support.run(support.ZEROC, "finetune", f"--config={both}", "nowhere.jsonl", "-o", "out")
        self.assert_refused(done, "cannot read nowhere.jsonl: no such file")

    def test_refused(self):
        for text, says in (
                ("lr: 1\nlr: 2", "run.yaml, line 2: lr is there already, in line 1"),
                ("no_packing: true\nno-packing: true", "run.yaml, line 2: no-packing is there already"),
                ("lr: fast", "run.yaml, line 1: lr is 'fast', and takes a number"),
                ("\nseq: 1.5", "run.yaml, line 2: seq is '1.5', and takes a whole number"),
                ("lr: [1, 2]", "run.yaml, line 1: lr is a list, and takes one value"),
                ("lr:", "run.yaml, line 1: lr has no value"),
                ("lr: {peak: 1}", "run.yaml, line 1: lr has keys or lists in its value"),
                ("merge: 3", "run.yaml, line 1: merge is '3', and takes true or false"),
                ("stage: true", "run.yaml, line 1: stage is true, and takes a value"),
                ("objective: ppo", "run.yaml, line 1: objective is 'ppo', and takes sft, dpo"),
                ("lorra: 4", "run.yaml, line 1: lorra is no option of finetune, of zeroc, or of train; did you mean lora?"),
                ("learning_rate: 1", "run.yaml, line 1: learning-rate is lr X here"),
                ("world-size: 2", "run.yaml, line 1: finetune gives world-size itself; say ranks"),
                ("config: a.yaml", "run.yaml, line 1: config is no key of a file"),
                ("- lr", "run.yaml has no keys"),
                ("lr: [1", "run.yaml, line 2 is not YAML"),
                ("stage: 7", "--stage must be 0, 1, 2")):
            with self.subTest(text):
                self.config(text + "\n")
                done = support.run(support.ZEROC, "finetune", self.base, self.chats, "-o", "out", "--config=run.yaml",
                                   cwd=self.folder)
                self.assert_refused(done)
                self.assertIn(says, done.err)
                shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.assert_refused(support.run(support.ZEROC, "finetune", "--config=nowhere.yaml"), "cannot read nowhere.yaml: no such")

    def test_all_keys_are_named(self):
        """A file of another trainer is refused once, not key by key."""
        self.config("base_model: a\ndatasets:\n  - path: b\nmicro_batch_size: 2\nlr: 1e-3\nsave_strategy: no\n")
        done = support.run(support.ZEROC, "finetune", "--config=run.yaml", cwd=self.folder)
        self.assert_refused(done)
        self.assertEqual(done.err.splitlines(), [
            "zeroc finetune: error: of run.yaml 4 keys cannot be taken:",
            "  run.yaml, line 1: base-model is no option of finetune: say model",
            "  run.yaml, line 2: datasets is data FILE here; see zeroc finetune --help",
            "  run.yaml, line 4: micro-batch-size is batch=B here; see zeroc finetune --help",
            "  run.yaml, line 6: save-strategy is save-every N here; see zeroc finetune --help"])

    def test_deepspeed_config(self):
        """A run with --ds-config is that with the options which the file becomes."""
        file = self.write("ds.json", json.dumps({
            "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 3, "gradient_clipping": 0.5,
            "bf16": {"enabled": True}, "zero_optimization": {"stage": 2},
            "optimizer": {"type": "AdamW", "params": {"lr": 3e-3, "betas": [0.8, 0.9], "eps": 1e-7, "weight_decay": 0.1}},
            "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 2, "warmup_max_lr": 3e-3, "warmup_type": "linear"}}}))
        common = ("--ranks=2", "--steps=3", "--threads=1", "--progress=none")
        told = json.loads(self.run_ok(support.ZEROC, f"--ds-config={file}", "--world-size=2", "--certificate=json").out)
        self.assertEqual(told["import"], ["--batch=2"])
        done = self.run_ok(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "file", f"--ds-config={file}",
                           *common)
        self.assertIn("run       3 steps of 12 sequences", done.out)
        options = [option for part in told.values() for option in part]
        self.run_ok(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "typed", *options, *common)
        self.assert_same_bytes(self.folder / "file" / "model.safetensors", self.folder / "typed" / "model.safetensors")
        for words, says in ((("--lr=1e-3",), f"--lr=0.001 contradicts {file}, which says --lr=0.003; drop one of them"),
                            (("--batch=1",), f"--batch=1 contradicts {file}, which says --batch=2"),
                            (("--precision=fp32",), "and the command line has --precision=fp32; drop one of them"),
                            (("--accumulate=2",), "and the command line has --accumulate=2; drop one of them"),
                            (("--grad-clip=1",), "and the command line has --grad-clip=1; drop one of them")):
            done = support.run(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "other",
                               f"--ds-config={file}", *common, *words)
            self.assert_refused(done)
            self.assertIn(says, done.err)
