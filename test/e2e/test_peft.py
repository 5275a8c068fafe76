"""Adapters of some layers: those of PEFT, which test/golden/peft_adapters.py made with their logits, and our own."""
import shutil
import struct
import sys
import unittest

import support

sys.path.insert(0, str(support.ROOT / "python"))
from zeroc.source import adapter_options  # noqa: E402

ROOT = support.ROOT / "test" / "golden"
BASE = ROOT / "gemma2" / "model.safetensors"
#: In the order of logits.npy, of so many tokens.
FOLDERS, TOKENS = ("layers", "exclude", "regex", "names", "all"), 12


class Peft(support.Case):
    def logits(self, options, *weights):
        """Of the first tokens, by the program that zeroc generate compiles."""
        model = support.import_model(ROOT / "gemma2" / "config.json", 1, 16)
        ids = struct.unpack(f"<{TOKENS}H", (ROOT / "gemma2" / "tokens.bin").read_bytes()[:2 * TOKENS])
        out = self.folder / "logits.npy"
        self.run_ok(support.compile_model(model, "--sample-only", *options), "--weights", *weights, "--prompt-ids",
                    ",".join(map(str, ids)), "--logits", out, "--logits-by", "chunk")
        return list(support.read_npy(out)[1])[-TOKENS * 89:]

    def assert_close_logits(self, found, expected):
        worst = max(range(len(expected)), key=lambda i: abs(found[i] - expected[i]))
        self.assertAlmostEqual(found[worst], expected[worst], delta=2e-5, msg=f"logit {worst}")

    def test_logits(self):
        expected = list(support.read_npy(ROOT / "peft" / "logits.npy")[1])
        for number, name in enumerate(FOLDERS):
            with self.subTest(name):
                folder, first = ROOT / "peft" / name, number * TOKENS * 89
                self.assert_close_logits(self.logits(adapter_options(folder), BASE, "--adapter", folder),
                                         expected[first:first + TOKENS * 89])

    def test_wrapped_names(self):
        folder = self.folder / "wrapped"
        shutil.copytree(ROOT / "peft" / "names", folder)
        tensors = support.read_safetensors(folder / support.ADAPTER)
        support.write_safetensors(folder / support.ADAPTER, {f"module.{name}": value for name, value in tensors.items()})
        first = FOLDERS.index("names") * TOKENS * 89
        self.assert_close_logits(self.logits(adapter_options(folder), BASE, "--adapter", folder),
                                 list(support.read_npy(ROOT / "peft" / "logits.npy")[1])[first:first + TOKENS * 89])

    def test_our_own(self):
        """Generated with, resumed and merged."""
        options = ("--lora=2:3", r"--lora-targets=.*layers\.(?!0\.)\d+\..*?(?:q|v)_proj")
        program = support.compile_model(support.import_model(ROOT / "gemma2" / "config.json", 2, 16), *options)
        common = ("--data", ROOT / "gemma2" / "tokens.bin", "--data-format", "u16", "--lr", 1e-2, "--checkpoint", "kept",
                  "--save-at-exit", "--save", "own")
        self.run_ok(program, *common, "--init", BASE, "--steps", 2)
        self.run_ok(program, *common, "--resume", "kept", "--steps", 4)
        self.assertEqual(sorted(support.read_safetensors(self.folder / "own" / support.ADAPTER)), [
            f"base_model.model.model.layers.1.self_attn.{name}_proj.lora_{part}.weight" for name in "qv" for part in "AB"])
        found = self.logits(adapter_options(self.folder / "own"), BASE, "--adapter", "own")
        self.assertEqual(self.logits(options, "kept"), found)
        self.run_ok(support.ZEROC, "export", "kept", "-o", "merged.safetensors", "--merge")
        self.assert_close_logits(self.logits((), "merged.safetensors"), found)
        self.assertNotEqual(self.logits((), BASE), found)


if __name__ == "__main__":
    unittest.main()
