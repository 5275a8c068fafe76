"""--base-storage: frozen weights of 4 and 8 bits with adapters.  test_plans.py compares the bits of
plans."""
import json
import math
import struct

import support
import test_lora

#: Quantiles of the standard normal distribution, as in bitsandbytes.
NF4 = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
       -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
       0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
       0.7229568362236023, 1.0)
BLOCK, GROUP = 64, 256


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def scale_codes():
    values = [0.0, 1.0]
    for e in range(7):
        for i in range(2 ** e):
            value = f32(float(f"1e{e - 6}") * (0.1 + 0.9 * (i + 0.5) / 2 ** e))
            values += [value, -value]
    return sorted(values)


SCALES = scale_codes()


def nearest(codes, value):
    """Returns the nearest code, of two the lower; all differences are computed in f32."""
    return next(i for i in range(len(codes))
                if i + 1 == len(codes) or value <= f32(f32(codes[i] + codes[i + 1]) / 2))


def through_nf4(values):
    """Returns a parameter after packing and unpacking."""
    out = []
    blocks = [values[i:i + BLOCK] for i in range(0, len(values), BLOCK)]
    for start in range(0, len(blocks), GROUP):
        group = blocks[start:start + GROUP]
        scales = [max(map(abs, block)) for block in group]
        mean = f32(sum(scales) / len(scales))
        spread = max(abs(f32(scale - mean)) for scale in scales)
        for block, scale in zip(group, scales):
            kept = f32(mean + f32(spread * SCALES[nearest(SCALES, f32(f32(scale - mean) / (spread or 1)))]))
            out += [f32(f32(NF4[nearest(NF4, f32(x / (scale or 1)))]) * kept) for x in block]
    return out


def through_int8(values):
    out = []
    for i in range(0, len(values), BLOCK):
        block = values[i:i + BLOCK]
        step = f32(max(map(abs, block)) / 127)
        out += [f32(max(-127, min(127, round(f32(x / step)))) * step) if step else 0.0 for x in block]
    return out


THROUGH = {"nf4": through_nf4, "int8": through_int8}


class BaseStorage(test_lora.Adapters):
    def weights(self, folder):
        out = self.folder / "all.safetensors"
        self.run_ok(support.ZEROC, "export", folder, "-o", out)
        return support.read_safetensors(out)

    def base(self):
        """Exports the initial weights of a plain run."""
        at = self.folder / "plain"
        self.outcome(1, name="begin", steps=1, flags=("--checkpoint", at, "--save-at-exit"))
        return {name: tensor for name, tensor in self.weights(at).items() if "lora_" not in name}

    def test_against_the_definition(self):
        base = self.base()
        for storage in THROUGH:
            packed = {}
            for ranks, *options in ((1,), (2, "--stage=3"), (3, "--stage=3", "--bucket-size=2KiB")):
                at = self.folder / f"packed-{storage}-{ranks}"
                self.outcome(ranks, f"--base-storage={storage}", *options, steps=1,
                             flags=("--checkpoint", at, "--save-at-exit"))
                found = {name: tensor for name, tensor in self.weights(at).items() if "lora_" not in name}
                self.assertEqual(found, packed.setdefault("all", found))
            changed = 0
            for name, (shape, values) in base.items():
                linear = len(shape) == 2 and ".h." in f".{name}"
                expected = THROUGH[storage](list(values)) if linear else list(values)
                self.assertEqual(list(packed["all"][name][1]), expected, name)
                changed += linear
            self.assertGreater(changed, 0)
            # Plain LoRA with these weights trains to the same bits.
            support.write_safetensors(self.folder / "base.safetensors", packed["all"])
            self.assertEqual(self.outcome(1, f"--base-storage={storage}"),
                             self.outcome(1, flags=("--init", self.folder / "base.safetensors")))

    def test_the_certificate_is_exact(self):
        """Runs of several ranks also fail if they receive other numbers of bytes than it says."""
        def padded(size):
            return (size + 15) // 16 * 16

        model = support.import_model(support.SMALL, 2, 16)
        binary, data, at = self.folder / "train", self.write_tokens(1200, support.SMALL["vocab_size"]), self.folder / "kept"
        for storage, block, group in (("nf4", 33, 8), ("int8", 68, 0)):
            made = self.run_ok(support.ZEROC, model, "--lora=4", f"--base-storage={storage}", "--precision=bf16",
                               "--certificate=json", "-o", binary)
            certificate = json.loads(made.out)
            ran = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 0.1, "--init", "random", "--checkpoint", at / storage,
                              "--save-at-exit")
            (device,) = [arena["bytes"] for arena in certificate["arenas"] if arena["tier"] == "device"]
            self.assertIn(f"device {device:,} bytes", ran.out)
            held = 0
            for name, (shape, values) in self.weights(at / storage).items():
                blocks = -(-len(values) // BLOCK)
                packed = len(shape) == 2 and name.startswith("transformer.h.")
                held += padded(block * blocks + group * -(-blocks // GROUP)) if packed else 2 * padded(len(values))
            self.assertEqual(certificate["model_state"]["parameters"]["held"], held)

    def test_weights_of_several_groups_are_cut(self):
        config = {**support.SMALL, "n_embd": 128, "n_layer": 1}  # 128 x 512: four groups
        for storage in THROUGH:
            whole = {}
            for ranks, *options in ((1, "--offload=cpu"), (1, "--offload=nvme", "--bucket-size=9KiB"), (2, "--stage=1"),
                                    (2, "--stage=3", "--bucket-size=20KiB"),
                                    (2, "--stage=3", "--bucket-size=9KiB")):
                with self.subTest(options, storage=storage, ranks=ranks):
                    found = self.outcome(ranks, f"--base-storage={storage}", *options, config=config, steps=2)
                    self.assertEqual(found, whole.setdefault(ranks, found))

    def test_reference(self):
        losses, norms = zip(*self.outcome(1, "--base-storage=nf4")[0])
        for loss, norm, (other, other_norm) in zip(
                losses, norms, self.outcome(1, "--base-storage=nf4", "--reference")[0], strict=True):
            self.assert_close(loss, other, 2e-6, "loss")
            self.assert_close(norm, other_norm, 1e-5, "norm")

    def test_runs_resume(self):
        for ranks, *options in ((2, "--stage=3", "--precision=bf16"), (1, "--offload=nvme"), (2, "--stage=1")):
            with self.subTest(options):
                options.append("--base-storage=nf4")
                whole = self.outcome(ranks, *options, steps=6)
                saved = self.folder / f"saved{ranks}{len(options)}"
                first = self.outcome(ranks, *options, steps=3, flags=("--checkpoint", saved, "--save-at-exit"))
                self.assertEqual(first[0], whole[0][:3])
                rest = self.outcome(ranks, *options, steps=6, flags=("--resume", saved))
                self.assertEqual(rest, whole)
        # On other ranks, and with other buckets: the packed bytes are the same.
        self.outcome(3, "--stage=3", "--base-storage=nf4", "--bucket-size=2KiB", steps=6, flags=("--resume", saved))

    def test_bad_input(self):
        model = support.import_model(support.SMALL, 2, 16)
        for options, word in (
                (["--base-storage=nf4"], r"--base-storage is for a model that is frozen; add --lora=RANK"),
                (["--lora=4", "--base-storage=int4"], r"--base-storage must be .*nf4.*int8, got int4")):
            with self.subTest(options):
                self.assert_refused(support.run(support.ZEROC, model, *options, "-o", self.folder / "train"), word)
        # A checkpoint with another storage.
        at = self.folder / "other"
        self.outcome(1, "--base-storage=int8", steps=1, flags=("--checkpoint", at, "--save-at-exit"))
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--lora=4:8", "--base-storage=nf4")
        self.assert_refused(support.run(binary, "--data", self.folder / "tokens256.u16", "--steps", 2, "--lr", 0.1,
                                        "--resume", at),
                            r"is packed as int8 there, and as nf4 in this plan; compile the model with the --base-storage")
        # Non-finite numbers have no code.
        weights = self.weights(at)
        name = next(name for name, (shape, _) in sorted(weights.items()) if "c_fc" in name and "lora" not in name and len(shape) == 2)
        weights[name][1][5] = math.nan
        support.write_safetensors(self.folder / "nan.safetensors", weights)
        self.assert_refused(support.run(binary, "--data", self.folder / "tokens256.u16", "--steps", 2, "--lr", 0.1,
                                        "--init", self.folder / "nan.safetensors"),
                            rf"nan.safetensors: parameter {name} is nan at element 5, which nf4 cannot hold")
