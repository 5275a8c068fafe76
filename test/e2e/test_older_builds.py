"""What an older build has written (test/older) is still read: a printed plan, a checkpoint, adapters.  The plan was
printed anew when the backward of attention got `delta`, and when gradients were added to members of sums.

    zeroc import config.json --batch=2 --seq=8 -o model.mlir
    zeroc model.mlir --precision=bf16 --accumulate=2 --emit=memory -o plan.mlir
    train --data tokens.u16 --steps 4 --lr 1e-2 --checkpoint . --save-every 2
    zeroc model.mlir --lora=2; train --steps 3 --init random --save adapter
    zeroc model.mlir --lora=2 --base-storage=nf4; train --data tokens.u16 --steps 4 --lr 1e-2 --init random --checkpoint lora
"""
import gzip
import json
import shutil

import support

OLDER = support.ROOT / "test" / "older"
#: The losses of the older build, all four steps.
LOSSES = (3.86153388, 3.87603223, 3.87220991, 3.88057756)
OF_ADAPTERS = (3.84940839, 3.87386489, 3.88808227, 3.88000011)


class OlderBuilds(support.Case):
    def setUp(self):
        super().setUp()
        self.config = json.loads((OLDER / "config.json").read_text())
        self.data = self.folder / "tokens.u16"
        support.write_tokens(self.data, 400, self.config["vocab_size"])

    def test_plan_and_checkpoint(self):
        plan = self.write("plan.mlir", gzip.decompress((OLDER / "plan.mlir.gz").read_bytes()))
        self.run_ok(support.ZEROC, plan, "-o", self.folder / "train")
        # A run writes beside what it resumes from.
        shutil.copytree(OLDER / "step-2", self.folder / "checkpoints" / "step-2")
        for first, flags in ((0, ()), (2, ("--resume", "checkpoints"))):
            metrics = self.folder / f"{first}.jsonl"
            done = self.run_ok(self.folder / "train", "--data", self.data, "--steps", 4, "--lr", 1e-2, "--quiet",
                               "--metrics", metrics, *flags)
            self.assertEqual("step-2 does not say what its model computes, as an older zeroc wrote it" in done.err, first > 0)
            lines = support.read_metrics(metrics)
            self.assertEqual([line["step"] for line in lines], list(range(first, 4)))
            for line in lines:
                # Bits are promised on one machine only.
                self.assert_close(line["loss"], LOSSES[line["step"]], 1e-3, f"step {line['step']}")

    def test_adapters(self):
        model = support.import_model(self.config, 2, 8)
        train = support.compile_model(model, "--lora=2")
        # A step that changes nothing: what is saved is what was loaded.
        _, _, saved = self.run_plan(train, "--data", self.data, "--steps", 1, "--lr", 0, "--init", "random", "--quiet",
                                    "--adapter", OLDER / "adapter")
        was = support.read_safetensors(OLDER / "adapter" / support.ADAPTER)
        self.assertEqual(support.read_safetensors(saved / support.ADAPTER), was)
        self.assertTrue(any(any(values) for name, (_, values) in was.items() if "lora_B" in name))

    def test_a_checkpoint_that_holds_its_base(self):
        """Frozen parameters were in it, whatever the run began with."""
        model = support.import_model(self.config, 2, 8)
        shutil.copytree(OLDER / "lora", self.folder / "lora")
        for options in (), ("--stage=3", "--world-size=2"):
            train = support.compile_model(model, "--lora=2", "--base-storage=nf4", *options)
            ranks = 2 if options else 1
            _, lines, _ = self.run_plan(train, "--data", self.data, "--steps", 4, "--lr", 1e-2, "--quiet", "--resume",
                                        self.folder / "lora", ranks=ranks, name=f"of{ranks}")
            self.assertEqual([line["step"] for line in lines], [2, 3])
            for line in lines if ranks == 1 else ():
                self.assert_close(line["loss"], OF_ADAPTERS[line["step"]], 1e-3, f"step {line['step']}")
