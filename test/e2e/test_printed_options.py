"""What a plan prints of its options makes the same plan again: each option of zeroc that a plan depends on is there."""
import json
import re
import shlex

import support

LION = support.EXAMPLES / "optimizers" / "lion.mlir"
FOREIGN = """func.func @other(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %v = arith.addf %w, %c : tensor<8xf32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%x, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %d = arith.subf %a, %b : f32
    %s = arith.mulf %d, %d : f32
    %r = arith.addf %sum, %s : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %zero, %loss : tensor<f32>, tensor<f32>
}"""
#: Of each option words with which a plan of a small GPT-2 has it; "" where the plan does not depend on it.
TWO, THREE, HALVES, CPU = ("--world-size=2",), ("--world-size=2", "--stage=3"), ("--precision=bf16",), ("--offload-optimizer=cpu",)
FOUR, LORA, CUDA = ("--world-size=4", "--stage=3"), ("--lora=2:4",), ("--target=cuda", "--cuda-arch=emulated")
WORDS = {
    "--weight-decay": ("=0.2",), "--grad-clip": ("=0.5",), "--skip-nonfinite": ("=on",), "--precision": ("=bf16",),
    "--grad-dtype": ("=bf16", *HALVES), "--state-dtype": ("=bf16",), "--master": ("=none", *HALVES), "--reference": ("",),
    "--loss-chunk": ("=4KiB",), "--stage": ("=1", *TWO), "--world-size": ("=2",), "--context": ("=2", *TWO), "--ranks-per-host": ("=2", *FOUR),
    "--shard-size": ("=2", *FOUR), "--secondary-shard": ("=2", *FOUR), "--wire-params": ("=int8", *THREE),
    "--wire-gradients": ("=int8", *THREE), "--accumulate": ("=2",),
    "--virtual-shards": ("=2", "--accumulate=2"), "--accumulate-order": ("=block", "--accumulate=2"),
    "--persist-below": ("=256", *THREE), "--bucket-size": ("=4KiB",), "--reuse-distance": ("=1KiB", *THREE),
    "--prefetch": ("=0", *THREE), "--max-live": ("=1MiB", *THREE), "--offload-optimizer": ("=cpu",),
    "--offload-ratio": ("=0.5", *CPU, *HALVES), "--offload-params": ("=nvme",), "--offload-gradients": ("=cpu", "--accumulate=2"),
    "--offload-activations": ("=cpu",), "--remat": ("=block",), "--remat-ratio": ("=0.5", "--remat=block"),
    "--overlap-update": ("", *CPU), "--delayed-update": ("", *CPU), "--eval": ("",), "--sample": ("",), "--sample-only": ("",),
    "--optimizer": (f"={LION}",), "--optimizer-numbers": ("=beta1=0.5", f"--optimizer={LION}"), "--betas": ("=0.8,0.9",),
    "--eps": ("=1e-6",), "--momentum": ("=0.5", "--optimizer=sgd"), "--lora": ("=2:4",), "--rslora": ("", *LORA),
    "--dora": ("", *LORA), "--lora-dropout": ("=0.25", *LORA), "--lora-targets": ("=.*(c_attn|c fc)", *LORA),
    "--modules-to-save": ("=.*ln_f", *LORA), "--base-storage": ("=nf4", *LORA), "--target": ("=cuda", "--cuda-arch=emulated"),
    "--cuda-arch": ("=emulated", "--target=cuda"), "--collectives": ("=direct", *CUDA, *TWO), "--device-memory": ("=1GiB",),
    "--host-memory": ("=1GiB",)}
#: As a program says them alone, which --emit=memory does not.
OF_CODE = {"--cpu": "=x86-64-v3", "--attention": "=f32"}
#: Stand for others.
STAND_FOR = {"--offload": ("=cpu", "--offload-optimizer=cpu"), "--ds-config": ("=ds.json", "--stage=2")}
OF_FOREIGN = {"--function", "--params", "--inputs", "--loss", "--constants-as-params"}
OF_NO_PLAN = {"--machine", "--threads-per-rank", "--network", "--jitter", "--straggler", "--jitter-seed", "--batch-tokens",
              "--trace", "--list-work", "-o", "--emit", "--certificate", "--batch", "--seq", "--timing", "--force",
              "--score-only"}


class PrintedOptions(support.Case):
    def options(self):
        """The options of zeroc, of its own table."""
        lines = self.run_ok(support.ZEROC, "--options").out.splitlines()
        return [line.split()[1].rstrip("=") for line in lines if line.startswith("compile ")]

    def plan(self, model, words, name):
        """The plan without the order in which its options were given, and the options that it prints."""
        plan = self.folder / f"{name}.mlir"
        self.run_ok(support.ZEROC, model, *words, "--emit=memory", "-o", plan)
        late = support.run(support.ZEROC, plan, "--weight-decay=0.3", "--emit=memory")
        printed = re.search("are fixed as (.*); drop the option", late.err)
        return re.sub(r"zero\.given = \[.*?\], ", "", plan.read_text()), shlex.split(printed[1])

    def check(self, model, option, words):
        with self.subTest(option):
            plan, printed = self.plan(model, words, "plan")
            self.assertEqual(self.plan(model, printed, "again"), (plan, printed))
            return printed

    def test_each_option(self):
        """Every option of the table is in one of the lists here, and those of plans are printed."""
        self.assertEqual(sorted(self.options()), sorted([*WORDS, *OF_CODE, *STAND_FOR, *OF_FOREIGN, *OF_NO_PLAN]))
        self.write("ds.json", json.dumps({"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 1}))
        model = support.import_model(support.SMALL, 1, 16)
        for option, (value, *more) in WORDS.items():
            printed = self.check(model, option, [option + value, *more])
            self.assertIn(option, [word.partition("=")[0] for word in printed], option)
        for option, (value, word) in STAND_FOR.items():
            value = value.replace("ds.json", str(self.folder / "ds.json"))
            self.assertIn(word, self.check(model, option, [option + value, "--world-size=2"]), option)

    def test_of_another_front_end(self):
        words = ["--function=main", "--params=w:1", "--inputs=x:0", "--loss=1",
                 f"--constants-as-params={self.folder / 'c.safetensors'}"]
        model = self.write("foreign.mlir", FOREIGN.replace("func.func @other", "func.func private @other"))
        printed = self.check(model, "foreign", words)
        self.assertLessEqual(OF_FOREIGN, {word.partition("=")[0] for word in printed})

    def test_of_code(self):
        """What only the code of a plan depends on; and a program shows all at its start."""
        model = support.import_model(support.SMALL, 1, 16)
        words = [option + value for option, value in OF_CODE.items()]
        lora = ["--lora=2:4", "--base-storage=nf4", "--modules-to-save=.*ln_f", "--rslora"]
        program = support.compile_model(model, *words, *lora)
        done = self.run_ok(program, "--data", self.write_tokens(400, 256), "--steps", 1, "--lr", 0, "--init", "random")
        printed = re.search("^options   (.*)$", done.out, re.M)[1]
        self.assertLessEqual({*words, *lora}, {*shlex.split(printed)})

    def test_a_rule_that_changed(self):
        """The rule of a file is printed with a hash, which zeroc checks."""
        own = self.write("own.mlir", LION.read_text())
        model = support.import_model(support.SMALL, 1, 16)
        _, printed = self.plan(model, [f"--optimizer={own}"], "plan")
        rule = next(word for word in printed if word.startswith(f"--optimizer={own}#"))
        self.run_ok(support.ZEROC, model, rule, "--emit=memory", "-o", self.folder / "same.mlir")
        own.write_text(own.read_text().replace("beta1 = 0.9", "beta1 = 0.8"))
        done = support.run(support.ZEROC, model, rule, "--emit=memory", "-o", self.folder / "other.mlir")
        self.assert_refused(done, "was another rule than the one that is there now, @lion#")
