"""A text in several files: the sequences of one file after those of the other."""
import array

import support

VOCAB = support.SMALL["vocab_size"]
SEQ = 16


class DataFiles(support.Outcomes):
    #: Tokens of each file; some are left over at the end.
    SIZES = (100, 17, 3 * SEQ + 1, 250)

    def setUp(self):
        super().setUp()
        self.files, tokens, targets = [], [], []
        for number, size in enumerate(self.SIZES):
            path = self.folder / f"part{number}.u16"
            support.write_tokens(path, size, VOCAB, seed=number)
            self.files.append(path)
            text = array.array("H", path.read_bytes())
            for i in range((size - 1) // SEQ):
                tokens += text[i * SEQ:(i + 1) * SEQ]
                targets += text[i * SEQ + 1:(i + 1) * SEQ + 1]
        self.count = len(tokens) // SEQ
        for name, values in (("tokens", tokens), ("targets", targets)):
            self.write(f"{name}.npy", support.npy("i", (self.count, SEQ), values))

    def outcome(self, binary, *flags, ranks=1):
        _, lines, saved = self.run_plan(binary, *flags, "--steps", 9, "--lr", "1e-2", "--quiet", ranks=ranks)
        return [line["loss"] for line in lines], support.saved_bytes(saved)

    def test_one_after_the_other(self):
        """Same as the samples in a single file."""
        samples = [part for name in ("tokens", "targets") for part in ("--input", f"{name}={self.folder}/{name}.npy")]
        for ranks in (1, 2):
            binary = support.compile_gpt2(support.SMALL, 2, SEQ, f"--world-size={ranks}")
            for flags in ((), ("--shuffle", "--seed", 5)):
                with self.subTest(ranks=ranks, flags=flags):
                    expected = self.outcome(binary, *samples, *flags, ranks=ranks)
                    self.assertEqual(self.outcome(binary, "--data", *self.files, *flags, ranks=ranks), expected)
                    pattern = self.folder / "part?.u16"
                    self.assertEqual(self.outcome(binary, "--data", pattern, *flags, ranks=ranks), expected)
        repeated = self.outcome(binary, "--data", *self.files[:2], "--data", *self.files[2:], ranks=2)
        self.assertNotEqual(self.outcome(binary, "--data", *reversed(self.files), ranks=2), repeated)

    def test_says_what_is_read(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        done = self.run_ok(binary, "--data", *self.files, "--steps", 0, "--lr", 0)
        self.assertIn(f"data      4 files, {self.files[0]} to {self.files[3]}, raw uint16, {sum(self.SIZES)} tokens, "
                      f"{self.count} sequences of 16\n", done.out)

    def test_resumed_on_other_files(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        start = (binary, "--lr", "1e-2", "--quiet", "--checkpoint", self.folder / "ck", "--save-every", 2)
        self.run_ok(*start, "--data", *self.files, "--steps", 2)
        again = (*start, "--steps", 4, "--resume", "latest", "--data")
        self.assertEqual(self.run_ok(*again, *self.files).err, "")
        for other in (self.files[:3], self.files[::-1]):
            done = self.run_ok(binary, "--lr", "1e-2", "--quiet", "--steps", 6, "--resume", self.folder / "ck/step-4",
                               "--data", *other)
            self.assertIn("warning", done.err)

    def test_refusals(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        start = (binary, "--steps", 1, "--lr", 0, "--data")
        short = self.write("short.u16", array.array("H", [1] * SEQ).tobytes())
        wide = self.write("wide.u16", array.array("H", [VOCAB] * 40).tobytes())
        for files, words, status in (((self.files[0], self.files[0]), "--data names", 2),
                                     ((self.folder / "none*.u16",), "no file matches", 2),
                                     ((self.files[0], short), "short.u16 has 16 tokens", 1),
                                     ((self.files[0], wide), "wide.u16", 1),
                                     ((self.files[0], self.folder / "gone.u16"), "gone.u16", 1),
                                     ((self.files[0], ""), "--data needs a file name", 2)):
            self.assert_refused(support.run(*start, *files), words, status=status)
        done = support.run(*start, *self.files, "--save", self.files[2])
        self.assert_refused(done, "are the same file", status=2)
