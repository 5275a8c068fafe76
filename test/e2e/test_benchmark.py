"""The arithmetic of benchmark/run.py.  Nothing is measured here."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmark"))

import cases
import lora
import machine
import models
import report
import trainer
import watch
import where

GPT2 = models.read(ROOT / "examples" / "gpt2-small.json")
QWEN = models.read(ROOT / "benchmark" / "models" / "qwen3-0.6b.json")
LLAMA = models.read(ROOT / "benchmark" / "models" / "llama-100m.json")
MIXTRAL = models.read(ROOT / "benchmark" / "models" / "mixtral-121m.json")

PROFILE = """\
final loss 10.5 (step 2)
profile: 2 steps, 100.000 ms each
  stream     operation                                calls/step    ms/step  % step           rate
  compute    matmul 256 x 3072 x 768                          12     60.000   60.00  241.6 GFLOP/s
  compute    attention                                        12     10.500   10.50       0.6 GB/s
  compute    matmul 64 x 64 x 16 (batch 12)                   12      1.500    1.50   12.6 GFLOP/s
  compute    ln_f                                              3      4.000    4.00      20.5 GB/s
  compute    adamw of a long name that leaves but one space 15      9.000    9.00      19.7 GB/s
  compute    sum_squares                                      15      1.000    1.00       6.0 GB/s
  reduce     reduce_scatter                                   15     30.000   30.00      12.0 GB/s
  compute    waiting                                                 14.000   14.00
wire: 1,991,036,928 bytes (1.9 GiB) received
  stream     collective                calls          bytes           ms   ms waiting         rate
  reduce     reduce_scatter               30     1991036928       60.000       20.000    49.8 GB/s
"""


def round_limits():
    """100 GFLOP/s per thread, 20 GB/s for AdamW, 10 GB/s for collectives."""
    limits = cases.Limits()
    for threads in (1, 2):
        for tokens in (128, 256):
            for m, n, k in GPT2.products(tokens):
                seconds = 2 * m * n * k / (100e9 * threads)
                for form, factor in (("NN", 1), ("NT", 2), ("TN", 3), ("packed", 2)):
                    limits.add((threads, m, n, k, form), factor * seconds)
        for form, factor in (("plain", 3), ("streamed", 1)):
            limits.add(("adamw", threads, form), factor * 28 / 20e9)
    for name in ("reduce_scatter", "gather_in_place", "gather_apart"):
        limits.add(name, 1 / 10e9)
    return limits


class Benchmark(unittest.TestCase):
    def test_median(self):
        self.assertEqual(cases.median([3, 1, 2]), 2)
        self.assertEqual(cases.median([4, 1, 2, 3]), 2.5)
        self.assertEqual(trainer.step_of([100, 50, 3, 1, 2]), (2, 14))
        self.assertEqual(trainer.step_of([5]), (5, 5))

    def test_cases(self):
        for name in (*cases.CASES, "b2t64r4s0", "b1t16r2s1x2"):
            self.assertEqual(cases.Case.parse(name).name, name)
        self.assertEqual(cases.Case.parse("b2t64r2s3"), cases.Case(2, 64, 1, 2, 3))
        for name in ("b4", "b4t64s2", "b2t64r2s4", ""):
            self.assertRaises(ValueError, cases.Case.parse, name)

    def test_model(self):
        self.assertEqual(GPT2.parameters, 124_439_808)
        flops = sum(2 * m * n * k * count for (m, n, k), count in GPT2.products(256).items())
        self.assertEqual(flops, 6 * GPT2.weights * 256)
        self.assertEqual(GPT2.flops(4, 64), flops + 6 * 4 * 64**2 * 768 * 12)
        self.assertEqual(sum(GPT2.products(256).values()), 3 * (4 * 12 + 1))

    def test_decoders(self):
        # As zeroc's certificate counts them (test_imported_parameters).
        self.assertEqual(LLAMA.parameters, 100_092_672)
        self.assertEqual(MIXTRAL.parameters, 354_970_368)
        self.assertEqual(QWEN.parameters, 596_049_920)
        for model in (LLAMA, MIXTRAL):
            flops = sum(2 * m * n * k * count
                        for (m, n, k), count in model.products(1024).items())
            self.assertEqual(flops, 6 * model.weights * 1024)
        # 2 of 8 experts are active, and each gets a fourth of the rows.
        inactive = 12 * 6 * 3 * 768 * 1408
        norms = 25 * 768
        self.assertEqual(MIXTRAL.weights, MIXTRAL.parameters - norms - inactive)
        self.assertEqual(MIXTRAL.products(1024)[256, 1408, 768], 3 * 8 * 12)
        self.assertEqual(LLAMA.products(1024)[256, 768, 1024], 2 * 12)

    def test_imported_parameters(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, model in (("llama-100m", LLAMA), ("mixtral-121m", MIXTRAL)):
                ours = trainer.Trainer(ROOT / "benchmark" / "models" / f"{name}.json", folder,
                                       name=name)
                certificate = ours.certificate(cases.Case.parse("b1t16x1"))
                self.assertEqual(certificate["parameters"], model.parameters)
                self.assertEqual(lora.state_bytes(certificate), 16 * model.parameters)
                self.assertEqual(lora.base_bytes(certificate), 4 * model.parameters)

    def test_unknown_models(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "config.json"
            config.write_text('{"model_type": "bert"}')
            with self.assertRaisesRegex(models.Unknown, "bert"):
                models.read(config)

    def test_products_by_groups(self):
        def product(name):
            return where.Row("compute", name, 12, 1).product

        forward = "grouped_matmul of layers.*.experts.w1 2048 x 1408 x 768 (groups 8)"
        self.assertEqual(product(forward), (8, 256, 1408, 768))
        backward = "grouped_matmul_backward of layers.*.experts.w1 2048 x 768 x 1408 (groups 8)"
        self.assertEqual(product(backward), (8, 1408, 768, 256))
        for name in (forward, backward):
            self.assertIn(product(name)[1:], MIXTRAL.products(1024))

    def test_adapters(self):
        def certificate(parameters, trained):
            held = {"parameters": 4 * parameters, "gradients": 4 * trained,
                    "optimizer_state": 8 * trained}
            return {"parameters": parameters,
                    "model_state": {name: {"held": size} for name, size in held.items()},
                    "wire": {"all_gather": {"bytes": 3 << 20}}}

        def runs(*steps):
            return [trainer.Run(step, step, 0) for step in steps]

        text = lora.text_of({"full": (certificate(1000, 1000), runs(1, 2, 3)),
                             "q": (certificate(1010, 10), runs(0.7, 1.2, 2.4))})
        self.assertRegex(text, r"q +1200\.0 +142% +0\.700 +- +0\.00M +\S+ +1\.040 +\S+ +3")
        ours, theirs = ([trainer.Run(step, step, size) for step in (1, 2)] for size in (3 << 20, 4 << 20))
        for run in theirs:
            run.step *= 4
        text = lora.text_of({lora.LINEAR: (certificate(1010, 10), ours), lora.PEFT: (None, theirs)})
        self.assertRegex(text, r"PEFT +6000\.0 +67% +- +4\n")
        self.assertRegex(text, r"\n +all linear layers / transformers with PEFT: time 0\.25, memory 0\.75$")
        packed = runs(1, 2, 3)
        for run, rate in zip(packed, (4e9, 8e9, 6e9)):
            run.profile = where.Profile(1, [where.Row("compute", "unpack of a", 1, 0.01, rate),
                                            where.Row("compute", "unpack of b", 1, 0.03, rate / 2),
                                            where.Row("compute", "matmul", 1, 0.5, 1e9)], [])
        seconds, rate = lora.dequantization(packed)
        self.assertAlmostEqual(seconds, 0.04)
        self.assertAlmostEqual(rate, 6e9 * (0.25 + 0.75 / 2))

    def test_limit_of_one_rank(self):
        limits = round_limits()
        self.assertEqual(limits.best(1, 256, 768, 3072)[1], "NN")
        self.assertAlmostEqual(limits.rate(2, GPT2, 256) / 200e9, 1)
        self.assertAlmostEqual(limits.bandwidth(2) / 20e9, 1)
        limit = cases.limit_of(cases.Case.parse("b4t64x2"), GPT2, limits)
        self.assertAlmostEqual(limit.products + limit.attention, GPT2.flops(4, 64) / 200e9)
        self.assertAlmostEqual(limit.update, 28 * 124_439_808 / 20e9)
        self.assertEqual(limit.wire, 0)

    def test_limit_of_two_ranks(self):
        limits, megabytes = round_limits(), 4 * 124_439_808
        for stage, exchanges, copies in ((0, 2, 2), (1, 2, 1), (2, 2, 1), (3, 3, 1)):
            limit = cases.limit_of(cases.Case(2, 64, 1, 2, stage), GPT2, limits)
            self.assertAlmostEqual(limit.products + limit.attention, GPT2.flops(2, 64) / 100e9)
            self.assertAlmostEqual(limit.wire, exchanges * megabytes / 10e9)
            self.assertAlmostEqual(limit.update, copies * 28 * 124_439_808 / 20e9)

    def test_medians_of_rounds(self):
        limits = cases.Limits()
        for seconds in (1, 9, 2):
            limits.add((1, 2, 3, 4, "NN"), seconds)
            limits.add((1, 2, 3, 4, "NT"), 3)
        self.assertEqual(limits.best(1, 2, 3, 4), (2, "NN"))

    def test_profile(self):
        profile = where.parse(PROFILE)
        self.assertEqual(profile.step, 0.1)
        self.assertEqual([row.name for row in profile.rows][-2:], ["reduce_scatter", "waiting"])
        self.assertEqual(profile.rows[0].product, (1, 256, 3072, 768))
        self.assertEqual(profile.rows[2].product, (12, 64, 64, 16))
        self.assertEqual(profile.rows[4].name, "adamw of a long name that leaves but one space")
        self.assertEqual(profile.rows[-1].seconds, 0.014)
        (wire,) = profile.wires
        self.assertEqual((wire.bytes, wire.seconds, wire.waiting), (995518464, 0.03, 0.01))
        self.assertIsNone(where.parse("no profile"))

    def test_middle_of_profiles(self):
        profiles = [where.parse(PROFILE.replace("60.000   60.00", f"{ms}.000   60.00"))
                    for ms in (50, 70, 55)]
        self.assertEqual(where.middle(profiles).rows[0].seconds, 0.055)

    def test_parts_add_up(self):
        profile = where.parse(PROFILE.replace("adamw of a long name that leaves but one space",
                                              "adamw"))
        case, limits = cases.Case.parse("b4t64x2"), round_limits()
        parts = {part.name: part
                 for part in where.parts_of(case, GPT2, limits, profile, outside=0.002)}
        self.assertAlmostEqual(sum(part.seconds for part in parts.values()), 0.102)
        self.assertAlmostEqual(parts["matmuls"].seconds, 0.0615)
        shape = parts["matmuls"].inner[0]
        self.assertAlmostEqual(shape.limit, 12 * 2 * 256 * 3072 * 768 / 200e9)
        self.assertAlmostEqual(parts["update"].seconds, 0.010)
        self.assertAlmostEqual(parts["collectives, waiting"].seconds, 0.014)
        self.assertAlmostEqual(parts["other kernels"].lost, 0.004)

    def test_tables(self):
        case, limits = cases.Case.parse("b4t64x2"), round_limits()
        profile = where.parse(PROFILE)
        runs = [trainer.Run(step, step, 2 << 30, 1 << 30, profile) for step in (0.2, 0.4, 0.3)]
        text = report.cases_text([case], GPT2, limits, {case: runs}, {case: runs})
        self.assertRegex(text, r"b4t64x2 +1127\.5 +300\.0 +67% +0\.27 +300\.0 +67% +1\.00")
        self.assertRegex(report.rates_text([case], {case: runs}, {}), r"b4t64x2 +853 +-$")
        self.assertIn("256 x 3072 x 768", report.where_text(case, GPT2, limits, runs))
        self.assertIn("242 GFLOP/s", report.where_text(case, GPT2, limits, runs))
        self.assertIn("200 GFLOP/s over a step", report.limits_text([case], GPT2, limits))

    def test_programs(self):
        """The sources of the limits are there by the names that are compiled."""
        for program in machine.PROGRAMS:
            self.assertTrue((machine.SOURCES / f"{program}.cpp").exists(), program)

    def test_memory_of_a_process(self):
        self.assertGreater(watch.resident("self", sys.executable), 1 << 20)


if __name__ == "__main__":
    unittest.main()
