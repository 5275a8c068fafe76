"""State in host memory and on nvme: cases that the table of test_plans.py lacks."""
import re

import support


class Places(support.Outcomes):
    def test_a_run_of_any_length(self):
        """The pending work of a step is never lost."""
        plan = ("--offload=nvme", "--precision=bf16", "--bucket-size=8KiB")
        for steps in range(4):
            with self.subTest(steps=steps):
                self.check_same_bits([("as usual", self.outcome(*plan, steps=steps)),
                                      ("rotated", self.outcome("--overlap-update", *plan, steps=steps))])

    def test_limits(self):
        """With less memory, less is prefetched."""
        config = {**support.SMALL, "n_layer": 4, "n_embd": 64}
        for options, shares in ((("--offload=nvme", "--stage=3"), ((1, 0.9), (0.95, 1))),
                                (("--offload=nvme", "--stage=3", "--overlap-update"), ((1, 0.8),)),
                                (("--offload-optimizer=nvme", "--delayed-update"), ())):
            text = support.compile_gpt2(config, 2, 16, "--world-size=2", *options, "--emit=memory").read_text()
            device, host = map(int, re.search(r"zero.arena = array<i64: (\d+), (\d+),", text).groups())
            limits = [(f"--device-memory={int(device * of_device)}", f"--host-memory={int(host * of_host)}")
                      for of_device, of_host in ((1, 1), *shares)]
            with self.subTest(options):
                self.check_same_bits(
                    [("no limit", self.outcome(*options, ranks=2, config=config))] +
                    [(" ".join(limit), self.outcome(*options, *limit, ranks=2, config=config))
                     for limit in limits])

    def test_delays(self):
        plan = ("--precision=bf16", "--stage=3", "--offload=nvme")
        self.check_same_bits(
            [("on the device", self.outcome(*plan[:2], ranks=2))] +
            [(f"delays {seed}", self.outcome(*plan, ranks=2, env={"ZRT_CHAOS": str(seed)}))
             for seed in range(1, 5)])

    def test_threads(self):
        plan = ("--offload=cpu", "--precision=bf16")
        self.check_same_bits(
            (f"{threads} threads, {host} of the host",
             self.outcome(*plan, flags=("--threads", threads, "--host-threads", host)))
            for threads in (1, 2) for host in (1, 2, 3))
