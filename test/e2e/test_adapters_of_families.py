"""Adapters beside packed weights, and modules trained whole, of families whose layers are not Llama's."""
import array
import json

import support
import test_lora
import test_qlora

ROOT = support.ROOT / "test" / "golden"
#: Of each, the storage of frozen weights, and modules that are trained whole.
CASES = {"qwen3_5": ("nf4", ".*conv1d|.*linear_attn[.]norm"), "lfm2": ("int8", ".*[.]conv[.]conv"),
         "gemma4": ("nf4", ".*embed_tokens_per_layer|.*[.]per_layer_projection_norm"),
         "granite4": ("int8", ".*post_attention_layernorm")}


class AdaptersOfFamilies(test_lora.Adapters):
    def test_each(self):
        for case, (storage, whole) in CASES.items():
            with self.subTest(case):
                self.check(case, storage, whole)

    def check(self, case, storage, whole):
        folder = ROOT / case
        golden = json.loads((folder / "golden.json").read_text())
        common = ("--data", folder / "tokens.bin", "--data-format", "u16", "--init", folder, "--steps", 3)
        options = ("--lora=2", f"--base-storage={storage}", f"--modules-to-save={whole}", "--world-size=2")
        model = support.import_model(folder / "config.json", golden["batch"] // 2, golden["seq"])
        outcomes = []
        for number, more in enumerate((("--stage=0",), ("--stage=3", "--offload=cpu", "--remat=block"))):
            binary = support.compile_model(model, *options, *more)
            _, lines, out = self.run_plan(binary, *common, "--lr", 1e-2, ranks=2, name=f"{case}-{number}")
            outcomes.append((support.bits_of(lines), support.read_safetensors(out / support.ADAPTER)))
        self.assertEqual(*outcomes)
        begin, (_, found) = support.read_safetensors(folder / "model.safetensors"), outcomes[0]
        modules = [name.removeprefix("base_model.model.") for name in found if ".lora_" not in name]
        self.assertTrue(modules)
        for name in modules:
            self.assertNotEqual(found[f"base_model.model.{name}"], begin[name], name)
        # Before the first step the function is that of the weights as they are packed.
        packed = {name.removeprefix("base_model.model.").removesuffix(".lora_A.weight") + ".weight"
                  for name in found if name.endswith(".lora_A.weight")}
        self.assertTrue(packed)
        through = {name: (shape, array.array("f", test_qlora.THROUGH[storage](values)) if name in packed else values)
                   for name, (shape, values) in begin.items()}
        support.write_safetensors(self.folder / "through.safetensors", through)
        plain = support.compile_model(model, "--world-size=2", "--stage=0")
        lines, _ = self.train(plain, folder / "tokens.bin", 1, 0, "--data-format", "u16", "--init",
                              self.folder / "through.safetensors", ranks=2, name=f"{case}-plain")
        self.assertEqual(lines[0]["loss"], outcomes[0][0][0][0])
