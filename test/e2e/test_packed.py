"""zeroc import --packed, and --data FILE.safetensors: several samples in one sequence."""
import array
import random

import support

VOCAB = 131
LLAMA = dict(model_type="llama", hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, vocab_size=VOCAB, max_position_embeddings=64)
GPT2 = {**support.SMALL, "vocab_size": VOCAB, "n_layer": 2}
SEQ = 24


def sequences(rows, seq=SEQ):
    """The tensors of `rows`, lists of samples (ids, trained)."""
    tokens, targets, starts = [], [], []
    for row in rows:
        at = 0
        for ids, trained in row:
            tokens += ids
            targets += [i if t else -100 for i, t in zip(ids[1:], trained[1:])] + [-100]
            starts += [at] * len(ids)
            at += len(ids)
        tokens += [0] * (seq - at)
        targets += [-100] * (seq - at)
        starts += [at] * (seq - at)
    positions = [i % seq - start for i, start in enumerate(starts)]
    return {name: ((len(rows), seq), array.array("i", values)) for name, values in
            (("tokens", tokens), ("targets", targets), ("starts", starts), ("positions", positions))}


class Packed(support.Case):
    def setUp(self):
        super().setUp()
        rng = random.Random(8)
        self.samples = [([rng.randrange(VOCAB) for _ in range(n)], [i > n // 3 for i in range(n)])
                        for n in (5, 9, 7, 14, 3, 20, 11, 12)]

    def data(self, name, rows):
        path = self.folder / name
        support.write_safetensors(path, sequences(rows))
        return path

    def model(self, config, batch, *options):
        return support.compile_model(support.import_model(config, batch, SEQ, "--packed"), *options)

    def first_step(self, binary, data, ranks=1):
        _, lines, _ = self.run_plan(binary, "--data", data, "--steps", 1, "--lr", "1e-3", ranks=ranks)
        return lines[0]["loss"], lines[0]["grad_norm"]

    def test_samples_do_not_affect_each_other(self):
        """Loss and gradient are those of the same samples in sequences of their own."""
        a, b, c, d, e, f, g, h = self.samples
        packed = self.data("packed.safetensors", [[a, b, c], [d, e], [f], [g, h]])
        alone = self.data("alone.safetensors", [[s] for s in self.samples])
        for config in (LLAMA, GPT2):
            with self.subTest(config["model_type"]):
                found = self.first_step(self.model(config, 4), packed)
                expected = self.first_step(self.model(config, 8), alone)
                for value, other in zip(found, expected):
                    self.assert_close(value, other, 2e-6, "a number of the step")
                # The order of the samples does not matter, either; without starts it would.
                moved = self.first_step(self.model(config, 4),
                                        self.data("moved.safetensors", [[b, c, a], [e, d], [f], [h, g]]))
                self.assert_close(moved[0], found[0], 2e-6, "the loss")
                crossing = support.compile_model(support.import_model(config, 4, SEQ))
                _, lines, _ = self.run_plan(crossing, "--input", f"tokens={packed}:tokens", "--input",
                                            f"targets={packed}:targets", "--steps", 1, "--lr", "1e-3")
                self.assertGreater(abs(lines[0]["loss"] - found[0]), 1e-4)
                done = support.run(crossing, "--data", packed, "--steps", 1, "--lr", "1e-3")
                self.assert_refused(done, 'has a tensor "starts", and the model has no such input, so the samples of a '
                                          'sequence would affect each other; import it with zeroc import --packed')

    def test_same_bits(self):
        """In all plans; positions and starts are inputs of every rank."""
        rows = [[s] for s in self.samples]
        rows[0].append(self.samples[2])
        data = self.data("data.safetensors", rows)
        outcomes = []
        for ranks, batch, options in ((1, 4, ()), (2, 2, ("--stage=1",)), (2, 2, ("--stage=3", "--offload=cpu")),
                                      (2, 2, ("--stage=2", "--remat=block"))):
            binary = self.model(LLAMA, batch, f"--world-size={ranks}", "--eval", *options)
            done, lines, saved = self.run_plan(binary, "--data", data, "--eval-data", data, "--shuffle", "--epochs", 2,
                                               "--lr", "1e-3", ranks=ranks)
            self.assertIn("tok/s", done.out)
            if ranks == 2:
                outcomes.append((options, (support.bits_of(lines), support.saved_bytes(saved))))
        self.check_same_bits(outcomes)

    def test_refused(self):
        good = self.data("good.safetensors", [[s] for s in self.samples])
        binary = self.model(LLAMA, 2)
        short = self.folder / "short.safetensors"
        zeros = ((1, SEQ), array.array("i", [0] * SEQ))
        support.write_safetensors(short, {"tokens": zeros, "targets": zeros})
        wide = self.data("wide.safetensors", [[s] for s in self.samples])
        tensors = sequences([[s] for s in self.samples])
        tensors["starts"][1][0] = SEQ
        support.write_safetensors(wide, tensors)
        later = self.data("later.safetensors", [[s] for s in self.samples])
        tensors["starts"][1][0] = 0
        tensors["starts"][1][SEQ + 5] = 6  # of sample 1
        support.write_safetensors(later, tensors)
        tokens = self.write_tokens(200, VOCAB)
        for flags, *keywords in ((("--data", short), "short.safetensors has no tensor", "starts"),
                                 (("--data", wide), "sample 0 holds 24, which is not 0 to 23"),
                                 (("--data", later), "later.safetensors:starts: sample 1 holds 6 at position 5, and what a "
                                                     "position reads starts there or before"),
                                 (("--data", good, tokens), "good.safetensors: a file of samples cannot be read with"),
                                 (("--data", good, short, "--data-weights", "1,2"), "cannot be read with other files"),
                                 (("--data", good, "--document-separator", "3"), "--document-separator=3 masks targets"),
                                 (("--data", tokens), "--input starts=FILE is missing")):
            with self.subTest(flags):
                done = support.run(binary, *flags, "--steps", 1, "--lr", "1e-3")
                self.assert_refused(done, *keywords)
        done = support.run(support.ZEROC, "import", self.write("c.json", '{"model_type": "llama"}'), "--batch=1",
                           "--seq=8", "--packed", "--document-separator=3")
        self.assert_refused(done, "--packed and --document-separator both say", status=1)

    def test_generates_as_one_sample(self):
        """A slot is one sample: a packed model continues it as one that is not packed does."""
        _, weights = self.train(support.compile_model(support.import_model(LLAMA, 2, SEQ)), self.write("t.txt", support.TEXT),
                                2, 1e-2, "--data-format", "text", name="plain")
        found = []
        for options in ((), ("--packed",)):
            only = support.compile_model(support.import_model(LLAMA, 2, SEQ, *options), "--sample-only")
            out = self.folder / "logits.npy"
            self.run_ok(only, "--weights", weights, "--prompt-ids", "1,2,3,4,5", "--logits", out)
            found.append(out.read_bytes())
        self.assertEqual(*found)
