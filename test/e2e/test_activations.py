"""Recomputed and offloaded activations: memory savings, and cases that the table of test_plans.py
lacks."""
import re

import support

DEEP = {**support.SMALL, "n_layer": 4}


class Activations(support.Outcomes):
    def test_guard_and_checked_reads(self):
        """Only their operations access buffers, and nvme returns the bytes that were written."""
        self.check_same_bits(
            (" ".join(flags), self.outcome("--remat=block", "--offload-activations=nvme",
                                           config=DEEP, flags=flags, env=env))
            for flags, env in (((), {}), (("--verify-reads",), {}), ((), {"ZRT_GUARD": "1"})))

    def peak(self, *options):
        text = support.compile_gpt2({**DEEP, "n_layer": 8, "n_embd": 64}, 32, 32, *options,
                                    "--emit=memory").read_text()
        return [int(bytes) for bytes in
                re.search(r"zero.arena = array<i64: (\d+), (\d+), (\d+)>", text).groups()]

    def test_memory(self):
        """Kept activations use most of the device memory here."""
        device, host, nvme = self.peak()
        self.assertEqual((host, nvme), (0, 0))
        again = self.peak("--remat=block")
        self.assertLess(again[0], 0.6 * device)
        kernels = self.peak("--remat=kernels")[0]
        parts = [self.peak("--remat=block", f"--remat-ratio={part}")[0] for part in (0.25, 0.5, 0.75)]
        for more, less in zip((device, kernels, *parts), (kernels, *parts, again[0])):
            self.assertLess(less, 0.98 * more)
        there = self.peak("--offload-activations=cpu")
        self.assertLess(there[0], 0.7 * device)
        self.assertGreater(there[1], 0.3 * device)
        both = self.peak("--remat=block", "--offload-activations=nvme")
        self.assertLess(both[0], again[0])
        self.assertLess(both[1], there[1] / 4)
        self.assertGreater(both[2], 0)

    def test_limits(self):
        """With less memory less is prefetched, and plans that cannot fit are refused."""
        plan = ("--offload-activations=cpu",)
        arena = re.compile(r"zero.arena = array<i64: (\d+),")
        text = support.compile_gpt2(DEEP, 2, 16, *plan, "--emit=memory").read_text()
        device = int(arena.search(text)[1])
        self.check_same_bits((limit, self.outcome(*plan, limit, config=DEEP))
                             for limit in (f"--device-memory={device * 2}",
                                           f"--device-memory={device}"))
