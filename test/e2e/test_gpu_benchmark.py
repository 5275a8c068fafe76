"""benchmark/gpu.py: its arithmetic, and its short form on the GPU of test/fakecuda."""
import re
import sys
import unittest

import support
from test_cuda import FAKE, fake

sys.path.append(str(support.ROOT / "benchmark"))
import gpu
import models

SCRIPT = support.ROOT / "benchmark" / "gpu.py"


class GpuBenchmark(support.Case):
    def test_flops(self):
        config, batch = gpu.CASES["gpt2-124m"]
        result = gpu.Result("gpt2-124m", config, models.read(config), batch, 1024)
        weights = 12 * 12 * 768 * 768 + 50257 * 768
        self.assertEqual(result.flops, 16 * 1024 * (6 * weights + 12 * 12 * 768 * 1024))

    def test_sizes(self):
        """The names of the models give their sizes."""
        for name, billions in (("gpt2-124m", 0.124), ("gpt2-1.5b", 1.56), ("llama-1b", 1.24), ("llama-3b", 3.21),
                               ("llama-7b", 6.74)):
            parameters = models.read(gpu.CASES[name][0]).parameters
            self.assert_close(parameters * 1e-9, billions, 5e-3, name)

    def measure(self, *options, env=None):
        config = self.write("tiny.json", dict(support.SMALL))
        return support.run(sys.executable, SCRIPT, f"--models={config}", "--batch=2", "--seq=16", "--steps=2",
                           "--torch-python=", *options, cwd=self.folder, env=env, timeout=300)

    @unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
    def test_emulated(self):
        done = self.measure("--arch=emulated", "--peak=1", env=fake())
        self.assertEqual(done.returncode, 0, done.err)
        self.assertRegex(done.out, r"(?m)^tiny +2 +0\.0 \* ")
        # TFLOP a step, ms, tokens/s, utilization
        row = re.search(r"(?m)^tiny +2 +(\S+) +(\S+) +(\d+) +(\S+)% +- +plain$", done.out)
        self.assertIsNotNone(row, done.out)
        self.assert_close(float(row[2]) * float(row[3]), 32e3, 0.05, "milliseconds times tokens/s are the tokens")

    def test_without_a_gpu(self):
        """Nothing is measured, and the benchmark says so."""
        nowhere = {"PATH": "/nowhere"}
        done = self.measure(env=nowhere)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("there is no GPU here", done.err)

    def test_dry_run(self):
        done = self.measure("--dry-run", "--memory=1MiB")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertRegex(done.out, "(?m)^no GPU is used: plans for sm_90")
        self.assertRegex(done.out, r"(?m)^tiny +2 +\S+ +- +- +- +- +does not fit$")
