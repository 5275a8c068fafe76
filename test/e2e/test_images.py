"""Models of images and text, of which the text is trained: runs of transformers and adapters of PEFT, made by
test/golden/images.py, and folders that keep what is not trained."""
import array
import json
import shutil
import sys

import chats
import support

sys.path.insert(0, str(support.ROOT / "python"))
from zeroc.source import adapter_options  # noqa: E402

ROOT = support.ROOT / "test" / "golden" / "images"
CASES = sorted(path.name for path in ROOT.iterdir())
STEP = 2.0**16  # initial weights are lost in rounding
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")
#: The modules, and the names that older versions gave their tensors in files.
OLDER = (("model.language_model.", "language_model.model."), ("lm_head.", "language_model.lm_head."),
         ("model.", ""))


def golden(case):
    return json.loads((ROOT / case / "golden.json").read_text())


def raw(path):
    """{name: (type, shape, bytes)} of the safetensors files of a folder, or of one."""
    found = {}
    for file in sorted(path.glob("*.safetensors")) if path.is_dir() else [path]:
        data = file.read_bytes()
        size = 8 + int.from_bytes(data[:8], "little")
        for name, entry in json.loads(data[8:size]).items():
            if name != "__metadata__":
                begin, end = entry["data_offsets"]
                found[name] = entry["dtype"], entry["shape"], data[size + begin:size + end]
    return found


def stored_name(name, tensors):
    older = next((before + name.removeprefix(now) for now, before in OLDER if name.startswith(now)), name)
    return name if name in tensors else older


class Golden(support.Case):
    def compiled(self, case, *options, ranks=1):
        model = support.import_model(ROOT / case / "config.json", golden(case)["batch"] // ranks, golden(case)["seq"])
        return support.compile_model(model, f"--world-size={ranks}", *options)

    def run_of(self, case, binary, steps, lr, *flags, **how):
        return self.train(binary, ROOT / case / "tokens.bin", steps, lr, "--data-format", "u16", *flags, **how)

    def test_losses(self):
        plans = ((2, "--stage=3", "--remat=block"), (2, "--stage=3", "--remat=block"), (2, "--stage=2", "--offload=cpu"),
                 (2, "--stage=1"), (1,))
        for case, (ranks, *options) in zip(CASES, plans, strict=True):
            with self.subTest(case):
                hyper = golden(case)["hyper"]
                binary = self.compiled(case, f"--betas={hyper['betas'][0]},{hyper['betas'][1]}", f"--eps={hyper['eps']}",
                                       f"--weight-decay={hyper['weight_decay']}", f"--grad-clip={hyper['clip']}", *options,
                                       ranks=ranks)
                lines, _ = self.run_of(case, binary, golden(case)["steps"], hyper["lr"], "--init", ROOT / case, name=case,
                                       ranks=ranks)
                for line, loss in zip(lines, golden(case)["loss"], strict=True):
                    self.assert_close(line["loss"], loss, 1e-6, f"loss of step {line['step']}")

    def test_gradients(self):
        for case in CASES:
            with self.subTest(case):
                _, saved = self.run_of(case, self.compiled(case, *PLAIN), 1, STEP, "--init", ROOT / case, name=case)
                begin, end, expected = (support.read_safetensors(path) for path in (
                    ROOT / case / "model.safetensors", saved, ROOT / case / "gradients.safetensors"))
                self.assertEqual(end.keys(), expected.keys())
                for name, (shape, gradient) in expected.items():
                    self.assertEqual(end[name][0], shape, name)
                    if not any(gradient):
                        self.assertEqual(end[name], begin[stored_name(name, begin)], name)
                    got = [(x - y) / STEP for x, y in zip(begin[stored_name(name, begin)][1], end[name][1])]
                    error = max(abs(x - y) for x, y in zip(got, gradient)) / (max(map(abs, gradient)) or 1)
                    self.assertLessEqual(error, 1e-5, f"gradient of {name}")

    def test_export(self):
        """Loaded and written without a step: the same names, types and bytes, also of what is not trained."""
        for case in CASES:
            with self.subTest(case):
                folder = self.folder / case
                shutil.copytree(ROOT / case, folder)
                tensors = raw(folder / "model.safetensors")
                # Tensors that are not trained keep their own type.
                part = next(name for name in tensors if "vis" in name)
                kind, shape, data = tensors[part]
                halves = b"".join(data[at + 2:at + 4] for at in range(0, len(data), 4))
                self.write_raw(folder / "model.safetensors", {**tensors, part: ("BF16", shape, halves)})
                tensors = raw(folder / "model.safetensors")
                out = self.folder / f"{case}-run"
                self.run_of(case, self.compiled(case), 1, 0, "--init", folder, "--checkpoint", out, "--save-at-exit", name=case)
                for shards, config in (((), folder / "config.json"), (("--max-shard-size=20KB",), "config.json")):
                    done = support.run(support.ZEROC, "export", out, "-o", self.folder / "whole", f"--config={config}",
                                       *shards, cwd=folder)
                    self.assertEqual(done.returncode, 0, done.err)
                    self.assertIn("tensors as they were: ", done.err)
                    self.assertEqual(raw(self.folder / "whole"), tensors)
                    self.assertEqual(json.loads((self.folder / "whole" / "config.json").read_text())["text_config"],
                                     json.loads((folder / "config.json").read_text())["text_config"])
                    if shards:
                        index = json.loads((self.folder / "whole" / "model.safetensors.index.json").read_text())["weight_map"]
                        self.assertEqual(index.keys(), tensors.keys())
                        for name, file in index.items():
                            self.assertIn(name, raw(self.folder / "whole" / file))
                        kinds = {(file, name in self.text_of(tensors)) for name, file in index.items()}
                        self.assertEqual(len(kinds), len(set(index.values())))
                    shutil.rmtree(self.folder / "whole")

    def test_types(self):
        """Tensors of f32 beside those of 16 bits stay so, and the config says 16 bits."""
        folder = self.folder / "mixed"
        shutil.copytree(ROOT / "qwen3_5", folder)
        tensors = {name: (kind, shape, data) if "A_log" in name else
                   ("BF16", shape, b"".join(data[at + 2:at + 4] for at in range(0, len(data), 4)))
                   for name, (kind, shape, data) in raw(folder / "model.safetensors").items()}
        self.write_raw(folder / "model.safetensors", tensors)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "dtype": "bfloat16"}))
        run = self.folder / "run"
        self.run_of("qwen3_5", self.compiled("qwen3_5", "--precision=bf16"), 1, 0, "--init", folder, "--checkpoint", run,
                    "--save-at-exit")
        self.run_ok(support.ZEROC, "export", run, "-o", self.folder / "whole", "--dtype=bf16", f"--config={folder}/config.json")
        self.assertEqual(raw(self.folder / "whole"), tensors)
        self.assertEqual(json.loads((self.folder / "whole" / "config.json").read_text())["dtype"], "bfloat16")
        # Without the model's weights only those of the text are written; the config of the text says their type, too.
        path = self.write("config.json", {**config, "dtype": "float32",
                                          "text_config": {**config["text_config"], "dtype": "float32"}})
        done = self.run_ok(support.ZEROC, "export", run, "-o", self.folder / "text", "--dtype=bf16", f"--config={path}")
        self.assertIn(f"note: only the model of text is written: there are no weights beside {path}; name the whole "
                      "model's folder by --others\n", done.err)
        self.assertEqual(set(raw(self.folder / "text")), self.text_of(tensors))
        written = json.loads((self.folder / "text" / "config.json").read_text())
        self.assertEqual([written["dtype"], written["text_config"]["dtype"]], ["bfloat16"] * 2)

    def text_of(self, tensors):
        return {name for name in tensors if name.startswith(("model.language_model.", "language_model.", "lm_head."))}

    def write_raw(self, path, tensors):
        header, data = {}, b""
        for name, (kind, shape, some) in tensors.items():
            header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(some)]}
            data += some
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + data)

    def test_adapters(self):
        """Those of PEFT for the class of the whole model give its loss; ours have the same names."""
        for case in CASES:
            with self.subTest(case):
                adapters = ROOT / case / "adapters"
                options = adapter_options(adapters)
                binary = self.compiled(case, *options)
                lines, _ = self.run_of(case, binary, 1, 0, "--init", ROOT / case, "--adapter", adapters, name=case)
                self.assert_close(lines[0]["loss"], golden(case)["loss_with_adapters"], 1e-6, "loss with adapters")
                out = self.folder / f"{case}-adapters"
                self.run_ok(binary, "--data", ROOT / case / "tokens.bin", "--data-format", "u16", "--init", ROOT / case, "--steps", 1,
                            "--lr", 1e-3, "--save", out)
                names = [sorted(support.read_safetensors(folder / support.ADAPTER)) for folder in (out, adapters)]
                self.assertEqual(*names)


class Refused(support.Case):
    def test_configs(self):
        config = json.loads((ROOT / "qwen3_vl" / "config.json").read_text())
        for change, says in (
                ({"tie_word_embeddings": False, "text_config": {**config["text_config"], "tie_word_embeddings": True}},
                 "text_config: tie_word_embeddings is true, and false around it; make them agree with the weights"),
                ({"text_config": None}, "text_config is missing, or no object"),
                ({"text_config": {**config["text_config"], "model_type": "qwen9"}}, 'text_config: model_type "qwen9" is not supported'),
                ({"text_config": {**config["text_config"], "hidden_size": 0}},
                 "text_config: hidden_size must be an integer from 1"),
                (config["text_config"], "model_type qwen3_vl_text is the text of a model of images; name the config.json of qwen3_vl"),
                ({"model_type": "llava"}, 'model_type "llava" is not supported')):
            with self.subTest(says):
                path = self.write("config.json", json.dumps({**config, **change}))
                self.assert_refused(support.run(support.ZEROC, "import", path, "--batch=1", "--seq=8", "-o", "m.mlir"), says)


    def test_parts_of_a_model_of_text(self):
        """What is no part of a model of text is named, as before."""
        folder = self.folder / "mistral"
        shutil.copytree(support.ROOT / "test" / "golden" / "mistral", folder)
        tensors = support.read_safetensors(folder / "model.safetensors")
        support.write_safetensors(folder / "model.safetensors", {**tensors, "vision_tower.w": ((1,), array.array("f", [1]))})
        done = self.run_ok(support.compile_model(support.import_model(folder / "config.json", 2, 8)), "--data", folder / "tokens.bin",
                           "--data-format", "u16", "--init", folder, "--steps", 1, "--lr", 0)
        self.assertIn("1 tensor is not in the model, ignored: vision_tower.w", done.err)


class Finetune(chats.ChatCase):
    def whole(self):
        """A model's folder as on the hub, with names of older versions."""
        text = dict(model_type="qwen3_vl_text", hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
                    num_key_value_heads=1, head_dim=16, max_position_embeddings=64)
        base = self.model(name="whole", model_type="qwen3_vl", architectures=["Qwen3VLForConditionalGeneration"],
                          tie_word_embeddings=True, text_config=text)
        config = json.loads((base / "config.json").read_text())
        config["text_config"]["vocab_size"] = config.pop("vocab_size")
        (base / "config.json").write_text(json.dumps(config))
        (base / "preprocessor_config.json").write_text("{}\n")
        binary = support.compile_model(support.import_model(base / "config.json", 1, 8))
        tokens = self.write_tokens(100, config["text_config"]["vocab_size"])
        self.run_ok(binary, "--data", tokens, "--steps", 1, "--lr", "0", "--save", base / "model.safetensors")
        tensors = support.read_safetensors(base / "model.safetensors")
        tensors["model.visual.merger.weight"] = ((2, 3), array.array("f", range(6)))
        support.write_safetensors(base / "model.safetensors", tensors)
        return base

    def test_weights_and_adapters(self):
        base = self.whole()
        before = raw(base)
        data = self.write("chats.jsonl", "".join(json.dumps({"messages": [
            {"role": "user", "content": word}, {"role": "assistant", "content": word}]}) + "\n" for word in ["red", "blue"] * 20))
        common = (support.ZEROC, "finetune", base, data, "--steps=2", "--threads=1", "--progress=none", "--seq=32")
        for name, options in (("all", ()), ("merged", ("--lora=2", "--merge")), ("reward", ("--objective=classify",))):
            with self.subTest(name):
                records = data
                if name == "reward":
                    records = self.write("labels.jsonl", "".join(
                        json.dumps({"text": text, "label": text}) + "\n" for text in ["red", "blue"] * 20))
                self.run_ok(*common[:3], records, *common[4:], "-o", self.folder / name, *options)
                after = raw(self.folder / name)
                self.assertEqual(after.keys() - {"score.weight"}, before.keys())
                self.assertEqual(after["model.visual.merger.weight"], before["model.visual.merger.weight"])
                self.assertNotEqual(after["model.language_model.layers.0.mlp.down_proj.weight"],
                                    before["model.language_model.layers.0.mlp.down_proj.weight"])
                self.assertTrue((self.folder / name / "preprocessor_config.json").exists())
        self.run_ok(*common, "-o", self.folder / "lora", "--lora=2")
        names = support.read_safetensors(self.folder / "lora" / support.ADAPTER).keys()
        self.assertTrue(all(name.startswith("base_model.model.model.language_model.layers.") for name in names), sorted(names)[:2])
        prompts = self.write("prompts.jsonl", json.dumps({"messages": [{"role": "user", "content": "red"}]}) + "\n")
        for model, more in ((self.folder / "all", ()), (base, ("--adapter", self.folder / "lora"))):
            done = self.run_ok(support.ZEROC, "generate", model, "--prompts", prompts, "--max-tokens=3", *more)
            self.assertEqual(len(done.out.splitlines()), 1)
