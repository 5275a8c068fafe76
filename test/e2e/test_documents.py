"""--document-separator: no token predicts a token of another document."""
import array
import math
import random

import support

VOCAB, SEQ, END = support.SMALL["vocab_size"], 16, 3

#: The logits of the next token are a row of a table.
BIGRAM = """
func.func @loss(%table: tensor<{vocab}x{vocab}xf32> {{zero.param = "table", zero.init = #zero.normal<std = 1.0>}},
    %tokens: tensor<{batch}x{seq}xi32> {{zero.input = "tokens", zero.vocab = {vocab} : i64}},
    %targets: tensor<{batch}x{seq}xi32> {{zero.input = "targets"{more}}}) -> tensor<f32> {{
  %logits = nn.embedding %tokens, %table : tensor<{batch}x{seq}xi32>, tensor<{vocab}x{vocab}xf32> -> {type}
  %loss = nn.cross_entropy %logits, %targets {ignore} : {type}, tensor<{batch}x{seq}xi32> -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


def bigram(vocab, batch, ignore=""):
    return BIGRAM.format(vocab=vocab, batch=batch, seq=SEQ, type=f"tensor<{batch}x{SEQ}x{vocab}xf32>", more="",
                         ignore=ignore)


class Documents(support.Case):
    def setUp(self):
        super().setUp()
        rng = random.Random(5)
        self.tokens = array.array("H", (END if rng.random() < 0.15 else rng.randrange(VOCAB)
                                        for _ in range(1 + SEQ * 13)))
        # A sequence that ends with a separator, one that begins with it, and one of separators
        # only.
        self.tokens[2 * SEQ - 1] = self.tokens[3 * SEQ] = END
        self.tokens[5 * SEQ:6 * SEQ] = array.array("H", [END] * SEQ)
        self.data = self.write("documents.u16", self.tokens.tobytes())
        text = self.tokens.tolist()
        self.targets = [-100 if a == END else b for a, b in zip(text, text[1:])]
        for name, values in (("tokens", text[:-1]), ("targets", self.targets)):
            self.write(f"{name}.npy", support.npy("i", (13, SEQ), values))
        self.files = [f"{name}={self.folder}/{name}.npy" for name in ("tokens", "targets")]

    def outcome(self, binary, *flags, ranks=1):
        done, lines, saved = self.run_plan(binary, "--steps", 5, "--lr", "1e-2", *flags, ranks=ranks)
        return done.out, [(*bits, line.get("eval_loss")) for bits, line in zip(support.bits_of(lines), lines)], \
            support.saved_bytes(saved)

    def test_targets_are_masked(self):
        """Same as with files of masked targets, in all plans."""
        inputs = ("--input", self.files[0], "--input", self.files[1])
        evaluation = ("--eval-input", self.files[0], "--eval-input", self.files[1])
        for ranks, batch, options in ((1, 2, ()), (2, 1, ("--stage=1",)), (2, 2, ("--stage=2", "--accumulate=2")),
                                      (3, 1, ("--stage=3", "--precision=bf16")),
                                      (2, 1, ("--stage=3", "--accumulate=2", "--accumulate-order=block"))):
            binary = support.compile_gpt2(support.SMALL, batch, SEQ, f"--world-size={ranks}", "--eval", *options)
            with self.subTest(options):
                _, *expected = self.outcome(binary, *inputs, *evaluation, "--shuffle", ranks=ranks)
                text, *found = self.outcome(binary, "--data", self.data, "--eval-data", self.data, "--shuffle",
                                            "--document-separator", END, ranks=ranks)
                self.assertEqual(found, expected)
                self.assertIn(f"masks     targets after token {END}: {self.targets.count(-100)}\n", text)
                _, *plain = self.outcome(binary, "--data", self.data, "--eval-data", self.data, "--shuffle",
                                         ranks=ranks)
                self.assertNotEqual(plain[0], found[0])

    def test_loss(self):
        """The loss of a table of logits, computed here: the mean over the remaining targets of a
        step."""
        for ranks, batch, options in ((1, 4, ()), (2, 2, ("--stage=3",)), (2, 1, ("--stage=2", "--accumulate=2"))):
            binary = support.compile_model(self.write(f"bigram{batch}.mlir", bigram(VOCAB, batch)),
                                           f"--world-size={ranks}", "--eval", *options)
            with self.subTest(options):
                _, lines, saved = self.run_plan(binary, "--data", self.data, "--eval-data", self.data,
                                                "--document-separator", END, "--steps", 3, "--lr", 0, ranks=ranks)
                _, table = support.read_safetensors(saved)["table"]
                rows = [table[i * VOCAB:(i + 1) * VOCAB] for i in range(VOCAB)]
                sums = [math.log(sum(map(math.exp, row))) for row in rows]

                def mean(first, end):
                    terms = [sums[token] - rows[token][target] for token, target in
                             zip(self.tokens[first * SEQ:end * SEQ], self.targets[first * SEQ:end * SEQ])
                             if target != -100]
                    return sum(terms) / len(terms)

                for step, line in enumerate(lines):
                    self.assert_close(line["loss"], mean(4 * step, 4 * step + 4), 2e-6, f"loss of step {step}")
                self.assert_close(lines[-1]["eval_loss"], mean(0, 12), 2e-6, "loss of the evaluation")

    def test_goes_on(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        flags = ("--data", self.data, "--document-separator", END)
        _, *whole = self.outcome(binary, *flags, "--checkpoint", self.folder / "ck", "--save-every", 2)
        text, *again = self.outcome(binary, *flags, "--resume", self.folder / "ck/step-2")
        self.assertEqual((again[0], again[1]), (whole[0], whole[1]))
        self.assertNotIn("until the checkpoint", text)
        text = self.outcome(binary, *flags[:2], "--resume", self.folder / "ck/step-2")[0]
        self.assertIn(f"note      --document-separator is none, and was {END} until the checkpoint\n", text)

    def test_attention(self):
        """In a model imported with the option, a document's logits are those of the document alone."""
        config = dict(model_type="llama", num_hidden_layers=2, hidden_size=24, intermediate_size=40, vocab_size=VOCAB,
                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32)
        one = [7, 100, END, 4, 9]
        two = [200, 8, 8, 31, 77, 6]

        def logits(ids, *options):
            model = support.import_model(config, 1, SEQ, *options)
            trained, out = self.folder / "weights.safetensors", self.folder / "logits.npy"
            if not trained.exists():
                self.run_ok(support.compile_model(model), "--data", self.data, "--steps", 3, "--lr", "1e-2", "--save",
                            trained)
            self.run_ok(support.compile_model(model, "--sample-only"), "--weights", trained, "--prompt-ids",
                        ",".join(map(str, ids)), "--logits", out)
            _, values = support.read_npy(out)
            return [values[i * VOCAB:(i + 1) * VOCAB] for i in range(len(ids))]

        def distance(rows, others):
            return max(abs(a - b) for row, other in zip(rows, others, strict=True) for a, b in zip(row, other))

        masked = f"--document-separator={END}"
        alone = logits(two, masked)
        both = logits([*one, END, *two], masked)
        self.assertLess(distance(both[-len(two):], alone), 2e-6)
        seen = logits([*one, END, *two])
        self.assertGreater(distance(seen[-len(two):], alone), 1e-3)
        # Also the second document of the first text, with its separator.
        self.assertLess(distance(both[3:6], logits([4, 9, END], masked)), 2e-6)
        self.assertEqual(both[:3], seen[:3])

    def test_refusals(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        within = support.compile_model(self.write("within.mlir", bigram(VOCAB, 2, "{ignore_index = 0 : i32}")))
        inputs = ("--input", self.files[0], "--input", self.files[1])
        for program, flags, separator, words in (
                (binary, ("--data", self.data), VOCAB, f"--document-separator={VOCAB} is not 0 to {VOCAB - 1}"),
                (binary, ("--data", self.data), -1, "must not be negative"),
                (binary, ("--data", self.data), "end", "must be a whole number"),
                (binary, inputs, END, "masks targets that --data feeds, and it feeds none"),
                (within, ("--data", self.data), END, "the model has no value of targets that is ignored")):
            done = support.run(program, "--steps", 1, "--lr", 0, *flags, "--document-separator", separator)
            self.assert_refused(done, words, status=2)
