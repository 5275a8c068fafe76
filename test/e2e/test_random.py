"""A few random models in all stages; checks that the checker detects errors.

`test/random/check.py --models=1000` is the same for many.
"""
import shutil
import sys

import support

sys.path.insert(0, str(support.ROOT / "test" / "random"))

import check
import compare
import contexts
import generator


class RandomModels(support.Case):
    def test_models(self):
        failures = []
        total = check.check(3, seed=1, jobs=4, report=failures.append)
        self.assertEqual(total["models"], 3)
        self.assertEqual(total["failures"], 0, "\n".join(failures))

    def test_models_in_16_bits(self):
        for precision, models in (("bf16", 2), ("fp16", 1)):
            failures = []
            total = check.check(models, seed=21, jobs=4, precision=precision, report=failures.append)
            self.assertEqual(total["models"], models)
            self.assertEqual(total["failures"], 0, "\n".join(failures))

    def test_models_with_states(self):
        pieces, check.layers.PIECES = check.layers.PIECES, check.states.PIECES
        self.addCleanup(setattr, check.layers, "PIECES", pieces)
        failures = []
        total = check.check(3, seed=2, jobs=4, report=failures.append)
        self.assertEqual(total["failures"], 0, "\n".join(failures))
        if (check.FAKE / "libcuda.so.1").exists():
            total = check.check(2, seed=2, jobs=4, report=failures.append, gpu=True)
            self.assertEqual((total["failures"], total["refused"]), (0, 0), "\n".join(failures))

    def test_models_that_ranks_share(self):
        said = []
        total = contexts.tries(12, seed=1, jobs=4, report=said.append)
        self.assertEqual(total["failed"], 0, "\n".join(said))
        self.assertGreater(total["equal"], 3)

    def test_a_failure_fails_the_check(self):
        """Every compilation fails here."""
        compiler, support.ZEROC = support.ZEROC, shutil.which("false")
        try:
            said = []
            total = check.check(1, seed=1, report=said.append)
        finally:
            support.ZEROC = compiler
        self.assertEqual(total["failures"], 1)
        self.assertIn("FAIL: model 1\n    status 1: ", said[0])
        self.assertIn("to repeat:", said[0])

    def test_a_model_is_its_seed(self):
        for seed in range(20):
            model = generator.random_model(seed)
            self.assertEqual(model.text(2), generator.random_model(seed).text(2))
            # Another batch changes sizes, never operations.
            self.assertEqual(model.text(2).count("\n"), model.text(3).count("\n"))
        self.assertNotEqual(generator.random_model(1).text(2), generator.random_model(2).text(2))


class Checker(support.Case):
    """The errors that comparisons must find, for one model in one plan."""

    def setUp(self):
        super().setUp()
        self.trial = trial = check.Trial(4, self.folder)
        trial.ranks, trial.micro_steps, trial.rows = 2, 1, 2
        self.write("model.mlir", trial.model.text(2))
        self.write("whole.mlir", trial.model.text(4))
        trial.write_tokens()
        trial.compile("whole.mlir", "reference", "--reference")
        trial.compile("model.mlir", "plan", "--stage=3", "--world-size=2")
        self.start = trial.train("reference", 1, lr=0, steps=1).weights
        self.reference = trial.train("reference", 1)
        self.outcome = trial.train("plan", 2)

    def beyond(self, outcome):
        return compare.beyond_rounding(outcome, self.reference, self.start, self.trial.optimizer)[0]

    def altered(self, change):
        """Returns the outcome with changed weights."""
        weights = {name: (shape, values[:]) for name, (shape, values) in self.outcome.weights.items()}
        change(weights)
        support.write_safetensors(self.folder / "altered.safetensors", weights)
        return compare.Outcome(self.folder / "plan.jsonl", self.folder / "altered.safetensors")

    def largest(self, weights):
        """Returns the parameter that training changed most, and the change of its first element."""
        name = max(weights, key=lambda n: abs(weights[n][1][0] - self.start[n][1][0]))
        return name, weights[name][1][0] - self.start[name][1][0]

    def test_finds_what_is_wrong(self):
        self.assertEqual(self.beyond(self.outcome), [])
        again = self.trial.train("plan", 2)
        self.assertEqual(compare.different_bits(again, self.outcome), [])

        with self.subTest("a bit of one weight"):
            def flip(weights):
                name, _ = self.largest(weights)
                raw = bytearray(weights[name][1].tobytes())
                raw[0] ^= 1
                del weights[name][1][:]
                weights[name][1].frombytes(bytes(raw))
            altered = self.altered(flip)
            same = self.altered(lambda weights: None)
            self.assertEqual(len(compare.different_bits(altered, same)), 1)
            self.assertEqual(self.beyond(altered), [])

        with self.subTest("one element that moved by 2 % too much"):
            def push(weights):
                name, change = self.largest(weights)
                weights[name][1][0] += 0.02 * change
            self.assertNotEqual(self.beyond(self.altered(push)), [])

        with self.subTest("not a number"):
            def spoil(weights):
                weights[self.largest(weights)[0]][1][0] = float("nan")
            altered = self.altered(spoil)
            self.assertNotEqual(self.beyond(altered), [])
            self.assertNotEqual(compare.different_bits(altered, self.outcome), [])

        with self.subTest("a rank with other data"):
            tokens = self.folder / "tokens.u16"
            raw = bytearray(tokens.read_bytes())
            # The sequences of a step are two of rank 0, then two of rank 1.
            at = 2 * (2 * self.trial.model.seq + 1)
            raw[at] = (raw[at] + 1) % self.trial.model.vocab
            tokens.write_bytes(bytes(raw))
            other = self.trial.train("plan", 2)
            self.assertNotEqual(self.beyond(other), [])
            self.assertNotEqual(compare.different_bits(other, self.outcome), [])
