"""--base-storage against bitsandbytes and PyTorch: test/golden/qlora.py made the runs."""
import json
import struct
import tempfile
from pathlib import Path

import support


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


#: The codes of nf4, and those of its scales: Dettmers et al., 2023 and 2021; runtime/packing/Codebooks.h has both.
NF4 = [*map(f32, (-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
                  -0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725,
                  0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023,
                  1))]
DYNAMIC = sorted([0, 1, *(sign * f32(10 ** (e - 6) * (0.1 + 0.9 * (i + 0.5) / 2 ** e))
                          for e in range(7) for i in range(2 ** e) for sign in (-1, 1))])


def unpack(storage, data, elements):
    """The elements of a packed weight; docs/lora.md has the format: runs of up to 256 blocks of 64 elements."""
    values, blocks, at = [], -(-elements // 64), 0
    while blocks:
        count, blocks = min(blocks, 256), blocks - min(blocks, 256)
        if storage == "int8":
            codes = struct.unpack_from(f"{64 * count}b", data, at)
            scales = struct.unpack_from(f"{count}f", data, at + 64 * count)
            at += 68 * count
        else:
            pairs = data[at:at + 32 * count]
            codes = [NF4[pairs[32 * block + i % 32] >> 4 * (i // 32) & 15] for block in range(count) for i in range(64)]
            mean, largest = struct.unpack_from("2f", data, at + 32 * count)
            scales = [f32(mean + f32(largest * DYNAMIC[code])) for code in data[at + 32 * count + 8:][:count]]
            at += 33 * count + 8
        values += [f32(code * scales[i // 64]) for i, code in enumerate(codes)]
    return values[:elements]


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
        # Checkpoints leave the base in its file; an export unpacks what the run has packed of it.
        exported = self.folder / "exported.safetensors"
        self.run_ok(support.ZEROC, "export", kept, "-o", exported, "--force")
        found = support.read_safetensors(exported)
        packed = {name: values.tobytes() for name, (_, values) in tensors.items() if values.typecode == "B"}
        self.assertTrue(packed)
        for name, data in packed.items():
            _, values = found[name]
            self.assertTrue(list(values) == unpack(storage, data, len(values)), name)
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
