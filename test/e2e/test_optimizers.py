"""Optimizers, clipping and schedules, judged by their effect on the weights."""
import math

import support


def step_norm(before, after):
    """Returns the norm of the change of all weights, and its largest element."""
    squares, largest = 0.0, 0.0
    a, b = support.read_safetensors(before), support.read_safetensors(after)
    for name, (_, values) in a.items():
        for x, y in zip(values, b[name][1]):
            squares += (y - x) ** 2
            largest = max(largest, abs(y - x))
    return math.sqrt(squares), largest


class Optimizers(support.Outcomes):
    def start(self, *options):
        binary = support.compile_gpt2(support.SMALL, 4, 32, *options)
        data = self.write("text.txt", support.TEXT)
        _, before = self.train(binary, data, 0, 1, name="before")
        return binary, data, before

    def test_sgd_moves_by_lr_times_gradient(self):
        binary, data, before = self.start("--optimizer=sgd", "--momentum=0", "--weight-decay=0",
                                          "--grad-clip=0")
        lines, after = self.train(binary, data, 1, 0.5, name="after")
        moved, _ = step_norm(before, after)
        self.assert_close(moved, 0.5 * lines[0]["grad_norm"], 1e-4, "length of the step")

    def test_clipping_bounds_the_step(self):
        options = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0")
        binary, data, before = self.start(*options, "--grad-clip=0.01")
        lines, after = self.train(binary, data, 1, 1, name="after")
        self.assertGreater(lines[0]["grad_norm"], 0.1, "the norm is reported before clipping")
        moved, _ = step_norm(before, after)
        self.assert_close(moved, 0.01, 1e-3, "length of the clipped step")

    def test_clipping_leaves_small_gradients(self):
        """Updates that do not wait for the norm have the bits of those whose clip factor is one."""
        sgd, bf16 = "--optimizer=sgd", ("--precision=bf16", "--skip-nonfinite=off")
        plans = [(1, sgd), (1, "--offload=cpu"), (1, "--offload=nvme", "--bucket-size=4KiB"), (1, *bf16),
                 (1, *bf16, "--master=none"), (2, "--stage=0"), (3, "--stage=1", "--offload-optimizer=cpu"),
                 (2, "--stage=2", "--accumulate=2"), (2, "--stage=3", "--offload=nvme", *bf16),
                 (2, "--stage=3", "--persist-below=1KiB", "--reuse-distance=1GiB", sgd)]
        for ranks, *options in plans:
            with self.subTest(" ".join(options), ranks=ranks):
                self.check_same_bits(
                    (f"clipped at {clip}, {env}", self.outcome(*options, f"--grad-clip={clip}", ranks=ranks, lr=0.01,
                                                               tokens=2000, env=env))
                    for clip, env in ((1e9, None), (0, {"ZRT_CHAOS": "1"})))

    def test_momentum_accumulates(self):
        """With equal gradients, n steps of momentum 0.5 move by (2 - 2^(1-n)) a step."""
        options = ("--optimizer=sgd", "--weight-decay=0", "--grad-clip=0")
        binary, data, before = self.start(*options, "--momentum=0.5")
        # The same batch in each step; such a small rate hardly changes the gradient.
        one = self.write("one.txt", support.TEXT[:4 * 32 + 1])
        lines, after = self.train(binary, one, 3, 1e-3, name="after")
        moved, _ = step_norm(before, after)
        norm = lines[0]["grad_norm"]
        self.assert_close(moved, 1e-3 * norm * (1 + 1.5 + 1.75), 2e-2, "length of three steps")

    def test_adamw_first_step_is_lr(self):
        """Adam's first step is lr x sign of the gradient, whatever its size."""
        binary, data, before = self.start("--optimizer=adamw", "--weight-decay=0", "--grad-clip=0")
        _, after = self.train(binary, data, 1, 1e-3, name="after")
        _, largest = step_norm(before, after)
        self.assert_close(largest, 1e-3, 1e-3, "largest change")

    def test_decay_spares_vectors(self):
        """Decay shrinks matrices by lr x decay and leaves biases and norms alone."""
        binary, data, before = self.start("--weight-decay=0.5", "--grad-clip=1e-30")
        # Gradients are clipped to almost nothing, far below Adam's eps.
        _, after = self.train(binary, data, 1, 0.1, name="after")
        a, b = support.read_safetensors(before), support.read_safetensors(after)
        for name, (shape, values) in a.items():
            factor = 1 - 0.1 * 0.5 if len(shape) >= 2 else 1.0
            for x, y in zip(values, b[name][1]):
                self.assertAlmostEqual(y, factor * x, delta=1e-6, msg=name)


class Schedules(support.Case):
    def rates(self, *options, steps=10, lr=1e-3):
        binary = support.compile_gpt2(support.SMALL, 4, 32)
        data = self.write("text.txt", support.TEXT)
        lines, _ = self.train(binary, data, steps, lr, *options)
        return [line["lr"] for line in lines]

    def check(self, rates, expected):
        self.assertEqual(len(rates), len(expected))
        for step, (a, b) in enumerate(zip(rates, expected)):
            self.assertAlmostEqual(a, b, delta=1e-9, msg=f"step {step}")

    def test_constant_with_warmup(self):
        self.check(self.rates("--warmup", 4),
                   [1e-3 * min(1, (s + 1) / 4) for s in range(10)])

    def test_logarithmic_warmup(self):
        """Same as DeepSpeed's WarmupLR, from its third step on."""
        def gamma(last):  # of DeepSpeed, after step `last` + 1
            return math.log(last + 1) / math.log(5) if last < 5 else 1

        self.check(self.rates("--warmup", 5, "--warmup-shape", "log"), [1e-3 * gamma(s + 1) for s in range(10)])
        self.check(self.rates("--schedule", "cosine", "--warmup", 1, "--warmup-shape", "log")[:1], [1e-3])

    def test_linear(self):
        self.check(self.rates("--schedule", "linear", "--warmup", 2, "--min-lr", 1e-4),
                   [5e-4, 1e-3] + [1e-4 + 9e-4 * (1 - s / 8) for s in range(8)])

    def test_wsd(self):
        self.check(self.rates("--schedule", "wsd", "--warmup", 2, "--cooldown", 4, "--min-lr", 2e-4),
                   [5e-4, 1e-3] + [1e-3] * 4 + [2e-4 + 8e-4 * left / 4 for left in (4, 3, 2, 1)])

    def test_cosine(self):
        self.check(self.rates("--schedule", "cosine"),
                   [0.5e-3 * (1 + math.cos(math.pi * s / 10)) for s in range(10)])
