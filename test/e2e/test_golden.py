"""Against PyTorch: 20 steps of a tiny GPT-2, which PyTorch trained in float64.

golden.json and final.safetensors are its results.  PyTorch's own float32 is within 2.5e-6 of those
weights, which is the accuracy to expect of a correct program.
"""
import support


class Golden(support.Case):
    def test_fast(self):
        self.check_golden()

    def test_reference(self):
        self.check_golden("--reference")

    def test_loss_in_chunks(self):
        """Chunks of 16 rows, the fewest possible."""
        self.check_golden("--loss-chunk=1")

    def test_portable_cpu(self):
        """Without AVX-512, which `native` may have."""
        self.check_golden("--cpu=x86-64-v3")

    def test_random_delays(self):
        """A plan that lacks an event computes other results under some delay."""
        for seed in range(1, 4):
            with self.subTest(seed=seed):
                self.check_golden(env={"ZRT_CHAOS": str(seed)})
