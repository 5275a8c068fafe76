"""Training in bf16 and fp16: against PyTorch in float64, against simple loops that round at the
same places, and bit for bit over stages, ranks and threads.

docs/precision.md describes the places of roundings.
"""
import json
import math
import struct
from pathlib import Path

import support
from support import npy

HALVES = ("bf16", "fp16")
#: A classifier with four samples per rank.
LINEAR = """
func.func @loss(%w: tensor<8x8xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
                %x: tensor<4x8xf32> {zero.input = "x"},
                %t: tensor<4xi32> {zero.input = "t", zero.vocab = 8 : i64}) -> tensor<f32> {
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = nn.cross_entropy %0, %t : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  return %1 : tensor<f32>
}
"""
GOLDEN = json.loads((support.GOLDEN / "golden.json").read_text())


class Golden(support.Case):
    """20 steps of a tiny GPT-2, which PyTorch trained in float64."""

    def check(self, precision, *options, steps=None):
        self.check_golden(f"--precision={precision}", *options, early=1e-2, late=1e-2, norms=3e-2, weights=1e-2,
                          steps=steps)

    def test_fast(self):
        for precision in HALVES:
            with self.subTest(precision):
                self.check(precision)

    def test_reference(self):
        for precision in HALVES:
            with self.subTest(precision):
                self.check(precision, "--reference", steps=6)

    def test_loss_in_chunks(self):
        self.check("bf16", "--loss-chunk=1")

    def test_portable_cpu(self):
        """Without AVX-512, and without 16-bit instructions."""
        self.check("bf16", "--cpu=x86-64-v3")

    def test_other_types(self):
        for precision, *options in (("bf16", "--grad-dtype=f32"), ("fp16", "--grad-dtype=f32"),
                                    ("bf16", "--grad-dtype=f32", "--loss-chunk=1"),
                                    ("bf16", "--state-dtype=bf16"), ("fp32", "--state-dtype=bf16")):
            with self.subTest(precision, options=options):
                self.check(precision, *options)
        self.check("bf16", "--grad-dtype=f32", "--reference", steps=6)


class Attention(support.Outcomes):
    """Products of bf16 in attention, which the unit tests hold against bounds.  The CPU is one that a machine with
    AVX512_BF16 can run, and which multiplies in this way."""
    CPU = "--cpu=znver4"
    PLAN = (CPU, "--precision=bf16", "--attention=bf16")

    def setUp(self):
        super().setUp()
        flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
        if "avx512_bf16" not in flags:
            self.skipTest("this processor has no AVX512_BF16")

    def test_golden(self):
        self.check_golden(*self.PLAN, early=1e-2, late=1e-2, norms=3e-2, weights=1e-2)

    def test_bits(self):
        plain = self.outcome(*self.PLAN, ranks=2)
        self.check_same_bits([("plain", plain)] +
                             [(str(options), self.outcome(*self.PLAN, *options, ranks=2))
                              for options in (("--stage=3",), ("--stage=2", "--remat=block"), ("--stage=1", "--offload=cpu"))] +
                             [("threads", self.outcome(*self.PLAN, "--stage=3", ranks=2, flags=("--threads", 2)))])
        self.assertNotEqual(plain, self.outcome(self.CPU, "--precision=bf16", "--attention=f32", ranks=2))

    def test_by_default_where_it_is_fast(self):
        self.check_same_bits([("asked", self.outcome(*self.PLAN)), ("default", self.outcome(*self.PLAN[:-1]))])


class Refusals(support.Case):
    def test_attention(self):
        model = support.import_model(support.SMALL, 2, 16)
        for cpu, precision, attention, error in (
                ("x86-64-v3", "bf16", "bf16", "no product of this plan has operands of bf16 on --cpu=x86-64-v3"),
                ("znver4", "fp32", "bf16", "no product of this plan has operands of bf16 on --cpu=znver4"),
                ("znver4", "fp16", "bf16", "attention has heads of width 8 of f16"),
                ("sapphirerapids", "fp16", "fp16", "no product of this plan has operands of f16 on --cpu=sapphirerapids"),
                ("graniterapids", "bf16", "fp16", "attention has heads of width 8 of bf16"),
                ("graniterapids", "fp16", "fp16", None)):
            done = support.run(support.ZEROC, model, f"--cpu={cpu}", f"--precision={precision}", f"--attention={attention}",
                               "-o", self.folder / "refused")
            self.assertEqual(done.returncode, 1 if error else 0)
            if error:
                self.assertIn(f"--attention={attention}: {error}", done.err)


class Gradients(support.Case):
    def step(self, precision, *options):
        """Returns the gradient: the change of the weights in one step of plain SGD of rate 1."""
        binary = support.compile_gpt2(support.GOLDEN / "config.json", GOLDEN["batch"],
                                      GOLDEN["seq"], "--optimizer=sgd", "--momentum=0",
                                      "--weight-decay=0", "--grad-clip=0",
                                      f"--precision={precision}", *options)
        tokens = support.GOLDEN / "tokens.bin"
        init = support.GOLDEN / "model.safetensors"
        _, after = self.train(binary, tokens, 1, 1, "--init", init)
        before = support.read_safetensors(init)
        return {name: [x - y for x, y in zip(before[name][1], values)]
                for name, (_, values) in support.read_safetensors(after).items()}

    def test_direction(self):
        """Every parameter's gradient has the direction of the f32 gradient."""
        expected = self.step("fp32")
        for precision in HALVES:
            found = self.step(precision)
            for name, values in expected.items():
                # The gradient of the key's bias is zero, and both are only rounding there.
                norm = math.sqrt(math.fsum(x * x for x in values))
                dot = math.fsum(x * y for x, y in zip(values, found[name]))
                other = math.sqrt(math.fsum(x * x for x in found[name]))
                with self.subTest(precision=precision, parameter=name):
                    self.assertGreaterEqual(dot, 0.999 * norm * other)


class SameBits(support.Outcomes):
    """test_plans.py compares the bits of all plans."""

    def test_roundings_are_those_of_a_seed(self):
        plan = ("--precision=bf16", "--master=none")
        _, start = self.outcome(*plan, steps=0)
        init = self.folder / "start.safetensors"
        init.write_bytes(start)
        first = self.outcome(*plan, flags=("--init", init))
        self.check_same_bits([("first", first),
                        ("again", self.outcome(*plan, flags=("--init", init))),
                        ("seed 0", self.outcome(*plan, flags=("--init", init, "--seed", 0))),
                        ("two threads", self.outcome(*plan, flags=("--threads", 2))),
                        ("two threads, delays", self.outcome(*plan, flags=("--threads", 2),
                                                             env={"ZRT_CHAOS": "3"}))])
        other = self.outcome(*plan, flags=("--init", init, "--seed", 1))
        self.assertEqual(other[0][0], first[0][0])
        self.assertNotEqual(other[0][1:], first[0][1:])
        self.assertNotEqual(other[1], first[1])

    def test_delays_threads_and_runs(self):
        plan = ("--precision=bf16", "--stage=3")
        self.check_same_bits([("plain", self.outcome(*plan, ranks=2)),
                        ("again", self.outcome(*plan, ranks=2)),
                        ("two threads", self.outcome(*plan, ranks=2, flags=("--threads", 2)))] +
                       [(f"delays {seed}", self.outcome(*plan, ranks=2, env={"ZRT_CHAOS": str(seed)}))
                        for seed in (1, 2)])


class Overflow(support.Case):
    """Gradients that are not finite change nothing, on any rank."""

    def run_steps(self, ranks, scale, steps, name, *options, precision="fp16"):
        binary = support.compile_gpt2(support.SMALL, 2, 16, f"--precision={precision}",
                                      f"--world-size={ranks}", "--stage=2", *options)
        data = self.write("text.txt", support.TEXT)
        saved = self.folder / f"{name}.safetensors"
        metrics = self.folder / f"{name}.jsonl"
        done = support.run(binary, "--data", data, "--lr", 1e-3,
                           "--steps", steps, "--save", saved, "--metrics", metrics,
                           *([f"--loss-scale={scale}"] if scale else []),
                           env=support.MPI_ENVIRONMENT)
        return done, support.read_metrics(metrics) if steps else [], saved

    def test_nothing_changes(self):
        _, _, start = self.run_steps(3, None, 0, "start")
        done, lines, after = self.run_steps(3, 2.0 ** 40, 3, "after")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertEqual([line["skipped"] for line in lines], [1, 2, 3])
        self.assertTrue(all(math.isfinite(line["loss"]) for line in lines))
        self.assertEqual([line["grad_norm"] for line in lines], [None] * 3)
        self.assert_same_bytes(start, after)

    def test_scale_is_no_part_of_the_result(self):
        """Scales are powers of two: the same gradients, to the last bit, unless some are lost."""
        runs = [self.run_steps(2, scale, 3, f"by-{scale}") for scale in (1024, 4096)]
        for _, lines, _ in runs:
            self.assertNotIn("skipped", lines[-1])
        (_, a, _), (_, b, _) = runs
        for x, y in zip(a, b):
            self.assert_close(x["grad_norm"], y["grad_norm"], 1e-3, "norm")
            self.assert_close(x["loss"], y["loss"], 1e-4, "loss")

    def test_it_ends(self):
        """A run that cannot recover ends."""
        done, lines, _ = self.run_steps(1, 2.0 ** 40, 50, "run")
        self.assertEqual(done.returncode, 3, done.err)
        self.assertEqual(len(lines), 10)
        self.assertRegex(done.err, "and 10 steps in a row are skipped; the training has diverged")

    def test_a_run_that_diverges(self):
        """bf16 has no loss scale to reduce; that of fp16 falls to 1, and then the run ends."""
        data = self.write("text.txt", support.TEXT)
        for precision, least in (("bf16", 10), ("fp16", 18)):
            with self.subTest(precision):
                saved, metrics = self.folder / f"{precision}.safetensors", self.folder / f"{precision}.jsonl"
                done = support.run(support.compile_gpt2(support.SMALL, 2, 16, f"--precision={precision}"), "--data", data,
                                   "--steps", 300, "--lr", 100, "--save", saved, "--metrics", metrics)
                self.assertEqual(done.returncode, 3, done.err + done.out)
                self.assertRegex(done.err, r"gradients is (nan|inf), and \d+ steps in a row are skipped; the training has "
                                           r"diverged and ends here, nothing is saved")
                lines = support.read_metrics(metrics)
                self.assertGreaterEqual(lines[-1]["skipped"], least)
                self.assertLess(len(lines), 150)
                self.assertFalse(saved.exists())

    def test_on_one_rank_alone(self):
        """Samples of one rank overflow: no rank updates, the scale halves after two overflows, and
        training continues."""
        self.check_one_rank_alone()

    def test_on_one_rank_alone_one_program_later(self):
        self.check_one_rank_alone("--offload-optimizer=cpu", "--overlap-update")

    def check_one_rank_alone(self, *options):
        model = self.write("linear.mlir", LINEAR)
        binary = support.compile_model(model, "--precision=fp16", "--world-size=3", "--stage=2", *options)
        rows, ranks, bad = 4, 3, 1
        values = []
        for step in range(6):
            for rank in range(ranks):
                # Weights times these are finite, and so is the loss.
                factor = 4000 if step < 2 and rank == bad else 1
                values += [factor * math.sin(1 + step + rank + i) for i in range(rows * 8)]
        samples = len(values) // 8
        x = self.write("x.npy", npy("f", (samples, 8), values))
        t = self.write("t.npy", npy("i", (samples,), [i % 8 for i in range(samples)]))

        def run(steps):
            saved, metrics = (self.folder / f"{steps}.{end}" for end in ("safetensors", "jsonl"))
            done = support.run(binary, "--input",
                               f"x={x}", "--input", f"t={t}", "--lr", 1e-2, "--steps", steps, "--save", saved,
                               "--metrics", metrics, env=support.MPI_ENVIRONMENT)
            self.assertEqual(done.returncode, 0, done.err)
            return saved, support.read_metrics(metrics) if steps else []

        start, _ = run(0)
        skipped, lines = run(2)
        self.assert_same_bytes(start, skipped)
        self.assertEqual([line["skipped"] for line in lines], [1, 2])
        self.assertTrue(all(math.isfinite(line["loss"]) for line in lines))
        after, lines = run(6)
        self.assertEqual([line["skipped"] for line in lines], [1] + 5 * [2])
        self.assertEqual([line["loss_scale"] for line in lines], 2 * [65536] + 4 * [32768])
        self.assertEqual([line["grad_norm"] is None for line in lines], 2 * [True] + 4 * [False])
        self.assertNotEqual(start.read_bytes(), after.read_bytes())

    def test_no_scale_to_set(self):
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--precision=bf16")
        done = support.run(binary, "--data", self.write("t.txt", support.TEXT), "--steps", 1,
                           "--lr", 1e-3, "--loss-scale", 8)
        self.assert_refused(done, "--loss-scale=8: the loss of this plan is not scaled",
                            "--precision=fp16")
        done = support.run(binary, "--data", self.write("t.txt", support.TEXT), "--steps", 1,
                           "--lr", 1e-3, "--loss-scale", "dynamic")
        self.assert_refused(done, "--loss-scale=dynamic: the loss of this plan is not scaled",
                            "--precision=fp16")
        done = support.run(support.compile_gpt2(support.SMALL, 2, 16, "--precision=fp16"),
                           "--data", self.write("t.txt", support.TEXT), "--steps", 1, "--lr", 1e-3,
                           "--loss-scale", 0.5)
        self.assert_refused(done, "--loss-scale must be dynamic, or a number from 1", "0.5")


class NoMasters(support.Case):
    """Parameters of 16 bits without masters."""

    def test_small_steps_add_up(self):
        """Steps that are too small for bf16 move the weights as in f32, on average; with rounding
        to nearest they would not move."""
        binary = {options: support.compile_gpt2(
            support.SMALL, 2, 16, "--optimizer=sgd", "--momentum=0", "--weight-decay=0",
            "--grad-clip=0", *options) for options in ((), ("--precision=bf16", "--master=none"))}
        data = self.write("text.txt", support.TEXT)
        wide, (_, chance) = (self.train(program, data, 60, 3e-4, name=f"run{i}")
                             for i, program in enumerate(binary.values()))
        (_, exact) = wide
        _, start = self.train(binary[()], data, 0, 3e-4, name="start")
        before, expected, found = map(support.read_safetensors, (start, exact, chance))
        dot = norm = other = 0.0
        for name, (_, values) in expected.items():
            moved = [y - rounded(x) for x, y in zip(before[name][1], found[name][1])]
            wanted = [y - x for x, y in zip(before[name][1], values)]
            dot += math.fsum(x * y for x, y in zip(moved, wanted))
            norm += math.fsum(x * x for x in wanted)
            other += math.fsum(x * x for x in moved)
        # The projection on f32's change is as long as that change; rounding noise is added.
        self.assertGreater(norm, 0)
        self.assert_close(dot / norm, 1, 0.1, "way along that of f32")

    def test_a_skipped_step_changes_nothing(self):
        """Stochastic rounding does not change anything, either."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--precision=bf16", "--master=none")
        data = self.write("text.txt", support.TEXT)
        _, start = self.train(binary, data, 0, 1, name="start")
        _, after = self.train(binary, data, 3, 0, name="after")
        self.assert_same_bytes(start, after)
        values = support.read_safetensors(start)["transformer.wte.weight"][1]
        self.assertTrue(all(value == rounded(value) for value in values))


class Files(support.Case):
    def test_masters_are_saved(self):
        """Saved weights restart the same training: masters are saved, not their roundings."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--precision=bf16")
        data = self.write("text.txt", support.TEXT)
        _, first = self.train(binary, data, 1, 1e-3, name="first")
        _, again = self.train(binary, data, 0, 1e-3, "--init", first, name="again")
        self.assert_same_bytes(first, again)
        values = support.read_safetensors(first)["transformer.wte.weight"][1]
        self.assertTrue(any(value != rounded(value) for value in values))

    def saved_as(self, dtype, init, name, status=0):
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--stage=3", "--world-size=2")
        path = self.folder / f"{name}.safetensors"
        done = support.run(binary, "--data", self.write("t.txt", support.TEXT),
                           "--steps", 0, "--lr", 1, "--init", init, "--save", path,
                           "--save-dtype", dtype, "--quiet", env=support.MPI_ENVIRONMENT)
        self.assertEqual(done.returncode, status, done.err)
        return path, done

    def test_types_of_the_file(self):
        """Every element is the rounding of what f32 would be."""
        binary = support.compile_gpt2(support.SMALL, 2, 16)
        _, start = self.train(binary, self.write("text.txt", support.TEXT), 1, 1e-3, name="start")
        values = support.read_safetensors(start)
        for dtype, name, form in (("bf16", "BF16", None), ("f16", "F16", "<e")):
            path, _ = self.saved_as(dtype, start, dtype)
            raw = path.read_bytes()
            (length,) = struct.unpack_from("<Q", raw)
            for tensor, entry in json.loads(raw[8:8 + length]).items():
                if tensor == "__metadata__":
                    continue
                self.assertEqual(entry["dtype"], name)
                begin, end = entry["data_offsets"]
                found = raw[8 + length + begin:8 + length + end]
                expected = b"".join(
                    struct.pack(form, value) if form else struct.pack("<f", rounded(value))[2:]
                    for value in values[tensor][1])
                self.assertTrue(found == expected, f"{tensor} in {dtype}")
            # The file initializes a run.
            again, _ = self.saved_as("f32", path, f"again-{dtype}")
            self.assertEqual(self.saved_as(dtype, again, f"{dtype}-2")[0].read_bytes(), raw)

    def test_nothing_is_lost(self):
        """Weights that f16 cannot hold are saved as f32, and the program says so."""
        binary = support.compile_gpt2(support.SMALL, 2, 16)
        _, start = self.train(binary, self.write("text.txt", support.TEXT), 0, 1, name="start")
        tensors = support.read_safetensors(start)
        tensors["transformer.ln_f.bias"][1][3] = 70000.0
        large = self.folder / "large.safetensors"
        support.write_safetensors(large, tensors)
        path, done = self.saved_as("f16", large, "out", status=4)
        self.assertRegex(done.err, r"warning: .*ln_f.bias is 70000 at element 3, more than f16 holds; "
                                   "the weights are saved as f32")
        self.assertEqual(support.read_safetensors(path)["transformer.ln_f.bias"][1][3], 70000.0)


def rounded(value):
    """Rounds to bf16."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    bits = bits + 0x7fff + (bits >> 16 & 1) & 0xffff0000
    return struct.unpack("<f", struct.pack("<I", bits))[0]
