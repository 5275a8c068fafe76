"""--ds-config: a DeepSpeed config trains the same as the options printed for it."""
import json
import re
import shlex

import support

VOCAB = support.SMALL["vocab_size"]
BATCH, SEQ = 2, 16
CONFIG = {
    "train_batch_size": 8,
    "train_micro_batch_size_per_gpu": BATCH,
    "optimizer": {"type": "AdamW", "params": {"lr": 2e-3, "betas": [0.9, 0.98], "weight_decay": 0.05}},
    "scheduler": {
        "type": "WarmupCosineLR",
        "params": {"total_num_steps": 6, "warmup_num_steps": 2, "warmup_type": "linear", "cos_min_ratio": 0.1},
    },
    "fp16": {"enabled": True, "loss_scale": 512},
    "gradient_clipping": 0.5,
    "zero_optimization": {
        "stage": 3,
        "overlap_comm": True,
        "stage3_param_persistence_threshold": 20,
        "offload_optimizer": {"device": "cpu", "pin_memory": True},
    },
}


class DeepSpeedConfig(support.Case):
    def compile(self, name, *options):
        model = support.import_model(support.SMALL, BATCH, SEQ)
        binary = self.folder / name
        return binary, self.run_ok(support.ZEROC, model, "--world-size=2", *options, "-o", binary).err

    def train(self, binary, options):
        data = self.write_tokens(900, VOCAB)
        metrics, saved = binary.with_suffix(".jsonl"), binary.with_suffix(".safetensors")
        self.run_ok(binary, "--data", data, "--metrics", metrics, "--save", saved,
                    *options, env=support.MPI_ENVIRONMENT)
        return support.read_metrics(metrics), saved

    def test_trains_as_the_printed_options_do(self):
        config = self.write("ds.json", CONFIG)
        binary, report = self.compile("config", f"--ds-config={config}")
        options = re.search(r"became: (.*)", report)[1].split()
        typed = re.search(r"train with: (.*)", report)[1].split()
        self.assertEqual(options, [
            "--precision=fp16", "--accumulate=2", "--grad-clip=0.5", "--stage=3", "--persist-below=41",
            "--offload-optimizer=cpu", "--optimizer=adamw", "--betas=0.9,0.98", "--weight-decay=0.05"])
        self.assertEqual(typed, ["--loss-scale=512", "--lr=0.002", "--schedule=cosine", "--warmup=2",
                                 "--min-lr=2e-04", "--steps=6"])
        lines, saved = self.train(binary, typed)
        self.assertEqual(len(lines), 6)
        others, expected = self.train(self.compile("options", *options)[0], typed)
        for key in ("loss", "grad_norm", "lr", "loss_scale"):
            self.assertEqual([line[key] for line in lines], [line[key] for line in others], key)
        self.assert_same_bytes(saved, expected)

    def test_json(self):
        """--certificate=json says the options that the text does, by who takes them."""
        more = {"wall_clock_breakdown": True, "tensorboard": {"enabled": True, "output_path": "my runs", "job_name": "it's"}}
        for config, *options in (({**CONFIG, **more}, "--world-size=2"), ({},), ({"zero_optimization": {"stage": 0}}, "--stage=0")):
            with self.subTest(config):
                command = (support.ZEROC, f"--ds-config={self.write('ds.json', config)}", *options)
                text = self.run_ok(*command).out
                found = {part: shlex.split(words) for part, words in re.findall(
                    r"^(?:.*? |  )(became|train with|import with): ?(?!no option)(.*)$", text, re.MULTILINE)}
                told = json.loads(self.run_ok(*command, "--certificate=json").out)
                self.assertEqual(told, {"compile": found.get("became", []), "train": found.get("train with", []),
                                        "import": found.get("import with", [])})
        self.assertIn("--grad-clip=0", told["compile"])
        command = (support.ZEROC, f"--ds-config={self.write('ds.json', CONFIG)}", "--world-size=2", "--certificate=json")
        self.assertEqual(json.loads(self.run_ok(*command).out)["train"][0], "--loss-scale=512")
        done = support.run(*command, "--stage=1")
        self.assert_refused(done, "is --stage=3, and the command line has --stage=1; drop one of them")
        self.assertEqual(done.out, "")
