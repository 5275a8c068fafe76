"""All micro-steps of a block before the next: the same bits, and less that travels."""
import re

import support

BLOCK = "--accumulate-order=block"
DEEP = {**support.SMALL, "n_layer": 3}


class Order(support.Outcomes):
    def check(self, *options, more=((),), **kind):
        """One micro-step after the other, and block by block with `more`."""
        kind.setdefault("steps", 3)
        self.check_same_bits([("batch", self.outcome(*options, **kind))] + [
            (" ".join((BLOCK, *one)), self.outcome(*options, BLOCK, *one, **kind)) for one in more])

    def test_one_rank(self):
        for precision in ("fp32", "bf16", "fp16"):
            for micro_steps in (2, 3):
                with self.subTest(precision=precision, micro_steps=micro_steps):
                    self.check(f"--precision={precision}", f"--accumulate={micro_steps}")

    def test_stages(self):
        for stage in range(4):
            for ranks, *options in ((2,), (3, "--precision=bf16"), (2, "--precision=fp16")):
                with self.subTest(stage=stage, ranks=ranks):
                    self.check(f"--stage={stage}", "--accumulate=3", *options, ranks=ranks)

    def test_gradients_of_other_types(self):
        for stage in (1, 2):
            self.check(f"--stage={stage}", "--accumulate=2", "--precision=bf16", "--grad-dtype=bf16",
                       "--state-dtype=bf16", "--master=none", ranks=2)
            self.check(f"--stage={stage}", "--accumulate=2", "--precision=bf16", "--grad-dtype=f32",
                       ranks=2)

    def test_offloaded_state(self):
        places = [(f"--offload={place}", *more) for place in ("cpu", "nvme")
                  for more in ((), ("--bucket-size=2KiB",))]
        for precision in ("fp32", "bf16"):
            with self.subTest(precision):
                self.check("--accumulate=2", f"--precision={precision}", more=places)
        self.check("--accumulate=3", "--stage=3", ranks=2,
                   more=[("--offload=cpu",), ("--offload=nvme",), ("--offload-params=nvme",)])
        self.check("--accumulate=3", "--stage=1", ranks=2, more=[("--offload-optimizer=nvme",)])

    def test_updates_that_wait_for_no_norm(self):
        self.check("--accumulate=3", "--grad-clip=0", more=[(), ("--offload=nvme",)])
        self.check("--accumulate=3", "--grad-clip=0", "--stage=3", more=[(), ("--offload=cpu",)],
                   ranks=2)

    def test_activations(self):
        for options in ((), ("--stage=3", "--precision=bf16")):
            self.check("--accumulate=3", *options, config=DEEP, ranks=2 if options else 1, more=[
                ("--remat=block",), ("--offload-activations=cpu",),
                ("--remat=block", "--offload-activations=nvme")])

    def test_all_of_it(self):
        self.check("--accumulate=3", "--precision=bf16", "--stage=3", ranks=2, config=DEEP, more=[
            ("--offload=nvme", "--remat=block", "--offload-activations=nvme", "--bucket-size=5000")])

    def test_buckets(self):
        self.check("--accumulate=2", "--stage=3", config=support.ODD, ranks=3, more=[
            ("--bucket-size=20KiB",), ("--bucket-size=1GiB",)])
        self.check("--accumulate=2", "--stage=3", ranks=2, more=[
            ("--reuse-distance=8KiB",), ("--reuse-distance=1GiB",)])
        self.check("--accumulate=2", "--stage=3", "--persist-below=1KiB", ranks=2)

    def test_chunks_of_the_loss(self):
        self.check("--accumulate=2", "--loss-chunk=1KiB", "--stage=3", ranks=2)

    def test_delays_and_guards(self):
        options = ("--accumulate=2", "--stage=3", "--precision=bf16")
        plan = (*options, BLOCK, "--offload=nvme", "--remat=block")
        self.check_same_bits(
            [("batch", self.outcome(*options, ranks=2, steps=3))] +
            [(str(env), self.outcome(*plan, ranks=2, steps=3, env=env, flags=flags))
             for env, flags in [({"ZRT_CHAOS": str(seed)}, ()) for seed in range(1, 6)] +
             [({"ZRT_GUARD": "1"}, ()), ({}, ("--verify-reads",))]])

    def test_golden(self):
        for stage, ranks, micro_steps in ((0, 1, 4), (3, 2, 2)):
            self.check_golden(f"--stage={stage}", BLOCK, ranks=ranks, micro_steps=micro_steps)


class Travel(support.Outcomes):
    """What the certificate says; that runs count it is a matter of each of them."""

    def traffic(self, *options, ranks):
        binary = support.compile_gpt2(DEEP, 2, 16, f"--world-size={ranks}", *options)
        printed = (binary.parent / "zeroc.txt").read_text()
        gathered = re.search(r"all_gather\s+[\d,]+ B  in (\d+) calls", printed)
        flags = ("--nvme-path", self.folder) if any("nvme" in option for option in options) else ()
        data = self.write("text.txt", support.TEXT)
        started = support.run(*support.launcher(ranks), binary, "--data", data, "--data-format",
                              "text", "--steps", 1, "--lr", 1e-3, *flags, env=support.MPI_ENVIRONMENT)
        self.assertEqual(started.returncode, 0, started.err)
        links = {name: int(count.replace(",", "")) for name, count in
                 re.findall(r"(h2d|d2h|nvme_read|nvme_write) ([\d,]+) bytes", started.out)}
        return int(gathered[1]) if gathered else 0, links

    def test_gathers_and_fetches(self):
        """Parameters come as often as in a step of one micro-step."""
        for options, ranks in ((("--stage=3",), 2), (("--stage=3", "--bucket-size=5000"), 2),
                               (("--stage=3", "--offload=nvme", "--remat=block"), 2),
                               (("--offload=nvme",), 1), (("--offload=cpu", "--bucket-size=5000"), 1)):
            with self.subTest(options):
                one = self.traffic(*options, ranks=ranks)
                block = self.traffic(*options, "--accumulate=3", BLOCK, ranks=ranks)
                batch = self.traffic(*options, "--accumulate=3", ranks=ranks)
                self.assertEqual(block, one)
                self.assertNotEqual(batch, one)


if __name__ == "__main__":
    support.main()
