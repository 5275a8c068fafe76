"""--context: ranks share each sequence, and compute what one rank does with it."""
import re
import threading
import time

import support

PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")
STEP = 2.0**16
#: Heads that 2 and 4 ranks divide; keys of two heads are copied to 4 ranks.
SMALL = dict(vocab_size=61, hidden_size=24, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=64, rms_norm_eps=1e-5, head_dim=6)
FAMILIES = {
    "gpt2": dict(model_type="gpt2", vocab_size=61, n_positions=30, n_embd=24, n_layer=2, n_head=4),
    "llama": dict(SMALL, model_type="llama", tie_word_embeddings=True),
    "llama-6": dict(SMALL, model_type="llama", num_attention_heads=6, num_key_value_heads=1, tie_word_embeddings=True),
    "qwen3": dict(SMALL, model_type="qwen3", tie_word_embeddings=False),
    "gemma3": dict(SMALL, model_type="gemma3_text", sliding_window=7, query_pre_attn_scalar=6,
                   layer_types=["sliding_attention", "full_attention"], hidden_activation="gelu_pytorch_tanh"),
}
SEQ, BATCH = 24, 2


class Context(support.Case):
    def run_of(self, model, *options, ranks=1, steps=4, lr=1e-2, flags=(), env=None):
        binary = support.compile_model(model, f"--world-size={ranks}", *options)
        data = self.folder / "tokens.u16"
        if not data.exists():
            support.write_tokens(data, 1 + SEQ * BATCH * 2 * 4, 61)
        return self.train(binary, data, steps, lr, *flags, *support.nvme_flags(options, self.folder), ranks=ranks, env=env)

    def model_of(self, family, batch=BATCH, *options):
        return support.import_model(FAMILIES[family], batch, SEQ, *options)

    def check_same_as_whole(self, family, context, *options, batch=BATCH, imported=()):
        """Losses, norms and weights of one group of ranks, and each gradient."""
        model = self.model_of(family, batch, *imported)
        one, expected = self.run_of(model)
        expected = expected.rename(self.folder / "expected.safetensors")
        lines, saved = self.run_of(model, f"--context={context}", *options, ranks=context)
        for line, other in zip(lines, one, strict=True):
            self.assert_close(line["loss"], other["loss"], 1e-5, f"loss of step {line['step']}")
            self.assert_close(line["grad_norm"], other["grad_norm"], 1e-4, f"norm of step {line['step']}")
        self.assert_weights_close(saved, expected, 1e-3)  # AdamW divides gradients that are nearly 0 by themselves
        self.check_gradients(model, context)

    def check_gradients(self, model, context):
        """Of one step of plain gradient descent, so large that initial weights are lost in rounding."""
        ends = []
        for ranks, options in ((1, ()), (context, (f"--context={context}", "--stage=2"))):
            _, saved = self.run_of(model, *PLAIN, *options, ranks=ranks, steps=1, lr=STEP)
            ends.append(support.read_safetensors(saved))
        for name, (shape, expected) in ends[0].items():
            self.assertEqual(ends[1][name][0], shape, name)
            scale = max(map(abs, expected))
            error = max(abs(x - y) for x, y in zip(ends[1][name][1], expected)) / scale
            self.assertLessEqual(error, 2e-5, f"gradient of {name}")

    def test_families(self):
        for family, context in (("gpt2", 2), ("gpt2", 4), ("llama", 2), ("llama", 4), ("llama-6", 3), ("qwen3", 4), ("gemma3", 2)):
            with self.subTest(family, context=context):
                self.check_same_as_whole(family, context, f"--stage={context - 1}")

    def test_documents_cross_cuts(self):
        for family, imported in (("llama", ("--document-separator=5",)), ("gemma3", ("--document-separator=5",))):
            with self.subTest(family):
                self.check_same_as_whole(family, 2, imported=imported)

    def test_golden(self):
        """GPT-2 that PyTorch trained in float64."""
        for context, ranks, micro_steps, options in ((2, 2, 1, ("--stage=3",)), (4, 4, 2, ("--stage=1",)),
                                                     (2, 4, 2, ("--stage=2",)),
                                                     (2, 4, 1, ("--stage=3", "--ranks-per-host=2"))):
            with self.subTest(context=context, ranks=ranks, options=options):
                self.check_golden(*options, ranks=ranks, context=context, micro_steps=micro_steps)

    def test_same_bits(self):
        """A plan of other stages, tiers, schedules and recomputation."""
        model, start = self.model_of("llama"), ("--context=2", "--virtual-shards=4")
        plans = [(4, ()), (4, ("--stage=3",)), (2, ("--accumulate=2", "--stage=2")),
                 (4, ("--stage=3", "--remat=block")), (4, ("--stage=3", "--offload=cpu")),
                 (2, ("--accumulate=2", "--stage=3", "--offload-activations=cpu")),
                 (4, ("--stage=3", "--ranks-per-host=2"))]
        self.check_same_bits((f"{ranks} ranks {options}", self.outcome(model, *start, *options, ranks=ranks))
                             for ranks, options in plans)
        self.check_same_bits((f"seed {seed}", self.outcome(model, "--context=2", "--stage=3", "--accumulate=2",
                                                          "--accumulate-order=block", ranks=4,
                                                          env=seed and {"ZRT_CHAOS": str(seed)}))
                             for seed in (0, 1, 2))

    def outcome(self, model, *options, **how):
        lines, saved = self.run_of(model, *options, **how)
        return support.bits_of(lines), support.saved_bytes(saved)

    def test_hosts(self):
        """Sockets between ranks that share no memory."""
        model = self.model_of("llama")
        self.check_same_bits((what, self.outcome(model, "--context=2", "--stage=3", ranks=4, env=env)) for what, env in (
            ("one host", {}), ("two hosts", {"ZRT_RANKS_PER_HOST": "2"}), ("four", {"ZRT_RANKS_PER_HOST": "1"})))

    def test_half_precision_and_evaluation(self):
        model = self.model_of("llama")
        data = self.folder / "tokens.u16"
        flags = ("--eval-data", data, "--eval-every", "2")
        for precision, tolerance in (("fp32", 1e-5), ("bf16", 2e-2)):
            runs = []
            for ranks, options in ((1, ()), (2, ("--context=2",))):
                lines, _ = self.run_of(model, f"--precision={precision}", "--eval", *options, ranks=ranks, flags=flags)
                runs.append([line[key] for line in lines for key in ("loss", "eval_loss") if key in line])
            self.assertEqual(len(runs[0]), 6)
            for found, expected in zip(runs[1], runs[0], strict=True):
                self.assert_close(found, expected, tolerance, precision)

    def test_resumes(self):
        """With the same ranks for a sequence to the same bits, and with others of the same samples."""
        model = self.model_of("llama")
        saving = ("--checkpoint", self.folder / "ck", "--save-every", 2)
        start = ("--context=2", "--stage=3")
        whole, saved = self.run_of(model, *start, ranks=2, flags=saving)
        expected = support.saved_bytes(saved)
        for ranks, options in ((2, start), (1, ()), (4, ("--context=4", "--stage=1"))):
            with self.subTest(options):
                lines, saved = self.run_of(model, *options, ranks=ranks, flags=("--resume", self.folder / "ck/step-2"))
                if options == start:
                    self.assertEqual(support.bits_of(lines), support.bits_of(whole))
                    self.assertEqual(support.saved_bytes(saved), expected)
                for line, other in zip(lines, whole, strict=True):
                    self.assertEqual(line["step"], other["step"])
                    self.assert_close(line["loss"], other["loss"], 1e-5, f"loss of step {line['step']}")

    def test_other_batches(self):
        """A rank's own copy of the data changes in the run."""
        binary = support.compile_model(self.model_of("llama"), "--context=2", "--world-size=2")
        mine, other, metrics = (self.folder / name for name in ("tokens.u16", "copy.u16", "run.jsonl"))
        for file in mine, other:
            support.write_tokens(file, 1000, 61)

        def change():
            until = time.monotonic() + 60
            while time.monotonic() < until and not (metrics.exists() and metrics.stat().st_size):
                time.sleep(0.01)
            with open(other, "r+b") as file:
                file.write(bytes(2 * 1000))

        changing = threading.Thread(target=change)
        changing.start()
        commands = ([binary, "--data", data, "--steps", 100000, "--lr", "1e-2", "--metrics", metrics] for data in (mine, other))
        done = support.run(*support.launch_each(*commands), env=support.MPI_ENVIRONMENT)
        changing.join()
        self.assert_refused(done, r"step \d+: ranks 0 and 1 share sequences, and have read others; give all ranks the same data")

    def test_certificate(self):
        """What ranks exchange is counted, and the program receives as much (else it fails)."""
        binary = support.compile_model(self.model_of("llama"), "--world-size=2", "--context=2", "--stage=3")
        text = (binary.parent / "zeroc.txt").read_text()
        rows, width, layers = BATCH * SEQ // 2, 24, 2
        # q, k, v and the result, there and back; half of each is another rank's.
        received = 2 * layers * rows * (2 * width + 2 * width // 2) * 4 // 2
        self.assertRegex(text, rf"all_to_all +{received:,} B  in {8 * layers} calls")
        self.assertIn("on 2 ranks, 2 for a sequence", text)

    def test_refusals(self):
        llama = FAMILIES["llama"]
        for model, options, *keywords in (
                (support.import_model(dict(llama, num_attention_heads=6, num_key_value_heads=6), 1, 24),
                 ("--context=4", "--world-size=4"), "6 heads"),
                (support.import_model(llama, 1, 25), ("--context=2", "--world-size=2"), "25 positions"),
                (self.model_of("llama"), ("--context=2", "--world-size=3"), "--context=2 must divide --world-size=3"),
                (self.model_of("llama"), ("--context=2",), "one rank"),
                (self.model_of("gpt2", 2, "--dropout"), ("--context=2", "--world-size=2"), "dropout"),
                (self.model_of("llama", 2, "--objective=dpo", "--packed", "--samples=2"), ("--context=2", "--world-size=2"), "--context=2")):
            with self.subTest(keywords):
                done = support.run(support.ZEROC, model, *options, "-o", self.folder / "train")
                self.assert_refused(done, *map(re.escape, keywords))
