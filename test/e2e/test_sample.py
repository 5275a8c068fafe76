"""Samples of a model: the logits, that all plans have the same ones, and that samples are drawn
when requested."""
import importlib.util
import sys

import support

VOCAB = support.SMALL["vocab_size"]
BATCH, SEQ = 2, 16
PROMPT = "mind"
#: Plans, and their ranks.
KINDS = (
    (1, ("--loss-chunk=1",)),
    (1, ("--offload=nvme", "--overlap-update")),
    (1, ("--offload-optimizer=cpu", "--delayed-update")),
    (1, ("--remat=block", "--offload-activations=cpu", "--eval")),
    (1, ("--accumulate=3", "--accumulate-order=block")),
    (2, ("--stage=1", "--accumulate=3")),
    (2, ("--stage=2", "--accumulate=2", "--accumulate-order=block")),
    (2, ("--stage=3", "--reuse-distance=1GiB", "--persist-below=1KiB")),
    (3, ("--stage=0",)),
    (3, ("--stage=3", "--offload=nvme", "--bucket-size=4KiB")),
)
#: Same, with other numbers.
HALVES = (
    (1, ("--precision=bf16",)),
    (1, ("--precision=bf16", "--offload=nvme", "--overlap-update")),
    (2, ("--precision=bf16", "--stage=3", "--offload=cpu")),
    (3, ("--precision=bf16", "--stage=2", "--accumulate=2")),
)


class Sample(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write("data.txt", support.TEXT)

    def compile(self, ranks, options, switch="--sample"):
        return support.compile_gpt2(support.SMALL, BATCH, SEQ, f"--world-size={ranks}", *options,
                                    *((switch,) if switch else ()))

    def samples(self, name="run"):
        """The lines of metrics that have samples."""
        return [line for line in support.read_metrics(self.folder / f"{name}.jsonl") if "samples" in line]

    def draw(self, ranks, options, weights, *flags, prompt=PROMPT, env=None):
        """Returns a plan's samples from weights: a run of a step that changes nothing."""
        self.train(self.compile(ranks, options), self.data, 1, 0, "--init", weights, "--prompt", prompt,
                   *(() if "--sample" in flags else ("--sample", 5)), *flags, *support.nvme_flags(options, self.folder),
                   ranks=ranks, name="drawn", env=env)
        (line,) = self.samples("drawn")
        return line["samples"]

    def trained(self):
        _, saved = self.train(self.compile(1, ()), self.data, 60, 1e-2, name="trained")
        return saved

    def test_golden(self):
        """Against transformers' GPT-2 in float64, at every position of a prompt."""
        ids = ",".join(str((37 * i + 11) % 256) for i in range(48))
        shape, expected = support.read_npy(support.GOLDEN / "logits.npy")
        out = self.folder / "logits.npy"
        for options, limit in (((), 1e-5), (("--reference",), 1e-5), (("--precision=bf16",), 0.05),
                               (("--offload-params=cpu",), 1e-5)):
            binary = support.compile_gpt2(support.GOLDEN / "config.json", 5, 64, "--sample-only", *options)
            self.run_ok(binary, "--weights", support.GOLDEN / "final.safetensors", "--prompt-ids", ids,
                        "--logits", out)
            found, values = support.read_npy(out)
            self.assertEqual(found, shape)
            with self.subTest(options):
                self.assertLess(max(abs(a - b) for a, b in zip(values, expected)), limit)

    def test_transformers(self):
        """Both directions, where transformers is installed; test/foreign has a larger model."""
        if any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")):
            self.skipTest("transformers is not installed")
        done = self.run_ok(sys.executable, support.ROOT / "test" / "foreign" / "gpt2_logits.py", "--config",
                           support.GOLDEN / "config.json", "--tokens", 48)
        self.assertEqual(done.out.count("largest difference"), 2, done.out)

    def test_when(self):
        """The table of test_plans.py checks that sampling changes nothing else."""
        self.train(self.compile(1, ()), self.data, 4, 1e-3, "--sample", 3, "--sample-every", 2, "--prompt", PROMPT,
                   "--sample-tokens", 5)
        self.assertEqual([line["step"] for line in self.samples()], [1, 3])

    def test_every_plan_alike(self):
        """From the same weights, however they are stored: greedy, and random."""
        weights = self.trained()
        for kinds in (KINDS, HALVES):
            found = {}
            for ranks, options in kinds:
                for flags in (("--temperature", 0), ("--temperature", 1.5, "--top-k", 9, "--seed", 3)):
                    drawn = self.draw(ranks, options, weights, *flags, "--sample-tokens", 12)
                    with self.subTest(options):
                        self.assertEqual(drawn, found.setdefault(flags[1], drawn))
            self.assertNotEqual(*found.values())
            self.assertEqual(len({str(sample) for sample in found[0]}), 1)
            self.assertEqual(len({str(sample) for sample in found[1.5]}), 5)

    def test_what_was_learned(self):
        """A model of one text continues it."""
        binary = support.compile_gpt2(dict(support.SMALL, n_embd=64, n_layer=2, n_head=4), 8, 32, "--sample")
        self.train(binary, self.data, 400, 3e-3, "--schedule", "cosine", "--sample", 1, "--temperature", 0,
                   "--prompt", "in possession of a", "--sample-tokens", 20)
        (sample,) = self.samples()[-1]["samples"]
        self.assertTrue("in possession of a" + sample["text"] in support.TEXT.decode(), sample["text"])

    def test_full(self):
        """A sample ends when it fills the positions of the model."""
        weights = self.trained()
        (long,) = self.draw(1, (), weights, "--temperature", 0, "--sample", 1, "--sample-tokens", 40)
        self.assertEqual(len(long["ids"]), SEQ - len(PROMPT))
        done = self.run_ok(self.compile(1, ()), "--data", self.data, "--steps", 1, "--lr", 0, "--sample", 1,
                           "--prompt", PROMPT, "--sample-tokens", 40)
        self.assertIn(f"--- the {SEQ} positions of the model end here", done.out)

    def test_many(self):
        """Sample i does not depend on the number of samples."""
        weights = self.trained()
        many = self.draw(2, ("--stage=3",), weights, "--sample", 9, "--sample-tokens", 8)
        self.assertEqual(self.draw(1, ("--stage=0",), weights, "--sample", 3, "--sample-tokens", 8), many[:3])

    def test_generate(self):
        """From a checkpoint of any plan, and from a file: the same as the training has printed."""
        model = support.import_model(support.SMALL, BATCH, SEQ)
        flags = ("--prompt-ids", "109,105,110,100", "--sample-tokens", 10, "--seed", 7)
        for ranks, options in ((2, ("--stage=3", "--offload=nvme")), (1, ("--precision=bf16",)),
                               (3, ("--stage=2", "--precision=fp16"))):
            binary = self.compile(ranks, options)
            _, saved = self.train(binary, self.data, 5, 1e-2, "--sample", 3, *flags, "--checkpoint", "checks",
                                  "--save-every", 5, *support.nvme_flags(options, self.folder), ranks=ranks)
            shown = [" ".join(map(str, sample["ids"])) for sample in self.samples()[-1]["samples"]]
            expected = "".join(f"--- sample {i + 1} of 3\n109 105 110 100 | {ids}\n" for i, ids in enumerate(shown))
            given = [option for option in options if "precision" in option]
            for weights in ("checks", saved):
                done = self.generate(model, weights, "--sample=3", *flags, options=given)
                with self.subTest(options, weights=weights):
                    self.assertEqual(done.out, expected + "--- end of samples\n")
            support.shutil.rmtree(self.folder / "checks")
        # It holds parameters, and the memory of one layer's forward.
        sizes = support.parse_sizes(self.run_ok(self.compile(1, (), "--sample-only"), "--certificate").out)
        parameters = sizes["parameters"]
        self.assertLess(sizes["device arena"], parameters + 40000)

    def test_shown(self):
        """Samples are quoted; bytes that are not text are escaped."""
        done = self.run_ok(self.compile(1, ()), "--data", self.data, "--steps", 1, "--lr", 0, "--sample", 2,
                           "--prompt", "a\\b\x1b\n", "--sample-tokens", 2, "--temperature", 0)
        self.assertRegex(done.out, r"\n--- sample 1 of 2, after step 0\na\\\\b\\x1b\n[^$]*"
                                   r"\n--- sample 2 of 2, after step 0\n[^$]*\n--- end of samples\n")
        done = self.run_ok(self.compile(1, ()), "--data", self.data, "--steps", 0, "--lr", 0, "--sample", 1,
                           "--prompt-ids", "1,2,250", "--sample-tokens", 2)
        self.assertRegex(done.out, r"\n--- sample 1 of 1, before step 0\n1 2 250 \| \d+ \d+\n--- end")

    def test_refusals(self):
        binary, without = self.compile(1, ()), self.compile(1, (), None)
        start = ("--data", self.data, "--steps", 1, "--lr", 0)
        prompt = ("--prompt", PROMPT)
        self.assert_refused(support.run(without, *start, "--sample", 1, *prompt), "gives no samples",
                            "compile the model with --sample", status=2)
        for flags, words in (
                (("--sample", 0, *prompt), "--sample must be 1 or more, got 0"),
                (("--sample", -1, *prompt), "--sample must not be negative, got -1"),
                (("--sample", 1), "--prompt=TEXT is missing"),
                (("--sample", 1, "--prompt", ""), "--prompt is empty"),
                (("--sample", 1, *prompt, "--prompt-ids", "1"), "say the same; give one"),
                (("--sample", 1, "--prompt-ids", "1,256"), "has the token 256, and the model has tokens 0 to 255"),
                (("--sample", 1, "--prompt-ids", "1,-2"), "has the token -2"),
                (("--sample", 1, "--prompt-ids", "1,,2"), "must be whole numbers, as in 1,2,3, got"),
                (("--sample", 1, "--prompt", "x" * (SEQ + 1)), "has 17 tokens, and the model reads 16"),
                (("--sample", 1, *prompt, "--temperature", -1), "must be a finite number >= 0, got -1"),
                (("--sample", 1, *prompt, "--temperature", "nan"), "must be a finite number >= 0, got nan"),
                (("--sample", 1, *prompt, "--top-k", 0), "--top-k must be 1 or more, got 0"),
                (("--sample", 1, *prompt, "--top-k", 3, "--temperature", 0), "changes nothing with --temperature=0"),
                (("--sample", 1, *prompt, "--sample-tokens", 0), "--sample-tokens must be 1 or more"),
                (("--sample", 1, *prompt, "--sample-every", 0), "--sample-every must be 1 or more"),
                (prompt, "--prompt needs --sample=N")):
            with self.subTest(flags):
                self.assert_refused(support.run(binary, *start, *flags), words, status=2)
        wide = support.compile_gpt2(dict(support.SMALL, vocab_size=300), BATCH, SEQ, "--sample")
        self.assert_refused(support.run(wide, *start, "--sample", 1, *prompt),
                            "for models whose tokens are bytes, and this one has a vocabulary of 300", status=2)
        alone = self.compile(1, (), "--sample-only")
        for flags, words, status in ((prompt, "--weights is missing", 2),
                                     (("--weights", "none.safetensors"), "--prompt=TEXT is missing", 2),
                                     (("--weights", "none.safetensors", *prompt), "none.safetensors", 1),
                                     (("--weights", "x", *prompt, "--lr", 1), "--lr", 2)):
            with self.subTest(flags):
                self.assert_refused(support.run(alone, *flags, cwd=self.folder), words, status=status)
        model = support.import_model(support.SMALL, BATCH, SEQ)
        for options in (("--accumulate=2",), ("--eval",), ("--remat=block",), ("--offload-activations=cpu",)):
            self.assert_refused(support.run(support.ZEROC, model, "--sample-only", *options),
                                "--sample-only is for a program that does not train")

    def test_other_models(self):
        """Logits of products written in linalg; and a model whose targets are not text."""
        binary = support.compile_model(support.EXAMPLES / "mlp.mlir", "--sample")
        self.train(binary, self.data, 2, 1e-2, "--sample", 20, "--prompt", PROMPT, "--sample-tokens", 3)
        self.assertEqual([len(line["samples"]) for line in self.samples()], [20])
        model = self.write("labels.mlir", """
            func.func @loss(%w: tensor<9x5xf32> {zero.param = "w"}, %tokens: tensor<4x3xi32> {zero.input = "tokens"},
                            %labels: tensor<4xi32> {zero.input = "labels"}) -> tensor<f32> {
              %x = nn.embedding %labels, %w : tensor<4xi32>, tensor<9x5xf32> -> tensor<4x5xf32>
              %loss = nn.cross_entropy %x, %labels : tensor<4x5xf32>, tensor<4xi32> -> tensor<f32>
              return %loss : tensor<f32>
            }""")
        done = support.run(support.ZEROC, model, "--sample", "-o", self.folder / "train")
        self.assert_refused(done, "has targets that are no input of the shape of the tokens", "drop --sample")
