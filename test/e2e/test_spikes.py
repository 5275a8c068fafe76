"""--spike-guard: a step with an unusually large loss or norm changes nothing, in any layout."""
import array

import support

VOCAB = support.SMALL["vocab_size"]
SEQ, SAMPLES, BAD, STEPS = 16, 6, 20, 23
FLAGS = ("--spike-guard", 5, "--spike-window", 10, "--seed", 3)
#: Ranks and options; a step has SAMPLES sequences in each.
KINDS = (
    (1, ("--skip-nonfinite=on",)),
    (1, ("--precision=bf16", "--accumulate=3")),
    (1, ("--precision=fp16", "--accumulate=2", "--accumulate-order=block", "--offload=cpu")),
    (2, ("--precision=bf16", "--stage=2")),
    (3, ("--stage=3", "--precision=bf16", "--offload=nvme", "--overlap-update")),
    (2, ("--stage=1", "--precision=bf16", "--offload-optimizer=cpu", "--delayed-update")),
)


def micro_steps(options):
    return next((int(option.split("=")[1]) for option in options if option.startswith("--accumulate=")), 1)


class Spikes(support.Case):
    def setUp(self):
        super().setUp()
        # A text that is quickly learned, except for different data in one step.
        tokens = array.array("H", (1 + i % 4 for i in range(1 + STEPS * SAMPLES * SEQ)))
        self.clean = self.folder / "clean.u16"
        self.clean.write_bytes(tokens.tobytes())
        self.bad = self.folder / "bad.u16"
        self.damage(tokens, range(BAD * SAMPLES, (BAD + 1) * SAMPLES))

    def damage(self, tokens, samples):
        for sample in samples:
            for i in range(sample * SEQ, (sample + 1) * SEQ):
                tokens[i] = (i * 7919 + i * i * 31) % VOCAB
        self.bad.write_bytes(tokens.tobytes())

    def outcome(self, kind, data, steps, *flags):
        """Returns metrics, the saved weights, and the output."""
        ranks, options = kind
        binary = support.compile_gpt2(support.SMALL, SAMPLES // ranks // micro_steps(options), SEQ,
                                      f"--world-size={ranks}", *options)
        if "--precision=fp16" in options:  # an overflow is another reason to skip
            flags = (*flags, "--loss-scale", 64)
        done, lines, saved = self.run_plan(binary, "--data", data, "--steps", steps, "--lr", 1e-2, "--quiet", *flags,
                                           *support.nvme_flags(options, self.folder), ranks=ranks)
        return lines, support.saved_bytes(saved), done.err

    def test_changes_nothing(self):
        for kind in KINDS:
            with self.subTest(kind):
                before = self.outcome(kind, self.bad, BAD, *FLAGS)
                lines, weights, said = self.outcome(kind, self.bad, BAD + 1, *FLAGS)
                self.assertEqual(weights, before[1])
                self.assertRegex(said, rf"note: step {BAD} is skipped: loss \S+ and gradient norm \S+, "
                                       r"where --spike-guard allows \S+ and \S+\n")
                self.assertEqual([line.get("spikes", 0) for line in lines], [0] * BAD + [1])
                self.assertEqual(lines[BAD]["skipped"], 1)
                self.assertNotEqual(self.outcome(kind, self.bad, BAD + 1)[1], weights)

    def test_passes_all_others(self):
        for kind in KINDS[:4]:
            with self.subTest(kind):
                guarded = self.outcome(kind, self.clean, STEPS, *FLAGS)
                self.assertEqual(guarded[2], "")
                self.assertEqual(guarded[1], self.outcome(kind, self.clean, STEPS, "--seed", 3)[1])

    def test_a_resumed_run_remembers(self):
        for kind in (KINDS[1], KINDS[4]):
            with self.subTest(kind):
                folder = self.folder / f"checkpoints{kind[0]}"
                save = ("--checkpoint", folder, "--save-every", BAD - 2)
                whole = self.outcome(kind, self.bad, STEPS, *FLAGS)
                self.outcome(kind, self.bad, BAD - 1, *FLAGS, *save)
                resumed = self.outcome(kind, self.bad, STEPS, *FLAGS, *save, "--resume", "latest")
                self.assertEqual(resumed[1:], whole[1:])
                self.assertEqual(resumed[0][-1]["spikes"], 1)

    def test_ends_when_nothing_else_comes(self):
        tokens = array.array("H", self.clean.read_bytes()) * 2
        self.damage(tokens, range(BAD * SAMPLES, 2 * STEPS * SAMPLES))
        binary = support.compile_gpt2(support.SMALL, SAMPLES, SEQ, "--precision=bf16")
        done = support.run(binary, "--data", self.bad, "--steps", 40, "--lr", 1e-2, "--quiet", *FLAGS)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr.decode(), r"error: step \d+ is skipped: .*, the 10th in a row; the training has diverged")

    def test_refusals(self):
        binary = support.compile_gpt2(support.SMALL, SAMPLES, SEQ)
        for flags, message in ((("--spike-guard", 6), "--spike-guard=6: no step of this plan can be skipped; "
                                                      "compile with --skip-nonfinite=on"),
                               (("--spike-guard", 0), "--spike-guard must be a number of standard deviations above 0, "
                                                      "got 0"),
                               (("--spike-guard", "nan"), "must be a number of standard deviations above 0, got nan"),
                               (("--spike-window", 9), "--spike-window needs --spike-guard"),
                               (("--spike-guard", 6, "--spike-window", 1), "must be at least 2 steps, got 1")):
            with self.subTest(flags):
                done = support.run(binary, "--data", self.clean, "--steps", 1, "--lr", 1, *flags)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(message, done.stderr.decode())

    def test_goes_on_after_a_skip(self):
        """Resumes every step's checkpoint, also that of a skipped step, whose pending update has no
        clip."""
        kind = KINDS[-1]
        flags = ("--spike-guard", 1.5, "--spike-window", 4, "--seed", 3)
        whole, weights, _ = self.outcome(kind, self.bad, STEPS, *flags, "--checkpoint", self.folder / "ck",
                                         "--save-every", 1)
        skipped = [line["step"] for line in whole if line.get("skipped", 0) > 0]
        self.assertGreater(len(skipped), 1)
        texts = [(self.folder / f"ck/step-{step}/manifest.json").read_text() for step in range(1, STEPS)]
        self.assertTrue(any('"clip":"nan"' in text for text in texts))
        for step in range(1, STEPS):
            with self.subTest(step):
                _, saved, _ = self.outcome(kind, self.bad, STEPS, *flags, "--resume", self.folder / f"ck/step-{step}")
                self.assertEqual(saved, weights)
