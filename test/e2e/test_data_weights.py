"""--data-weights: several sources, each read in proportion to its weight."""
import array
from fractions import Fraction

import support

VOCAB = support.SMALL["vocab_size"]
SEQ = 16


def tree_order(weights, count):
    """Returns (source, index within it) for each position, from the definition in
    train/state/io/SampleMix.h."""
    nodes = [(weight, number, source) for number, (weight, source) in enumerate(zip(weights, range(len(weights))))]
    number = len(nodes)
    while len(nodes) > 1:
        nodes.sort(key=lambda node: node[:2])
        (light, a, first), (heavy, b, second), *nodes = nodes
        left, right = (first, second) if light == heavy else (second, first)
        nodes.append((light + heavy, number, (Fraction(heavy, light + heavy), left, right)))
        number += 1

    def place(node, n):
        while not isinstance(node, int):
            share, left, right = node
            before, after = (int(m * share + Fraction(1, 2)) for m in (n, n + 1))
            node, n = (left, before) if after > before else (right, n - before)
        return node, n

    return [place(nodes[0][2], n) for n in range(count)]


class DataWeights(support.Case):
    #: Sequences of each file; the second and third form one source.
    SEQUENCES = (9, 3, 4, 2)

    def setUp(self):
        super().setUp()
        self.sequences = []
        for name, seed, count in zip(("a", "b1", "b2", "c"), range(4), self.SEQUENCES):
            path = self.folder / f"{name}.u16"
            support.write_tokens(path, SEQ * count + 1 + seed, VOCAB, seed=seed)
            tokens = array.array("H", path.read_bytes())
            self.sequences.append([tokens[i * SEQ:(i + 1) * SEQ + 1] for i in range(count)])
        self.sources = [self.sequences[0], self.sequences[1] + self.sequences[2], self.sequences[3]]
        self.mix = ("--data", self.folder / "a.u16", self.folder / "b?.u16", self.folder / "c.u16",
                    "--data-weights", "0.5,0.3,0.2")

    def run_mixed(self, binary, name, *flags, ranks=1):
        """Returns the output, and losses, norms and saved weights."""
        done, lines, saved = self.run_plan(binary, "--lr", "1e-2", *flags, ranks=ranks, name=name)
        return done.out, support.bits_of(lines), support.saved_bytes(saved)

    def test_is_the_order(self):
        """Same as the samples of one file in that order."""
        places = tree_order((5, 3, 2), 48)
        self.assertEqual("".join("abc"[source] for source, _ in places[:10]), "abacabacab")
        order = [self.sources[source][number % len(self.sources[source])] for source, number in places]
        for name, later in (("tokens", 0), ("targets", 1)):
            values = [token for sequence in order for token in sequence[later:later + SEQ]]
            self.write(f"{name}.npy", support.npy("i", (48, SEQ), values))
        inputs = [part for name in ("tokens", "targets") for part in ("--input", f"{name}={self.folder}/{name}.npy")]
        for ranks, batch, options in ((1, 4, ()), (2, 2, ("--stage=3",)), (1, 1, ("--accumulate=4",))):
            binary = support.compile_gpt2(support.SMALL, batch, SEQ, f"--world-size={ranks}", *options)
            with self.subTest(ranks=ranks, options=options):
                _, *expected = self.run_mixed(binary, "one", *inputs, "--steps", 12, ranks=ranks)
                text, *found = self.run_mixed(binary, "mixed", *self.mix, "--steps", 12, ranks=ranks)
                self.assertEqual(found, expected)
                a, b = self.folder / "a.u16", self.folder / "b?.u16"
                self.assertIn(f"mix       50% {a}: 9 sequences\nmix       30% {b}: 7 sequences\n"
                              f"mix       20% {self.folder}/c.u16: 2 sequences\n", text)
                self.assertIn(f"read 24 sequences of {a}, 2.67 epochs\nread 14 sequences of {b}, 2.00 epochs\n"
                              f"read 10 sequences of {self.folder}/c.u16, 5.00 epochs\n", text)

    def test_goes_on(self):
        """Resumes bit for bit, with an order for each source, to the same end."""
        flags = (*self.mix, "--shuffle", "--seed", 3, "--epochs", 2)
        binary = support.compile_gpt2(support.SMALL, 1, SEQ, "--world-size=2", "--stage=2")
        text, *whole = self.run_mixed(binary, "whole", *flags, ranks=2)
        self.assertIn("epochs    2 of 18 samples: 18 steps of 2\n", text)
        self.run_mixed(binary, "saving", *flags, "--checkpoint", self.folder / "ck", "--save-every", 5, ranks=2)
        for step in (5, 10, 15):
            (self.folder / "again.jsonl").write_bytes((self.folder / "whole.jsonl").read_bytes())
            text, *again = self.run_mixed(binary, "again", *flags, "--resume", self.folder / f"ck/step-{step}", ranks=2)
            self.assertEqual(again, whole)
            self.assertIn(f"read 18 sequences of {self.folder}/a.u16, 2.00 epochs\n", text)
        # The same data with other weights have another order; other data are reported.
        one = support.compile_gpt2(support.SMALL, 2, SEQ)
        start = (one, "--lr", 0, "--epochs", 2, "--shuffle", "--seed", 3, "--resume", self.folder / "ck/step-5")
        for weights, words in ((("--data-weights", "5,2,3"), "with --data-weights=5,3,2, and this one with "
                                                             "--data-weights=5,2,3; do the same"),
                               ((), "with --data-weights=5,3,2, and this one without --data-weights")):
            self.assert_refused(support.run(*start, *self.mix[:-2], *weights), words, status=1)
        self.assertEqual(self.run_ok(*start, *self.mix[:-1], "50,30,20").err, "")
        others = ("--data", self.folder / "a.u16", self.folder / "b1.u16", self.folder / "[bc]2.u16", "--data-weights")
        (self.folder / "c.u16").rename(self.folder / "c2.u16")  # the same files in their order, shared otherwise
        self.assertIn("warning: --data is another file than before the checkpoint", self.run_ok(*start, *others, "5,3,2").err)

    def test_evaluates_without(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ, "--eval")
        done = self.run_ok(binary, *self.mix, "--steps", 1, "--lr", 0, "--eval-data", self.folder / "a.u16")
        self.assertIn("9 sequences of 16\n          8 of them in 4 batches; the last 1 are not read\n", done.out)

    def test_refusals(self):
        binary = support.compile_gpt2(support.SMALL, 2, SEQ)
        a, b, c = (self.folder / f"{name}.u16" for name in ("a", "b1", "c"))
        empty = self.write("empty.u16", b"")
        short = self.write("short.u16", array.array("H", [1] * SEQ).tobytes())
        for files, weights, words, status in (
                ((a, b), "1,2,3", "--data-weights has 3 numbers, and --data 2 arguments; give one for each", 2),
                ((a, b), "1", "--data-weights has 1 number, and --data 2 arguments", 2),
                ((a,), "1", "there is one; drop it", 2),
                ((a, b), "1,0", "a weight must be above 0, got 0; leave that source out", 2),
                ((a, b), "1,-2", "must be numbers above 0", 2),
                ((a, b), "1,nan", "must be numbers above 0", 2),
                ((a, b), "1,1e-3", "must be numbers above 0", 2),
                ((a, b), "1,0.00000000001", "sum up to more than 2147483647", 2),
                ((a, a), "1,2", "--data names .* twice", 2),
                ((a, self.folder / "none*"), "1,2", "no file matches", 2),
                ((a, empty), "1,2", "empty.u16 is empty", 1),
                ((a, short), "1,2", "short.u16 has 16 tokens .*but one sequence needs 17", 1)):
            done = support.run(binary, "--steps", 1, "--lr", 0, "--data", *files, "--data-weights", weights)
            self.assert_refused(done, words, status=status)
        done = support.run(binary, "--steps", 1, "--lr", 0, "--data-weights", "1,2")
        self.assert_refused(done, "--data-weights needs --data", status=2)
