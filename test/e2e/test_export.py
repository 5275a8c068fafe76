"""Weights exported from checkpoints in Hugging Face's format, and read by runs again."""
import json
import struct

import resumes
import support

CONFIG = support.SMALL


class Export(support.Case):
    def setUp(self):
        super().setUp()
        self.config = self.write("config.json", {**CONFIG, "eos_token_id": 7})

    def checkpoint(self, layout):
        """Returns a run's checkpoint of its last step, and the weights that it saved."""
        folder = self.folder / resumes.name_of(layout)
        done = resumes.train(layout, self.folder, "run", "--checkpoint", folder, "--save-at-exit", steps=3)
        self.assertEqual(done.returncode, 0, done.err)
        return folder, self.folder / "run.safetensors"

    def export(self, checkpoint, output, *options):
        return self.run_ok(support.ZEROC, "export", checkpoint, "-o", output, *options)

    def test_is_what_a_run_saves(self):
        for layout in ((1, "--stage=0"), (1, "--precision=bf16"), (2, "--stage=3", "--offload=nvme"),
                       (3, "--stage=1", "--bucket-size=2KiB")):
            with self.subTest(layout):
                checkpoint, saved = self.checkpoint(layout)
                done = self.export(checkpoint, "out.safetensors")
                self.assertEqual(done.out, "wrote out.safetensors\n")
                self.assertIn("after 3 steps", done.err)
                self.assert_same_bytes(self.folder / "out.safetensors", saved)

    def test_types(self):
        checkpoint, _ = self.checkpoint((1, "--stage=0"))
        binary = resumes.compile_layout((1, "--stage=0"))
        for name, dtype in (("bf16", "bf16"), ("f16", "f16")):
            self.export(checkpoint / "step-3", f"{name}.safetensors", f"--dtype={dtype}")
            self.run_ok(binary, "--data", "tokens.u16", "--steps", 3, "--lr", 1, "--resume", checkpoint, "--save",
                        "saved.safetensors", "--save-dtype", dtype)
            self.assert_same_bytes(self.folder / f"{name}.safetensors", self.folder / "saved.safetensors")

    def test_update_that_is_left(self):
        """The weights are those before it, and the command says so."""
        checkpoint, saved = self.checkpoint((1, "--offload-optimizer=cpu", "--delayed-update"))
        done = self.export(checkpoint, "out.safetensors")
        self.assertIn("note: the update of the last step is left, and not in these weights; a run with --resume and "
                      "--save makes it\n", done.err)
        self.assertNotEqual((self.folder / "out.safetensors").read_bytes(), saved.read_bytes())

    def test_value_that_a_type_cannot_hold(self):
        """It would be written as infinite."""
        _, saved = self.checkpoint((1, "--stage=0"))
        weights = support.read_safetensors(saved)
        weights["transformer.wpe.weight"][1][-1] = 1e6  # a position that is not used
        support.write_safetensors(self.folder / "large.safetensors", weights)
        done = resumes.train((1, "--stage=0"), self.folder, "run", "--init", self.folder / "large.safetensors",
                             "--checkpoint", self.folder / "large", "--save-at-exit", steps=1)
        self.assertEqual(done.returncode, 0, done.err)
        self.assert_refused(support.run(support.ZEROC, "export", self.folder / "large", "-o", self.folder / "typed",
                                        "--config", self.config, "--dtype=f16"),
                            r"parameter transformer.wpe.weight is \S+ at element 511, more than f16 holds; give another")
        self.assertFalse((self.folder / "typed" / "model.safetensors").exists())
        self.export(self.folder / "large", "large-bf16", "--dtype=bf16")

    def test_folder_in_shards(self):
        checkpoint, saved = self.checkpoint((1, "--stage=0"))
        self.export(checkpoint, "model", "--max-shard-size=8KiB", "--config", self.config)
        index = json.loads((self.folder / "model/model.safetensors.index.json").read_text())
        files = sorted(set(index["weight_map"].values()))
        self.assertGreater(len(files), 2)
        self.assertEqual(files[0], f"model-00001-of-{len(files):05}.safetensors")
        self.assertEqual(sorted(path.name for path in (self.folder / "model").iterdir()),
                         sorted([".zeroc-files", "config.json", "generation_config.json", "model.safetensors.index.json", *files]))
        self.assertEqual(json.loads((self.folder / "model/generation_config.json").read_text())["eos_token_id"], 7)
        weights = {}
        for file in files:
            shard = support.read_safetensors(self.folder / "model" / file)
            size = sum(4 * len(values) for _, values in shard.values())
            self.assertTrue(size <= 8192 or len(shard) == 1)
            weights.update(shard)
        self.assertEqual(weights, support.read_safetensors(saved))
        self.assertEqual(index["metadata"]["total_size"], sum(4 * len(values) for _, values in weights.values()))

        # They also initialize a run, even on several ranks that read their slices.
        for layout in (1, "--stage=0"), (2, "--stage=3"):
            done = resumes.train(layout, self.folder, "from", "--init", self.folder / "model", steps=0)
            self.assertEqual(done.returncode, 0, done.err)
            self.assert_same_bytes(self.folder / "from.safetensors", saved)

    def test_config_names_the_type_of_the_tensors(self):
        """For each type that the config of a base may say, and each that is written; nothing else of it changes."""
        checkpoint, _ = self.checkpoint((1, "--stage=0"))
        names = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}
        for dtype, name in names.items():
            for base in (*names.values(), None):
                for keys in (("dtype",), ("torch_dtype",), ("dtype", "torch_dtype")) if base else ((),):
                    with self.subTest(dtype, base=base, keys=keys):
                        given = {"z_first": 1e-06, **dict.fromkeys(keys, base), **CONFIG}
                        path = self.write("base.json", json.dumps(given))
                        self.export(checkpoint, "typed", "--config", path, f"--dtype={dtype}")
                        data = (self.folder / "typed/model.safetensors").read_bytes()
                        header = json.loads(data[8:8 + struct.unpack_from("<Q", data)[0]])
                        self.assertEqual({entry["dtype"] for key, entry in header.items() if key != "__metadata__"},
                                         {dtype.upper()})
                        text = (self.folder / "typed/config.json").read_text()
                        written = json.loads(text)
                        self.assertEqual(list(written.items()), list(
                            {**given, **dict.fromkeys(keys or ("torch_dtype",), name)}.items()))
                        if base == name:
                            self.assertEqual(text, path.read_text())

    def test_folder_of_one_file(self):
        checkpoint, saved = self.checkpoint((1, "--stage=0"))
        self.export(checkpoint, "model")
        self.assertEqual({path.name for path in (self.folder / "model").iterdir()}, {".zeroc-files", "model.safetensors"})
        done = resumes.train((1, "--stage=0"), self.folder, "from", "--init", self.folder / "model", steps=0)
        self.assertEqual(done.returncode, 0, done.err)
        self.assert_same_bytes(self.folder / "from.safetensors", saved)

    def test_folders_that_lie(self):
        checkpoint, _ = self.checkpoint((1, "--stage=0"))
        model = self.folder / "model"
        self.export(checkpoint, model, "--max-shard-size=8KiB")
        index = model / "model.safetensors.index.json"
        whole = json.loads(index.read_text())
        names = sorted(whole["weight_map"])
        first, last = whole["weight_map"][names[0]], whole["weight_map"][names[-1]]
        shard = (model / last).read_bytes()
        (length,) = struct.unpack_from("<Q", shard)

        def mapped(**changes):
            index.write_text(json.dumps({"weight_map": {**whole["weight_map"], **changes}}))

        for what, change, keyword in (
                ("another place", lambda: mapped(**{names[-1]: first}), "it says that tensor .* is in .*, which does not"),
                ("no such tensor", lambda: mapped(more=first), "it says that tensor more is in"),
                ("no such file", lambda: mapped(**{names[0]: "model-9.safetensors"}), "model-9.safetensors: no such file"),
                ("outside", lambda: mapped(**{names[0]: "../model-1.safetensors"}), "no name of a file beside it"),
                ("not listed", lambda: index.write_text(json.dumps({"weight_map": {
                    name: file for name, file in whole["weight_map"].items() if name != names[0]}})),
                 f"does not list tensor .*, which .*{first} has"),
                ("no map", lambda: index.write_text("{}"), "it is not an index of tensors"),
                ("no JSON", lambda: index.write_text("{"), "is not JSON, at byte 2"),
                ("cut", lambda: (model / last).write_bytes(shard[:-4]), f"{last}.*(cut short|not inside)"),
                ("twice", lambda: (model / last).write_bytes((model / first).read_bytes()), "is in .* as well"),
                ("header", lambda: (model / last).write_bytes(shard[:8] + b"x" + shard[9:]), f"{last}: its header"),
                ("nothing", lambda: [path.unlink() for path in model.iterdir()],
                 "has neither model.safetensors nor model.safetensors.index.json")):
            with self.subTest(what):
                change()
                done = resumes.train((1, "--stage=0"), self.folder, "from", "--init", model, steps=0)
                self.assert_refused(done, keyword)
                index.write_text(json.dumps(whole))
                (model / last).write_bytes(shard)

    def test_again_into_a_folder(self):
        checkpoint, saved = self.checkpoint((1, "--stage=0"))
        export = (support.ZEROC, "export", checkpoint, "-o", "model")
        self.export(checkpoint, "model", "--max-shard-size=8KiB")
        self.export(checkpoint, "model", "--max-shard-size=8KiB")  # the same files
        names = {path.name for path in (self.folder / "model").iterdir()}
        # Old files that remained would be read, too.
        self.export(checkpoint, "model")
        self.assertEqual({path.name for path in (self.folder / "model").iterdir()}, {".zeroc-files", "model.safetensors"})
        self.export(checkpoint, "model", "--max-shard-size=8KiB")
        self.assertEqual({path.name for path in (self.folder / "model").iterdir()}, names)
        # But those of others stay.
        (self.folder / "model/model.safetensors").write_bytes(saved.read_bytes())
        before = {path.name: path.read_bytes() for path in (self.folder / "model").iterdir()}
        for options in (), ("--max-shard-size=8KiB",), ("--max-shard-size=8KiB", "--force"):
            self.assert_refused(support.run(*export, *options, cwd=self.folder),
                                "model.safetensors was changed after zeroc wrote it|would leave model.safetensors",
                                status=1)
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / "model").iterdir()}, before)
        done = resumes.train((1, "--stage=0"), self.folder, "from", "--init", self.folder / "model", steps=0)
        self.assert_refused(done, "has model.safetensors and model.safetensors.index.json")

    def test_writes_nothing_into_its_source(self):
        checkpoint, _ = self.checkpoint((1, "--stage=0"))
        step = checkpoint / "step-3"
        before = {path.name: path.read_bytes() for path in step.iterdir()}
        for output in "rank-00000.safetensors", "more", ".", "../step-3/x.safetensors":
            self.assert_refused(support.run(support.ZEROC, "export", step, "-o", step / output),
                                "is in the checkpoint .*; name a place outside")
        self.assertEqual({path.name: path.read_bytes() for path in step.iterdir()}, before)

    def test_what_is_no_json(self):
        checkpoint, _ = self.checkpoint((1, "--stage=0"))
        manifest = checkpoint / "step-3/manifest.json"
        whole = manifest.read_text()
        for what, text, keyword in (("cut", whole[:100], "manifest.json: .*its end is missing"),
                                    ("broken", whole.replace(":", ";", 1), "manifest.json: it is damaged: it is not JSON"),
                                    ("a bare nan", whole.replace('"step":3', '"step":nan'), "it is damaged"),
                                    ("deep", "[" * 30_000_000 + whole, "nests deeper than 64 levels")):
            with self.subTest(what):
                manifest.write_text(text)
                self.assert_refused(support.run(support.ZEROC, "export", checkpoint, "-o", "x", cwd=self.folder),
                                    keyword, status=1)
        manifest.write_text(whole)
        for text, keyword in (("{", "is not JSON, at byte 2"), ("[1]", "is no object of JSON"),
                              ("[" * 100, "nests deeper"), (" " * (1 << 21), "more than the")):
            self.config.write_text(text)
            self.assert_refused(support.run(support.ZEROC, "export", checkpoint, "-o", "x", "--config", self.config,
                                            cwd=self.folder), f"config.json:? .*{keyword}", status=1)

    def test_errors(self):
        checkpoint, _ = self.checkpoint((1, "--stage=0"))
        file = checkpoint / "step-3" / "rank-00000.safetensors"
        for what, arguments, keyword in (
                ("no checkpoint", (self.folder / "tokens.u16", "-o", "x"), "not a directory|no checkpoint"),
                ("no output", (checkpoint,), "-o is missing"),
                ("config of a file", (checkpoint, "-o", "x.safetensors", "--config", self.config), "is for a folder"),
                ("no folder", (checkpoint, "-o", "tokens.u16/x"), "cannot make the folder"),
                ("another type", (checkpoint, "-o", "x", "--dtype=i8"), "must be f32, bf16 or f16"),
                ("best of one", (checkpoint / "step-3", "-o", "x", "--best"),
                 "--best is for a folder of checkpoints, and .*step-3 is one; drop it"),
                ("no best", (checkpoint, "-o", "x", "--best"),
                 "step-3 does not say which checkpoint is the best; its run was without --keep-best")):
            with self.subTest(what):
                self.assert_refused(support.run(support.ZEROC, "export", *arguments, cwd=self.folder), keyword)
        data = bytearray(file.read_bytes())
        data[-9] ^= 1
        file.write_bytes(data)
        done = support.run(support.ZEROC, "export", checkpoint, "-o", "x.safetensors", cwd=self.folder)
        self.assert_refused(done, "rank-00000.safetensors: bytes .* are not what was written")
        self.assertFalse((self.folder / "x.safetensors").exists())
