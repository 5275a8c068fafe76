"""Dropout: the mask of a sequence is the same in every layout, and evaluations have none."""
import json
import unittest

import support
from test_cuda import EXACT, FAKE, GPU, HOST, fake

#: The rates of all places are GPT-2's default, 0.1.
CONFIG = {**support.SMALL, "n_layer": 2}
SEQ = 16


class Dropout(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(2000, CONFIG["vocab_size"])

    def outcome(self, *options, batch=4, ranks=1, dropout=("--dropout",), steps=4, lr=1e-2, flags=(), **how):
        model = support.import_model(CONFIG, batch, SEQ, *dropout)
        binary = support.compile_model(model, f"--world-size={ranks}", *options)
        lines, saved = self.train(binary, self.data, steps, lr, "--shuffle", *flags, *support.init_flags(options, flags),
                                  *support.nvme_flags(options, self.folder), ranks=ranks, **how)
        return lines, support.saved_bytes(saved)

    def assert_same(self, found, expected):
        self.assertEqual(support.bits_of(found[0]), support.bits_of(expected[0]))
        self.assertEqual(found[1], expected[1])

    def assert_near(self, found, expected, relative=2e-5):
        for a, b in zip(found[0], expected[0], strict=True):
            self.assert_close(a["loss"], b["loss"], relative, f"loss of step {a['step']}")
            self.assert_close(a["grad_norm"], b["grad_norm"], 20 * relative, f"norm of step {a['step']}")

    def test_same_bits(self):
        plain = self.outcome(dropout=())
        for ranks, plans in ((1, ((), ("--remat=block",), ("--offload=cpu", "--offload-activations=cpu"))),
                             (2, (("--stage=0",), ("--stage=1",), ("--stage=2", "--remat=block"),
                                  ("--stage=3", "--offload=nvme", "--reuse-distance=1MiB")))):
            expected = self.outcome(*plans[0], batch=4 // ranks, ranks=ranks)
            self.assertNotEqual(support.bits_of(expected[0]), support.bits_of(plain[0]))
            for options in plans[1:]:
                with self.subTest(options):
                    self.assert_same(self.outcome(*options, batch=4 // ranks, ranks=ranks), expected)

    def test_same_masks(self):
        """Layouts that add in another order have the same masks; others change the loss by 1%."""
        expected = self.outcome()
        for batch, ranks, options in ((1, 4, ("--stage=2",)), (2, 1, ("--accumulate=2",)),
                                      (1, 2, ("--stage=3", "--accumulate=2", "--accumulate-order=block")),
                                      (4, 1, ("--reference",))):
            with self.subTest(options):
                self.assert_near(self.outcome(*options, batch=batch, ranks=ranks), expected)
        seeded = self.outcome(flags=("--seed", 1, "--init", self.start()))
        other = self.outcome(flags=("--seed", 2, "--init", self.start()))
        self.assertGreater(abs(seeded[0][0]["loss"] - other[0][0]["loss"]), 1e-4)

    def start(self):
        path = self.folder / "start.safetensors"
        if not path.exists():
            binary = support.compile_model(support.import_model(CONFIG, 4, SEQ))
            self.run_ok(binary, "--data", self.data, "--steps", 1, "--lr", 0, "--save", path)
        return path

    @unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
    def test_on_gpus(self):
        """With the bits of processors; test/codegen has tensor cores."""
        expected = self.outcome("--cpu=x86-64-v3", batch=2, steps=2)
        self.assert_same(self.outcome(*GPU, *HOST, EXACT, batch=2, steps=2, env=fake()), expected)

    def test_of_16_bits(self):
        expected = self.outcome("--precision=bf16", batch=2, ranks=2)
        self.assert_same(self.outcome("--precision=bf16", "--stage=3", batch=2, ranks=2), expected)
        self.assert_near(expected, self.outcome(), 2e-3)

    def test_evaluation_has_none(self):
        flags = ("--eval-data", self.data, "--eval-every", 1, "--eval-batches", 2)
        (plain,), _ = self.outcome("--eval", dropout=(), steps=1, lr=0, flags=flags)
        (dropped,), _ = self.outcome("--eval", steps=1, lr=0, flags=flags)
        self.assertNotEqual(dropped["loss"], plain["loss"])
        self.assertEqual(dropped["eval_loss"], plain["eval_loss"])

    def test_goes_on(self):
        """Also on another number of ranks: the masks are those of the sequences that are read."""
        binaries = [support.compile_model(support.import_model(CONFIG, 4 // ranks, SEQ, "--dropout"),
                                          f"--world-size={ranks}", "--stage=3") for ranks in (1, 2)]
        flags = ("--data", self.data, "--steps", 4, "--lr", 1e-2)
        _, whole, saved = self.run_plan(binaries[1], *flags, "--checkpoint", self.folder / "ck", "--save-every", 2, ranks=2)
        resume = (*flags, "--resume", self.folder / "ck" / "step-2")
        _, again, saved_again = self.run_plan(binaries[1], *resume, ranks=2, name="again")
        self.assert_same((again, support.saved_bytes(saved_again)), (whole[2:], support.saved_bytes(saved)))
        _, alone, _ = self.run_plan(binaries[0], *resume, name="alone")
        self.assert_near((alone,), (whole[2:],))
        self.assert_refused(support.run(binaries[0], *resume, "--seed", 1), "masks of dropout depend on it")

    def test_lora(self):
        """The inputs of adapters; the model itself has none."""
        options = ("--lora=4:8", "--lora-dropout=0.25")
        found = {ranks: self.outcome(*options, *more, batch=4 // ranks, ranks=ranks, dropout=())
                 for ranks, more in ((1, ()), (2, ("--stage=3",)))}
        self.assert_near(found[2], found[1])
        self.assert_near(self.outcome(*options, "--reference", dropout=()), found[1])
        self.assert_same(self.outcome(*options, "--remat=block", dropout=()), found[1])
        self.assertNotEqual(found[1][1], self.outcome("--lora=4:8", dropout=())[1])
        self.assertEqual(self.activations(*options), self.activations("--lora=4:8"))
        config = json.loads((self.folder / "run.safetensors" / "adapter_config.json").read_text())
        self.assertEqual(config["lora_dropout"], 0)
        self.outcome(*options, dropout=())
        config = json.loads((self.folder / "run.safetensors" / "adapter_config.json").read_text())
        self.assertEqual(config["lora_dropout"], 0.25)
        # A run may go on with another rate, and says so.
        binaries = [support.compile_model(support.import_model(CONFIG, 4, SEQ), "--lora=4:8", f"--lora-dropout={rate}")
                    for rate in (0.25, 0.5)]
        data = ("--data", self.write_tokens(900, CONFIG["vocab_size"]), "--lr", 1e-3)
        self.run_ok(binaries[0], *data, "--init=random", "--steps", 1, "--checkpoint", self.folder / "at", "--save-every", 1)
        done = self.run_ok(binaries[1], *data, "--steps", 2, "--resume", self.folder / "at")
        self.assertIn("--lora-dropout is 0.5, and was 0.25 until the checkpoint", done.out)

    def activations(self, *options, dropout=()):
        """The bytes that the forward pass keeps."""
        binary = support.compile_model(support.import_model(CONFIG, 4, SEQ, *dropout), "--world-size=1", *options)
        return support.parse_sizes((binary.parent / "zeroc.txt").read_text())["activations"]

    def test_sampling_has_none(self):
        model = support.import_model(CONFIG, 4, SEQ, "--dropout")
        texts = [self.generate(path, self.start(), "--prompt-ids", "1,2,3", "--sample-tokens", 5).out
                 for path in (model, support.import_model(CONFIG, 4, SEQ))]
        self.assertEqual(*texts)

    def test_bad_input(self):
        model = support.import_model(CONFIG, 4, SEQ)
        for options, error in ((("--lora=4", "--lora-dropout=1"), "--lora-dropout must be from 0 to below 1, got 1"),
                               (("--lora-dropout=0.1",), "--lora-dropout is for adapters; add --lora=RANK")):
            self.assert_refused(support.run(support.ZEROC, model, *options, "-o", self.folder / "x"), error)
