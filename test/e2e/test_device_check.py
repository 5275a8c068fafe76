"""`train --device-check` on the GPU of test/fakecuda: its comparisons pass there, and injected
faults are reported."""
import json
import unittest

import support
from test_cuda import CPU, FAKE, GPU, fake


@unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
class DeviceCheck(support.Case):
    def check(self, *options, model=None, ranks=1, env=None, run=(), status=0):
        """Returns the page, and the same as JSON."""
        more = [f"--world-size={ranks}"] if ranks > 1 else []
        binary = support.compile_model(model or support.import_model(support.SMALL, 1, 8), CPU, *GPU, *more, *options)
        file = self.folder / "check.json"
        done = support.run(binary, f"--device-check={file}", *run,
                           cwd=self.folder, env={**support.MPI_ENVIRONMENT, **fake(**(env or {}))}, timeout=300)
        self.assertEqual(done.returncode, status, done.out)
        return done.out, json.loads(file.read_text())

    def findings(self, report, verdict):
        """Returns section and text of each finding."""
        return [(section["name"], finding["what"], finding["found"])
                for section in report["sections"] for finding in section["findings"] if finding["verdict"] == verdict]

    def sections(self, report, verdict):
        return {section for section, _, _ in self.findings(report, verdict)}

    def test_holds(self):
        page, report = self.check("--precision=bf16")
        self.assertTrue(report["holds"])
        self.assertEqual(self.findings(report, "fails"), [])
        self.assertLessEqual({"conformance", "kernels", "attention", "products", "updates", "training"},
                             self.sections(report, "holds"))
        self.assertEqual(len([1 for name, _, found in self.findings(report, "measured")
                              if name == "links" and found.endswith("GB/s")]), 3)
        self.assertRegex(page, r"all \d+ hold\n")
        self.assertRegex(page, r"products: .*3 runs each: (\d+) of \1 hold")
        self.assertIn("algorithm 0", page)
        self.assertRegex(page, r"attention\.\d+ of h\.0\.attn: .* largest error 0\.\d+ of its tolerance")
        self.assertLess(len(page.splitlines()), 80, "one page")

    def test_wrong(self):
        """A wrong kernel, and products that change from run to run, are named; later checks pass."""
        page, report = self.check(env={"FAKE_CUDA_WRONG": "zk_attention$2e", "FAKE_CUDA_UNSTEADY": "cublasLtMatmul"},
                                  status=1)
        failures = self.findings(report, "fails")
        # With such losses the training check is meaningless.
        self.assertEqual({section for section, _, _ in failures}, {"conformance", "attention", "products", "training"})
        self.assertEqual([what[0] for section, what, _ in failures if section == "conformance"], ["H"])
        self.assertRegex(page, r"FAIL  attention\.\d+ of h\.0\.attn: .*have other bits; element 0: .* on processors")
        self.assertRegex(page, r"FAIL: \d+ of \d+ do not hold")
        products = [found for section, _, found in failures if section == "products"]
        self.assertGreater(len(products), 1)
        for found in products:
            self.assertIn("1 of 2 repeated runs gave other bits", found)
        self.assertTrue(any("beyond their tolerance" in found for found in products))
        self.assertNotIn("products", self.sections(report, "holds"))
        self.assertIn("attention_backward", " ".join(what for section, what, _ in self.findings(report, "holds")))

    def test_wrong_groups(self):
        """Products of experts are compared group by group."""
        config = json.loads((support.ROOT / "test" / "golden" / "mixtral" / "config.json").read_text())
        model = support.import_model({**config, "num_hidden_layers": 1, "num_local_experts": 5}, 1, 6)
        report = self.check(model=model, env={"FAKE_CUDA_WRONG": "zrt_grouped_"}, status=1)[1]
        failures = self.findings(report, "fails")
        self.assertLessEqual({"products"}, {section for section, _, _ in failures})
        self.assertLessEqual({section for section, _, _ in failures}, {"products", "training"})
        named = [what for section, what, _ in failures if section == "products"]
        self.assertTrue(named and all(what.startswith("grouped_matmul") for what in named), named)
        self.assertIn("products", self.sections(report, "holds"))

    def test_failure(self):
        """A kernel that ends the run: earlier comparisons are kept, later ones are tried."""
        page, report = self.check(env={"FAKE_CUDA_FAILS": "attention_backward"}, status=1)
        self.assertIn("products", self.sections(report, "holds"))
        self.assertEqual(self.sections(report, "fails"), {"attention", "operations", "training"})
        self.assertRegex(page, "FAIL  attention_backward.* CUDA_ERROR_ILLEGAL_ADDRESS")

    def test_every_program(self):
        """Micro-steps, evaluation, samples, offload, packed weights and ranks have operations of their own."""
        for options, ranks, *names in (
                (("--precision=fp16", "--accumulate=2", "--eval", "--sample", "--offload=cpu"), 1, "copies"),
                (("--precision=bf16", "--lora=2", "--base-storage=nf4"), 1),
                (("--precision=bf16", "--stage=3", "--overlap-update", "--offload=nvme", "--eval"), 2, "copies",
                 "ranks")):
            with self.subTest(options=options):
                run = ("--nvme-path", self.folder) if "--offload=nvme" in options else ()
                report = self.check(*options, ranks=ranks, run=run)[1]
                self.assertLessEqual({"kernels", "products", "updates", "training", *names},
                                     self.sections(report, "holds"))
                if ranks > 1:
                    self.assertIn("collectives", self.sections(report, "holds"))

    def test_layers_with_states(self):
        model = support.import_model(support.ROOT / "test" / "golden" / "qwen3_5" / "config.json", 1, 66)
        report = self.check("--precision=bf16", "--sample", model=model)[1]
        held = " ".join(what for section, what, _ in self.findings(report, "holds") if section == "kernels")
        for kernel in ("gated_delta_rule", "gated_delta_rule_backward", "cached_delta_rule", "cached_causal_conv"):
            self.assertIn(kernel + ".", held)

    def test_refused(self):
        """Programs for CPUs have nothing to compare."""
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU)
        done = support.run(binary, "--device-check", cwd=self.folder)
        self.assert_refused(done, "--device-check compares a GPU", "compile the model with --target=cuda", status=2)
        binary = support.compile_gpt2(support.SMALL, 2, 16, CPU, *GPU, "--precision=bf16")
        done = support.run(binary, f"--device-check={self.folder}", cwd=self.folder, env=fake())
        self.assert_refused(done, "folder", status=1)
        done = support.run(binary, "--device-check", cwd=self.folder, env=fake(FAKE_CUDA_DEVICES="0"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.out, "FAIL  the first error .*no GPU of NVIDIA")
