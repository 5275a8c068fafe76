"""The families that zeroc imports, against Hugging Face's own models in float64.

test/golden/families.py made the runs.  A gradient is computed from one step of plain gradient
descent, so large that the initial weights are lost in rounding.
"""
import array
import importlib.util
import json
import re
import sys
import unittest

import covering
import support

sys.path.insert(0, str(support.ROOT / "python"))
from zeroc.commands import positions_of  # noqa: E402

CASES = sorted(path.parent.name for path in (support.ROOT / "test/golden").glob("*/gradients.safetensors"))
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")
STEP = 2.0**16
TOLERANCES = {"fp32": dict(losses=3e-6, weights=1e-4), "bf16": dict(losses=1e-2, weights=5e-2)}


def is_of_experts(case):
    return "loss_of_ranks" in (support.ROOT / "test/golden" / case / "golden.json").read_text()


def layouts_of(case):
    """Ranks, precision, and two plans: a usual one, and one with offloaded state.  Over all cases
    every pair of these occurs."""
    number = CASES.index(case)
    ranks = 3 if is_of_experts(case) else 2 + number % 2
    precision = ("fp32", "bf16")[number // 2 % 2]
    place = (f"--offload={('cpu', 'nvme')[number // 4 % 2]}",) + (("--remat=block",) if number % 5 else ())
    return ranks, precision, ((f"--stage={number % 4}",), (f"--stage={(number + 1 + number // 4) % 4}", *place))


class Families(support.Case):
    def folder_of(self, case):
        return support.ROOT / "test/golden" / case

    def golden(self, case):
        return json.loads((self.folder_of(case) / "golden.json").read_text())

    def compile(self, case, *options, ranks=1):
        golden = self.golden(case)
        model = support.import_model(self.folder_of(case) / "config.json", golden["batch"] // ranks, golden["seq"])
        return support.compile_model(model, f"--world-size={ranks}", *options)

    def adamw(self, case):
        hyper = self.golden(case)["hyper"]
        return ("--optimizer=adamw", f"--betas={hyper['betas'][0]},{hyper['betas'][1]}", f"--eps={hyper['eps']}",
                f"--weight-decay={hyper['weight_decay']}", f"--grad-clip={hyper['clip']}")

    def start(self, case, binary, steps, lr, *flags, name="run", ranks=1):
        folder = self.folder_of(case)
        return self.train(binary, folder / "tokens.bin", steps, lr, "--data-format", "u16",
                          "--init", folder / "model.safetensors", *flags, name=name, ranks=ranks)

    def check_gradients(self, case):
        """Compares the first loss and each gradient; the error is in units of its largest element."""
        lines, saved = self.start(case, self.compile(case, *PLAIN), 1, STEP)
        self.assert_close(lines[0]["loss"], self.golden(case)["loss"][0], 1e-6, "the first loss")
        begin, end, expected = (support.read_safetensors(path) for path in (
            self.folder_of(case) / "model.safetensors", saved, self.folder_of(case) / "gradients.safetensors"))
        self.assertEqual(end.keys(), expected.keys())
        largest = max(max(map(abs, gradient)) for _, gradient in expected.values())
        for name, (shape, gradient) in expected.items():
            self.assertEqual(end[name][0], shape, name)
            if not any(gradient):
                self.assertEqual(end[name], begin[name], name)
            got = [(x - y) / STEP for x, y in zip(begin[name][1], end[name][1])]
            # The gradient of an expert without tokens is zero, and that of the bias of unrotated keys but for rounding.
            scale = max(map(abs, gradient))
            error = max(abs(x - y) for x, y in zip(got, gradient)) / (scale if scale > 1e-9 * largest else largest)
            self.assertLessEqual(error, 1e-5, f"gradient of {name}")

    def check_golden_numbers(self, case, lines, saved, losses, weights, ranks):
        golden = self.golden(case)
        apart = golden.get("loss_of_ranks", {}).get(str(ranks))
        for line, loss in zip(lines, apart or golden["loss"], strict=True):
            self.assert_close(line["loss"], loss, losses, f"loss of step {line['step']}")
        if not apart:  # else the weights are others, too
            self.assert_weights_close(saved, self.folder_of(case) / "final.safetensors", weights)

    def run_of(self, case, *options, ranks=1):
        """Returns metrics and saved weights of the golden run's steps."""
        golden = self.golden(case)
        binary = self.compile(case, *self.adamw(case), *options, ranks=ranks)
        return self.start(case, binary, golden["steps"], golden["hyper"]["lr"],
                          *support.nvme_flags(options, self.folder), ranks=ranks)

    def check_run(self, case, *options, losses=2e-6, weights=1e-4, ranks=1):
        self.check_golden_numbers(case, *self.run_of(case, *options, ranks=ranks), losses, weights, ranks)

    def outcome(self, case, *options, ranks=1):
        lines, saved = self.run_of(case, *options, ranks=ranks)
        return support.bits_of(lines), support.saved_bytes(saved)

    def check_layouts(self, case):
        """Stages, ranks, precisions; offloaded state and recomputed activations: two plans with the
        same numbers have the same bits, which are close to the golden ones."""
        ranks, precision, plans = layouts_of(case)
        outcomes = []
        for plan in plans:
            lines, saved = self.run_of(case, f"--precision={precision}", *plan, ranks=ranks)
            self.check_golden_numbers(case, lines, saved, **TOLERANCES[precision], ranks=ranks)
            outcomes.append((f"{case} {ranks} {precision} {plan}",
                             (support.bits_of(lines), support.saved_bytes(saved))))
        self.check_same_bits(outcomes)

    def test_layouts_have_all_pairs(self):
        """Stages, numbers of ranks, precisions, places and recomputation."""
        rows = [dict(stage=plan[0][-1], ranks=ranks, precision=precision,
                     place=" ".join(option for option in plan[1:] if "offload" in option),
                     remat="--remat=block" in plan)
                for ranks, precision, plans in map(layouts_of, CASES) for plan in plans]
        axes = {name: tuple(dict.fromkeys(row[name] for row in rows)) for name in rows[0]}
        self.assertEqual([len(values) for values in axes.values()], [4, 2, 2, 3, 2])
        self.assertEqual(covering.uncovered(axes, lambda part: part.get("remat") and part.get("place") == "", rows), set())

    def test_longest_sequences(self):
        """Those that commands in Python choose are the longest that zeroc import takes."""
        for case in CASES:
            config = self.folder_of(case) / "config.json"
            longest = positions_of(json.loads(config.read_text()))
            for seq, status in ((longest, 0), (longest + 1, 1)):
                self.assertEqual(support.run(support.ZEROC, "import", config, "--batch=1", f"--seq={seq}").returncode, status, case)

    def test_capped_logits_in_chunks(self):
        """Gemma 2's cap is between the product and the loss; a chunk has 16 or 48 of 138 rows."""
        whole, chunks = (self.compile("gemma2", *self.adamw("gemma2"), *options) for options in (
            ("--loss-chunk=0",), ("--loss-chunk=6KiB",)))
        arenas = [int(re.search(r"device arena +([\d,]+) B", (binary.parent / "zeroc.txt").read_text())[1]
                      .replace(",", "")) for binary in (whole, chunks)]
        self.assertLess(arenas[1], arenas[0] - 6 * 23 * 89 * 4)
        self.check_run("gemma2", "--loss-chunk=6KiB")
        self.check_run("gemma2", "--loss-chunk=6KiB", "--precision=bf16", **TOLERANCES["bf16"])
        self.check_same_bits((f"stage {stage}", self.outcome("gemma2", "--loss-chunk=6KiB", f"--stage={stage}", ranks=3))
                             for stage in (0, 3))

    def test_one_rank(self):
        """Offloaded or recomputed state and activations: the same bits."""
        for case in ("gemma3", "phi3"):
            self.check_same_bits((f"{case} {options}", self.outcome(case, *options)) for options in (
                (), ("--remat=block", "--bucket-size=2KiB"), ("--offload=cpu", "--offload-activations=cpu")))


class Weights(support.Case):
    """Exports a checkpoint to a model folder, and reads it."""

    def export(self, case):
        """Returns the folder with the final model of `case` in shards, and its weights."""
        golden = support.ROOT / "test/golden" / case
        binary = support.compile_model(support.import_model(golden / "config.json", 2, 23))
        _, saved = self.train(binary, golden / "tokens.bin", 3, 1e-3, "--data-format", "u16", "--init",
                              golden / "model.safetensors", "--checkpoint", self.folder / "all", "--save-at-exit")
        self.run_ok(support.ZEROC, "export", self.folder / "all", "-o", self.folder / "model",
                    "--max-shard-size=8KiB", "--config", golden / "config.json")
        index = json.loads((self.folder / "model/model.safetensors.index.json").read_text())
        self.assertGreater(len(set(index["weight_map"].values())), 2)
        return self.folder / "model", saved

    def check_folder(self, case):
        model, saved = self.export(case)
        binary = support.compile_model(support.import_model(model, 2, 23))
        _, again = self.train(binary, support.ROOT / "test/golden" / case / "tokens.bin", 0, 1e-3, "--data-format",
                              "u16", "--init", model, name="again")
        self.assert_same_bytes(again, saved)

    def test_tied(self):
        self.check_folder("qwen2")

    def test_untied(self):
        self.check_folder("gpt_neox")

    def test_output_layer_of_a_tied_model(self):
        """A file that has it: the embedding, said again, or another one, which no program leaves out in silence."""
        golden = support.ROOT / "test/golden/qwen2"
        weights = support.read_safetensors(golden / "model.safetensors")
        shape, embedding = weights["model.embed_tokens.weight"]
        other = embedding[:]
        other[-1] += 1
        copy, own, wrapped = (self.folder / f"{name}.safetensors" for name in ("copy", "own", "wrapped"))
        support.write_safetensors(copy, {**weights, "lm_head.weight": (shape, embedding)})
        support.write_safetensors(own, {**weights, "lm_head.weight": (shape, other)})
        support.write_safetensors(wrapped, {"_orig_mod." + name: tensor for name, tensor in weights.items()})
        model = support.import_model(golden / "config.json", 2, 23)
        training = "--data", golden / "tokens.bin", "--data-format", "u16", "--steps=1", "--lr=0", "--quiet", "--init"
        prompt = "--prompt-ids=1", "--sample-tokens=2", "--temperature=0", "--weights"
        for options, flags in (((), training), (("--precision=bf16",), training), (("--lora=2",), training),
                               (("--sample-only",), prompt)):
            with self.subTest(options):
                binary = support.compile_model(model, *options)
                expected = self.run_ok(binary, *flags, golden / "model.safetensors")
                done = self.run_ok(binary, *flags, copy)
                self.assertNotIn("warning", done.err)
                self.assertEqual(done.out, expected.out)
                done = self.run_ok(binary, *flags, wrapped)
                self.assertEqual(done.err.count("warning: "), 1, done.err)
                self.assertRegex(done.err, r"names are those of a wrapped model; _orig_mod\.model\.\S+ is read as model\.")
                self.assertEqual(done.out, expected.out)
                self.assert_refused(support.run(binary, *flags, own), "own.safetensors: tensor lm_head.weight differs from "
                                    "model.embed_tokens.weight from element 2,669 on", "tie_word_embeddings")
        # With a head for scores it is no part of the model.
        support.write_safetensors(own, {**weights, "lm_head.weight": (shape, other), "score.weight": ((3, 30), array.array("f", [0.5] * 90))})
        data = self.folder / "data.safetensors"
        zeros = array.array("i", [0] * 46)
        support.write_safetensors(data, {name: ((2, 23), zeros) for name in ("tokens", "targets", "starts")})
        scores = support.compile_model(support.import_model(golden / "config.json", 2, 23, "--packed", "--objective=classify",
                                                            "--labels=3"))
        done = self.run_ok(scores, "--data", data, "--steps=1", "--lr=0", "--quiet", "--init", own)
        self.assertIn("1 tensor is not in the model, ignored: lm_head.weight", done.err)

    def test_transformers(self):
        """The exported folder is a model of transformers, where that is installed."""
        if any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")):
            self.skipTest("transformers is not installed")
        for case in CASES:
            with self.subTest(case):
                self.setUp()
                model, saved = self.export(case)
                script = self.write("load.py", LOAD)
                done = self.run_ok(sys.executable, script, model, env={"HF_HUB_OFFLINE": "1"})
                found = {name: tuple(shape) for name, shape in json.loads(done.out).items()}
                self.assertEqual(found, {name: tuple(shape) for name, (shape, _) in
                                         support.read_safetensors(saved).items()})


#: Prints what save_pretrained writes for a folder, after checking that all its keys are used.
LOAD = """
import json, sys, tempfile
import safetensors.torch, transformers
model, report = transformers.AutoModelForCausalLM.from_pretrained(sys.argv[1], output_loading_info=True)
assert not report["missing_keys"] and not report["unexpected_keys"], report
with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    written = safetensors.torch.load_file(folder + "/model.safetensors")
print(json.dumps({name: tuple(value.shape) for name, value in written.items()}))
"""


def add_tests():
    """Adds tests for each case, so that one can be selected by its name."""
    checks = {
        "gradients": lambda self, case: self.check_gradients(case),
        "run": lambda self, case: self.check_run(case),
        "reference": lambda self, case: self.check_run(case, "--reference"),
        "layouts": lambda self, case: self.check_layouts(case),
    }
    # A mixture routes differently on two ranks than on one.
    of_experts = {"bf16": lambda self, case: self.check_run(case, "--precision=bf16", **TOLERANCES["bf16"])}
    for case in CASES:
        for what, check in (checks | (of_experts if is_of_experts(case) else {})).items():
            def test(self, check=check, case=case):
                check(self, case)
            setattr(Families, f"test_{what}_{case.replace('-', '_')}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
