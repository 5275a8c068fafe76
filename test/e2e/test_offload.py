"""State in host memory and on nvme: the same bits as on the device."""
import re

import support

PLACES = ("none", "cpu", "nvme")


class Places(support.Outcomes):
    def check_places(self, *options, parameters=PLACES, **kind):
        self.check_same_bits(
            (f"optimizer {optimizer}, parameters {place}",
             self.outcome(f"--offload-optimizer={optimizer}", f"--offload-params={place}",
                          *options, **kind))
            for optimizer in PLACES for place in parameters)

    def test_one_rank(self):
        for precision in ("fp32", "bf16", "fp16"):
            with self.subTest(precision):
                self.check_places(f"--precision={precision}")

    def test_pieces_of_parameters(self):
        """A parameter that is larger than a bucket is fetched in pieces, on one rank too."""
        for config in (support.SMALL, support.ODD):
            self.check_same_bits(
                (" ".join(options), self.outcome("--precision=bf16", *options, config=config))
                for options in (("--offload=none",), ("--offload=nvme", "--bucket-size=2KiB"),
                                ("--offload=cpu", "--bucket-size=5000")))

    def test_stage_3(self):
        for precision, bucket in (("fp32", "--bucket-size=1"), ("bf16", "--bucket-size=1GiB")):
            with self.subTest(precision=precision, bucket=bucket):
                self.check_places(f"--precision={precision}", "--stage=3", bucket, ranks=2)

    def test_parameters_that_stay_whole(self):
        self.check_places("--stage=3", "--persist-below=1KiB", ranks=2)

    def test_whole_parameters(self):
        """Stages that keep them whole: the optimizer's state alone."""
        for precision in ("fp32", "bf16"):
            for stage in (0, 1, 2):
                with self.subTest(precision=precision, stage=stage):
                    self.check_places(f"--precision={precision}", f"--stage={stage}",
                                      parameters=("none",), ranks=3)

    def test_odd_sizes(self):
        self.check_places("--stage=3", "--bucket-size=20KiB", ranks=3, config=support.ODD)

    def test_micro_steps(self):
        for stage in (1, 3):
            with self.subTest(stage=stage):
                self.check_places(f"--stage={stage}", "--accumulate=3",
                                  parameters=PLACES if stage == 3 else ("none",),
                                  ranks=2, steps=3)

    def test_sgd(self):
        self.check_places("--optimizer=sgd", "--grad-clip=0")

    def check_rotated(self, *options, places, **kind):
        self.check_same_bits(
            [("as usual", self.outcome(*options, **kind))] +
            [(f"rotated, {' '.join(place)}, delays {seed}",
              self.outcome("--overlap-update", *place, *options,
                           env={"ZRT_CHAOS": str(seed)} if seed else None, **kind))
             for place in places for seed in (0, 3)])

    def test_updates_beside_the_next_forward(self):
        places = [(f"--offload-optimizer={optimizer}", f"--offload-params={parameters}")
                  for optimizer in PLACES[1:] for parameters in PLACES]
        for precision in ("fp32", "bf16", "fp16"):
            with self.subTest(precision):
                self.check_rotated(f"--precision={precision}", places=places)
        self.check_rotated("--precision=bf16", "--bucket-size=2KiB", places=[("--offload=nvme",)],
                           config=support.ODD)
        self.check_rotated("--grad-clip=0", "--optimizer=sgd", places=[("--offload=cpu",)])

    def test_updates_beside_the_next_forward_of_ranks(self):
        for stage, ranks, *options in ((0, 2), (1, 3, "--precision=bf16"), (2, 2, "--precision=fp16"),
                                       (3, 2, "--precision=bf16"), (3, 3, "--persist-below=1KiB"),
                                       (2, 3, "--grad-clip=0")):
            with self.subTest(stage=stage, ranks=ranks):
                tiers = "--offload" if stage == 3 else "--offload-optimizer"
                self.check_rotated(f"--stage={stage}", *options, ranks=ranks,
                                   places=[(f"{tiers}={place}",) for place in PLACES[1:]])

    def test_a_run_of_any_length(self):
        """What a step has left to the next is never lost."""
        plan = ("--offload=nvme", "--precision=bf16", "--bucket-size=8KiB")
        for steps in range(4):
            with self.subTest(steps=steps):
                self.check_same_bits([("as usual", self.outcome(*plan, steps=steps)),
                                      ("rotated", self.outcome("--overlap-update", *plan, steps=steps))])

    def test_limits(self):
        """Less is held ahead of its use, where there is no room for it."""
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


if __name__ == "__main__":
    support.main()
