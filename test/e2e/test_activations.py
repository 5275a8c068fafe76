"""Activations that are computed again, or wait in another tier: the same bits as kept ones."""
import re

import support

PLACES = ((), ("--remat=block",), ("--offload-activations=cpu",), ("--offload-activations=nvme",),
          ("--remat=block", "--offload-activations=cpu"),
          ("--remat=block", "--offload-activations=nvme"))
DEEP = {**support.SMALL, "n_layer": 4}


class Activations(support.Outcomes):
    def check(self, *options, **kind):
        kind.setdefault("config", DEEP)
        self.check_same_bits((" ".join(place) or "kept", self.outcome(*place, *options, **kind))
                             for place in PLACES)

    def test_one_rank(self):
        for precision in ("fp32", "bf16", "fp16"):
            with self.subTest(precision):
                self.check(f"--precision={precision}")

    def test_stages(self):
        for stage in (0, 1, 2, 3):
            with self.subTest(stage=stage):
                self.check(f"--stage={stage}", "--precision=bf16", ranks=2)

    def test_micro_steps(self):
        self.check("--stage=3", "--accumulate=3", ranks=2, steps=3)

    def test_with_offloaded_state(self):
        self.check("--stage=3", "--offload=nvme", ranks=2)
        self.check("--stage=3", "--offload=nvme", "--overlap-update", ranks=2)
        self.check("--offload=cpu", "--precision=bf16", "--bucket-size=5000")

    def test_chunks_of_the_loss(self):
        self.check("--loss-chunk=1KiB")

    def test_odd_sizes(self):
        self.check("--stage=3", "--bucket-size=20KiB", ranks=3, config=support.ODD)

    def test_delays(self):
        plan = ("--precision=bf16", "--stage=3", "--offload=nvme")
        self.check_same_bits(
            [("kept", self.outcome(*plan[:2], ranks=2, config=DEEP))] +
            [(f"{place}, delays {seed}",
              self.outcome(*plan, *place, ranks=2, config=DEEP, env={"ZRT_CHAOS": str(seed)}))
             for seed, place in enumerate(PLACES[1:], start=1)])

    def test_guard_and_checked_reads(self):
        """Each buffer is of its operations alone, and what comes from nvme is what went there."""
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
        """Kept activations are most of what the device holds here."""
        device, host, nvme = self.peak()
        self.assertEqual((host, nvme), (0, 0))
        again = self.peak("--remat=block")
        self.assertLess(again[0], 0.6 * device)
        there = self.peak("--offload-activations=cpu")
        self.assertLess(there[0], 0.7 * device)
        self.assertGreater(there[1], 0.3 * device)
        both = self.peak("--remat=block", "--offload-activations=nvme")
        self.assertLess(both[0], again[0])
        self.assertLess(both[1], there[1] / 4)
        self.assertGreater(both[2], 0)

    def test_limits(self):
        """Less is fetched ahead, and what cannot fit is refused."""
        plan = ("--offload-activations=cpu",)
        arena = re.compile(r"zero.arena = array<i64: (\d+),")
        text = support.compile_gpt2(DEEP, 2, 16, *plan, "--emit=memory").read_text()
        device = int(arena.search(text)[1])
        self.check_same_bits((limit, self.outcome(*plan, limit, config=DEEP))
                             for limit in (f"--device-memory={device * 2}",
                                           f"--device-memory={device}"))


if __name__ == "__main__":
    support.main()
