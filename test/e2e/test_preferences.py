"""zeroc finetune --objective=dpo, kto, reward, classify: against TRL, in every layout, and what is refused."""
import array
import json
import math
import shutil

import chats
import support

try:
    import numpy as np
except ImportError:
    pass  # ChatCase skips

GOLDEN = support.ROOT / "test" / "golden" / "preferences"
MODEL = GOLDEN / "model"
#: What TRL's trainers were asked for, of every objective and of some.
COMMON = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0", "--schedule=constant",
          "--warmup=0", "--seq=40", "--threads=1", "--progress=none")
OWN = {"dpo": ("--beta=0.3",), "kto": ("--beta=0.3", "--undesirable-weight=1.25"), "reward": (), "classify": ()}
STEPS = 20


class Preferences(chats.ChatCase):
    def setUp(self):
        super().setUp()
        self.golden = json.loads((GOLDEN / "golden.json").read_text())

    def base(self, objective):
        """The folder of the model, with the head that TRL began with."""
        heads = support.read_safetensors(GOLDEN / "heads.safetensors")
        if objective not in heads:
            return MODEL
        folder = self.folder / f"base-{objective}"
        if not folder.exists():
            shutil.copytree(MODEL, folder)
            model = support.read_safetensors(MODEL / "model.safetensors")
            del model["lm_head.weight"]
            support.write_safetensors(folder / "model.safetensors", {**model, "score.weight": heads[objective]})
        return folder

    def finetune(self, objective, out, *options, data=None, status=0, steps=STEPS, precision="fp32"):
        lr = self.golden["lr"][objective]
        done = support.run(support.ZEROC, "finetune", self.base(objective), data or GOLDEN / f"{objective}.jsonl", "-o",
                           self.folder / out, f"--objective={objective}", *COMMON, *OWN[objective], f"--lr={lr}",
                           f"--steps={steps}", f"--precision={precision}", *options)
        self.assertEqual(done.returncode, status, done.err + done.out)
        return done

    def losses(self, out):
        return [line["loss"] for line in support.read_metrics(self.folder / out / "zeroc" / "metrics.jsonl")
                if "loss" in line]

    def check(self, objective, out):
        """Losses and weights are TRL's within 1e-5."""
        found, expected = self.losses(out), self.golden["losses"][objective]
        self.assertEqual(len(found), STEPS)
        for step, (loss, other) in enumerate(zip(found, expected)):
            self.assertLess(abs(loss - other), 1e-5, f"{objective}, step {step}")
        self.assert_weights_close(self.folder / out / "model.safetensors", GOLDEN / f"{objective}.safetensors", 1e-5)

    def assert_begins_at_log2(self, out):
        self.assertEqual(np.float32(self.losses(out)[0]), np.float32(math.log(2)))

    def test_dpo(self):
        self.finetune("dpo", "dpo", "--batch=4", "--accumulate=1", "--no-packing")
        self.check("dpo", "dpo")
        # The model is its own reference, bit for bit.
        self.assert_begins_at_log2("dpo")

    def test_kto(self):
        self.finetune("kto", "kto", "--batch=4", "--accumulate=1", "--no-packing")
        self.check("kto", "kto")

    def test_reward(self):
        self.finetune("reward", "reward", "--batch=4", "--accumulate=1", "--no-packing")
        self.check("reward", "reward")
        config = json.loads((self.folder / "reward" / "config.json").read_text())
        self.assertEqual((config["architectures"], config["id2label"]),
                         (["LlamaForSequenceClassification"], {"0": "reward"}))

    def test_classify(self):
        self.finetune("classify", "classify", "--batch=4", "--accumulate=1", "--no-packing")
        self.check("classify", "classify")

    def test_layouts(self):
        """Packed, or over ranks and micro-steps: TRL's losses; over stages and tiers, and by chunks, the same bits."""
        ranks = ("--ranks=2", "--batch=1", "--accumulate=2", "--no-packing")
        offload = ("--stage=3", "--offload-params=cpu", "--remat=block")
        for objective in OWN:
            losses, bits = self.golden["losses"][objective], []
            if objective == "kto":  # its divergence is that of a micro-batch
                continue
            for number, options in enumerate((("--stage=2",), offload, ("--stage=2", "--loss-chunk=2KiB"),
                                              (*offload, "--loss-chunk=2KiB"))):
                with self.subTest(objective=objective, options=options):
                    out = f"{objective}-{number}"
                    self.finetune(objective, out, *ranks, *options, steps=4)
                    found = self.losses(out)
                    for loss, other in zip(found, losses):
                        self.assertLess(abs(loss - other), 2e-5)
                    bits.append((found, support.saved_bytes(self.folder / out / "model.safetensors")))
            self.assertEqual(bits[0], bits[1])
            self.assertEqual(bits[2], bits[3])

    def test_adapters(self):
        """Over packed weights of 4 bits the first loss is log 2, in bf16 too; heads are trained as a whole."""
        for name, precision, *options in (("nf4", "fp32", "--base-storage=nf4"), ("bf16", "bf16"), ("dora", "fp32", "--dora")):
            with self.subTest(name):
                self.finetune("dpo", name, "--lora=4", "--eval-split=0.25", "--batch=3", "--accumulate=1", "--no-packing",
                              *options, steps=3, precision=precision)
                self.assert_begins_at_log2(name)
        done = self.finetune("reward", "head", "--lora=4", "--batch=4", "--accumulate=1", "--no-packing", steps=3)
        self.assertIn("--modules-to-save=score", done.out)
        config = json.loads((self.folder / "head" / "adapter_config.json").read_text())
        self.assertEqual((config["task_type"], config["modules_to_save"]), ("SEQ_CLS", ["score"]))

    def test_reference(self):
        """Another model's folder; and the program that scores, on one rank and on two."""
        other = self.folder / "other"
        shutil.copytree(MODEL, other)
        weights = support.read_safetensors(MODEL / "model.safetensors")
        weights = {name: (shape, array.array("f", (1.01 * x for x in values))) for name, (shape, values) in weights.items()}
        support.write_safetensors(other / "model.safetensors", weights)
        self.finetune("dpo", "near", "--batch=4", "--accumulate=1", "--no-packing", f"--reference={other}", steps=2)
        self.assertNotEqual(np.float32(self.losses("near")[0]), np.float32(math.log(2)))
        folder = self.folder / "near" / "zeroc"
        found = support.read_npy(folder / "data.reference.npy")
        two = support.compile_model(folder / "reference.mlir", "--score-only", "--precision=fp32", "--world-size=2",
                                    "--stage=3")
        self.run_ok(two, "--weights", other, "--data", folder / "data.safetensors", "--out", self.folder / "two.npy")
        self.assertEqual(support.read_npy(self.folder / "two.npy"), found)

    def test_refused(self):
        pair = {"prompt": "w1", "chosen": " w2", "rejected": " w3"}
        for objective, record, *keywords in (
                ("dpo", {"prompt": "w1", "chosen": " w2"}, "line 1", "no rejected", "prompt, chosen and rejected"),
                ("dpo", {**pair, "rejected": " w2"}, "chosen and rejected are the same"),
                ("dpo", {**pair, "rejected": [{"role": "user", "content": "x"}]}, "all texts, or all lists"),
                ("kto", {"prompt": "w1", "completion": " w2", "label": "yes"}, "label", "true or false"),
                ("reward", {**pair, "margin": "much"}, "margin 'much'", "no number"),
                ("classify", {"text": "w1"}, "label None"),
                ("classify", {"label": 1}, "messages, conversations or text")):
            with self.subTest(record=record):
                data = self.write("records.jsonl", json.dumps(record) + "\n")
                self.assert_refused(self.finetune(objective, "refused", data=data, status=1), *keywords)
        done = self.finetune("reward", "refused", "--reference", MODEL, status=1)
        self.assert_refused(done, "--reference is for --objective=dpo and kto")
        for options, keyword in ((("--objective=dpo",), "needs --samples=S"),
                                 (("--objective=dpo", "--samples=3", "--packed"), "must be even"),
                                 (("--objective=dpo", "--samples=2"), "needs --packed"),
                                 (("--objective=kto", "--samples=2", "--packed", "--label-smoothing=0.1"),
                                  "--objective=kto has no --label-smoothing"),
                                 (("--objective=classify",), "needs --labels=L"),
                                 (("--beta=0.2",), "--objective=sft has no --beta"),
                                 (("--objective=dpo", "--samples=2", "--packed", "--label-smoothing=0.5"), "below 0.5")):
            with self.subTest(options=options):
                done = support.run(support.ZEROC, "import", MODEL, "--batch=1", "--seq=8", *options)
                self.assert_refused(done, keyword, status=1)
        plain = support.compile_model(support.import_model(json.loads((MODEL / "config.json").read_text()), 1, 8))
        self.assertTrue(plain)
        model = self.write("plain.mlir", support.run(support.ZEROC, "import", MODEL, "--batch=1", "--seq=8").out)
        self.assert_refused(support.run(support.ZEROC, model, "--score-only", "-o", self.folder / "score"),
                            "--score-only needs the values of samples")
