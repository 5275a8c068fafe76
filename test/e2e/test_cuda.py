"""Plans for GPUs train with the bits of plans for processors: under an emulator of a GPU,
whose driver is test/fakecuda.  That multiplies by what every processor has; a newer one
has instructions for products of 16 bits whose sums are others, so --cpu leaves them out."""
import unittest

import support

FAKE = support.BUILD / "lib" / "fakecuda"


@unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
class Cuda(support.Case):
    def outcome(self, model, vocab, tokens, name, *options, ranks=1, steps=3, env=None, run=()):
        data = self.folder / "tokens.u16"
        support.write_tokens(data, tokens, vocab)
        binary = support.compile_model(model, "--cpu=x86-64-v3", *options)
        lines, saved = self.train(binary, data, steps, 1e-2, *run, name=name, ranks=ranks, env=env)
        return [(line["loss"], line["grad_norm"]) for line in lines], saved.read_bytes()

    def check(self, model, vocab, tokens, *options, seeds=(1,), ranks=1, run=()):
        expected = self.outcome(model, vocab, tokens, "cpu", *options, ranks=ranks, run=run)
        for seed in seeds:
            env = {"LD_LIBRARY_PATH": str(FAKE), "FAKE_CUDA_SEED": str(seed)}
            found = self.outcome(model, vocab, tokens, f"gpu{seed}", *options, "--target=cuda",
                                 "--cuda-arch=emulated", ranks=ranks, env=env, run=run)
            self.assertEqual(found[0], expected[0], f"losses or gradient norms, seed {seed}")
            self.assertTrue(found[1] == expected[1], f"weights, seed {seed}")

    def gpt2(self, *options, config=support.SMALL, batch=2, seq=16, ranks=1, **keywords):
        model = support.import_model(config, batch, seq)
        more = [f"--world-size={ranks}"] if ranks > 1 else []
        self.check(model, config["vocab_size"], 40 * batch * seq * ranks, *more, *options, ranks=ranks,
                   **keywords)

    def mlp(self, *options, **keywords):
        self.check(support.EXAMPLES / "mlp.mlir", 256, 20000, *options, **keywords)

    def test_layers(self):
        self.mlp("--precision=bf16", "--optimizer=lion")

    def test_gpt2(self):
        self.gpt2(seeds=(1, 2))

    def test_bf16(self):
        self.gpt2("--precision=bf16")

    def test_fp16(self):
        self.gpt2("--precision=fp16")

    def test_without_masters(self):
        self.gpt2("--precision=bf16", "--master=none")

    def test_stages(self):
        for stage in (1, 2, 3):
            with self.subTest(stage=stage):
                self.gpt2("--precision=bf16", f"--stage={stage}", ranks=2)

    def test_offload(self):
        self.gpt2("--precision=bf16", "--offload=cpu", "--accumulate=2")

    def test_accumulates_in_blocks(self):
        self.gpt2("--accumulate=2", "--accumulate-order=block", "--optimizer=sgd")

    def test_odd_sizes(self):
        self.gpt2(config=support.ODD, batch=1, seq=23)
