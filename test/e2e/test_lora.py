"""--lora: a frozen model with trained adapters.  test_plans.py compares the bits of plans."""
import array
import json
import math
import random

import support

MODEL = """
func.func @loss(
    %w: tensor<4x5xf32> {{zero.param = "up.weight"}}, %b: tensor<4xf32> {{zero.param = "up.bias"}},
    %v: tensor<4x3xf32> {{zero.param = "down.weight"}},
    %x: tensor<{batch}x5xf32> {{zero.input = "x"}}, %y: tensor<{batch}x3xf32> {{zero.input = "y"}}) -> tensor<f32> {{
  %h = nn.linear %x, %w, %b : tensor<{batch}x5xf32>, tensor<4x5xf32>, tensor<4xf32> -> tensor<{batch}x4xf32>
  %t = math.tanh %h : tensor<{batch}x4xf32>
  %o = nn.linear %t, %v {{transposed}} : tensor<{batch}x4xf32>, tensor<4x3xf32> -> tensor<{batch}x3xf32>
  %d = arith.subf %o, %y : tensor<{batch}x3xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}} ins(%d : tensor<{batch}x3xf32>) outs(%zero : tensor<f32>) {{
  ^bb0(%e: f32, %sum: f32):
    %square = arith.mulf %e, %e : f32
    %part = arith.constant {part} : f32
    %term = arith.mulf %square, %part : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  }} -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


def matrix(draw, rows, columns, std=0.5):
    return [[draw.gauss(0, std) for _ in range(columns)] for _ in range(rows)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transposed(a):
    return [list(row) for row in zip(*a)]


def plus(a, b, scale=1.0):
    return [[x + scale * y for x, y in zip(r, s)] for r, s in zip(a, b)]


def flat(a):
    return [x for row in a for x in row]


def f32(a):
    """Rounds to f32, as files and programs do."""
    return [list(array.array("f", row)) for row in a]


def tensor(a):
    return [len(a), len(a[0])], array.array("f", flat(a))


class Definition:
    """The model above with adapters, in float64, trained by SGD."""

    def __init__(self, draw, rank, alpha):
        self.scale = alpha / rank
        self.w, self.v = f32(matrix(draw, 4, 5)), f32(matrix(draw, 4, 3))
        self.b = f32(matrix(draw, 1, 4))[0]
        self.up = [f32(matrix(draw, rank, 5)), f32(matrix(draw, 4, rank))]
        self.down = [f32(matrix(draw, rank, 4)), f32(matrix(draw, 3, rank))]

    def base(self):
        return {"up.weight": tensor(self.w), "up.bias": ([4], array.array("f", self.b)), "down.weight": tensor(self.v)}

    def adapters(self):
        return {f"base_model.model.{name}.lora_{which}.weight": tensor(value)
                for name, pair in (("up", self.up), ("down", self.down)) for which, value in zip("AB", pair)}

    def step(self, xs, ys, lr):
        # Rows are samples.  h = x (w + s B A)^T + b, o = tanh(h) (v^T + s B A)^T.
        w = plus(self.w, product(self.up[1], self.up[0]), self.scale)
        v = plus(transposed(self.v), product(self.down[1], self.down[0]), self.scale)
        t = [[math.tanh(h + b) for h, b in zip(row, self.b)] for row in product(xs, transposed(w))]
        d = plus(product(t, transposed(v)), ys, -1)
        do = [[2 * e / len(xs) for e in row] for row in d]
        dh = [[g * (1 - a * a) for g, a in zip(row, rows)] for row, rows in zip(product(do, v), t)]
        for pair, gradient in ((self.up, product(transposed(dh), xs)), (self.down, product(transposed(do), t))):
            da = product(transposed(pair[1]), gradient)
            db = product(gradient, transposed(pair[0]))
            pair[0], pair[1] = plus(pair[0], da, -lr * self.scale), plus(pair[1], db, -lr * self.scale)
        return sum(e * e for row in d for e in row) / len(xs)


class Adapters(support.Outcomes):
    def outcome(self, ranks, *options, **how):
        return super().outcome("--lora=4:8", *options, ranks=ranks, lr=1e-2, **how)


class Lora(Adapters):
    def adapter_folder(self, name, tensors, **config):
        folder = self.folder / name
        folder.mkdir()
        support.write_safetensors(folder / support.ADAPTER, tensors)
        (folder / "adapter_config.json").write_text(json.dumps(
            {"peft_type": "LORA", "r": 2, "lora_alpha": 3, "bias": "none", "use_dora": False} | config))
        return folder

    def test_against_the_definition(self):
        steps, batch, ranks = 8, 3, 2
        draw = random.Random(3)
        expected = Definition(draw, rank=2, alpha=3)
        support.write_safetensors(self.folder / "base.safetensors", expected.base())
        adapters = self.adapter_folder("start", expected.adapters())
        xs, ys = f32(matrix(draw, steps * batch * ranks, 5, 1)), f32(matrix(draw, steps * batch * ranks, 3, 1))
        for name, values in (("x", xs), ("y", ys)):
            (self.folder / f"{name}.npy").write_bytes(support.npy("f", (len(values), len(values[0])), flat(values)))
        whole = batch * ranks
        losses = [expected.step(xs[i * whole:(i + 1) * whole], ys[i * whole:(i + 1) * whole], 0.1) for i in range(steps)]
        model = self.write("model.mlir", MODEL.format(batch=batch, part=1 / batch))
        for options in ((), ("--stage=3", "--offload=nvme"), ("--stage=2", "--bucket-size=1KiB")):
            with self.subTest(options):
                binary = support.compile_model(model, "--lora=2:3", "--optimizer=sgd", "--momentum=0", "--grad-clip=0",
                                               "--weight-decay=0", f"--world-size={ranks}", *options)
                _, lines, saved = self.run_plan(
                    binary, "--input", f"x={self.folder / 'x.npy'}", "--input", f"y={self.folder / 'y.npy'}", "--steps",
                    steps, "--lr", 0.1, "--init", self.folder / "base.safetensors", "--adapter", adapters,
                    *support.nvme_flags(options, self.folder), ranks=ranks)
                for line, loss in zip(lines, losses, strict=True):
                    self.assert_close(line["loss"], loss, 2e-6, f"loss of step {line['step']}")
                found = support.read_safetensors(saved / support.ADAPTER)
                self.assertEqual(sorted(found), sorted(expected.adapters()))
                for name, (_, values) in expected.adapters().items():
                    for value, wanted in zip(found[name][1], values, strict=True):
                        self.assertAlmostEqual(value, wanted, delta=2e-6)

    def test_rank_stabilized(self):
        """alpha / sqrt(r): with rank 4 the bits of twice the alpha; PEFT's key is written, read and merged."""
        plain = self.super_outcome("--lora=4:16")
        for options in ((), ("--stage=3",), ("--reference",)):
            ranks = 2 if "--stage=3" in options else 1
            expected = self.super_outcome("--lora=4:16", *options, ranks=ranks)
            self.assertEqual(self.super_outcome("--lora=4:8", "--rslora", *options, ranks=ranks), expected)
        self.assertNotEqual(self.super_outcome("--lora=4:8"), plain)
        for name, options in (("root", ("--lora=4:8", "--rslora")), ("twice", ("--lora=4:16",))):
            self.super_outcome(*options, steps=3, flags=("--checkpoint", self.folder / name, "--save-at-exit"))
            self.run_ok(support.ZEROC, "export", self.folder / name, "-o", self.folder / f"{name}.safetensors", "--merge")
        self.assert_same_bytes(self.folder / "root.safetensors", self.folder / "twice.safetensors")
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--lora=4:8", "--rslora")
        data = self.write_tokens(200, 256)
        common = ("--data", data, "--steps", 1, "--lr", 1e-3, "--init", "random")
        self.run_ok(binary, *common, "--save", self.folder / "adapter")
        self.assertIs(json.loads((self.folder / "adapter" / "adapter_config.json").read_text())["use_rslora"], True)
        self.run_ok(binary, *common, "--adapter", self.folder / "adapter")
        other = support.compile_gpt2(support.SMALL, 2, 16, "--lora=4:8")
        self.assert_refused(support.run(other, *common, "--adapter", self.folder / "adapter"),
                            "use_rslora is true, and of this plan false; compile it with --rslora")
        self.assert_refused(support.run(other, "--data", data, "--steps", 5, "--lr", 1e-3, "--resume", self.folder / "root"),
                            "r 4, lora_alpha 8, use_rslora")
        self.assert_refused(support.run(support.ZEROC, support.import_model(support.SMALL, 2, 16), "--rslora", "-o",
                                        self.folder / "x"), "--rslora is for adapters; add --lora=RANK")

    def test_modules_to_save(self):
        """Whole modules are trained beside adapters, saved with PEFT's names, read again, and exported."""
        config = {**support.SMALL, "tie_word_embeddings": False}
        model = support.import_model(config, 2, 16)
        options = ("--lora=4:8", "--modules-to-save=lm_head|transformer\\.w[tp]e")
        data = self.write_tokens(300, 256)
        base = self.folder / "base.safetensors"
        self.run_ok(support.compile_model(model), "--data", data, "--steps", 1, "--lr", 0, "--save", base)
        common = ("--data", data, "--lr", 1e-2, "--init", base, "--steps", 3)
        saved = []
        for ranks, more in ((1, ()), (2, ("--stage=0",)), (2, ("--stage=3", "--offload=cpu"))):
            binary = support.compile_model(model, *options, f"--world-size={ranks}", *more)
            _, lines, folder = self.run_plan(binary, *common, "--checkpoint", self.folder / f"kept{len(saved)}",
                                             "--save-at-exit", ranks=ranks, name=f"adapter{len(saved)}")
            saved.append((support.bits_of(lines), support.read_safetensors(folder / support.ADAPTER)))
        self.assertEqual(*saved[1:])
        found, before = saved[0][1], support.read_safetensors(base)
        whole = sorted(name for name in found if ".lora_" not in name)
        self.assertEqual(whole, [f"base_model.model.{name}.weight" for name in ("lm_head", "transformer.wpe", "transformer.wte")])
        for name in whole:
            self.assertNotEqual(found[name][1], before[name.removeprefix("base_model.model.")][1])
        (self.folder / "adapter0.safetensors").rename(self.folder / "adapter0")
        written = json.loads((self.folder / "adapter0" / "adapter_config.json").read_text())
        self.assertEqual(sorted(written["modules_to_save"]), ["lm_head", "transformer.wpe", "transformer.wte"])
        # Read again, as they were written.
        binary = support.compile_model(model, *options)
        self.run_ok(binary, "--data", data, "--lr", 0, "--init", base, "--adapter", self.folder / "adapter0", "--steps", 1,
                    "--save", self.folder / "again")
        self.assert_same_bytes(self.folder / "again" / support.ADAPTER, self.folder / "adapter0" / support.ADAPTER)
        self.run_ok(support.ZEROC, "export", self.folder / "kept0", "-o", self.folder / "merged.safetensors", "--merge")
        merged = support.read_safetensors(self.folder / "merged.safetensors")
        self.assertEqual(merged.keys(), before.keys())
        self.assertEqual(merged["lm_head.weight"][1], found["base_model.model.lm_head.weight"][1])
        norm = "transformer.ln_f.weight"
        self.assertEqual(merged[norm], before[norm])
        other = support.compile_model(model, "--lora=4:8")
        self.assert_refused(support.run(other, *common, "--adapter", self.folder / "adapter0"),
                            "3 of its tensors are none of the plan's, as base_model.model.lm_head.weight; compile the plan")
        tied = support.import_model(support.SMALL, 2, 16)
        for options, keyword in ((("--lora=4", "--modules-to-save=transformer.wte"), "is read in several places"),
                                 (("--lora=4", "--modules-to-save=none"), '"none" matches no module'),
                                 (("--lora=4", "--modules-to-save=("), "is no regular expression"),
                                 (("--lora=4", "--modules-to-save=transformer.h.0.mlp.c_fc"), "gets an adapter, too"),
                                 (("--modules-to-save=x",), "add --lora=RANK")):
            self.assert_refused(support.run(support.ZEROC, tied, *options, "-o", self.folder / "x"), keyword)

    def super_outcome(self, *options, ranks=1, **how):
        return support.Outcomes.outcome(self, *options, ranks=ranks, lr=1e-2, **how)

    def test_reference(self):
        losses, norms = zip(*self.outcome(1)[0])
        self.assertNotEqual(losses[0], losses[-1])
        for loss, norm, (other, other_norm) in zip(losses, norms, self.outcome(1, "--reference")[0], strict=True):
            self.assert_close(loss, other, 2e-6, "loss")
            self.assert_close(norm, other_norm, 1e-5, "norm")

    def test_the_model_stays_and_runs_resume(self):
        for ranks, *options in ((2, "--stage=3", "--precision=bf16"), (1, "--offload=nvme"), (2, "--stage=1")):
            with self.subTest(options):
                whole = self.outcome(ranks, *options, steps=6)
                saves = ("--checkpoint", self.folder / f"saved{ranks}{len(options)}")
                first = self.outcome(ranks, *options, steps=3, flags=(*saves, "--save-at-exit"))
                self.assertEqual(first[0], whole[0][:3])
                after = self.folder / f"after{ranks}{len(options)}"
                rest = self.outcome(ranks, *options, steps=6,
                                    flags=("--resume", saves[1], "--checkpoint", after, "--save-at-exit"))
                self.assertEqual(rest, whole)  # metrics of a resumed run continue
                weights = []
                for checkpoint in (saves[1], after):
                    out = self.folder / "all.safetensors"
                    self.run_ok(support.ZEROC, "export", checkpoint, "-o", out)
                    weights.append(support.read_safetensors(out))
                for name, before in weights[0].items():
                    self.assertEqual(weights[1][name] == before, "lora_" not in name, name)

    def test_what_is_not_trained_takes_no_state(self):
        model = support.import_model(support.SMALL, 2, 16)

        def state(*options):
            done = self.run_ok(support.ZEROC, model, "--certificate=json", "-o", self.folder / "train", *options)
            return {name: term["held"] for name, term in json.loads(done.out)["model_state"].items()}

        full, lora = state(), state("--lora=4")
        self.assertLess(lora["optimizer_state"], full["optimizer_state"] / 4)
        self.assertLess(lora["gradients"], full["gradients"] / 4)

    def test_what_the_start_says(self):
        """The start-up message describes adapters, model, and trained parameters; saving describes
        the result."""
        binary, data = support.compile_gpt2(support.SMALL, 2, 16, "--lora=4:8"), self.write_tokens(1200, 256)
        plain = support.compile_gpt2(support.SMALL, 2, 16)
        base = self.folder / "base"
        base.mkdir()
        (base / "config.json").write_text("{}")
        done = self.run_ok(plain, "--data", data, "--steps", 0, "--lr", 0, "--save", base / "model.safetensors")
        self.assertRegex(done.out, r"model +\S+, 7,920 parameters\n")
        self.assertIn("weights   random, seed 0\n", done.out)
        done = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--init", base, "--save", "a", "--checkpoint",
                           "kept", "--save-at-exit")
        self.assertRegex(done.out, r"model +\S+, [\d,]+ parameters, 1,024 of them trained\n")
        self.assertRegex(done.out, r"options .* --lora=4:8\n")
        self.assertIn(f"weights   {base}\n", done.out)
        for init in ("base", base / "model.safetensors"):
            done = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--init", init, "--adapter", "a", "--save",
                               "b")
            self.assertIn(f"weights   {init}, adapters from a\n", done.out)
            config = json.loads((self.folder / "b/adapter_config.json").read_text())
            self.assertEqual(config["base_model_name_or_path"], str(base.resolve()))
        done = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--resume", "kept", "--save", "c")
        self.assertEqual(json.loads((self.folder / "c/adapter_config.json").read_text()), config)
        self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--init", "random", "--checkpoint", "drawn",
                    "--save-at-exit")
        done = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--resume", "drawn", "--save", "d")
        self.assertIn("d/adapter_config.json names no base model, as there is no --init", done.err)
        # The first run of several with the same command line.
        self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--init", base, "--checkpoint", "later", "--save-at-exit",
                    "--resume", "latest", "--save", "c")

    def test_generate(self):
        """Generates the same as the run itself."""
        at, model = self.folder / "kept", support.import_model(support.SMALL, 2, 16)
        self.outcome(1, steps=3, flags=("--checkpoint", at, "--save-at-exit"))
        draw = ("--prompt-ids=1,2", "--sample-tokens=9")
        plain = support.compile_model(model, "--sample-only")
        self.assert_refused(support.run(plain, "--weights", at, *draw), "this run trained adapters; add its "
                            "--lora=4:ALPHA, and its --lora-targets and --base-storage if it has them")
        done = self.generate(model, at, *draw, options=("--lora=4:8",))
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--lora=4:8", "--sample")
        again = self.run_ok(binary, "--data", self.folder / "tokens256.u16", "--steps", 3, "--lr", 1e-2, "--resume", at,
                            "--sample", 1, *draw)
        text = done.out.split("of 1\n")[1].split("---")[0]
        self.assertGreater(len(text), 9)
        self.assertIn(text, again.out)

    def test_merge(self):
        """The weights of GPT-2 are stored transposed."""
        at, merged, both = (self.folder / name for name in ("kept", "merged.safetensors", "both.safetensors"))
        self.outcome(1, steps=3, flags=("--checkpoint", at, "--save-at-exit"))
        for out, more in ((merged, ("--merge",)), (both, ())):
            self.run_ok(support.ZEROC, "export", at, "-o", out, *more)
        self.check_merged(support.read_safetensors(merged), support.read_safetensors(both))

    def test_a_tied_head_is_refused(self):
        """PEFT would read its adapter as one of the embedding; --merge would change that, too."""
        for config in (support.SMALL, json.loads((support.ROOT / "test/golden/gemma2/config.json").read_text())):
            model = support.import_model(config, 2, 16)
            done = support.run(support.ZEROC, model, "--lora=4", "--lora-targets=.*", "-o", self.folder / "x")
            self.assert_refused(done, 'an adapter of ".*(wte|embed_tokens)" would be of its linear layer alone')

    def test_export_of_a_folder_is_refused(self):
        """Other programs would load it as the base model."""
        at = self.folder / "kept"
        self.outcome(1, steps=1, flags=("--checkpoint", at, "--save-at-exit"))
        config = self.write("config.json", support.SMALL)
        for more in ((), (f"--config={config}",)):
            done = support.run(support.ZEROC, "export", at, "-o", self.folder / "model", *more)
            self.assert_refused(done, "this run trained adapters .*lora_A.* is one., and a folder with them would load as the "
                                      "base model, untrained; merge them with --merge, or take them in PEFT's format, which "
                                      "train --resume with --save=DIR writes", status=1)
        self.assertFalse((self.folder / "model").exists())

    def test_bad_input(self):
        model = support.import_model(support.SMALL, 2, 16)
        for options, *words in (
                (["--lora=0"], r"--lora must be a rank from 1 to 65536, or RANK:ALPHA, got 0"),
                (["--lora=4:-1"], r"--lora must have an alpha above 0 and at most 1000000, got 4:-1"),
                (["--lora-targets=x"], r"--lora-targets is for adapters; add --lora=RANK"),
                (["--lora=4", "--lora-targets=c_attn"], r"no linear layer .* \"c_attn\" matches whole; there is \".*c_attn\" and"),
                (["--lora=900"], r"an adapter of rank 900 is no smaller than")):
            with self.subTest(options):
                self.assert_refused(support.run(support.ZEROC, model, *options, "-o", self.folder / "train"), *words)
        experts = support.import_model(support.ROOT / "test/golden/mixtral/config.json", 2, 7)
        self.assert_refused(
            support.run(support.ZEROC, experts, "--lora=2", "--lora-targets=.*(q_proj|w1)", "-o", self.folder / "train"),
            r"\".*w1.\" matches \"model.layers.0.*experts.0.w1\" and 33 more weights of experts, which get no adapters")
        draw = random.Random(3)
        definition = Definition(draw, rank=2, alpha=3)
        support.write_safetensors(self.folder / "base.safetensors", definition.base())
        support.write_safetensors(self.folder / "other.safetensors", {"up.weight": tensor(definition.w)})
        small = self.write("model.mlir", MODEL.format(batch=2, part=0.5))
        adapted = support.compile_model(small, "--lora=2:3")
        plain = support.compile_model(small)
        (self.folder / "x.npy").write_bytes(support.npy("f", (20, 5), [0.0] * 100))
        (self.folder / "y.npy").write_bytes(support.npy("f", (20, 3), [0.0] * 60))
        (self.folder / "file").write_text("")
        some = definition.adapters()
        some.pop("base_model.model.up.lora_B.weight")
        other = "base_model.model.side.lora_A.weight"
        cases = (
            (plain, ["--adapter", self.adapter_folder("a", definition.adapters())],
             "this plan has no adapters; compile it with --lora=RANK"),
            (adapted, ["--adapter", self.folder / "nowhere"], "adapter_config.json: cannot be read; --adapter needs a folder"),
            (adapted, ["--adapter", self.adapter_folder("r", {}, r=8)], "r is 8 and lora_alpha 3, and this plan has 2 and 3; "
             "compile it with --lora=8:3"),
            (adapted, ["--adapter", self.adapter_folder("q", {}, use_qalora=True)], "use_qalora is true, which zeroc does not"),
            (adapted, ["--adapter", self.adapter_folder("al", {}, alora_invocation_tokens=[1, 2])],
             r"alora_invocation_tokens is \[1,2\], which zeroc does not"),
            (adapted, ["--adapter", self.adapter_folder("n", {}, of_next_year={"a": 1})], "of_next_year is .*does not compute"),
            (adapted, ["--adapter", self.adapter_folder("pi", {}, init_lora_weights="pissa_niter_16")],
             "init_lora_weights is .pissa_niter_16., which may have changed the base"),
            (adapted, ["--adapter", self.adapter_folder("t", {**definition.adapters(), other: some[other.replace("side", "up")]})],
             "1 of its tensors are none of the plan's, as base_model.model.side.lora_A.weight; compile the plan with "
             "--lora-targets"),
            (adapted, ["--adapter", self.adapter_folder("p", {}, peft_type="IA3")], "peft_type is \"IA3\", and only LORA is known"),
            (adapted, ["--adapter", self.adapter_folder("m", some), "--init", "random"], "1 of the plan's tensors are missing, as base_model.model.up.lora_B.weight"),
            (adapted, [], "--init is missing: this plan trains adapters of a model, whose weights would be random; name its "
             "file or folder, or say --init=random"),
            (adapted, ["--adapter", self.adapter_folder("b", definition.adapters())], "--init is missing: this plan trains"),
            (adapted, ["--init", self.folder / "other.safetensors"], "tensor down.weight is missing"),
            (adapted, ["--save", self.folder / "file"], "a plan with adapters saves a folder"),
        )
        for binary, options, word in cases:
            with self.subTest(word):
                self.assert_refused(support.run(binary, "--input", f"x={self.folder / 'x.npy'}", "--input",
                                                f"y={self.folder / 'y.npy'}", "--steps", 2, "--lr", 0.1, *options), word)
