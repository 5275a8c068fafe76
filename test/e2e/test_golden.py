"""Against PyTorch: 20 steps of a tiny GPT-2, which PyTorch trained in float64.

golden.json and final.safetensors are its results.  PyTorch's own float32 is
within 2.5e-6 of those weights, which says how close a sound program comes.
"""
import json

import support


class Golden(support.Case):
    GOLDEN = json.loads((support.GOLDEN / "golden.json").read_text())

    def check(self, *options, env=None):
        golden, hyper = self.GOLDEN, self.GOLDEN["hyper"]
        binary = support.compile_gpt2(
            support.GOLDEN / "config.json", golden["batch"], golden["seq"], "--optimizer=adamw",
            f"--betas={hyper['betas'][0]},{hyper['betas'][1]}", f"--eps={hyper['eps']}",
            f"--weight-decay={hyper['weight_decay']}", f"--grad-clip={hyper['clip']}", *options)
        lines, saved = self.train(binary, support.GOLDEN / "tokens.bin", golden["steps"],
                                  hyper["lr"], "--init", support.GOLDEN / "model.safetensors",
                                  env=env)
        for step, line in enumerate(lines):
            self.assert_close(line["loss"], golden["loss"][step], 2e-6 if step < 10 else 1e-5,
                              f"loss of step {step}")
            self.assert_close(line["grad_norm"], golden["grad_norm"][step], 1e-5,
                              f"gradient norm of step {step}")
        self.assert_weights_close(saved, support.GOLDEN / "final.safetensors", 1e-5)

    def test_fast(self):
        self.check()

    def test_reference(self):
        self.check("--reference")

    def test_portable_cpu(self):
        """Without AVX-512, which `native` may have."""
        self.check("--cpu=x86-64-v3")

    def test_random_delays(self):
        """A plan that lacks an event computes something else under some delay."""
        for seed in range(1, 4):
            with self.subTest(seed=seed):
                self.check(env={"ZRT_CHAOS": str(seed)})
