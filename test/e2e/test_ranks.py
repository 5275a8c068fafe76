"""Several ranks: against PyTorch, and bit for bit against each other.

What a plan does with its state (stage, buckets, what is dropped and gathered
again) and how ranks exchange it (shared memory, messages between hosts, random
delays) must not change a bit.
"""
import re

import support


class Golden(support.Case):
    """20 steps of a tiny GPT-2 with a global batch of 4, as PyTorch trained it."""

    def test_stages(self):
        for ranks in (1, 2, 4):
            for stage in range(4):
                with self.subTest(ranks=ranks, stage=stage):
                    self.check_golden(f"--stage={stage}", ranks=ranks)

    def test_micro_steps(self):
        for ranks, micro_steps in ((1, 4), (2, 2)):
            for stage in range(4):
                with self.subTest(ranks=ranks, stage=stage, micro_steps=micro_steps):
                    self.check_golden(f"--stage={stage}", ranks=ranks,
                                      micro_steps=micro_steps)

    def test_loss_in_chunks(self):
        for stage, micro_steps in ((1, 1), (3, 1), (3, 2)):
            with self.subTest(stage=stage, micro_steps=micro_steps):
                self.check_golden(f"--stage={stage}", "--loss-chunk=1", ranks=2,
                                  micro_steps=micro_steps)

    def test_resident_and_reused_parameters(self):
        self.check_golden("--stage=3", "--persist-below=1KiB", "--reuse-distance=1MiB", ranks=2)


class SameBits(support.Case):
    BUCKETS = ("--bucket-size=1", "--bucket-size=64KiB", "--bucket-size=1GiB")
    STEPS = 6

    def outcome(self, stage, ranks, *options, config=support.SMALL, batch=2, seq=16, env=None,
                flags=()):
        binary = support.compile_gpt2(config, batch, seq, f"--stage={stage}",
                                      f"--world-size={ranks}", *options)
        data = self.folder / "tokens.u16"
        if not data.exists():
            support.write_tokens(data, 40 * batch * ranks * seq + 1, config["vocab_size"])
        lines, saved = self.train(binary, data, self.STEPS, 1e-3, *flags, ranks=ranks,
                                  env=env)
        return [(line["loss"], line["grad_norm"]) for line in lines], saved.read_bytes()

    def test_loss_in_chunks(self):
        """Three chunks, the last smaller; parameters split by rows at stage 3."""
        self.check_same_bits((f"stage {stage}, {bucket}",
                        self.outcome(stage, 2, bucket, "--loss-chunk=9KiB", config=support.ODD,
                                     batch=2, seq=19))
                       for stage in range(4) for bucket in ("--bucket-size=20KiB",
                                                            "--bucket-size=1GiB"))

    def test_stages_and_buckets(self):
        for ranks in (2, 3, 4):
            self.check_same_bits((f"{ranks} ranks, stage {stage}, {bucket}",
                            self.outcome(stage, ranks, bucket))
                           for stage in range(4) for bucket in self.BUCKETS)

    def test_odd_sizes(self):
        self.check_same_bits((f"stage {stage}, {bucket}",
                        self.outcome(stage, 3, bucket, config=support.ODD, batch=1, seq=23))
                       for stage in range(4) for bucket in ("--bucket-size=20KiB",
                                                            "--bucket-size=1GiB"))

    def test_what_is_kept(self):
        self.check_same_bits((str(options), self.outcome(3, 2, *options))
                       for options in ((), ("--persist-below=1KiB",), ("--persist-below=1GiB",),
                                       ("--reuse-distance=1GiB",), ("--reuse-distance=8KiB",)))

    def test_micro_steps(self):
        """Sums are in another order in stages 2 and 3 than in 0 and 1."""
        for stages in ((0, 1), (2, 3)):
            self.check_same_bits((f"stage {stage}, {bucket}",
                            self.outcome(stage, 2, "--accumulate=3", bucket))
                           for stage in stages for bucket in self.BUCKETS)

    def test_threads(self):
        self.check_same_bits((f"{threads} threads",
                        self.outcome(3, 2, flags=("--threads", threads)))
                       for threads in (1, 2))

    def test_random_delays(self):
        for stage, micro_steps, seeds in ((0, 1, 5), (2, 1, 5), (3, 1, 5), (3, 2, 2)):
            options = (stage, 2, f"--accumulate={micro_steps}")
            self.check_same_bits([("quiet", self.outcome(*options))] + [
                (f"stage {stage}, {micro_steps} micro-steps, seed {seed}",
                 self.outcome(*options, env={"ZRT_CHAOS": str(seed)}))
                for seed in range(1, seeds + 1)])

    def test_hosts(self):
        """Ranks of one host share memory; between hosts they send messages."""
        for stage, ranks in ((0, 2), (1, 3), (3, 4)):
            self.check_same_bits(
                (f"stage {stage}, {ranks} ranks, {per_host or 'all'} on a host",
                 self.outcome(stage, ranks,
                              env={"ZRT_RANKS_PER_HOST": per_host} if per_host else None))
                for per_host in ("", "1", "2"))

    def test_every_rank_counts(self):
        """A rank whose data were ignored would leave the others' result alone."""
        two, _ = self.outcome(3, 2)
        one, _ = self.outcome(3, 1)
        self.assertNotEqual(two, one)


class Wire(support.Case):
    """What travels: as predicted, and as the formulas of ZeRO say."""

    def wire(self, stage, ranks, micro_steps):
        options = [f"--stage={stage}", f"--world-size={ranks}", f"--accumulate={micro_steps}",
                   "--bucket-size=1GiB"]
        binary = support.compile_gpt2(support.SMALL, 2, 16, *options)
        data = self.write("text.txt", support.TEXT)
        done = support.run(*support.launcher(ranks), binary, "--data", data, "--data-format", "text",
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
