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


class GenerateBits(support.Case):
    def compare(self, config, weights, tokens, seq, precision):
        batch = 2
        model = support.import_model(config, batch, seq)
        text, shape = probed(model)
        halves = () if precision == "fp32" else ("--grad-dtype=f32",)
        probe = support.compile_model(support.written_model(text), f"--precision={precision}", *PLAIN, *halves)
        initial = self.folder / "initial.safetensors"
        count = shape[0] * shape[1] * shape[2]
        support.write_safetensors(initial, {**support.read_safetensors(weights),
                                            "probe": (shape, array.array("f", bytes(4 * count)))})
        _, saved = self.train(probe, tokens, 1, 1, "--data-format", "u16", "--init", initial, name="probe")
        found, values = support.read_safetensors(saved)["probe"]
        self.assertEqual((tuple(found), values.typecode), (shape, "f"))
        ids = struct.unpack(f"<{seq}H", tokens.read_bytes()[:2 * seq])
        expected = array.array("f", (-x for x in values[:seq * shape[2]])).tobytes()
        row = shape[2] * 4
        only = support.compile_model(model, f"--precision={precision}", "--sample-only")
        for kind in ("token", "chunk"):
            out = self.folder / f"{kind}.npy"
            self.run_ok(only, "--weights", weights, "--prompt-ids", ",".join(map(str, ids)), "--logits", out,
                        "--logits-by", kind)
            data = out.read_bytes()[-seq * row:]
            differ = [i for i in range(seq) if data[i * row:(i + 1) * row] != expected[i * row:(i + 1) * row]]
            self.assertEqual(differ, [], f"{config} {precision} by {kind}")


def add_cases():
    def test_of(case, precision):
        def test(self):
            golden = json.loads((ROOT / case / "golden.json").read_text())
            self.compare(ROOT / case / "config.json", ROOT / case / "model.safetensors", ROOT / case / "tokens.bin",
                         golden["seq"], precision)
        return test
    for case in CASES:
        if not (ROOT / case / "model.safetensors").exists():
            continue
        for precision in ("fp32", "bf16"):
            setattr(GenerateBits, f"test_{case.replace('-', '_')}_{precision}", test_of(case, precision))


add_cases()

if __name__ == "__main__":
    unittest.main()
