"""The loss of evaluation data between steps.  test_plans.py checks that it changes nothing."""
import array
import json
import math
import shutil

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

    def test_before_the_first_step(self):
        """The evaluation before step 0 is that of the initial weights; a resumed run has none."""
        binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, "--eval")
        flags = ("--eval-data", self.other)
        none = self.run_ok(binary, "--data", self.data, "--steps", 0, "--lr", 0, *flags)
        found = none.out.split("before step 0: loss ")[1].split(",")[0]
        kept = ("--checkpoint", self.folder / "ck", "--save-every", 2)
        lines, _ = self.outcome(1, (), *flags, *kept)
        self.assertEqual([f"{line['initial_eval_loss']:.6f}" for line in lines if "initial_eval_loss" in line], [found])
        self.assertIn("initial_eval_loss", lines[0])
        done = self.run_ok(binary, "--data", self.data, "--steps", 6, "--lr", 1e-3, *flags, *kept, "--resume", "latest")
        self.assertNotIn("before step", done.out)

    def worse(self, ranks, *flags):
        """What is printed, metrics and weights of 12 steps at so high a rate that evaluations soon get worse."""
        binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, f"--world-size={ranks}", "--eval")
        done, lines, saved = self.run_plan(binary, "--data", self.data, "--steps", 12, "--lr", 1e-2 + 2e-2 * ranks, "--eval-data", self.other,
                                           "--eval-every", 1, *flags, ranks=ranks)
        return done.out + done.err, lines, support.saved_bytes(saved)

    def best_of(self, lines):
        """(Steps that were done, the loss) of the best evaluation."""
        every = [(lines[0]["initial_eval_loss"], 0)]
        every += [(line["eval_loss"], line["step"] + 1) for line in lines if "eval_loss" in line]
        loss, steps = min(every)
        return steps, loss

    def test_keep_best(self):
        """--save has the weights of the best evaluation, whose checkpoint outlives --keep; a resumed run knows both."""
        for ranks in (1, 2):
            _, lines, last = self.worse(ranks)
            steps, loss = self.best_of(lines)
            self.assertTrue(0 < steps < 12, [line["eval_loss"] for line in lines])
            *_, expected = self.worse(ranks, "--until", steps)
            self.assertNotEqual(expected, last)
            folder = self.folder / f"ck{ranks}"
            kept = ("--keep-best", "--checkpoint", folder, "--save-every", 1, "--keep", 1)
            for until in sorted({steps + 1, 12}):
                with self.subTest(ranks=ranks, until=until):
                    *_, saved = self.worse(ranks, *kept, "--until", until, "--resume", "latest")
                    self.assertEqual(saved, expected)
                    self.assertEqual({path.name for path in folder.glob("step-*")}, {f"step-{steps}", f"step-{until}"})
            best = json.loads((folder / "step-12" / "manifest.json").read_text())["best"]
            self.assertEqual((best["step"], best["since"]), (steps, 12 - steps))
            self.assert_close(best["loss"], loss, 1e-8, "loss")
            out = self.folder / f"best{ranks}.safetensors"
            self.run_ok(support.ZEROC, "export", folder, "--best", "-o", out)
            self.assertEqual(support.saved_bytes(out), expected)
        shutil.rmtree(folder / f"step-{steps}")
        self.assert_refused(support.run(support.ZEROC, "export", folder, "--best", "-o", out),
                            f"the best evaluation was that at step {steps}, and there is no .*step-{steps}; its run "
                            "was without --keep-best")

    def test_another_best(self):
        """A best evaluation counts while its weights are kept, and for evaluations of the same data."""
        folder = self.folder / "ck"
        often = ("--checkpoint", folder, "--save-every", 1, "--resume", "latest")
        steps, _ = self.best_of(self.worse(1)[1])
        anew = "--keep-best and --patience begin anew"
        said = {}
        for name, until, flags in (("kept", steps, ("--keep-best",)), ("dropped", steps + 1, ()),
                                   ("again", steps + 2, ("--keep-best",)), ("patient", steps + 3, ("--patience", 9)),
                                   ("not kept", steps + 4, ("--keep-best",)),
                                   ("others", steps + 5, ("--keep-best", "--eval-batches", 1)),
                                   ("the same", steps + 6, ("--keep-best", "--eval-batches", 1))):
            said[name], *_, saved = self.worse(1, *often, *flags, "--until", until)
            best = json.loads((folder / f"step-{until}" / "manifest.json").read_text()).get("best")
            if "--keep-best" in flags:
                self.run_ok(support.ZEROC, "export", folder, "--best", "-o", self.folder / "best.safetensors", "--force")
                self.assertEqual(support.saved_bytes(self.folder / "best.safetensors"), saved, name)
            else:
                self.assertEqual(bool(best), bool(flags))
        self.assertEqual({name for name, text in said.items() if anew in text}, {"not kept", "others"})
        self.assertIn("was not kept", said["not kept"])
        self.assertIn("was of other data or batches", said["others"])

    def test_the_first_is_the_best(self):
        """Weights that only get worse are saved as they were."""
        binary = support.compile_gpt2(support.SMALL, BATCH, SEQ, "--eval")
        start, saved = self.folder / "start.safetensors", self.folder / "best.safetensors"
        self.run_ok(binary, "--data", self.data, "--steps", 0, "--lr", 0, "--save", start)
        done = self.run_ok(binary, "--data", self.data, "--steps", 3, "--lr", 10, "--eval-data", self.other, "--keep-best",
                           "--save", saved)
        self.assertEqual(support.saved_bytes(saved), support.saved_bytes(start))
        self.assertRegex(done.out, r"best evaluation before step 0: loss \d\.\d+\nits weights saved to ")

    def test_patience(self):
        """The run ends after so many evaluations without a better one, also if it is resumed in between."""
        steps, _ = self.best_of(self.worse(1)[1])
        ended = (f"ended after step {steps + 2}: 3 evaluations without a better one, see --patience\n"
                 f"best evaluation after step {steps - 1}: loss ")
        said, lines, weights = self.worse(1, "--patience", 3)
        self.assertIn(ended, said)
        self.assertEqual(len(lines), steps + 3)
        kept = ("--patience", 3, "--checkpoint", self.folder / "ck", "--save-every", 1, "--resume", "latest")
        self.worse(1, *kept, "--until", steps + 1)
        for _ in range(2):  # the second time it has ended already
            said, lines, again = self.worse(1, *kept)
            self.assertIn(ended, said)
            self.assertEqual(len(lines), steps + 3)
            self.assertEqual(again, weights)

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
                             (("--keep-best",), "--keep-best needs --eval-data=FILE"),
                             (("--patience", 2), "--patience needs --eval-data=FILE"),
                             (("--eval-data", self.other, "--keep-best"), "needs --save=FILE for the best weights"),
                             (("--eval-data", self.other, "--patience", 2), "counts evaluations; add --eval-every=N"),
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
