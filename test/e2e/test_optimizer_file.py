"""--optimizer=FILE.mlir: a user-defined update rule."""
import array
import math
import random
import re

import support
import test_inputs

LION = support.EXAMPLES / "optimizers" / "lion.mlir"
#: AdamW of --betas=0.9,0.95 --eps=1e-8, with the same operations as the compiler's own.
ADAMW = """
zero.optimizer @mine(%p: f32, %g: f32, %m: f32, %v: f32, %lr: f32, %decay: f32, %step: f32, %beta1: f32, %eps: f32)
    state ["m", "v"] scalars ["lr", "decay", "step", "beta1", "eps"]
    attributes {defaults = {beta1 = 0.5, eps = 1.0e-8}} {
  %wide_one = arith.constant 1.0 : f64
  %wide_lr = arith.extf %lr : f32 to f64
  %wide_step = arith.extf %step : f32 to f64
  %wide_beta1 = arith.constant 0.9 : f64
  %power1 = math.powf %wide_beta1, %wide_step : f64
  %correction1 = arith.subf %wide_one, %power1 : f64
  %wide_rate = arith.divf %wide_lr, %correction1 : f64
  %rate = arith.truncf %wide_rate : f64 to f32
  %wide_beta2 = arith.constant 0.95 : f64
  %power2 = math.powf %wide_beta2, %wide_step : f64
  %correction2 = arith.subf %wide_one, %power2 : f64
  %root2 = math.sqrt %correction2 : f64
  %wide_scale = arith.divf %wide_one, %root2 : f64
  %scale = arith.truncf %wide_scale : f64 to f32
  %rest1 = arith.constant 0.1 : f32
  %old1 = arith.mulf %m, %beta1 : f32
  %new1 = arith.mulf %g, %rest1 : f32
  %m1 = arith.addf %old1, %new1 : f32
  %beta2 = arith.constant 0.95 : f32
  %rest2 = arith.constant 0.05 : f32
  %old2 = arith.mulf %v, %beta2 : f32
  %square = arith.mulf %g, %g : f32
  %new2 = arith.mulf %square, %rest2 : f32
  %v1 = arith.addf %old2, %new2 : f32
  %one = arith.constant 1.0 : f32
  %shrink = arith.mulf %lr, %decay : f32
  %kept = arith.subf %one, %shrink : f32
  %decayed = arith.mulf %p, %kept : f32
  %root = math.sqrt %v1 : f32
  %scaled = arith.mulf %root, %scale : f32
  %divisor = arith.addf %scaled, %eps : f32
  %direction = arith.divf %m1, %divisor : f32
  %change = arith.mulf %rate, %direction : f32
  %p1 = arith.subf %decayed, %change : f32
  zero.yield %p1, %m1, %v1 : f32, f32, f32
}
"""
#: Ranks and options.  test_plans.py has a rule in a file in all plans.
PLANS = (
    (1, "--grad-clip=0", "--offload=cpu"),
    (2, "--stage=2", "--precision=fp16", "--accumulate=2"),
    (3, "--stage=1", "--precision=bf16", "--offload-optimizer=cpu", "--overlap-update"),
    (2, "--stage=3", "--precision=bf16", "--master=none", "--state-dtype=bf16", "--bucket-size=4KiB"),
)


class OwnRules(support.Outcomes):
    def weights(self, ranks, options, *rule):
        return self.outcome(*options, *rule, ranks=ranks, steps=5)

    def test_adamw_has_the_bits_of_the_own_one(self):
        rule = self.write("mine.mlir", ADAMW)
        for ranks, *options in PLANS:
            with self.subTest(options, ranks=ranks):
                self.assertEqual(self.weights(ranks, options, f"--optimizer={rule}", "--optimizer-numbers=beta1=0.9"),
                                 self.weights(ranks, options))
        self.assertNotEqual(self.weights(1, (), f"--optimizer={rule}"), self.weights(1, ()))

    def lion(self, xs, ys, steps, batch, lr, decay, beta1, beta2, clip):
        """Trains in float64; returns the parameters after the steps."""
        weights, bias, m = [0.0] * 5, 0.0, [0.0] * 6
        for step in range(steps):
            rows = range(step * batch, (step + 1) * batch)
            errors = [sum(w * x for w, x in zip(weights, xs[row])) + bias - ys[row] for row in rows]
            g = [2 / batch * sum(e * xs[row][i] for e, row in zip(errors, rows)) for i in range(5)]
            g.append(2 / batch * sum(errors))
            norm = math.sqrt(sum(x * x for x in g))
            g = [x * min(1, clip / (norm + 1e-6)) for x in g]
            p = [*weights, bias]
            for i in range(6):
                mixed = beta1 * m[i] + (1 - beta1) * g[i]
                # Only matrices decay.
                p[i] = p[i] * (1 - lr * decay * (i < 5)) - lr * (mixed > 0) + lr * (mixed < 0)
                m[i] = beta2 * m[i] + (1 - beta2) * g[i]
            weights, bias = p[:5], p[5]
        return weights, bias

    def test_lion(self):
        steps, batch, ranks = 20, 4, 2
        draw = random.Random(5)
        count = steps * batch * ranks
        xs = [[draw.gauss(0, 1) for _ in range(5)] for _ in range(count)]
        ys = [3 * x[0] - 2 * x[1] + x[4] + 1 + draw.gauss(0, 0.1) for x in xs]
        (self.folder / "x.npy").write_bytes(support.npy("f", (count, 5), [v for x in xs for v in x]))
        (self.folder / "y.npy").write_bytes(support.npy("f", (count, 1), ys))
        model = self.write("model.mlir", test_inputs.REGRESSION.format(batch=batch))
        expected = self.lion([array.array("f", x) for x in xs], array.array("f", ys), steps, batch * ranks, 0.05, 0.3,
                             0.9, 0.98, 0.5)
        for options in ((), ("--stage=3", "--offload=nvme"), ("--stage=2", "--offload=cpu")):
            with self.subTest(options):
                binary = support.compile_model(model, f"--optimizer={LION}", "--optimizer-numbers=beta2=0.98",
                                               "--grad-clip=0.5", "--weight-decay=0.3", f"--world-size={ranks}", *options)
                _, _, saved = self.run_plan(
                    binary, "--input", f"x={self.folder / 'x.npy'}", "--input", f"y={self.folder / 'y.npy'}", "--steps",
                    steps, "--lr", 0.05, *support.nvme_flags(options, self.folder), ranks=ranks)
                found = support.read_safetensors(saved)
                for value, wanted in zip([*found["w"][1], *found["b"][1]], [*expected[0], expected[1]]):
                    self.assertAlmostEqual(value, wanted, delta=1e-6)

    def test_a_printed_plan_goes_on(self):
        model = support.import_model(support.SMALL, 2, 16)
        for level in ("partitioned", "memory"):
            with self.subTest(level):
                text = self.folder / f"{level}.mlir"
                self.run_ok(support.ZEROC, model, f"--optimizer={LION}", "--stage=1", "--world-size=2",
                            f"--emit={level}", "-o", text)
                self.run_ok(support.ZEROC, text, "-o", self.folder / "train")
                self.assertRegex(self.run_ok(self.folder / "train", "--plan").out, r"lion")

    def test_a_model_brings_its_rule(self):
        lion = LION.read_text()
        model = support.import_model(support.SMALL, 2, 16).read_text()
        self.assertEqual(model.count("func.func"), 1)
        brings = self.write("brings.mlir", model.replace("func.func", lion + "func.func"))
        data = self.write_tokens(2000, support.SMALL["vocab_size"])
        outcomes = []
        for source, *flags in ((brings,), (support.import_model(support.SMALL, 2, 16), f"--optimizer={LION}")):
            _, saved = self.train(support.compile_model(source, *flags), data, 4, 1e-3)
            outcomes.append(saved.read_bytes())
        self.assertEqual(*outcomes)
        for text, flags, message in ((brings.read_text(), (f"--optimizer={LION}",), "the model brings an optimizer, @lion"),
                                     (brings.read_text().replace('"beta2"]', '"clip"]'), (), '@lion takes "clip"')):
            done = support.run(support.ZEROC, self.write("wrong.mlir", text), *flags, "-o", self.folder / "train")
            self.assert_refused(done, re.escape(message))

    def test_refusals(self):
        model = support.import_model(support.SMALL, 2, 16)
        lion = LION.read_text()
        for text, flags, message in (
                (lion.replace('"beta2"]', '"clip"]'), (), '@lion takes "clip"; drop it, for the gradient that it takes '
                                                          "is limited already"),
                (lion.replace(", beta2 = 0.99", ""), (), '@lion takes "beta2", which is none of lr, decay and step; '
                                                         "give it a default: attributes {defaults = {beta2 = 0.9}}"),
                (lion.replace("beta2 = 0.99", "beta2 = 0.99, beta3 = 0.5"), (), "@lion has a default of beta3, and takes "
                                                                              "no such scalar"),
                (lion.replace('state ["m"]', 'state ["param"]'), (), '@lion keeps "param"'),
                (lion.replace("@lion", "@loss"), (), "@loss is a name of the model, too; choose another"),
                (lion + lion.replace("@lion", "@other"), (), "must have one zero.optimizer and nothing else, has 2"),
                (lion.replace("math.copysign", "math.copysing"), (), "custom op 'math.copysing' is unknown"),
                (lion, ("--optimizer-numbers=beta9=1",), "--optimizer-numbers: @lion has no number beta9; it has beta1, "
                                                         "beta2"),
                (lion, ("--optimizer-numbers=beta1=many",), 'beta1 must be a finite number, got "many"'),
                (lion, ("--betas=0.9,0.95",), "--betas needs --optimizer=adamw or lion, got --optimizer=")):
            with self.subTest(message):
                rule = self.write("rule.mlir", text)
                done = support.run(support.ZEROC, model, f"--optimizer={rule}", *flags, "-o", self.folder / "train")
                self.assert_refused(done, re.escape(message))
        for option, message in (("--optimizer=missing.mlir", "missing.mlir"),
                                ("--optimizer=adam", "must be adamw, lion, sgd or a file *.mlir with a rule, got adam")):
            done = support.run(support.ZEROC, model, option, "-o", self.folder / "train")
            self.assert_refused(done, re.escape(message))
