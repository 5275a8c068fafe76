"""Generation has the bits of training: the logits of its programs are those of the forward pass.

The logits of a training step are read without the programs of generation.  The loss of the model is
replaced by the sum of logits times a parameter `probe` of zeros.  A step of gradient descent at a
learning rate of 1 leaves minus the logits in it.
"""
import array
import json
import re
import struct
import unittest

import support

ROOT = support.ROOT / "test" / "golden"
CASES = sorted(path.parent.name for path in ROOT.glob("*/config.json"))
#: Of both compilations.
ADAPTERS = {"lora_fp32": ("fp32", "--lora=4"), "lora_bf16": ("bf16", "--lora=4"), "dora_bf16": ("bf16", "--lora=4", "--dora"),
            "nf4_fp32": ("fp32", "--lora=4", "--base-storage=nf4"), "int8_bf16": ("bf16", "--lora=4", "--base-storage=int8")}
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")


def probed(model):
    """The text of the model `model`, with the probe; and the shape of the logits."""
    text = model.read_text()
    loss = re.search(r"( *)(%\S+) = nn\.cross_entropy (%\S+), .*? : tensor<(\d+)x(\d+)x(\d+)xf32>.*", text)
    indent, name, logits = loss[1], loss[2], loss[3]
    shape = tuple(int(size) for size in loss.groups()[3:])
    kind = f"tensor<{shape[0]}x{shape[1]}x{shape[2]}xf32>"
    lines = [f"%probe_zero = arith.constant dense<0.0> : tensor<f32>",
             f"%probe_product = arith.mulf {logits}, %probe : {kind}",
             f"{name} = linalg.generic {{indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, "
             f"affine_map<(a, b, c) -> ()>], iterator_types = [\"reduction\", \"reduction\", \"reduction\"]}} "
             f"ins(%probe_product : {kind}) outs(%probe_zero : tensor<f32>) {{",
             "^bb0(%probed: f32, %sum: f32):", "  %more = arith.addf %sum, %probed : f32", "  linalg.yield %more : f32",
             "} -> tensor<f32>"]
    text = text.replace(loss[0], "\n".join(indent + line for line in lines))
    argument = f"%probe: {kind} {{zero.param = \"probe\", zero.init = #zero.constant<0.0>}}, "
    return re.sub(r"(func\.func @\w+\()", r"\1" + argument, text, count=1), shape


class BitsCase(support.Case):
    #: How generation reads the tokens.
    runs = ("token", "chunk")
    #: Of the model.
    imported = ()

    def compare(self, config, weights, tokens, seq, precision, options=(), checkpoint=None):
        """`weights` are all parameters in a file; `checkpoint`, if given, is what generation reads in its place."""
        batch = 2
        model = support.import_model(config, batch, seq, *self.imported)
        text, shape = probed(model)
        halves = () if precision == "fp32" else ("--grad-dtype=f32",)
        saved = ("--modules-to-save=probe",) if options else ()
        options = (*options, *self.targets(options))
        probe = support.compile_model(support.written_model(text), f"--precision={precision}", *PLAIN, *halves, *options,
                                      *saved)
        initial = self.folder / "initial.safetensors"
        count = shape[0] * shape[1] * shape[2]
        support.write_safetensors(initial, {**support.read_safetensors(weights),
                                            "probe": (shape, array.array("f", bytes(4 * count)))})
        self.run_ok(probe, "--data", tokens, "--data-format", "u16", "--init", initial, "--steps", 1, "--lr", 1,
                    "--checkpoint", self.folder / "probe", "--save-at-exit", "--progress=none")
        self.run_ok(support.ZEROC, "export", self.folder / "probe", "-o", self.folder / "probe.safetensors")
        found, values = support.read_safetensors(self.folder / "probe.safetensors")["probe"]
        self.assertEqual((tuple(found), values.typecode), (shape, "f"))
        ids = struct.unpack(f"<{seq}H", tokens.read_bytes()[:2 * seq])
        expected = array.array("f", (0.0 - x for x in values[:seq * shape[2]])).tobytes()
        row = shape[2] * 4
        only = support.compile_model(model, f"--precision={precision}", "--sample-only", *options)
        for kind in self.runs:
            out = self.folder / f"{kind}.npy"
            self.run_ok(only, "--weights", checkpoint or weights, "--prompt-ids", ",".join(map(str, ids)), "--logits", out,
                        "--logits-by", kind)
            # What is read from the probe has no sign of a zero.
            found = array.array("f", out.read_bytes()[-seq * row:])
            data = array.array("f", (0.0 + x for x in found)).tobytes()
            differ = [i for i in range(seq) if data[i * row:(i + 1) * row] != expected[i * row:(i + 1) * row]]
            self.assertEqual(differ, [], f"{config} {precision} {options} by {kind}")

    @staticmethod
    def targets(options):
        """With the probe, no layer is known as the head."""
        return ("--lora-targets=.*[.](layers|h)[.].*",) if options else ()

    def compare_trained(self, config, seq, precision, options):
        """Compares after two steps of training, so that adapters are no zeros."""
        model = support.import_model(config, 2, seq, *self.imported)
        vocab = next(int(size) for size in re.findall(r"%tokens: [^)]*zero.vocab = (\d+)", model.read_text()))
        tokens = self.write_tokens(8 * seq + 8, vocab)
        trained = support.compile_model(model, f"--precision={precision}", *options, *self.targets(options))
        self.run_ok(trained, "--data", tokens, "--data-format", "u16", "--steps", 2, "--lr", "1e-2", "--checkpoint",
                    self.folder / "run", "--save-at-exit", "--progress=none", *support.init_flags(options))
        weights = self.folder / "weights.safetensors"
        self.run_ok(support.ZEROC, "export", self.folder / "run", "-o", weights)
        if options:  # packed weights are exported as what they are rounded to, and packed once more not the same
            plain, base = support.compile_model(model, f"--precision={precision}"), self.folder / "base.safetensors"
            self.run_ok(plain, "--data", tokens, "--data-format", "u16", "--steps", 1, "--lr", 0, "--save", base)
            adapters = {name: value for name, value in support.read_safetensors(weights).items() if ".lora_" in name}
            support.write_safetensors(weights, {**support.read_safetensors(base), **adapters})
        self.compare(config, weights, tokens, seq, precision, options, self.folder / "run")


class GenerateBits(BitsCase):
    """Of the models of golden runs, and of adapters."""


def add_cases():
    def test_of(case, precision):
        def test(self):
            golden = json.loads((ROOT / case / "golden.json").read_text())
            self.compare(ROOT / case / "config.json", ROOT / case / "model.safetensors", ROOT / case / "tokens.bin",
                         golden["seq"], precision)
        return test

    def adapters_of(precision, *options):
        # Packed rows are whole blocks, so that products of few rows read them as they are.
        config = {**json.loads((ROOT / "llama" / "config.json").read_text()), "hidden_size": 64, "intermediate_size": 128,
                  "num_attention_heads": 4, "num_key_value_heads": 2}
        return lambda self: self.compare_trained(config, 16, precision, options)
    for name, options in ADAPTERS.items():
        setattr(GenerateBits, f"test_{name}", adapters_of(*options))
    for number, case in enumerate(CASES):
        if not (ROOT / case / "model.safetensors").exists():
            continue
        # random/generation.py has all of them.
        for precision in ("fp32", "bf16") if case in ("llama", "gpt2-tiny") else (("fp32", "bf16")[number % 2],):
            setattr(GenerateBits, f"test_{case.replace('-', '_')}_{precision}", test_of(case, precision))


add_cases()

if __name__ == "__main__":
    unittest.main()
