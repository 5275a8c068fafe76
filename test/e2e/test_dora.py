"""--lora --dora: adapters with trained magnitudes, as PEFT's use_dora.  test_plans.py compares the bits of plans."""
import array
import json
import math
import random

import support
from test_lora import MODEL, Definition, f32, flat, matrix, plus, product, transposed


class Magnitudes(Definition):
    """Layers y = m / |w + s B A| x (w + s B A)^T + b, whose norm is a constant in the derivative."""

    def __init__(self, draw, rank, alpha):
        super().__init__(draw, rank, alpha)
        self.m = {name: f32([[norm * draw.uniform(0.8, 1.2) for norm in self.norms(rows)]])[0]
                  for name, rows in (("up", self.w), ("down", transposed(self.v)))}

    @staticmethod
    def norms(rows):
        return [sum(x * x for x in row) ** 0.5 for row in rows]

    def adapters(self):
        return super().adapters() | {f"base_model.model.{name}.lora_magnitude_vector": ([len(m)], array.array("f", m))
                                     for name, m in self.m.items()}

    def step(self, xs, ys, lr):
        w = plus(self.w, product(self.up[1], self.up[0]), self.scale)
        v = plus(transposed(self.v), product(self.down[1], self.down[0]), self.scale)
        norms = {"up": self.norms(w), "down": self.norms(v)}
        scales = {name: [m / n for m, n in zip(self.m[name], norms[name])] for name in norms}
        times = lambda rows, name: [[x * f for x, f in zip(row, scales[name])] for row in rows]  # noqa: E731
        raw = {"up": product(xs, transposed(w))}
        t = [[math.tanh(h + b) for h, b in zip(row, self.b)] for row in times(raw["up"], "up")]
        raw["down"] = product(t, transposed(v))
        d = plus(times(raw["down"], "down"), ys, -1)
        do = [[2 * e / len(xs) for e in row] for row in d]
        dv = times(do, "down")
        dh = [[g * (1 - a * a) for g, a in zip(row, rows)] for row, rows in zip(product(dv, v), t)]
        dw = times(dh, "up")
        for name, pair, gradient, dy in (("up", self.up, product(transposed(dw), xs), dh),
                                         ("down", self.down, product(transposed(dv), t), do)):
            da, db = product(transposed(pair[1]), gradient), product(gradient, transposed(pair[0]))
            pair[0], pair[1] = plus(pair[0], da, -lr * self.scale), plus(pair[1], db, -lr * self.scale)
            for o, norm in enumerate(norms[name]):
                self.m[name][o] -= lr * sum(g[o] * r[o] for g, r in zip(dy, raw[name])) / norm
        return sum(e * e for row in d for e in row) / len(xs)


class Dora(support.Outcomes):
    def outcome(self, *options, ranks=1, **how):
        return super().outcome("--lora=4:8", *options, ranks=ranks, lr=1e-2, **how)

    def exported(self, at, *options):
        out = self.folder / "exported.safetensors"
        self.run_ok(support.ZEROC, "export", at, "-o", out, *options)
        return support.read_safetensors(out)

    def test_against_the_definition(self):
        """Which agrees with PEFT to 2e-7 in losses and norms."""
        steps, batch, ranks = 6, 3, 2
        draw = random.Random(3)
        expected = Magnitudes(draw, rank=2, alpha=3)
        support.write_safetensors(self.folder / "base.safetensors", expected.base())
        start = self.folder / "start"
        start.mkdir()
        support.write_safetensors(start / support.ADAPTER, expected.adapters())
        (start / "adapter_config.json").write_text(json.dumps(
            {"peft_type": "LORA", "r": 2, "lora_alpha": 3, "use_dora": True}))
        whole = batch * ranks
        xs, ys = f32(matrix(draw, steps * whole, 5, 1)), f32(matrix(draw, steps * whole, 3, 1))
        for name, values in (("x", xs), ("y", ys)):
            (self.folder / f"{name}.npy").write_bytes(support.npy("f", (len(values), len(values[0])), flat(values)))
        common = ("--input", f"x={self.folder / 'x.npy'}", "--input", f"y={self.folder / 'y.npy'}", "--init",
                  self.folder / "base.safetensors")
        losses = [expected.step(xs[i:i + whole], ys[i:i + whole], 0.1) for i in range(0, len(xs), whole)]
        model = self.write("model.mlir", MODEL.format(batch=batch, part=1 / batch))
        for options in ((), ("--stage=3",)):
            with self.subTest(options):
                binary = support.compile_model(model, "--lora=2:3", "--dora", "--optimizer=sgd", "--momentum=0",
                                               "--grad-clip=0", "--weight-decay=0", f"--world-size={ranks}", *options)
                _, lines, saved = self.run_plan(binary, *common, "--steps", steps, "--lr", 0.1, "--adapter", start,
                                                 ranks=ranks)
                for line, loss in zip(lines, losses, strict=True):
                    self.assert_close(line["loss"], loss, 2e-6, f"loss of step {line['step']}")
                found = support.read_safetensors(saved / support.ADAPTER)
                self.assertEqual(sorted(found), sorted(expected.adapters()))
                for name, (_, values) in expected.adapters().items():
                    for value, wanted in zip(found[name][1], values, strict=True):
                        self.assertAlmostEqual(value, wanted, delta=2e-6)
                self.assertIs(json.loads((saved / "adapter_config.json").read_text())["use_dora"], True)
        # Without --adapter magnitudes begin as norms of rows; a weight may be stored transposed.
        _, _, saved = self.run_plan(binary, *common, "--steps", 1, "--lr", 0, ranks=ranks, name="first")
        found = support.read_safetensors(saved / support.ADAPTER)
        for name, rows in (("up", expected.w), ("down", transposed(expected.v))):
            magnitudes = found[f"base_model.model.{name}.lora_magnitude_vector"][1]
            for value, norm in zip(magnitudes, expected.norms(rows), strict=True):
                self.assert_close(value, norm, 1e-7, "a magnitude")
        plain = support.compile_model(model, "--lora=2:3")
        self.assert_refused(support.run(plain, *common, "--steps", 1, "--lr", 0, "--adapter", start),
                            "use_dora is true, and of this plan false; compile it with --dora")

    def test_plans(self):
        """Other products than those of plain adapters; equal bits on ranks, and the numbers of --reference."""
        plain, one = self.outcome(), self.outcome("--dora")
        self.assert_close(one[0][0][0], plain[0][0][0], 1e-6, "the first loss")
        self.assertNotEqual(one[0][-1], plain[0][-1])
        for values, others in zip(one[0], self.outcome("--dora", "--reference")[0], strict=True):
            for value, other in zip(values, others):
                self.assert_close(value, other, 1e-5, "a number")
        extra = ("--dora", "--base-storage=nf4", "--precision=bf16", "--remat=block")
        self.check_same_bits((options, self.outcome(*extra, *options, ranks=2)) for options in (
            (), ("--stage=3",), ("--stage=3", "--offload=cpu", "--bucket-size=2KiB")))

    def test_packed_weights(self):
        """The bits of the same training of the numbers that the codes stand for."""
        at = self.folder / "kept"
        packed = self.outcome("--dora", "--base-storage=nf4", flags=("--checkpoint", at, "--save-at-exit"))
        base = {name: tensor for name, tensor in self.exported(at).items() if ".lora_" not in name}
        support.write_safetensors(self.folder / "base.safetensors", base)
        self.assertEqual(self.outcome("--dora", flags=("--init", self.folder / "base.safetensors")), packed)

    def test_resume_merge_and_generate(self):
        at = self.folder / "kept"
        whole = self.outcome("--dora", "--stage=3", ranks=2, steps=6)
        saves = ("--checkpoint", at, "--save-at-exit")
        self.outcome("--dora", "--stage=3", ranks=2, steps=3, flags=saves)
        self.assertEqual(self.outcome("--dora", "--stage=3", ranks=2, steps=6, flags=("--resume", at)), whole)
        # Merged: m / |row| of the sum.
        self.check_merged(self.exported(at, "--merge"), self.exported(at))
        model = support.import_model(support.SMALL, 2, 16)
        draw = ("--prompt-ids=1,2", "--sample-tokens=9", "--temperature=0")
        self.generate(model, at, *draw, options=("--lora=4:8", "--dora"))
        plain = support.compile_gpt2(support.SMALL, 2, 16, "--lora=4:8")
        done = support.run(plain, "--data", self.folder / "tokens256.u16", "--steps", 6, "--lr", 1, "--resume", at)
        self.assert_refused(done, "the model has no parameter .*c_attn.lora_magnitude_vector")
        done = support.run(support.ZEROC, model, "--dora", "-o", self.folder / "x")
        self.assert_refused(done, "--dora is for adapters; add --lora=RANK")
        done = support.run(support.ZEROC, model, "--lora=4", "--dora", "--lora-dropout=0.1", "-o", self.folder / "x")
        self.assert_refused(done, "--dora has no dropout; drop --dora or --lora-dropout")
