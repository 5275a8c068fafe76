"""Sizes without common divisors: the optimized code against --reference."""
import array
import random

import support


class OddSizes(support.Case):
    def check(self, config, batch, seq, *options, steps=6, random_start=True):
        data = self.write_tokens(steps * batch * seq + 1, config["vocab_size"])
        fast = support.compile_gpt2(config, batch, seq, *options)
        slow = support.compile_gpt2(config, batch, seq, *options, "--reference")
        start = ()
        if random_start:
            start = ("--init", self.random_weights(fast, data))
        fast_lines, fast_saved = self.train(fast, data, steps, 1e-3, *start, name="fast")
        slow_lines, slow_saved = self.train(slow, data, steps, 1e-3, *start, name="slow")
        for a, b in zip(fast_lines, slow_lines):
            self.assert_close(a["loss"], b["loss"], 1e-5, f"loss of step {a['step']}")
            self.assert_close(a["grad_norm"], b["grad_norm"], 1e-4, f"norm of step {a['step']}")
        self.assert_weights_close(fast_saved, slow_saved, 1e-4)

    def random_weights(self, binary, data):
        """Makes every parameter random, even biases: zeros would hide a lost bias."""
        _, saved = self.train(binary, data, 0, 1e-3, name="start")
        rng = random.Random(7)
        tensors = {}
        for name, (shape, values) in support.read_safetensors(saved).items():
            one = 1.0 if ".ln_" in name and name.endswith("weight") else 0.0
            noise = [one + rng.gauss(0, 0.05) for _ in values]
            tensors[name] = (shape, array.array("f", noise))
        path = self.folder / "random.safetensors"
        support.write_safetensors(path, tensors)
        return path

    def test_everything_odd(self):
        self.check(support.ODD, 3, 23)

    def test_one_of_everything(self):
        self.check({**support.ODD, "n_layer": 1, "n_head": 1, "n_embd": 5, "vocab_size": 7}, 1, 3)

    def test_untied_output(self):
        self.check({**support.ODD, "n_layer": 1, "tie_word_embeddings": False}, 3, 23)

    def test_full_sequence(self):
        """seq = n_positions: no slice of the position table."""
        self.check({**support.ODD, "n_layer": 2}, 2, 29)

    def test_sgd(self):
        self.check({**support.ODD, "n_layer": 1}, 3, 23, "--optimizer=sgd", "--grad-clip=0")

    def test_longer_than_a_block(self):
        """Attention over more positions than a tile."""
        self.check({**support.ODD, "n_layer": 1, "n_positions": 211}, 1, 211, steps=3)
