"""All micro-steps of a block before the next one, which reduces communication.  test_plans.py and
test_ranks.py compare the bits."""
import re

import support

BLOCK = "--accumulate-order=block"
DEEP = {**support.SMALL, "n_layer": 3}


class Order(support.Outcomes):
    def test_delays_and_guards(self):
        options = ("--accumulate=2", "--stage=3", "--precision=bf16")
        plan = (*options, BLOCK, "--offload=nvme", "--remat=block")
        self.check_same_bits(
            [("batch", self.outcome(*options, ranks=2, steps=3))] +
            [(str(env), self.outcome(*plan, ranks=2, steps=3, env=env, flags=flags))
             for env, flags in [({"ZRT_CHAOS": str(seed)}, ()) for seed in range(1, 6)] +
             [({"ZRT_GUARD": "1"}, ()), ({}, ("--verify-reads",))]])


class Travel(support.Outcomes):
    """The certificate's numbers; each run checks them against its own counts."""

    def traffic(self, *options, ranks):
        binary = support.compile_gpt2(DEEP, 2, 16, f"--world-size={ranks}", *options)
        printed = (binary.parent / "zeroc.txt").read_text()
        gathered = re.search(r"all_gather\s+[\d,]+ B  in (\d+) calls", printed)
        data = self.write("text.txt", support.TEXT)
        started = support.run(binary, "--data", data, "--data-format",
                              "text", "--steps", 1, "--lr", 1e-3, *support.nvme_flags(options, self.folder),
                              env=support.MPI_ENVIRONMENT)
        self.assertEqual(started.returncode, 0, started.err)
        links = {name: int(count.replace(",", "")) for name, count in
                 re.findall(r"(h2d|d2h|nvme_read|nvme_write) ([\d,]+) bytes", started.out)}
        return int(gathered[1]) if gathered else 0, links

    def test_gathers_and_fetches(self):
        """Parameters are gathered as often as in a step of one micro-step."""
        for options, ranks in ((("--stage=3",), 2), (("--stage=3", "--bucket-size=5000"), 2),
                               (("--stage=3", "--offload=nvme", "--remat=block"), 2),
                               (("--offload=nvme",), 1), (("--offload=cpu", "--bucket-size=5000"), 1)):
            with self.subTest(options):
                one = self.traffic(*options, ranks=ranks)
                block = self.traffic(*options, "--accumulate=3", BLOCK, ranks=ranks)
                batch = self.traffic(*options, "--accumulate=3", ranks=ranks)
                self.assertEqual(block, one)
                self.assertNotEqual(batch, one)
