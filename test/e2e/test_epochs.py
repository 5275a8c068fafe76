"""--epochs: the same run as with --steps, wherever it is interrupted."""
import math

import support

VOCAB = support.SMALL["vocab_size"]
SEQ, SEQUENCES = 16, 11


class Epochs(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "tokens.u16"
        support.write_tokens(self.data, 1 + SEQ * SEQUENCES, VOCAB)

    def outcome(self, ranks, batch, name, *flags, options=()):
        """Returns the output, the steps' numbers, and the saved weights."""
        binary = support.compile_gpt2(support.SMALL, batch, SEQ, f"--world-size={ranks}", *options)
        done, lines, saved = self.run_plan(binary, "--data", self.data, "--lr", "1e-2", "--schedule", "cosine", *flags,
                                           ranks=ranks, name=name)
        bits = [(*bits, line["lr"]) for bits, line in zip(support.bits_of(lines), lines)]
        return done.out, bits, support.saved_bytes(saved)

    def test_are_steps(self):
        for ranks, batch, options in ((1, 2, ()), (2, 2, ("--stage=3",)), (1, 1, ("--accumulate=3",))):
            per_step = ranks * batch * (3 if options == ("--accumulate=3",) else 1)
            for epochs in (1, 3):
                with self.subTest(ranks=ranks, options=options, epochs=epochs):
                    steps, left = divmod(epochs * SEQUENCES, per_step)
                    text, *found = self.outcome(ranks, batch, "epochs", "--epochs", epochs, "--shuffle",
                                                options=options)
                    _, *expected = self.outcome(ranks, batch, "steps", "--steps", steps, "--shuffle", options=options)
                    self.assertEqual(found, expected)
                    self.assertEqual(len(found[0]), steps)
                    verb = "is" if left == 1 else "are"
                    rest = f"; the last {left} of the last epoch {verb} left out" if left else ""
                    self.assertIn(f"epochs    {epochs} of 11 samples: {steps} steps of {per_step}{rest}\n", text)

    def test_goes_on_to_the_same_end(self):
        flags = ("--epochs", 3, "--shuffle", "--seed", 4)
        _, *whole = self.outcome(2, 1, "whole", *flags)
        self.outcome(2, 1, "saving", *flags, "--checkpoint", self.folder / "ck", "--save-every", 3)
        for step in (3, 6, 9, 15):
            (self.folder / "again.jsonl").write_bytes((self.folder / "whole.jsonl").read_bytes())
            text, *again = self.outcome(2, 1, "again", *flags, "--resume", self.folder / f"ck/step-{step}")
            self.assertEqual(again, whole)
            self.assertNotIn("until the checkpoint", text)
            self.assertIn("epochs    3 of 11 samples: 16 steps of 2; the last 1 of the last epoch is left out\n", text)
        # 18 of 33 samples have been read; steps of 4 read 12 more.
        text, *other = self.outcome(1, 4, "other", *flags, "--resume", self.folder / "ck/step-9")
        self.assertIn("epochs    3 of 11 samples: 12 steps of 4; the last 3 of the last epoch are left out\n", text)
        self.assertEqual(len(other[0]), 3)
        # Another end is reported, and used; one that has passed is refused.
        text, *other = self.outcome(2, 1, "more", "--epochs", 4, *flags[2:], "--resume", self.folder / "ck/step-15")
        self.assertIn("note      --epochs is 4, and was 3 until the checkpoint\n", text)
        self.assertEqual(len(other[0]), 22 - 15)
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        done = support.run(binary, "--data", self.data, "--lr", 0, "--epochs", 2, *flags[2:], "--resume",
                           self.folder / "ck/step-15")
        self.assert_refused(done, "the checkpoint has read 30 samples, and --epochs=2 ends after 22", status=1)

    def test_the_rate_goes_on_with_other_steps(self):
        """The schedule is over samples: a resume with another --accumulate goes on where the rate was."""
        flags = ("--epochs", 3, "--warmup", 4, "--min-lr", "1e-3")
        self.outcome(1, 1, "run", *flags, "--checkpoint", self.folder / "ck", "--save-every", 16)

        def check(name, checkpoint, begin, end, per_step, *more):
            """The rates of a run that goes on with sample `begin`; its last step ends with sample `end`."""
            text, bits, _ = self.outcome(1, 1, name, *flags, "--resume", self.folder / checkpoint, *more,
                                         options=(f"--accumulate={per_step}",) if per_step > 1 else ())
            self.assertEqual(len(bits), (end - begin) // per_step)
            for i, (*_, rate) in enumerate(bits):
                place = (begin + per_step * i - 4) / (end - 4)
                self.assert_close(rate, 1e-3 + 9e-3 * (1 + math.cos(math.pi * place)) / 2, 1e-6, f"{name}, step {i}")
            return text

        text = check("more", "ck/step-16", 16, 32, 2, "--checkpoint", self.folder / "more", "--save-every", 4)
        self.assertIn("the data continue at number 16, and so does the schedule", text)
        # And back again: the warm-up counts the steps that the run began with.
        check("back", "more/step-20", 24, 33, 1)

    def test_of_samples(self):
        """Samples of --input have epochs, too; a model without inputs has none."""
        values = [math.sin(i) for i in range(10 * 8)]
        x = self.write("x.npy", support.npy("f", (10, 8), values))
        model = """func.func @forward(%x: tensor<4x8xf32> {zero.input = "x"},
            %w: tensor<8xf32> {zero.param = "w", zero.init = #zero.constant<0.5>}) -> tensor<f32> {
          %zero = arith.constant dense<0.0> : tensor<f32>
          %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
              affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
              ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) {
          ^bb0(%a: f32, %b: f32, %sum: f32):
            %d = arith.subf %a, %b : f32
            %s = arith.mulf %d, %d : f32
            %r = arith.addf %sum, %s : f32
            linalg.yield %r : f32
          } -> tensor<f32>
          return %loss : tensor<f32>
        }"""
        binary = support.compile_model(self.write("model.mlir", model))
        done = self.run_ok(binary, "--input", f"x={x}", "--epochs", 2, "--lr", "1e-3")
        self.assertIn("epochs    2 of 10 samples: 5 steps of 4\n", done.out)

    def test_refusals(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        data = ("--data", self.data)
        for flags, words, status in (
                (("--epochs", 1), "--data is missing", 2),
                ((*data, "--epochs", 1, "--steps", 1), "--steps and --epochs both say", 2),
                (data, "--steps is missing, or --epochs", 2),
                ((*data, "--epochs", 0), "--epochs must be 1 or more, got 0", 2),
                ((*data, "--epochs", "1.5"), "--epochs must be a whole number", 2),
                ((*data, "--epochs", 10**9), "are more than 16777216 steps of 2", 1),
                ((*data, "--epochs", 1, "--schedule", "wsd", "--warmup", 3, "--cooldown", 3),
                 "are more than the 5 steps of --epochs=1", 1)):
            self.assert_refused(support.run(binary, "--lr", 0, *flags), words, status=status)
        large = support.compile_gpt2(support.SMALL, 12, SEQ)
        done = support.run(large, *data, "--lr", 0, "--epochs", 1)
        self.assert_refused(done, "--epochs=1 of 11 samples fill no step, which reads 12", status=1)
