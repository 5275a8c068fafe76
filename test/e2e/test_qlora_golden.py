"""--base-storage against bitsandbytes and PyTorch: test/golden/qlora.py made the runs."""
import json
import tempfile
from pathlib import Path

import support


class Golden(support.Case):
    def start(self, case, storage, *options, ranks=1):
        """Trains; returns the expected values, the log, and the folders of its checkpoint and its
        adapters."""
        folder = support.ROOT / "test/golden" / case
        golden = json.loads((folder / f"qlora-{storage}.json").read_text())
        tensors = support.read_safetensors(folder / f"qlora-{storage}.safetensors")
        hyper = golden["hyper"]
        model = support.import_model(folder / "config.json", golden["batch"] // ranks, golden["seq"])
        binary = support.compile_model(
            model, f"--lora={golden['rank']}:{golden['alpha']}", f"--base-storage={storage}",
            *([f"--lora-targets={golden['layers']}"] if golden["layers"] else []), "--optimizer=adamw",
            f"--betas={hyper['betas'][0]},{hyper['betas'][1]}", f"--eps={hyper['eps']}",
            f"--weight-decay={hyper['weight_decay']}", f"--grad-clip={hyper['clip']}", f"--world-size={ranks}", *options)
        begin = self.folder / "begin"
        begin.mkdir(exist_ok=True)
        support.write_safetensors(begin / support.ADAPTER, {
            name.removeprefix("begin."): tensor for name, tensor in tensors.items() if name.startswith("begin.")})
        (begin / "adapter_config.json").write_text(json.dumps(
            {"peft_type": "LORA", "r": golden["rank"], "lora_alpha": golden["alpha"], "bias": "none"}))
        kept = Path(tempfile.mkdtemp(dir=self.folder))
        _, lines, saved = self.run_plan(
            binary, "--data", folder / "tokens.bin", "--data-format", "u16", "--steps", golden["steps"], "--lr",
            hyper["lr"], "--init", folder / "model.safetensors", "--adapter", begin, "--checkpoint", kept,
            "--save-at-exit", ranks=ranks)
        return golden, tensors, lines, kept, saved

    def check(self, case, storage, *options, ranks=1, losses=2e-6, weights=1e-4):
        golden, tensors, lines, kept, saved = self.start(case, storage, *options, ranks=ranks)
        found = {}
        for path in sorted(kept.glob(f"step-{golden['steps']}/rank-*.safetensors")):
            for name, (_, values) in support.read_safetensors(path).items():
                if values.typecode == "b":
                    parameter, _, first = name.removeprefix("param/").removesuffix("]").rpartition("[")
                    found.setdefault(parameter, []).append((int(first.split(":")[0]), values.tobytes()))
        packed = {name: values.tobytes() for name, (_, values) in tensors.items() if values.typecode == "B"}
        self.assertEqual(found.keys(), packed.keys())
        for name, parts in found.items():
            self.assertEqual(b"".join(part for _, part in sorted(parts)), packed[name], name)
        for line, loss, norm in zip(lines, golden["loss"], golden["grad_norm"], strict=True):
            self.assert_close(line["loss"], loss, losses, f"loss of step {line['step']}")
            self.assert_close(line["grad_norm"], norm, 4 * losses, f"norm of step {line['step']}")
        self.assert_adapters_close(saved / support.ADAPTER, tensors, weights)

    def assert_adapters_close(self, saved, tensors, within):
        expected = {name.removeprefix("end."): tensor for name, tensor in tensors.items() if name.startswith("end.")}
        found = support.read_safetensors(saved)
        self.assertEqual(found.keys(), expected.keys())
        for name, (shape, values) in expected.items():
            self.assertEqual(found[name][0], shape, name)
            worst = max(abs(x - y) for x, y in zip(found[name][1], values))
            self.assertLessEqual(worst, within * max(map(abs, values)), name)

    def test_packed_bytes_losses_and_adapters(self):
        self.check("llama", "nf4")
        self.check("qwen3_moe", "int8")

    def test_ranks_and_stages(self):
        """Slices end at any byte of a packed weight."""
        self.check("llama", "int8", "--stage=1", ranks=2)
        self.check("llama", "nf4", "--stage=3", "--bucket-size=1KiB", ranks=3)
        self.check("qwen3_moe", "nf4", "--stage=3", "--remat=block", ranks=2)

    def test_bf16(self):
        self.check("llama", "nf4", "--precision=bf16", losses=1e-2, weights=5e-2)
        self.check("qwen3_moe", "int8", "--precision=bf16", losses=1e-2, weights=5e-2)
