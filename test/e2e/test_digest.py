"""train --digest and --against, and zeroc replay: where a run went wrong when a bit was flipped.

flips.py has a longer form: a hundred flips, each located by zeroc replay."""
import random

import flips
import support

STEPS, SAVED = flips.STEPS, flips.SAVED


class Digest(support.Case):
    def setUp(self):
        super().setUp()
        self.tokens = self.write_tokens(1200, 256)
        self.model = support.import_model(support.SMALL, 1, 16)
        self.common = ("--data", self.tokens, "--lr", "1e-2", "--quiet", "--steps")

    def against(self, program, run, digest, *options, ranks=1, env=None):
        return support.run(program, *self.common, STEPS, "--resume", run / f"step-{SAVED}", "--against", digest, *options,
                           env=env)

    def replay(self, run, digest, *options):
        return support.run(support.ZEROC, "replay", run, "--steps", f"{SAVED}:{STEPS}", "--against", digest, "--model",
                           self.model, *options)

    def test_agree(self):
        """Stages, groups, tiers and types of state, adapters, and delays; on one rank, and on the same ranks.  A replay needs
        nothing that the run was given."""
        for i, (ranks, *options) in enumerate(((4, "--stage=0", "--ranks-per-host=2"), (2, "--stage=1"),
                                               (2, "--stage=3", "--offload=nvme", "--precision=bf16"),
                                               (4, "--stage=2", "--bucket-size=4KiB", "--precision=fp16"),
                                               (2, "--stage=1", "--lora=2:4", "--lora-targets=.*(c_attn|c_fc)",
                                                "--modules-to-save=.*ln_f", "--base-storage=int8"))):
            with self.subTest(options):
                program, run, digest = flips.compiled(ranks, *options), self.folder / f"run{i}", self.folder / f"{i}.digest"
                place = support.nvme_flags(options, self.folder)
                self.run_ok(program, *self.common, STEPS, "--checkpoint", run, "--save-every", SAVED, "--digest", digest, *place,
                            *support.init_flags(options), env={"ZRT_CHAOS": "7"})
                buckets = len(flips.read_digest(digest)[0]["buckets"])
                done = self.replay(run, digest)
                self.assertEqual((done.returncode, done.err), (0, ""))
                if place:  # and may leave the drive out
                    self.assertEqual(self.replay(run, digest, "--offload-optimizer=cpu", "--offload-params=none").out, done.out)
                self.assertEqual(done.out, f"steps {SAVED} to {STEPS - 1} agree: {ranks} ranks x {buckets} buckets, "
                                 f"{4 * (STEPS - SAVED) * ranks * buckets:,} checksums\n")
                done = self.against(program, run, digest, *place)
                self.assertEqual((done.returncode, done.err), (0, ""))

    def test_flips(self):
        rng, missed = random.Random(3), set(flips.KINDS)
        for ranks, option in ((4, "--stage=0"), (2, "--stage=3"), (4, "--stage=2")):
            program, alone = flips.compiled(ranks, option), flips.compiled(1)
            header = flips.read_digest(flips.record(self.folder, program, self.tokens, f"clean{option}")[1])[0]
            for number in range(3):
                kind = None
                while kind not in (missed or flips.KINDS):
                    place, flip = flips.draw_flip(rng, header)
                    kind = place[2]
                missed.discard(kind)
                with self.subTest(option, flip=flip):
                    done = self.against(alone, *flips.record(self.folder, program, self.tokens, f"{option}{number}", flip))
                    self.assertTrue(flips.is_located(place, done), f"{done.returncode}: {done.err}")

    def test_rounded_copies(self):
        """A flip in what all ranks read is no flip of a single one: the message says so."""
        program = flips.compiled(4, "--stage=3")
        run, digest = flips.record(self.folder, program, self.tokens, "run")
        header, records, _ = flips.parts_of(digest)
        last = bytearray(records[-1])
        for rank in range(4):
            last[8 + 32 * rank * len(flips.read_digest(digest)[0]["buckets"]) + 8] ^= 1  # computed, of the first bucket
        digest.write_bytes(header + b"".join(records[:-1]) + flips.checked(last))
        done = self.against(flips.compiled(1), run, digest)
        self.assert_refused(done, f"step {STEPS - 1}: rank 0 computed another", "so did 3 other ranks: what they read may differ",
                            status=5)

    def test_same_at_all_stages(self):
        """What a rank computes does not depend on the stage, and slices are those of the whole."""
        found = []
        for stage in range(4):
            digest = flips.record(self.folder, flips.compiled(4, f"--stage={stage}"), self.tokens, f"stage{stage}")[1]
            found.append(flips.read_digest(digest)[1])
        for step in range(STEPS):
            for rank in range(4):
                rows = [steps[step][rank] for steps in found]
                self.assertEqual({tuple(sums[1] for sums in row) for row in rows}, {tuple(sums[1] for sums in rows[0])})
                self.assertEqual(rows[1], rows[3])
                self.assertEqual(rows[1], rows[2])
            # At stage 0 each rank has read and written all slices.
            for bucket, sums in enumerate(found[0][step][0]):
                for kind in (0, 2, 3):
                    parts = sum(found[1][step][rank][bucket][kind] for rank in range(4))
                    self.assertEqual(sums[kind], parts % 2**64)

    def test_same_in_all_tiers(self):
        """Updates beside a master read no parameter, which in some tiers they make and in others replace."""
        for precision in ("fp32", "bf16", "fp16"):
            steps = []
            part = ("--offload-optimizer=cpu", "--offload-ratio=0.5") + ("--offload-params=cpu",) * (precision == "fp32")
            for i, tiers in enumerate(((), ("--offload-optimizer=cpu",), ("--offload-optimizer=cpu", "--offload-params=cpu"),
                                       (*part, "--bucket-size=2KiB"), ("--bucket-size=2KiB",))):
                program = flips.compiled(2, "--stage=3", f"--precision={precision}", *tiers)
                steps.append(flips.read_digest(flips.record(self.folder, program, self.tokens, f"{precision}{i}")[1])[1])
            self.assertEqual(steps[0], steps[1])
            self.assertEqual(steps[0], steps[2])
            self.assertEqual(steps[3], steps[4])

    def test_no_bit_changes(self):
        program = flips.compiled(2, "--stage=2")
        self.assertEqual(self.outcome(program), self.outcome(program, "--digest", "run.digest"))

    def outcome(self, program, *options):
        return self.outcome_of(program, self.tokens, 3, "1e-2", *options)

    def test_resumed(self):
        """The file of a run that goes on has each step once, also after a kill in a write."""
        program = flips.compiled(2, "--stage=1")
        run, digest = flips.record(self.folder, program, self.tokens, "run")
        whole = digest.read_bytes()
        goes_on = (program, *self.common, STEPS, "--resume", run / f"step-{SAVED}", "--digest", digest)
        digest.write_bytes(whole[:-5])
        self.assertEqual(self.against(program, run, digest, "--until", STEPS - 1).returncode, 0)
        self.assert_refused(self.against(program, run, digest), f"it has steps 0 to {STEPS - 2}, and this run makes 2 to 5")
        self.run_ok(*goes_on)
        self.assertTrue(digest.read_bytes() == whole)
        record = len(flips.parts_of(digest)[1][0])
        digest.write_bytes(whole[:-5 * record])
        self.assert_refused(support.run(*goes_on), "has steps 0 to 0, and this run goes on with step 2")
        digest.write_bytes(whole)
        other = flips.compiled(4, "--stage=1")
        self.assert_refused(support.run(other, *goes_on[1:]), "digests of a run with other ranks than this one")

    def test_damaged_file(self):
        """A bit that changed in the file accuses no rank, wherever it is."""
        program, alone = flips.compiled(2, "--stage=1"), flips.compiled(1)
        run, digest = flips.record(self.folder, program, self.tokens, "run")
        whole = digest.read_bytes()
        header, records, _ = flips.parts_of(digest)
        rng = random.Random(5)
        for step in range(SAVED, STEPS):
            begin = len(header) + step * len(records[0])
            for place in (begin, begin + len(records[0]) - 1, *(begin + rng.randrange(len(records[0])) for _ in range(2))):
                raw = bytearray(whole)
                raw[place] ^= 1 << rng.randrange(8)
                digest.write_bytes(raw)
                with self.subTest(step=step, byte=place - begin):
                    self.assert_refused(self.against(alone, run, digest),
                                        f"run.digest: the record of step {step} is damaged: the file has changed")
        # Not before the steps that are compared.
        self.assertEqual(self.against(alone, run, self.write("begin.digest", header + records[1] + b"".join(records[1:])))
                         .returncode, 0)
        for place in (1, len(header) // 2, len(header) - 5, len(header) - 1):
            raw = bytearray(whole)
            raw[place] ^= 2
            digest.write_bytes(raw)
            with self.subTest(header=place):
                for done in (self.against(alone, run, digest), self.replay(run, digest)):
                    self.assert_refused(done, "run.digest: its first line is damaged, or an older zeroc wrote it")

    def test_bad_input(self):
        program, alone = flips.compiled(2, "--stage=1"), flips.compiled(1)
        run, digest = flips.record(self.folder, program, self.tokens, "run")
        text = self.write("text.digest", "not a digest\n")
        other_kind = self.write("other.digest", flips.checked(b'{"digest":3,"first":0}\n????'))
        newer = self.write("newer.digest", flips.checked(b'{"digest":4,"first":0}\n????'))
        header, records, _ = flips.parts_of(digest)
        moved = self.write("moved.digest", header + b"".join([records[1], *records[1:]]))
        other = support.compile_gpt2({**support.SMALL, "activation_function": "relu"}, 1, 16, "--virtual-shards=4",
                                     "--accumulate=4")
        plain = support.compile_gpt2(support.SMALL, 1, 16, "--accumulate=4")
        pieces = flips.compiled(1, "--bucket-size=4KiB")
        for done, *words in (
                (self.against(alone, run, self.folder / "none"), "none: No such file"),
                (self.against(alone, run, text), "is no file of train --digest"),
                (self.against(alone, run, other_kind), "does not describe a run"),
                (self.against(alone, run, newer), "has digests of version 4, and this program reads version 3"),
                (self.against(program, self.folder / "none", digest), "none"),
                (support.run(program, *self.common, 2, "--against", moved), "the record of step 0 is damaged"),
                (self.against(other, run, digest), "is of another model than this program's"),
                (self.against(plain, run, digest), "--virtual-shards=4, and this plan has 0"),
                (self.against(pieces, run, digest), "has other parameters than here"),
                (self.against(flips.compiled(4), run, digest), "a run of 2 ranks, which 2 or one rank can repeat, and not 4"),
                (self.against(flips.compiled(2, "--stage=2"), run, digest), "a run with stage 1, and this plan has 2"),
                (self.against(alone, run, digest, "--until", 1), "--until=1 is before step 2"),
                (self.against(alone, run, digest, "--until", 2), "no step is left to compare"),
                (support.run(alone, *self.common, 9, "--against", digest), "it has steps 0 to 5, and this run makes 0 to 8"),
                (support.run(alone, *self.common, 9, "--until", 10), "--until=10 is above --steps=9"),
                (support.run(alone, *self.common, 3, "--against", digest, "--digest", "x"), "exclude each other"),
                (support.run(alone, "--data", self.model, *self.common[2:], 3, "--against", digest, "--data-format=text"),
                 "read other --data than this one"),
                (support.run(flips.compiled(1, "--offload=cpu"), *self.common, 3, "--digest", digest,
                             env={"ZRT_FLIP": "0:0:read:0"}), "ZRT_FLIP=0:0:read:0 is no STEP:RANK"),
                (support.run(flips.compiled(1, "--offload=cpu"), *self.common, 3, "--digest", digest,
                             env={"ZRT_FLIP": "0:0:read:0:-1:30"}), "ZRT_FLIP=0:0:read:0:-1:30 is no STEP:RANK"),
                (self.replay(run / "step-4", digest), "is of step 4, and --steps begins with 2"),
                (self.replay(self.folder / "none", digest), "has no checkpoint of step 2"),
                (self.replay(run, text), "is no file of train --digest"),
                (self.replay(run, digest, "--resume=x"), "replay gives --resume itself"),
                (support.run(support.ZEROC, "replay", run, "--steps=4:2", "--against", digest), "A:B with A below B"),
                (support.run(support.ZEROC, "replay", run, "--steps=2:4", "--against", digest), "name it with --model")):
            with self.subTest(words):
                self.assert_refused(done, *words)
        for options, *words in ((("--offload=cpu", "--overlap-update"), "compile it without --overlap-update"),
                                (("--target=cuda", "--cuda-arch=emulated"), "no digests on GPUs")):
            other = support.compile_gpt2(support.SMALL, 1, 16, *options)
            self.assert_refused(support.run(other, *self.common, 3, "--digest", self.folder / "other"), *words)
        plain = support.compile_gpt2(support.SMALL, 1, 16, "--world-size=2", "--stage=1")
        self.assert_refused(support.run(plain, *self.common, 3, "--digest", self.folder / "plain.digest"),
                            "depend on its 2 ranks", "compile with --virtual-shards=2, or say --digest-for=ranks if only runs "
                            "on 2 ranks", status=1)
        self.assertFalse((self.folder / "plain.digest").exists())
        three = support.compile_gpt2(support.SMALL, 1, 16, "--world-size=3")
        self.assert_refused(support.run(three, *self.common, 3, "--digest", self.folder / "three.digest"),
                            r"that are powers of two \(now 3 and 1\)", status=1)
        self.assert_refused(support.run(plain, *self.common, 3, "--digest-for=ranks"), "--digest-for=ranks needs --digest",
                            status=2)
        self.run_ok(plain, *self.common, 3, "--digest", "plain.digest", "--digest-for=ranks")
        self.run_ok(plain, *self.common, 3, "--against", "plain.digest")
        self.assert_refused(self.replay(run, self.folder / "plain.digest"), "one rank can repeat runs with --virtual-shards=2")
