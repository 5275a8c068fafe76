"""zeroc import --objective=grpo: against TRL, in every layout, at ratios of 1, where nothing is trained, and what is refused."""
import array
import json
import unittest

import support
from test_cuda import CPU, EXACT, FAKE, GPU, HOST, fake

GOLDEN = support.ROOT / "test" / "golden"
MODEL = GOLDEN / "preferences" / "model"
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")
#: zeroc's options of TRL's, in policies.json.
OPTIONS = {"beta": "--beta", "epsilon": "--epsilon", "epsilon_high": "--epsilon-high",
           "importance_sampling_level": "--importance"}
IGNORED = -100


class Policies(support.Case):
    def setUp(self):
        super().setUp()
        self.golden = golden = json.loads((GOLDEN / "policies.json").read_text())
        self.rows, self.lengths = len(golden["tokens"]), golden["lengths"]
        self.seq = len(golden["tokens"][0]) - 1
        self.longest = self.seq + 1 - golden["prompt"]

    def per_position(self, values, elsewhere):
        """`values` of each row's completion, or one for all of it, on the positions that give its tokens."""
        start, found = self.golden["prompt"] - 1, []
        for row, length in zip(values, self.lengths):
            row = row[:length] if isinstance(row, list) else [row] * length
            found += [elsewhere] * start + row + [elsewhere] * (self.seq - start - length)
        return found

    def weights(self, loss_type):
        """As docs/preferences.md has them: of each sequence the weight of its tokens."""
        trained = sum(self.lengths)
        return [{"grpo": 1 / (length * self.rows), "bnpo": 1 / trained, "dr_grpo": 1 / (self.rows * self.longest),
                 "dapo": 1 / trained}[loss_type] for length in self.lengths]

    def arrays(self, weights, **more):
        golden = self.golden
        completions = [row[golden["prompt"]:] for row in golden["tokens"]]
        return {"tokens": [token for row in golden["tokens"] for token in row[:-1]],
                "targets": self.per_position(completions, IGNORED), "token_weights": self.per_position(weights, 0.0),
                **{name: self.per_position(golden[name], 0.0) for name in ("old", "advantages", "reference")}, **more}

    def data(self, arrays, without=("reference",), name="data.safetensors"):
        path = self.folder / name
        support.write_safetensors(path, {
            key: ((self.rows, self.seq), array.array("i" if key in ("tokens", "targets") else "f", values))
            for key, values in arrays.items() if key not in without})
        return path

    def model(self, *options, share=1):
        return support.import_model(MODEL, self.rows // share, self.seq, "--objective=grpo", *options)

    def options(self, variant):
        return [f"{OPTIONS[key]}={value}" for key, value in variant["options"].items() if key != "loss_type"]

    def run_of(self, model, data, *options, steps=1, lr=1, ranks=1, flags=(), env=None):
        """Metrics of the steps, and the saved weights."""
        binary = support.compile_model(model, *PLAIN, f"--world-size={ranks}", *options)
        _, lines, saved = self.run_plan(binary, "--data", data, "--init", MODEL / "model.safetensors", "--steps", steps,
                                        "--lr", lr, *flags, ranks=ranks, env=env)
        return [line for line in lines if "grad_norm" in line], saved

    def train(self, variant, *options, ranks=1, micro_steps=1, **how):
        """The steps of policies.json, with weights that are those of all ranks and micro-steps."""
        share, imported = ranks * micro_steps, self.options(variant)
        weights = [share * weight for weight in self.weights(variant["options"]["loss_type"])]
        data = self.data(self.arrays(weights), () if "beta" in variant["options"] else ("reference",))
        how = {"steps": len(variant["losses"]), **how}
        return self.run_of(self.model(*imported, share=share), data, f"--accumulate={micro_steps}", *options, ranks=ranks,
                           lr=variant["lr"], **how)

    def check(self, variant, lines, tolerance=1e-5):
        for step, line in enumerate(lines):
            self.assert_close(line["loss"], variant["losses"][step], tolerance, f"loss of step {step}")
            self.assert_close(line["grad_norm"], variant["grad_norms"][step], 10 * tolerance, f"norm of step {step}")

    def test_trl(self):
        """Losses and gradients are TRL's in float64: its four normalizations, both bounds, and ratios of sequences."""
        for name, variant in self.golden["variants"].items():
            with self.subTest(name):
                self.check(variant, self.train(variant)[0])
        for name in ("dapo", "gspo"):
            with self.subTest(name, option="--reference"):
                self.check(self.golden["variants"][name], self.train(self.golden["variants"][name], "--reference", steps=2)[0])

    def test_layouts(self):
        """Over ranks and micro-steps TRL's numbers; over stages, tiers, recomputation and threads the same bits."""
        chunk, most = "--loss-chunk=1KiB", ("--stage=3", "--offload-params=cpu", "--remat=block")
        for name in ("dapo", "gspo"):
            variant = self.golden["variants"][name]
            for micro_steps, threads, *plans in ((1, 2, ("--stage=0",), ("--stage=1",), most),
                                                 (2, 1, ("--stage=2",), most), (2, 2, ("--stage=2", chunk), (*most, chunk))):
                outcomes = []
                for options in plans:
                    with self.subTest(name, micro_steps=micro_steps, options=options):
                        lines, saved = self.train(variant, *options, ranks=2, micro_steps=micro_steps, steps=4,
                                                  flags=("--threads", threads if options == plans[0] else 1))
                        self.check(variant, lines)
                        outcomes.append((support.bits_of(lines), support.saved_bytes(saved)))
                        self.assertEqual(outcomes[0], outcomes[-1])

    def test_numbers_of_ranks(self):
        """With virtual shards the same bits."""
        def outcome(ranks):
            lines, saved = self.train(self.golden["variants"]["gspo"], "--virtual-shards=4", ranks=ranks, micro_steps=4 // ranks)
            return support.bits_of(lines), support.saved_bytes(saved)

        self.check_same_bits((f"{ranks} ranks", outcome(ranks)) for ranks in (1, 2, 4))

    @unittest.skipUnless((FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
    def test_gpu(self):
        """On an emulated GPU the same bits."""
        for name in ("dapo", "gspo"):
            outcomes = []
            for options, env in (((), None), ((*GPU, EXACT, *HOST), fake())):
                lines, saved = self.train(self.golden["variants"][name], CPU, *options, steps=3, env=env)
                outcomes.append((support.bits_of(lines), support.saved_bytes(saved)))
            with self.subTest(name):
                self.assertEqual(*outcomes)

    def test_half_precision(self):
        for precision, tolerance in (("bf16", 5e-2), ("fp16", 5e-3)):
            variant = self.golden["variants"]["dapo"]
            with self.subTest(precision):
                self.check(variant, self.train(variant, f"--precision={precision}", steps=1)[0], tolerance)

    def score(self, model, data, *options):
        """The file of values."""
        out = self.folder / "values.npy"
        score = support.compile_model(model, "--score-only", *options)
        self.run_ok(score, "--weights", MODEL, "--data", data, "--out", out, "--force")
        return out

    def test_scores(self):
        """Values are the log probability of each target; 0 where there is none."""
        expected = self.per_position(self.golden["old"], 0.0)
        data = self.data(self.arrays(self.weights("grpo")))
        shape, values = support.read_npy(self.score(self.model(), data))
        self.assertEqual(shape, (self.rows, self.seq))
        for found, value in zip(values, expected, strict=True):
            self.assertLess(abs(found - value), 1e-5)
        # Of other ranks and batches, which do not divide the rows.
        two = self.score(support.import_model(MODEL, 3, self.seq, "--objective=grpo"), data, "--world-size=2", "--stage=3")
        self.assertEqual(support.read_npy(two), (shape, values))

    def test_ratio_of_one(self):
        """With the model's own values as `old` every ratio is 1.0, bit for bit, so the loss is exactly -sum(w A)."""
        arrays = self.arrays([1 / 64] * self.rows, advantages=[1.0] * (self.rows * self.seq))
        data = self.data(arrays, ("old", "reference"))
        for importance in ("token", "sequence"):
            model = self.model(f"--importance={importance}")
            for options in ((), ("--precision=bf16",), ("--precision=fp16",), ("--loss-chunk=1KiB",)):
                with self.subTest(importance, options=options):
                    old = ("--input", f"old={self.score(model, data, *options)}")
                    lines, _ = self.run_of(model, data, "--eval", "--remat=block", *options, flags=old)
                    self.assertEqual(lines[0]["loss"], -sum(self.lengths) / 64)
        data = self.data(self.arrays(self.weights("grpo")), ("old", "reference"))
        lines, _ = self.run_of(model, data, flags=("--input", f"old={self.score(model, data)}"))
        self.assert_close(lines[0]["loss"], -sum(self.golden["advantages"]) / self.rows, 4e-7, "the loss")

    def test_derivative_at_one(self):
        """Where r is exactly 1 it is that of r, by differences of losses, also if 1 is the bound."""
        data, slopes, outcomes = self.data(self.arrays(self.weights("grpo")), ("old", "reference")), [], []
        old = ("--input", f"old={self.score(self.model(), data)}")
        for lr in (1e-4, 5e-5):
            lines, _ = self.run_of(self.model(), data, steps=2, lr=lr, flags=old)
            slopes.append((lines[0]["loss"] - lines[1]["loss"]) / lr)
        # Without the term that is linear in lr.
        self.assert_close(2 * slopes[1] - slopes[0], lines[0]["grad_norm"] ** 2, 1e-2, "the squared norm")
        for epsilon in (0.2, 0):
            lines, saved = self.run_of(self.model(f"--epsilon={epsilon}"), data, lr=1e-3, flags=old)
            outcomes.append((support.bits_of(lines), support.saved_bytes(saved)))
        self.assertEqual(*outcomes)

    def test_untrained(self):
        """Without a target, or with weight 0, a position adds exactly 0, whatever its other inputs are."""
        arrays = self.arrays(self.weights("dapo"))
        trained = [target != IGNORED for target in arrays["targets"]]
        at = [i for i, is_trained in enumerate(trained) if is_trained][::5]
        for i in at:
            arrays["token_weights"][i] = 0.0
        others = {name: list(values) for name, values in arrays.items()}
        for i, is_trained in enumerate(trained):
            if not is_trained:
                others["token_weights"][i] = 7.0
            if not is_trained or i in at:
                others.update({name: [*others[name][:i], value, *others[name][i + 1:]] for name, value in (
                    ("old", -1e30), ("advantages", -1e30), ("reference", 1e30))})
        for importance in ("token", "sequence"):
            model, outcomes = self.model(f"--importance={importance}", "--beta=0.1"), []
            for number, values in enumerate((arrays, others)):
                lines, saved = self.run_of(model, self.data(values, (), f"{number}.safetensors"), steps=2, lr=1e-2)
                outcomes.append((support.bits_of(lines), support.saved_bytes(saved)))
            with self.subTest(importance):
                self.assertEqual(*outcomes)

    def test_evaluation(self):
        """It has the loss, which is none of tokens: no perplexity."""
        data = self.data(self.arrays(self.weights("grpo")))
        binary = support.compile_model(self.model(), "--eval")
        done, lines, _ = self.run_plan(binary, "--data", data, "--eval-data", data, "--steps", 1, "--lr", 0)
        [evaluated] = [line for line in lines if "eval_loss" in line]
        self.assert_close(evaluated["eval_loss"], lines[0]["loss"], 1e-6, "the loss")
        self.assertNotIn("perplexity", done.out + json.dumps(lines))

    def test_refused(self):
        for options, keyword in (
                (("--epsilon=1.5",), "--epsilon must be a number from 0 to 1, got 1.5"),
                (("--epsilon-high=-0.1",), "--epsilon-high must be a number, 0 or more, got -0.1"),
                (("--beta=-1",), "--beta must be a number, 0 or more, got -1"),
                (("--importance=tokens",), "--importance must be token or sequence, got tokens"),
                (("--importance=sequence", "--packed"), "--importance=sequence .* with --packed .* drop one"),
                (("--token-weights",), "--objective=grpo has no --token-weights; drop it"),
                (("--label-smoothing=0",), "--objective=grpo has no --label-smoothing; drop it"),
                (("--objective=sft", "--epsilon=0.2"), "--objective=sft has no --epsilon; drop it"),
                (("--objective=dpo", "--samples=2", "--packed", "--beta=0"), "--beta must be above 0 with --objective=dpo, got 0")):
            with self.subTest(options):
                objective = () if options[0].startswith("--objective") else ("--objective=grpo",)
                done = support.run(support.ZEROC, "import", MODEL, "--batch=1", "--seq=8", *objective, *options)
                self.assert_refused(done, keyword, status=1)
        even = support.import_model(MODEL, 1, 8, "--objective=grpo")
        done = support.run(support.ZEROC, even, "--context=2", "--world-size=2", "-o", self.folder / "train")
        self.assert_refused(done, "'nn.cross_entropy' is no mean over positions, so --context=2 cannot cut it; drop the option")
        arrays = self.arrays(self.weights("grpo"))
        binary = support.compile_model(self.model())
        for values, without, keyword in (
                (arrays, (), 'has a tensor "reference"'), (arrays, ("old", "reference"), "old"),
                ({**arrays, "token_weights": [-1.0] * len(arrays["tokens"])}, ("reference",), "finite and not negative")):
            data = self.data(values, without)
            self.assert_refused(support.run(binary, "--data", data, "--steps", 1, "--lr", 0), keyword)
