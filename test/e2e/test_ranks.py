"""Several ranks: against PyTorch, and checks that each rank contributes.

Storage of state (stage, buckets, dropped and regathered parameters) and communication (shared
memory, messages between hosts, random delays) must not change a bit: test_plans.py.
"""
import re

import covering
import support

#: Axes of plans for a tiny GPT-2 with a global batch of 4.
AXES = {
    "ranks": (1, 2, 4),
    "stage": (0, 1, 2, 3),
    "micro_steps": (1, 2, 4),
    "order": ("", "--accumulate-order=block"),
    "chunks": ("", "--loss-chunk=1"),
    "kept": ("", "--persist-below=1KiB --reuse-distance=1MiB"),
}


def refuses(part):
    get = part.get
    return (get("ranks", 1) * get("micro_steps", 1) > 4 or (get("order", "") != "" and get("micro_steps") == 1)
            or (get("kept", "") != "" and (get("stage", 3) < 3 or get("ranks") == 1)))


class Golden(support.Case):
    """20 steps of a tiny GPT-2 with a global batch of 4, as PyTorch trained it."""

    def test_pairs(self):
        for row in covering.Table(AXES, refuses).rows:
            with self.subTest(row):
                options = " ".join(row[name] for name in ("order", "chunks", "kept")).split()
                self.check_golden(f"--stage={row['stage']}", *options, ranks=row["ranks"],
                                  micro_steps=row["micro_steps"])


class SameBits(support.Outcomes):
    def test_random_delays(self):
        for options in (("--stage=3",), ("--stage=2", "--accumulate=2")):
            self.check_same_bits([("quiet", self.outcome(*options, ranks=2))] + [
                (f"{options}, seed {seed}", self.outcome(*options, ranks=2, env={"ZRT_CHAOS": str(seed)}))
                for seed in range(1, 4)])

    def test_every_rank_counts(self):
        """If a rank's data were ignored, the result would be that of the other ranks alone."""
        two, _ = self.outcome("--stage=3", ranks=2)
        one, _ = self.outcome("--stage=3", ranks=1)
        self.assertNotEqual(two, one)


class Wire(support.Case):
    """The communicated bytes: as predicted, and as in the formulas of ZeRO."""

    def wire(self, stage, ranks, micro_steps):
        options = [f"--stage={stage}", f"--world-size={ranks}", f"--accumulate={micro_steps}",
                   "--bucket-size=1GiB"]
        binary = support.compile_gpt2(support.SMALL, 2, 16, *options)
        data = self.write("text.txt", support.TEXT)
        done = support.run(binary, "--data", data, "--data-format", "text",
                           "--steps", 3, "--lr", 1e-3, "--profile", env=support.MPI_ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.err)
        printed = (binary.parent / "zeroc.txt").read_text()
        predicted = int(re.search(r"each rank receives ([\d,]+) bytes .*a step", printed)[1]
                        .replace(",", ""))
        return predicted, printed, done.out

    def test_formulas(self):
        ranks = 4
        for stage, micro_steps, factor in (
                (0, 1, 2), (1, 1, 2), (2, 1, 2), (0, 3, 2), (1, 3, 2), (2, 3, 4)):
            with self.subTest(stage=stage, micro_steps=micro_steps):
                predicted, printed, _ = self.wire(stage, ranks, micro_steps)
                # One bucket: the model in f32, padded to 4 x 16 elements.
                model = int(re.search(r"([\d,]+) parameters", printed)[1].replace(",", "")) * 4
                unit = (model + 255) // 256 * 256 * (ranks - 1) // ranks
                small = int(re.search(r"all_reduce\s+([\d,]+) B", printed)[1].replace(",", ""))
                self.assertEqual(predicted - small, factor * unit, printed)
                self.assertLess(small, 200)

    def test_link_classes(self):
        """16 ranks on 4 hosts receive the bytes of the certificate, within hosts and between them."""
        binary = support.compile_gpt2(support.SMALL, 1, 16, "--stage=3", "--world-size=16", "--shard-size=4")
        done = support.run(*support.mpirun(16), binary, "--data", self.write_tokens(400, 256), "--steps", 3, "--lr", 1e-3,
                           "--threads", 1, "--profile", env={**support.MPI_ENVIRONMENT, "ZRT_RANKS_PER_HOST": "4"})
        self.assertEqual(done.returncode, 0, done.err)
        # The profile is of two steps.
        predicted = {what: (2 * int(bytes.replace(",", "")), 2 * int(calls)) for what, bytes, calls in re.findall(
            r"^    (\w+(?: over \w+)?) +([\d,]+) B  in (\d+) calls", (binary.parent / "zeroc.txt").read_text(), re.M)}
        counted = {what: (int(bytes), int(calls)) for what, calls, bytes in re.findall(
            r"^  \w+ +(\w+(?: over \w+)?) +(\d+) +(\d+) ", done.out[done.out.index("\nwire:"):], re.M)}
        self.assertEqual(counted, predicted)
        self.assertEqual(len(counted), 5)
        # Within hosts 3/4 of what is gathered, and a quarter of the rest between them.
        self.assertEqual(counted["reduce_scatter over members"][0], 4 * counted["reduce_scatter over groups"][0])
