"""The loss of evaluation data between steps.  test_plans.py checks that it changes nothing."""
import array
import math

import support

VOCAB = support.SMALL["vocab_size"]
BATCH, SEQ = 2, 16


class Eval(support.Case):
    def setUp(self):
        super().setUp()
        self.data, self.other = self.folder / "data.u16", self.folder / "other.u16"
        support.write_tokens(self.data, 1500, VOCAB)
        support.write_tokens(self.other, 1 + SEQ * 29, VOCAB, seed=2)

    def outcome(self, ranks, options, *flags, steps=4, lr=1e-3, data=None, env=None):
        """Returns metrics, and the saved weights."""
        binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, f"--world-size={ranks}", "--eval", *options)
        lines, saved = self.train(binary, data or self.data, steps, lr, *flags,
                                  *support.nvme_flags(options, self.folder), ranks=ranks, env=env)
        return lines, support.saved_bytes(saved)

    def test_is_the_loss_of_steps(self):
        """Equals the loss of training on the same batches with a learning rate of 0."""
        for precision, chunk in (("fp32", ()), ("bf16", ()), ("fp32", ("--loss-chunk=1",))):
            for ranks in (1, 2):
                options = (f"--precision={precision}", *chunk, f"--stage={ranks}")
                batches = 29 // (BATCH * ranks)
                with self.subTest(options, ranks=ranks):
                    steps, _ = self.outcome(ranks, options, steps=batches, lr=0, data=self.other)
                    lines, _ = self.outcome(ranks, options, "--eval-data", self.other, steps=1, lr=0)
                    mean = sum(line["loss"] for line in steps) / batches
                    self.assert_close(lines[0]["eval_loss"], mean, 2e-8, "loss")
                    self.assert_close(lines[0]["eval_perplexity"], math.exp(mean), 1e-7, "perplexity")

    def test_when(self):
        lines, _ = self.outcome(1, (), "--eval-data", self.other, "--eval-every", 2)
        self.assertEqual([("eval_loss" in line) for line in lines], [False, True, False, True])

    def test_bits(self):
        """The same for every plan of two ranks, in f32 and without micro-steps."""
        found = set()
        for options in ((), ("--stage=1", "--offload-optimizer=nvme", "--overlap-update"),
                        ("--stage=2", "--remat=block"), ("--stage=3", "--offload=cpu")):
            lines, _ = self.outcome(2, options, "--eval-data", self.other, "--eval-every", 1)
            found.add(tuple(line["eval_loss"] for line in lines))
        self.assertEqual(len(found), 1, found)
        self.assertEqual(len(set(found.pop())), 4)

    def test_mean_over_targets(self):
        """The weight of a batch is its number of targets."""
        ids = [(7 * i) % VOCAB for i in range(8 * SEQ)]
        targets = [-100 if i < 5 * SEQ or i % 3 == 0 else ids[i - 1] for i in range(8 * SEQ)]
        for name, values in (("tokens", ids), ("targets", targets)):
            self.write(f"{name}.npy", support.npy("i", (8, SEQ), values))
        inputs = [f"{name}={self.folder}/{name}.npy" for name in ("tokens", "targets")]
        for options in ((), ("--accumulate=2",), ("--accumulate=2", "--accumulate-order=block")):
            binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, "--eval", *options)
            one = support.compile_gpt2(support.SMALL, 1, SEQ, *options[:0])
            (line,), saved = self.train(binary, self.data, 1, 0, "--eval-input", inputs[0],
                                        "--eval-input", inputs[1], name="eval")
            total = count = 0
            for row in range(8):  # alone, a loss is the mean over its own targets
                counted = [t for t in targets[row * SEQ:(row + 1) * SEQ] if t != -100]
                if not counted:
                    continue
                for name, values in (("tokens", ids), ("targets", targets)):
                    self.write(f"row.{name}.npy",
                               support.npy("i", (1, SEQ), values[row * SEQ:(row + 1) * SEQ]))
                metrics = self.folder / "row.jsonl"
                self.run_ok(one, "--input", f"tokens={self.folder}/row.tokens.npy", "--input",
                            f"targets={self.folder}/row.targets.npy", "--init", saved, "--steps", 1,
                            "--lr", 0, "--metrics", metrics, "--quiet")
                total += len(counted) * support.read_metrics(metrics)[0]["loss"]
                count += len(counted)
            with self.subTest(options):
                self.assert_close(line["eval_loss"], total / count, 1e-6, "loss")

    def test_some_batches(self):
        lines, _ = self.outcome(1, (), "--eval-data", self.other, "--eval-batches", 3, steps=1, lr=0)
        short = self.folder / "short.u16"
        short.write_bytes(self.other.read_bytes()[:2 * (1 + SEQ * BATCH * 3)])
        again, _ = self.outcome(1, (), "--eval-data", short, steps=1, lr=0)
        self.assertEqual(lines[0]["eval_loss"], again[0]["eval_loss"])

    def test_batches_are_the_same_on_all_ranks(self):
        """All numbers of ranks evaluate the same sequences, hence the same loss."""
        found = []
        for ranks in (1, 2):
            binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, f"--world-size={ranks}", "--eval")
            done = self.run_ok(*support.launcher(ranks, {}), binary, "--data", self.data, "--steps", 0, "--lr", 0,
                               "--eval-data", self.other, "--eval-batches", 4, env=support.MPI_ENVIRONMENT)
            self.assertIn("8 of them in 4 batches; the last 21 are not read\n", done.out)
            found.append(done.out.split("before step 0: loss ")[1].split(",")[0])
        self.assertEqual(found[0], found[1])
        self.assert_refused(support.run(*support.launcher(2, {}), binary, "--data", self.data, "--steps", 0, "--lr", 0,
                                        "--eval-data", self.other, "--eval-batches", 1, env=support.MPI_ENVIRONMENT),
                            "--eval-batches=1: an evaluation reads 2 batches at once; give it as many or more")

    def test_of_what_is_there(self):
        """A run of no steps evaluates the initial weights, and reports what it reads."""
        binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, "--eval")
        done = self.run_ok(binary, "--data", self.data, "--steps", 0, "--lr", 0, "--eval-data", self.other)
        self.assertRegex(done.out, r"evaluate +.*other.u16, .*29 sequences of 16\n"
                                   r" +28 of them in 14 batches; the last 1 are not read\n")
        self.assertRegex(done.out, r"evaluation before step 0: loss \d\.\d+, perplexity \d+\.?\d*, in ")

    def test_refusals(self):
        binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, "--eval")
        without = support.compile_gpt2(support.SMALL, BATCH, SEQ)
        start = ("--data", self.data, "--steps", 1, "--lr", 0)

        def refuse(program, *flags, status=2):
            return support.run(program, *start, *flags, cwd=self.folder)

        self.assert_refused(refuse(without, "--eval-data", self.other), "no evaluation",
                            "compile the model with --eval", status=2)
        for flags, words in ((("--eval-every", 2), "--eval-every needs --eval-data=FILE"),
                             (("--eval-data", self.other, "--eval-every", 0), "must be 1 or more, got 0"),
                             (("--eval-data", self.other, "--metrics", self.other), "are the same file"),
                             (("--eval-data", self.other, "--eval-input", "labels=x.npy"),
                              "--eval-input labels: the model has no such input"),
                             (("--eval-input", "tokens=x.npy"), "--eval-input targets=FILE is missing")):
            self.assert_refused(refuse(binary, *flags), words, status=2)
        short = self.write("short.u16", array.array("H", range(1 + SEQ)).tobytes())
        self.assert_refused(refuse(binary, "--eval-data", short),
                            "an evaluation reads 2 samples at once, and --eval-data has 1", status=1)
        self.assert_refused(refuse(binary, "--eval-data", "none.u16"), "none.u16", status=1)
        wide = self.write("wide.u16", array.array("H", [VOCAB] * 100).tobytes())
        self.assert_refused(refuse(binary, "--eval-data", wide), "wide.u16", str(VOCAB), status=1)
