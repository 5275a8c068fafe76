"""Equal runs give equal bits, and so does any number of threads."""
import support


class SameBits(support.Case):
    def outcome(self, binary, data, *options, name):
        lines, saved = self.train(binary, data, 8, 1e-3, *options, name=name)
        return [(*bits, line["lr"]) for bits, line in zip(support.bits_of(lines), lines)], support.saved_bytes(saved)

    def check(self, config, batch, seq, *options):
        binary = support.compile_gpt2(config, batch, seq, *options)
        data = self.write_tokens(8 * batch * seq + 1, config["vocab_size"])
        first = self.outcome(binary, data, "--threads", 2, name="first")
        for threads in (2, 1, 3):
            with self.subTest(threads=threads):
                again = self.outcome(binary, data, "--threads", threads, name=f"t{threads}")
                self.assertEqual(first[0], again[0], "losses or gradient norms differ")
                self.assertTrue(first[1] == again[1], "saved weights differ")
        other = self.outcome(binary, data, "--seed", 1, name="seed")
        self.assertNotEqual(first[0], other[0], "--seed changes nothing")

    def test_small(self):
        self.check(support.SMALL, 4, 32)

    def test_odd_sizes(self):
        self.check(support.ODD, 3, 23)

    def test_larger_than_one_piece(self):
        """Kernels that are split into several pieces for the threads."""
        self.check({**support.SMALL, "n_embd": 128, "n_head": 4, "vocab_size": 515}, 4, 32)

    def test_compiling_twice(self):
        """The compiler itself is deterministic."""
        model = support.import_model(support.SMALL, 2, 16)
        for level in ("step", "kernels", "memory", "llvm"):
            with self.subTest(level=level):
                first = self.run_ok(support.ZEROC, model, f"--emit={level}", "-o", "-")
                again = self.run_ok(support.ZEROC, model, f"--emit={level}", "-o", "-")
                self.assertTrue(first.stdout == again.stdout, f"--emit={level} differs")
                self.assertGreater(len(first.out), 100)
