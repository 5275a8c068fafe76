"""Broken plans are caught, or equivalent: a short run of `test/mutation/mutate.py --mutants=2000`."""
import contextlib
import io
import json
import sys

import support

sys.path.insert(0, str(support.ROOT / "test" / "mutation"))
import mutate
from attributes import Definitions, mutator_of
from execute import Plan
from plans import PLANS


def recipe(name):
    return next(plan for plan in PLANS if plan.name == name)

#: Mutations of the computation, and a plan that has a place for each.
OTHER_NUMBERS = {
    "exchange-members": "tiny-2-2-2",
    "exchange-pieces": "split-3-2-1",
    "exchange-piece-gradients": "split-3-2-1",
    "exchange-rows": "split-3-2-1",
    "lose-contribution": "tiny-2-2-2",
    "pack-parameter": "tiny-2-2-2",
    "read-moment": "tiny-0-1-1",
    "transpose-product": "tiny-2-2-2",
    "return-scalar": "tiny-0-1-2",
    "use-own-mean": "split-3-2-1",
    "count-alone": "odd-0-1-2",
    "change-body-constant": "dropout-2-2-2",
    "change-body-operation": "tiny-2-2-2",
    "exchange-body-operands": "tiny-2-2-2",
    "change-optimizer": "tiny-2-2-2",
    "change-decay": "tiny-2-2-2",
    "change-clip": "tiny-2-2-2",
    "exchange-masters": "bf16-2-2-1",
    "change-rounding": "narrow-2-2-2",
    "change-loss-scale": "fp16-1-2-2",
    "change-skip": "bf16-3-2-2",
    "read-old-parameters": "rotated-2-2-1",
    "read-next-parameters": "delayed-2-2-1",
    "read-other-input": "dropout-2-2-2",
    "exchange-micro-steps": "block-1-2-3",
    "change-sum": "block-0-1-2",
    "pack-other-micro-step": "block-1-2-3",
    "update-twice": "rotated-0-1-1",
    "exchange-gradients": "rotated-0-1-1",
    "drop-update": "rotated-0-1-1",
    "change-vocabulary": "tiny-2-2-2",
    "use-nvme": "tiny-2-2-2",
    "drop-output": "bf16-2-2-1",
    "drop-quantize": "wire-3-2-1",
    "quantize-twice": "wire-3-2-1",
    "change-form": "wire-3-2-1",
    "take-other-quantized": "wire-3-2-1",
    "quantize-other": "wire-3-2-1",
    "add-quantize": "wire-1-4-2",
    "round-gradient": "wire-3-2-1",
    "round-value": "wire-3-2-1",
}


def change_model(text):
    """Changes the mathematics of a plan and of its model alike, which the judge accepts."""
    epsilon = "arith.constant 9.99999974E-6"  # of layer norms
    assert text.count(epsilon) > 1
    return text.replace(epsilon, "arith.constant 9.99999974E-2")


class Mutants(support.Case):
    def test_short_run(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            mutants, holes = mutate.run(["--mutants=140", "--seeds=1", "--execute=5", "--seed=3",
                                         "--plans=tiny-0-1-2,tiny-3-2-1"])
        text = printed.getvalue()
        self.assertEqual(holes, [], text)
        self.assertEqual(len(mutants), 140)
        self.assertLessEqual({"IR", "S1", "S2", "V1", "V2", "V14"}, {m["outcome"] for m in mutants}, text)
        verdicts = [m["verdict"] for m in mutants]
        self.assertGreaterEqual(verdicts.count("equal") + verdicts.count("same program"), 3, text)
        self.assertIn("140 mutants of 2 plans", text)

    def test_every_attribute(self):
        """Changes every attribute of the dialect's definitions in some plan, so that a new one
        cannot be forgotten; accepted mutants must be equivalent."""
        definitions = Definitions()
        self.assertIn("zero.accumulate scale", definitions.missing())
        for name in ("gemma2-1-2-2", "packed-0-1-2", "sample-3-2-1", "wide-3-2-1", "reference-0-1-1", "budget-3-2-1",
                     "documents-2-2-1", "mistral-3-2-1", "tree-1-4-2", "wire-3-2-1", "generate-state-0-1-1",
                     "context-3-2-1"):
            (self.folder / name).mkdir()
            edits = mutator_of(recipe(name).write(self.folder / name), definitions).edits
            definitions.found.update(edit.place for edit in edits)
        self.assertEqual(definitions.missing(), [])
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            mutants, holes = mutate.run(["--attributes=1", "--seeds=0", "--plans=packed-0-1-2"])
        self.assertEqual(holes, [])
        caught = {m["mutation"] for m in mutants if m["verdict"] == "caught"}
        self.assertLessEqual({f"{kind} {of}" for kind in ("change", "drop", "add")
                              for of in ("zero.update", "zero.bucket", "builtin.module")}, caught)
        self.assertGreater(sum(m["verdict"] in ("equal", "same program") for m in mutants), 5)

    def test_what_the_host_reads(self):
        """Of the inputs of generation: another number is caught, also where the model has it, too."""
        mutator = mutator_of(recipe("generate-0-1-1").write(self.folder), Definitions())
        edits = [edit for edit in mutator.edits if " everywhere:" in edit.place]
        self.assertEqual({edit.place.split(":")[1] for edit in edits}, {
            "begin zero.vocab", "count zero.vocab", "prompt zero.vocab", "token zero.vocab", "document zero.vocab",
            "document zero.separator"})
        for edit in edits:
            done = support.run(support.BUILD / "bin" / "zero-opt", self.write("mutant.mlir", mutator.apply(edit)),
                               "--mlir-print-op-on-diagnostic=false", "--zero-verify-plan", "-o", "/dev/null")
            with self.subTest(edit.place, to=edit.text):
                self.assert_refused(done, r"\((S5|S8)\)")

    def test_other_numbers(self):
        """No race and no overlap, but the plan does not compute the model: caught."""
        plans = {}
        for mutation, name in OTHER_NUMBERS.items():
            if name not in plans:
                (self.folder / name).mkdir()
                plans[name] = recipe(name).write(self.folder / name)
            with self.subTest(mutation):
                out = self.folder / mutation
                self.run_ok(mutate.ZERO_MUTATE, plans[name], "--count=1", "--seed=7",
                            f"--mutations={mutation}", "-o", out)
                lines = (out / "mutants.jsonl").read_text().splitlines()
                mutants = [json.loads(line) for line in lines]
                self.assertGreaterEqual(len(mutants), 1)
                for mutant in mutants:
                    self.assertIn(mutant["outcome"][0], "VS", mutant)

    def test_comparison_can_fail(self):
        """The comparison reports each difference of results or errors, and none between equal runs."""
        plan = Plan(recipe("tiny-0-1-1"), self.folder / "plan", seeds=1)
        self.assertEqual(plan.compare(plan.program, self.folder, {}), "")
        self.assertIn("instead of", plan.compare(plan.program, self.folder, {}, lr="2e-2"))
        self.assertIn("ends with", plan.compare(plan.program, self.folder, {}, lr="much"))
        # The host's work: skipped steps, and what is saved after them.
        skipping = Plan(recipe("fp16-1-2-2"), self.folder / "skipping", seeds=0)
        skipping.skips = ()
        self.assertIn("'nonfinite': None", skipping.compare(skipping.program, self.folder, {}))
        text = plan.file.read_text()
        broken = change_model(text)
        self.write("0007.mlir", broken)
        verdict, reason = plan.examine({"number": 7}, self.folder)
        self.assertEqual(verdict, "differs")
        self.assertRegex(reason, "instead of|other weights")
        self.write("0008.mlir", text)
        self.assertEqual(plan.examine({"number": 8}, self.folder)[0], "same program")
        self.write("0009.mlir", "module {")
        verdict, reason = plan.examine({"number": 9}, self.folder)
        self.assertEqual(verdict, "differs")
        self.assertIn("zeroc", reason)

    def test_one_rank(self):
        """A rank can run its own plan; what only it observes may differ."""
        plan = Plan(recipe("tiny-3-2-1"), self.folder / "plan", seeds=0)
        text = plan.file.read_text()
        self.write("0001.mlir", text)
        self.write("0001.rank1.mlir", change_model(text))
        verdict, reason = plan.examine({"number": 1, "rank": 1}, self.folder)
        self.assertEqual(verdict, "differs", reason)
        self.assertRegex(reason, "instead of|other weights")
        # An event without a wait affects only its rank.
        lines = text.splitlines(True)
        first = next(i for i, line in enumerate(lines) if "zero.record on" in line)
        more = [*lines[:first], "    %more = zero.record on compute\n", *lines[first:]]
        self.write("0001.rank1.mlir", "".join(more))
        self.assertEqual(plan.examine({"number": 1, "rank": 1}, self.folder), ("equal", ""))
        self.write("0001.rank1.mlir", text)
        self.assertEqual(plan.examine({"number": 1, "rank": 1}, self.folder)[0], "same program")

    def test_equal_seeds_give_equal_mutants(self):
        plan = recipe("tiny-2-2-2").write(self.folder)
        lines = []
        for name, seed in (("a", 5), ("b", 5), ("c", 6)):
            self.run_ok(mutate.ZERO_MUTATE, plan, "--count=20", f"--seed={seed}", "-o",
                        self.folder / name)
            lines.append((self.folder / name / "mutants.jsonl").read_text())
        self.assertEqual(lines[0], lines[1])
        self.assertNotEqual(lines[0], lines[2])

    def test_refusals(self):
        def refuse(*arguments):
            return support.run(mutate.ZERO_MUTATE, *arguments, cwd=self.folder)

        plan = recipe("tiny-2-2-2").write(self.folder)
        self.assert_refused(refuse("none.mlir", "-o", "out"), r"none\.mlir")
        self.assert_refused(refuse(self.write("junk.mlir", "func {"), "-o", "out"),
                            "no valid MLIR")
        model = self.write("empty.mlir", "module {}")
        self.assert_refused(refuse(model, "-o", "out"), "level model", "--emit=memory")
        self.assert_refused(refuse(plan), "-o DIR")
        self.assert_refused(refuse(plan, "-o", "out", "--mutations=drop-rank"), "no mutation drop-rank")
        waits = [line for line in plan.read_text().splitlines(True) if "zero.wait" in line]
        bad = self.write("bad.mlir", plan.read_text().replace(waits[-1], "", 1))
        done = refuse(bad, "-o", "out")
        self.assert_refused(done, "no good plan to begin with", r"\(V\d+\)")
        solo = recipe("tiny-0-1-1").write(self.folder)
        self.assert_refused(refuse(solo, "-o", "out", "--mutations=one-rank-drop-wait"),
                            "several ranks")
        self.write("file", "")
        self.assert_refused(refuse(plan, "-o", "file/out"), "cannot create")
        mutations = self.run_ok(mutate.ZERO_MUTATE, "--list").out
        for mutation in ("drop-wait", "swap-ranges", "one-rank-swap-collectives"):
            self.assertIn(mutation, mutations)
