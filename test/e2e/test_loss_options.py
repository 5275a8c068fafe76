"""Smoothed labels, z-loss and weights of targets."""
import array
import math
import random

import support

ROWS, CLASSES = 6, 5
#: The logits are a parameter.
TABLE = """func.func @loss(
    %x: tensor<6x5xf32> {{zero.param = "x"}},
    %weights: tensor<2x3xf32> {{zero.input = "token_weights"}},
    %targets: tensor<2x3xi32> {{zero.input = "targets"}}) -> tensor<f32> {{
  %logits = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 3, 5] : tensor<6x5xf32> into tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %targets {weights} {{label_smoothing = {smoothing} : f64, z_loss = {z} : f64}}
    : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}}
"""
#: Loss and norm of the gradient by PyTorch in float64: F.cross_entropy(label_smoothing=e, reduction="none") plus
#: z logsumexp^2, and the (weighted) mean over all targets but -100.
GOLDEN = {(0.1, 0.0, False): (3.3757933264904523, 0.48168041509184),
          (0.0, 0.01, False): (3.5404560587328318, 0.5255745734383844),
          (0.2, 0.03, True): (3.7955111351711506, 0.7281658006325288),
          (0.0, 0.0, True): (3.9194434700567027, 0.7996962109544535)}

VOCAB, SEQ, BATCH = 131, 24, 8
LLAMA = dict(model_type="llama", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, vocab_size=VOCAB, max_position_embeddings=64)
OPTIONS = ("--label-smoothing=0.1", "--z-loss=0.01", "--token-weights")


class LossOptions(support.Case):
    def test_pytorch(self):
        logits = array.array("f", [2 * math.sin(3 * r + 5 * c) for r in range(ROWS) for c in range(CLASSES)])
        support.write_safetensors(self.folder / "x.safetensors", {"x": ((ROWS, CLASSES), logits)})
        data = {"targets": ((2, 3), array.array("i", [0, 4, -100, 2, 1, 3])),
                "token_weights": ((2, 3), array.array("f", [1, 0.5, 2, 0, 3, 0.25]))}
        for (smoothing, z, weighted), expected in GOLDEN.items():
            model = TABLE.format(smoothing=smoothing, z=z, weights="weights(%weights : tensor<2x3xf32>)" * weighted)
            for options in ((), ("--reference",)) if weighted else ((),):
                with self.subTest(smoothing=smoothing, z=z, weighted=weighted, options=options):
                    support.write_safetensors(self.folder / "data.safetensors", data)
                    binary = support.compile_model(support.written_model(model), *options)
                    _, [line, *_], _ = self.run_plan(binary, "--data", self.folder / "data.safetensors", "--init",
                                                     self.folder / "x.safetensors", "--steps", 1, "--lr", 0)
                    self.assert_close(line["loss"], expected[0], 1e-6, "the loss")
                    self.assert_close(line["grad_norm"], expected[1], 2e-6, "the norm")

    def data(self, name="data.safetensors", weight=None):
        """Sequences whose weights differ much between the batches of ranks and micro-steps."""
        rng, rows = random.Random(4), 2 * BATCH
        tokens = [rng.randrange(VOCAB) for _ in range(rows * SEQ)]
        targets = [-100 if rng.random() < 0.2 else rng.randrange(VOCAB) for _ in range(rows * SEQ)]
        weights = [(i // SEQ % 3) * rng.choice((0, 0.25, 1, 3)) if weight is None else weight
                   for i in range(rows * SEQ)]
        support.write_safetensors(self.folder / name, {
            "tokens": ((rows, SEQ), array.array("i", tokens)), "targets": ((rows, SEQ), array.array("i", targets)),
            "token_weights": ((rows, SEQ), array.array("f", weights))})
        return self.folder / name

    def test_plans(self):
        """Equal bits where they are promised, and the numbers of --reference everywhere."""
        data, groups = self.data(), {}

        def outcome(ranks, micro_steps, *options):
            model = support.import_model(LLAMA, BATCH // ranks // micro_steps, SEQ, *OPTIONS)
            binary = support.compile_model(model, f"--world-size={ranks}", f"--accumulate={micro_steps}",
                                           "--optimizer=sgd", "--eval", *options)
            _, lines, saved = self.run_plan(binary, "--data", data, "--eval-data", data, "--steps", 4, "--lr", 0.1,
                                            ranks=ranks)
            evaluated = [line["eval_loss"] for line in lines if "eval_loss" in line]
            lines = [line for line in lines if "grad_norm" in line]
            return ([line["loss"] for line in lines], [line["grad_norm"] for line in lines], evaluated,
                    support.saved_bytes(saved))

        # A step of --reference is one kernel, whose evaluation does not know by what to weigh batches.
        slow = [*outcome(1, 1, "--reference")[:2], outcome(1, 1)[2]]
        self.assertEqual(len(slow[2]), 1)
        chunk = "--loss-chunk=20KiB"
        for group, *plan in (("whole", 1, 1), ("chunks", 1, 1, chunk), ("ranks", 2, 1, chunk),
                             ("ranks", 2, 1, chunk, "--stage=3"),
                             ("ranks", 2, 1, chunk, "--stage=2", "--remat=block", "--offload=cpu"),
                             ("micro", 2, 2, "--stage=3"), ("micro", 2, 2, "--stage=2", "--accumulate-order=block"),
                             (None, 1, 4), ("bf16", 1, 1, "--precision=bf16", chunk)):
            with self.subTest(plan):
                found = outcome(*plan)
                for values, expected in zip(found[:3], slow):
                    for value, other in zip(values, expected, strict=True):
                        self.assert_close(value, other, 2e-2 if group == "bf16" else 1e-5, "a number")
                if group:
                    self.assertEqual(groups.setdefault(group, found), found)

    def test_refused(self):
        binary = support.compile_model(support.import_model(LLAMA, BATCH, SEQ, *OPTIONS))
        plain = support.compile_model(support.import_model(LLAMA, BATCH, SEQ))
        short = self.folder / "short.npy"
        short.write_bytes(support.npy("f", (2 * BATCH, SEQ - 1), [1.0] * (2 * BATCH * (SEQ - 1))))
        good, wrong, none = self.data(), self.data("wrong.safetensors", -0.5), self.data("none.safetensors", 0.0)
        for program, flags, *keywords in (
                (binary, ("--data", wrong), "sample 0 holds -0.5, and the weight of a target is finite and not negative"),
                (binary, ("--data", self.data("nan.safetensors", math.nan)), "sample 0 holds nan"),
                (binary, ("--data", none), "all weights are 0, so nothing would be trained on"),
                (binary, ("--data", good, "--input", f"token_weights={short}"),
                 'input "token_weights" is 8 x 24, a batch of 8, but', "16 x 23"),
                (binary, ("--data", self.write_tokens(900, VOCAB)), "--input token_weights=FILE is missing"),
                (plain, ("--data", good), 'has a tensor "token_weights"', "zeroc import --token-weights")):
            with self.subTest(keywords):
                self.assert_refused(support.run(program, *flags, "--steps", 1, "--lr", 1), *keywords)
        config = self.write("config.json", LLAMA)
        for option, keyword in (("--label-smoothing=-0.1", "--label-smoothing must be a number from 0 to 1, got -0.1"),
                                ("--label-smoothing=1.5", "from 0 to 1, got 1.5"),
                                ("--z-loss=-1", "--z-loss must be a number, 0 or more"), ("--z-loss=nan", "--z-loss must be")):
            done = support.run(support.ZEROC, "import", config, "--batch=1", "--seq=8", option)
            self.assert_refused(done, keyword, status=1)
