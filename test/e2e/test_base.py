"""Checkpoints of runs with frozen parameters: those of --init stay in their files, which a resume finds again, knows by
their content, or refuses."""
import json
import re
import shutil
import signal
import subprocess
import time

import support
import test_lora


class Base(test_lora.Adapters):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(1200, support.SMALL["vocab_size"])
        self.base = self.make_base("base", seed=5)

    def make_base(self, name, seed):
        """A folder of Hugging Face with weights of the small GPT-2."""
        folder = self.folder / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(support.SMALL))
        self.run_ok(support.compile_gpt2(support.SMALL, 2, 16), "--data", self.data, "--steps", 0, "--lr", 1, "--seed", seed,
                    "--save", folder / "model.safetensors")
        return folder

    def begin(self, ranks, *options, at="kept", steps=3, **how):
        """A run that ends with a checkpoint, which it returns."""
        self.outcome(ranks, *options, steps=steps, name=at, **how,
                     flags=("--init", self.base, "--checkpoint", self.folder / at, "--save-at-exit"))
        return self.folder / at / f"step-{steps}"

    def program(self, *options):
        return support.compile_gpt2(support.SMALL, 2, 16, "--world-size=1", "--lora=4:8", *options)

    def resume(self, *flags, steps=4, program=None):
        return support.run(program or self.program(), "--data", self.data, "--steps", steps, "--lr", 1e-2, *flags,
                           cwd=self.folder)

    def exported(self, checkpoint, *options):
        out = self.folder / "exported.safetensors"
        self.run_ok(support.ZEROC, "export", checkpoint, "-o", out, *options)
        return out.read_bytes()

    LAYOUTS = ((1,), (1, "--offload=nvme"), (2, "--stage=3", "--bucket-size=2KiB"),
               (2, "--stage=3", "--precision=bf16"), (1, "--precision=bf16", "--dora"),
               (2, "--stage=1", "--base-storage=nf4"), (2, "--stage=3", "--base-storage=int8", "--precision=bf16"))

    def test_resumes_with_the_same_bits(self):
        for number, (ranks, *options) in enumerate(self.LAYOUTS):
            with self.subTest(options):
                at = f"kept{number}"
                whole = self.outcome(ranks, *options, steps=6, flags=("--init", self.base))
                first = self.begin(ranks, *options, at=at)
                shutil.copy(self.folder / f"{at}.jsonl", self.folder / "again.jsonl")
                rest = self.outcome(ranks, *options, steps=6, name="again", flags=(
                    "--resume", first, "--checkpoint", self.folder / f"{at}-after", "--save-at-exit"))
                self.assertEqual(rest, whole)
                # What is frozen is that of the base, of both checkpoints; what is not packed has its bits.
                exports = [self.exported(self.folder / name) for name in (at, f"{at}-after")]
                before, after = (self.weights(data) for data in exports)
                for name, values in before.items():
                    self.assertEqual(after[name] == values, "lora_" not in name, name)

    def weights(self, data):
        path = self.folder / "some.safetensors"
        path.write_bytes(data)
        return support.read_safetensors(path)

    def test_other_layouts_read_the_same(self):
        """Ranks, stages, tiers and buckets change nothing; another precision reads the base in its type."""
        for source, *targets in (((2, "--stage=3"), (1, "--offload=nvme"), (1, "--bucket-size=2KiB"), (2, "--stage=1")),
                                 ((1, "--base-storage=nf4"), (2, "--stage=3", "--base-storage=nf4")),
                                 ((1, "--precision=bf16"), (2, "--stage=3", "--precision=bf16"), (1,))):
            checkpoint = self.begin(*source, at=f"from{len(targets)}{len(source)}")
            expected = self.exported(checkpoint)
            for number, (ranks, *options) in enumerate(targets):
                with self.subTest(source=source, target=options):
                    again = self.folder / f"{checkpoint.parent.name}-{number}"
                    binary = support.compile_gpt2(support.SMALL, 2, 16, f"--world-size={ranks}", "--lora=4:8", *options)
                    self.run_ok(*support.launcher(ranks, {}), binary, "--data", self.data, "--steps", 4, "--lr", 0, "--resume",
                                checkpoint, "--checkpoint", again, "--save-at-exit", *support.nvme_flags(options, self.folder),
                                env=support.MPI_ENVIRONMENT)
                    if options or ranks > 1:
                        self.assertEqual(self.exported(again), expected)
                        continue
                    exact, rounded = self.weights(self.exported(again)), self.weights(expected)
                    for name, values in support.read_safetensors(self.base / "model.safetensors").items():
                        self.assertEqual(exact[name], values)
                        data = rounded[name][1].tobytes()
                        self.assertFalse(any(data[0::4]) or any(data[1::4]))
                        self.assertLess(max(abs(a - b) for a, b in zip(values[1], rounded[name][1])), 1e-2)

    def test_holds_what_is_trained(self):
        """On the disk and in memory, which the certificate says exactly; parameters of no file are there whole."""
        config = {**support.SMALL, "vocab_size": 20000, "n_embd": 256, "n_layer": 1}
        model = support.import_model(config, 1, 16)
        base, data = self.folder / "large.safetensors", self.write_tokens(1200, 250)
        self.run_ok(support.compile_model(model), "--data", data, "--steps", 0, "--lr", 1, "--save", base)
        for ranks, *options in ((1,), (2, "--stage=3", "--offload=cpu"), (2, "--stage=1", "--precision=bf16")):
            binary = support.compile_model(model, "--lora=4", f"--world-size={ranks}", *options)
            said, whole = re.search(r"with train --checkpoint, (.*) of host memory for copies of what is saved, or (.*) if "
                                    "frozen parameters are not those of --init", (binary.parent / "zeroc.txt").read_text()).groups()
            for init, copies, held in ((base, said, False), ("random", whole, True)):
                with self.subTest(options, init=init):
                    at = self.folder / f"{len(str(options))}-{held}"
                    done = self.run_ok(binary, "--data", data, "--steps", 1, "--lr", 1e-3, "--init", init, "--checkpoint", at,
                                       "--save-at-exit", env=support.MPI_ENVIRONMENT)
                    self.assertIn(f"; {copies} of host memory", done.out)
                    manifest = json.loads((at / "step-1/manifest.json").read_text())
                    adapters = {tensor["parameter"] for tensor in manifest["tensors"] if "lora_" in tensor["parameter"]}
                    self.assertEqual(manifest["version"], 1 if held else 2)
                    self.assertEqual("base" in manifest, not held)
                    elements = sum(tensor["end"] - tensor["first"] for tensor in manifest["tensors"] if tensor["slot"] == "m")
                    size = sum(file.stat().st_size for file in (at / "step-1").glob("rank-*"))
                    headers = sum(file["header_bytes"] for file in manifest["files"])
                    if held:
                        self.assertGreater(size, base.stat().st_size // (2 if "bf16" in str(options) else 1))
                    else:
                        self.assertEqual({tensor["parameter"] for tensor in manifest["tensors"]}, adapters)
                        self.assertEqual(size, headers + 3 * 4 * elements)  # param, m and v
                        self.assertLess(size + 8 * len(manifest["base"]["files"][0]["blocks"]), base.stat().st_size / 20)

    def test_a_base_that_was_moved(self):
        checkpoint = self.begin(1)
        merged = self.exported(checkpoint, "--merge")
        moved = self.base.rename(self.folder / "moved")
        copy = shutil.copy(moved / "model.safetensors", self.folder / "copy.safetensors")
        gone = f"its frozen parameters are those of the base {self.base}: .*no such file.*; name the folder where it is now " \
               "with --base=DIR"
        self.assert_refused(self.resume("--resume", checkpoint), gone)
        self.assert_refused(support.run(support.ZEROC, "export", checkpoint, "-o", self.folder / "x.safetensors"), gone)
        whole = self.outcome(1, steps=4, flags=("--init", moved))
        for flags in (("--resume", checkpoint, "--base", moved), ("--resume", checkpoint, "--init", "moved"),
                      ("--resume", checkpoint, "--base", "copy.safetensors"),
                      ("--resume", "latest", "--checkpoint", "kept", "--save-at-exit", "--init", moved)):
            with self.subTest(flags):
                done = self.resume(*flags, "--save", "adapter")
                self.assertEqual(done.returncode, 0, done.err)
                self.assertNotIn("is not read", done.err)
                self.assertEqual(support.read_safetensors(self.folder / "adapter" / support.ADAPTER),
                                 support.read_safetensors(self.folder / "run.safetensors" / support.ADAPTER))
                where = str(copy if "copy.safetensors" in flags else moved)
                self.assertIn(f"base      {where}, for the parameters that are frozen\n", done.out)
                config = json.loads((self.folder / "adapter/adapter_config.json").read_text())
                self.assertEqual(config["base_model_name_or_path"], where)
        self.assertTrue(whole)
        # What ".." is, a link before it says.
        (self.folder / "real" / "x").mkdir(parents=True)
        (self.folder / "link").symlink_to("real/x")
        shutil.copytree(moved, self.folder / "real" / "base")
        self.outcome(1, steps=2, flags=("--init", "link/../base", "--checkpoint", "linked", "--save-at-exit"))
        self.assertEqual(json.loads((self.folder / "linked/step-2/manifest.json").read_text())["base"]["path"],
                         str(self.folder / "real" / "base"))
        # The next checkpoint knows the new place.
        self.assertEqual(json.loads((self.folder / "kept/step-4/manifest.json").read_text())["base"]["path"], str(moved))
        self.exported(self.folder / "kept/step-4", "--merge")
        self.assertEqual(self.exported(checkpoint, "--merge", "--base", moved), merged)
        draw = ("--prompt-ids=1,2", "--sample-tokens=9")
        model = support.import_model(support.SMALL, 2, 16)
        texts = {self.generate(model, checkpoint, "--base", place, *draw, options=("--lora=4:8",)).out for place in (moved, copy)}
        self.assertEqual(len(texts), 1)

    def test_another_base_is_refused(self):
        checkpoint = self.begin(1)
        kept = (self.base / "model.safetensors").read_bytes()
        other = self.make_base("other", seed=6)
        both = f"the run trained on the base {self.base}, and {other} is another: "
        for flags in (("--base", other), ("--init", other)):
            self.assert_refused(self.resume("--resume", checkpoint, *flags), both + "bytes 0 to [0-9,]+ of model.safetensors "
                                "are others; name the files that it was with --base=DIR")
        self.assert_refused(self.resume("--resume", "latest", "--checkpoint", "kept", "--save-at-exit", "--init", other), both)
        self.assert_refused(support.run(support.ZEROC, "export", checkpoint, "-o", self.folder / "x.safetensors", "--merge",
                                        "--base", other), both)
        self.assertFalse((self.folder / "x.safetensors").exists())
        # The files are others at the same place: a bit, the end, all.
        changed = f"its base {self.base} was changed after the run read it: "
        for what, data, keyword in (("a bit", kept[:-9] + bytes([kept[-9] ^ 1]) + kept[-8:], changed + "bytes 0 to"),
                                    ("longer", kept + b"\0" * 4, "the base .*/base: .*model.safetensors"),
                                    ("torn", kept[:-400], "the base .*/base: .*cut short"),
                                    ("empty", b"", "the base .*/base: .*not a safetensors file")):
            with self.subTest(what):
                (self.base / "model.safetensors").write_bytes(data)
                self.assert_refused(self.resume("--resume", checkpoint), keyword)
        (self.base / "model.safetensors").write_bytes(kept)
        done = self.resume("--resume", checkpoint)
        self.assertEqual(done.returncode, 0, done.err)

    def test_what_says_nothing_of_a_base(self):
        plain = support.compile_gpt2(support.SMALL, 2, 16)
        done = self.resume("--checkpoint", "full", "--save-at-exit", "--init", self.base, program=plain)
        self.assertEqual(done.returncode, 0, done.err)
        for flags, keyword in ((("--resume", "full", "--base", self.base), "it holds all parameters, and has no base that .* "
                                "could be; drop --base"),
                               (("--resume", "full", "--init", self.base), "--init and --resume both say what to start from"),
                               (("--base", self.base), "--base is for a run that goes on; add --resume"),
                               (("--resume", "full", "--base", self.base, "--init", self.base), "both name the base; drop one"),
                               (("--resume", "latest", "--checkpoint", "none", "--save-at-exit", "--base", self.base),
                                "there is no checkpoint in none yet; name what the run begins with by --init=")):
            with self.subTest(flags):
                self.assert_refused(self.resume(*flags, program=plain), keyword)

    def test_in_several_files(self):
        """The index may be another, as its files are not."""
        checkpoint = self.begin(1)
        names = sorted(self.weights((self.base / "model.safetensors").read_bytes()).items())
        shards = self.folder / "shards"
        shards.mkdir()
        files = {"b-1.safetensors": dict(names[:3]), "b-2.safetensors": dict(names[3:])}
        for file, tensors in files.items():
            support.write_safetensors(shards / file, tensors)

        def write_index(folder, more):
            (folder / "model.safetensors.index.json").write_text(json.dumps(
                {**more, "weight_map": {name: file for file, tensors in files.items() for name in tensors}}))

        write_index(shards, {})
        self.assert_refused(self.resume("--resume", checkpoint, "--base", shards), "it has 2 files of weights, and had 1")
        done = self.resume("--checkpoint", "cut", "--save-at-exit", "--init", shards, steps=3)
        self.assertEqual(done.returncode, 0, done.err)
        write_index(shards.rename(self.folder / "again"), {"metadata": {"a": 1}})
        done = self.resume("--resume", "cut", "--base", "again", "--save", "of-files")
        self.assertEqual(done.returncode, 0, done.err)
        done = self.resume("--resume", checkpoint, "--save", "of-one")
        self.assert_same_bytes(self.folder / "of-files" / support.ADAPTER, self.folder / "of-one" / support.ADAPTER)

    def test_frozen_parameters_of_no_file(self):
        """Those that were drawn, and those whose file the run replaces, are in the checkpoint."""
        model = self.write("model.mlir", test_lora.MODEL.format(batch=2, part=0.5).replace(
            'zero.param = "up.weight"', 'zero.param = "up.weight", zero.frozen'))
        binary = support.compile_model(model)
        for name, width in (("x", 5), ("y", 3)):
            (self.folder / f"{name}.npy").write_bytes(support.npy("f", (20, width), [0.5] * 20 * width))

        def train(at, steps, *flags):
            self.run_ok(binary, "--input", "x=x.npy", "--input", "y=y.npy", "--lr", 0.1, "--steps", steps, "--checkpoint", at,
                        "--save-at-exit", *flags)
            manifest = json.loads((self.folder / f"{at}/step-{steps}/manifest.json").read_text())
            self.exported(self.folder / at)
            frozen = support.read_safetensors(self.folder / "exported.safetensors")["up.weight"]
            return "up.weight" in {tensor["parameter"] for tensor in manifest["tensors"]}, frozen

        held, drawn = train("drawn", 1, "--seed", 3)
        self.assertTrue(held)
        self.assertEqual(train("drawn", 2, "--resume", "latest"), (True, drawn))
        shutil.copy(self.folder / "exported.safetensors", self.folder / "w.safetensors")
        self.assertEqual(train("named", 1, "--init", "w.safetensors"), (False, drawn))
        self.assertEqual(train("replaced", 1, "--init", "w.safetensors", "--save", "w.safetensors", "--force"), (True, drawn))
        self.assertNotIn("up.weight", support.read_safetensors(self.folder / "w.safetensors"))
        self.assertEqual(train("replaced", 2, "--resume", "latest"), (True, drawn))

    def test_a_base_that_changes(self):
        """The next checkpoint says so, while the one who can still copy it is there."""
        metrics = self.folder / "run.jsonl"
        job = subprocess.Popen(list(map(str, (self.program(), "--data", self.data, "--steps", 10**6, "--lr", 1e-3, "--init",
                                              self.base, "--checkpoint", self.folder / "ck", "--save-at-exit", "--metrics",
                                              metrics, "--quiet"))), stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not (metrics.exists() and metrics.read_text().count("\n") > 3):
            self.assertLess(time.monotonic(), deadline, "the job does not train")
            time.sleep(0.01)
        shutil.copy(self.base / "model.safetensors", self.folder / "copy")
        (self.folder / "copy").rename(self.base / "model.safetensors")
        job.send_signal(signal.SIGTERM)
        self.assertIn(f"{self.base}/model.safetensors is not the file any more that the run has read; a run that goes on from its "
                      "checkpoints needs that one, by --base=DIR", job.communicate(timeout=60)[1].decode())
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)

    def test_elastic(self):
        """A rank is killed while it writes a checkpoint; the other one reads the base again, and so does a run on two."""
        program = support.compile_gpt2(support.SMALL, 1, 16, "--lora=4:8", "--stage=3", "--world-size=2,1", "--virtual-shards=2")
        common = (program, "--data", self.data, "--steps", 8, "--lr", 1e-2, "--init", self.base, "--quiet", "--save-every", 2)
        self.run_ok(*common, "--checkpoint", self.folder / "whole", "--save", self.folder / "of-whole")
        done = self.run_ok(*common, "--checkpoint", self.folder / "ck", "--save", self.folder / "of-one", "--elastic",
                           env={"ZRT_CHECKPOINT_FAULT": "kill@sync#2:1"})
        self.assertIn("going on with 1 of 2 ranks from step 2\n", done.err)
        self.assertNotIn("is not read", done.err)
        done = self.run_ok(*common, "--resume", self.folder / "ck/step-2", "--checkpoint", self.folder / "more", "--save",
                           self.folder / "of-two")
        for name in ("of-one", "of-two"):
            self.assert_same_bytes(self.folder / name / support.ADAPTER, self.folder / "of-whole" / support.ADAPTER)

    def test_replay(self):
        """One rank computes each checksum again, with a base that it packs itself."""
        model = support.import_model(support.SMALL, 1, 16)
        program = support.compile_model(model, "--lora=4:8", "--base-storage=nf4", "--stage=3", "--world-size=2",
                                        "--virtual-shards=2", "--modules-to-save=.*ln_f")
        run, digest = self.folder / "run", self.folder / "run.digest"
        self.run_ok(program, "--data", self.data, "--steps", 4, "--lr", 1e-2, "--init", self.base, "--quiet", "--save-every", 2,
                    "--checkpoint", run, "--digest", digest)
        command = (support.ZEROC, "replay", run, "--steps", "2:4", "--against", digest, "--model", model)
        self.assertIn("steps 2 to 3 agree: 2 ranks", self.run_ok(*command).out)
        moved = self.base.rename(self.folder / "moved")
        self.assert_refused(support.run(*command), "its frozen parameters are those of the base")
        self.assertIn("steps 2 to 3 agree: 2 ranks", self.run_ok(*command, "--base", moved).out)
