"""Host code accesses a plan's memory only by zrt_read and zrt_write.

ZRT_GUARD=1 makes the arenas inaccessible between two programs, so that any other access is a
segmentation fault.  All end-to-end tests can be run like this:

    ZRT_GUARD=1 python3 test/e2e/run.py
"""
import support


class Guard(support.Case):
    def check(self, ranks, micro_steps, *options):
        """Trains from random weights, saves, and continues training from the file."""
        binary = support.compile_gpt2(support.ODD, 2, 13, f"--world-size={ranks}", f"--accumulate={micro_steps}",
                                      *options)
        data = self.write_tokens(6 * ranks * micro_steps * 2 * 13 + 1, support.ODD["vocab_size"])
        free = None
        for name, env in (("free", {}), ("guarded", {"ZRT_GUARD": "1"})):
            lines, first = self.train(binary, data, 2, 1e-3, name=name, ranks=ranks, env=env)
            more, second = self.train(binary, data, 2, 1e-3, "--init", first, name=f"{name}-more", ranks=ranks,
                                      env=env)
            found = [line["loss"] for line in lines + more], first.read_bytes(), second.read_bytes()
            free = free or found
            self.assertEqual(found, free)

    def test_one_rank(self):
        self.check(1, 1)

    def test_micro_steps(self):
        self.check(1, 3)

    def test_ranks(self):
        for stage in (0, 3):
            with self.subTest(stage=stage):
                self.check(2, 1, f"--stage={stage}")
