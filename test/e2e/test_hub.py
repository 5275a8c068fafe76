"""Names of a hub in place of folders: models and data sets, from a hub on the loopback."""
import json
import os
import re
import shutil

import chats
import support
from hub_server import Hub
from test_finetune import FinetuneCase

try:
    import huggingface_hub  # noqa: F401
    MISSING = ""
except ImportError as error:
    MISSING = f"no Python package: {error}"

NAME, DATA = "tiny/qwen", "tiny/chats"
#: What finetune needs of the model, and what nothing here reads.
READ = {"config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "model.safetensors"}
UNREAD = ("pytorch_model.bin", "model.gguf", "consolidated.safetensors", "onnx/model.onnx", "onnx/model.safetensors")


class HubCase(FinetuneCase):
    def setUp(self):
        super().setUp()
        if MISSING:
            self.skipTest(MISSING)
        for name in UNREAD:
            (self.base / name).parent.mkdir(exist_ok=True)
            (self.base / name).write_text("nothing")
        self.data = self.folder / "chats"
        self.data.mkdir()
        lines = self.chats.read_text().splitlines(keepends=True)
        (self.data / "train.jsonl").write_text("".join(lines[:100]))
        (self.data / "test.jsonl").write_text("".join(lines[100:]))
        (self.data / "README.md").write_text("# Chats\n")
        bare = self.folder / "bare"
        bare.mkdir()
        for name in ("config.json", "tokenizer.json", "pytorch_model.bin"):
            shutil.copy(self.base / name, bare)
        subsets = self.folder / "subsets"
        for name in ("easy", "hard"):
            (subsets / name).mkdir(parents=True)
            shutil.copy(self.data / "train.jsonl", subsets / name / "train-00000-of-00001.jsonl")
        plain = self.folder / "plain"
        plain.mkdir()
        for name in ("chats.jsonl", "LICENSE.txt", "dataset_infos.json"):
            shutil.copy(self.chats, plain / name)
        self.hub = Hub({("models", NAME): self.base, ("models", "tiny/bare"): bare, ("models", "tiny/gated"): None,
                        ("datasets", DATA): self.data, ("datasets", "tiny/subsets"): subsets,
                        ("datasets", "tiny/plain"): plain})
        self.addCleanup(self.hub.close)
        self.work = self.folder / "work"
        self.work.mkdir()

    def zeroc(self, *words, **environment):
        """Runs a command in an empty folder."""
        return support.run(support.ZEROC, *words, cwd=self.work, env={
            "HF_ENDPOINT": self.hub.address, "HF_HOME": str(self.folder / "home"), "HF_TOKEN": "", "HF_HUB_OFFLINE": "0",
            **environment})

    def ok(self, *words, **environment):
        self.hub.sent.clear()
        done = self.zeroc(*words, **environment)
        self.assertEqual(done.returncode, 0, done.err + done.out)
        return done

    def refused(self, *words, says, **environment):
        done = self.zeroc(*words, **environment)
        self.assert_refused(done)
        for text in says if isinstance(says, tuple) else (says,):
            self.assertIn(text, done.err)


class Rule(chats.ChatCase):
    def test_is_one(self):
        """zeroc import and zeroc plan hand to Python what is a name there, and nothing else."""
        from zeroc import hub
        script = self.write("python", "#!/bin/sh\necho handed over\n")
        script.chmod(0o755)
        (self.folder / "there").mkdir()
        (self.folder / "there" / "file").write_text("")
        (self.folder / "there" / "link").symlink_to("nowhere")
        handed = set()
        words = {"a", "a/b", "a/b/c", "/a", "a/", "/", "./a", "../a/b", "a/./b", "a//b", "~/b", "a/~b", "a b/c", "-a/b", "a/-b",
                 "_a/b", "a/_b", "a_/b_", "a.b/c.d", "a-1/b-2", "1/2", "A/B", "a/.b", "a/b@c", "a/b@", "a/@c", "a@c/b", "a/b@c@d",
                 "a/b@c/d", "a/b@.", "a/b@-1", "a/b@_", "a/b:c", "a/b.mlir", "a/b.json", "a/b@c.json", "a/b.jsonl", "a/json",
                 "\u00e4/b", "a/\u00e4", "a/b\n", "a/b\t", "there/file", "there/link", "there/nothing", "there/file@main"}
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        for word in sorted(words):
            for command in ("import", "plan"):
                done = support.run(support.ZEROC, command, word, env={"ZEROC_PYTHON": str(script)})
                with self.subTest(word=word, command=command):
                    self.assertEqual(done.out == "handed over\n", hub.is_name(word), done.err)
            handed |= {word} if hub.is_name(word) else set()
        self.assertLessEqual({"a/b", "a/b@c", "there/nothing", "a/b.jsonl"}, handed)
        self.assertFalse({"a/b@", "a/b@c@d", "there/file", "a/b/c", "a/b.mlir"} & handed)


class Names(HubCase):
    OPTIONS = ("--lora=4", "--steps=2", "--accumulate=2", "--threads=1", "--progress=none")

    def test_finetune(self):
        done = self.ok("finetune", NAME, DATA, "-o", "named", *self.OPTIONS)
        self.assertEqual(set(self.hub.sent), READ | {"README.md", "train.jsonl"})
        self.assertIn(f"train of {DATA}, 1 file; not test (1 file): see --split", done.err)
        self.ok("finetune", self.base, self.data / "train.jsonl", "-o", "folder", *self.OPTIONS)
        named, folder = self.work / "named", self.work / "folder"
        self.assert_same_bytes(named / "adapter_model.safetensors", folder / "adapter_model.safetensors")
        self.assertEqual(json.loads((named / "adapter_config.json").read_text())["base_model_name_or_path"], NAME)
        self.assertIn(f'base_model: "{NAME}"', (named / "README.md").read_text())
        # The same command goes on, and has nothing left to do.
        self.ok("finetune", NAME, DATA, "-o", "named", *self.OPTIONS)
        self.assert_same_bytes(named / "adapter_model.safetensors", folder / "adapter_model.safetensors")
        # What the cache has is enough, and a folder of that name goes before it.
        self.ok("finetune", NAME, DATA, "-o", "cached", *self.OPTIONS, HF_HUB_OFFLINE="1")
        self.assertEqual(self.hub.sent, [])
        self.assert_same_bytes(named / "adapter_model.safetensors", self.work / "cached" / "adapter_model.safetensors")
        (self.work / NAME).mkdir(parents=True)
        self.refused("finetune", NAME, DATA, "-o", "other", says=f"{NAME} has no config.json")

    def test_adapter(self):
        """Adapters to begin with are a folder or a name; a file of --config keeps the name."""
        common = ("finetune", self.base, self.data / "train.jsonl", *self.OPTIONS)
        first, named, folder = (self.work / name for name in ("first", "named", "folder"))
        self.ok(*common, "-o", first)
        self.hub.repositories["models", "tiny/adapters"] = first
        self.ok(*common, "-o", named, "--adapter=tiny/adapters")
        self.assertEqual(set(self.hub.sent), {"adapter_config.json", "adapter_model.safetensors"})
        self.ok(*common, "-o", folder, f"--adapter={first}")
        self.assert_same_bytes(named / "adapter_model.safetensors", folder / "adapter_model.safetensors")
        self.ok(*common, "-o", "dry", "--adapter", "tiny/adapters", "--dry-run")
        self.assertIn('adapter: "tiny/adapters"', (self.work / "dry" / "zeroc" / "config.yaml").read_text())

    def test_config_alone(self):
        """What only needs a config gets no more: a dry run has no weights, zeroc plan and import no tokenizer."""
        plan = ("--world-size=2", "--batch=1", "--seq=16")
        for words in (("plan", NAME, *plan), ("import", NAME, "--batch=1", "--seq=16", "-o", "named.mlir")):
            done = self.ok(*words)
            self.assertLessEqual(set(self.hub.sent), {"config.json"}, words)
            # A folder with weights has more to say of it.
            base = self.base / "config.json" if words[0] == "plan" else self.base
            own = self.ok(*(base if word == NAME else "own.mlir" if word == "named.mlir" else word for word in words))
            folder = next((self.folder / "home" / "hub").glob("models--*/snapshots/*"))
            self.assertEqual(*([word for word in text.split() if word != "\\"]  # where long commands break
                               for text in (done.out.replace(str(folder), str(base)), own.out)))
        self.assertEqual(*((self.work / name).read_text().replace(str(folder), str(self.base))
                           for name in ("named.mlir", "own.mlir")))
        self.ok("finetune", NAME, DATA, "-o", "out", "--dry-run", *self.OPTIONS)
        self.assertEqual(set(self.hub.sent), READ - {"config.json", "model.safetensors"} | {"README.md", "train.jsonl"})

    def test_other_commands(self):
        done = self.ok("data", "show", NAME, DATA, "--split=test", "--samples=1")
        self.assertIn("[[", done.out)
        self.assertEqual(set(self.hub.sent), READ - {"model.safetensors"} | {"README.md", "test.jsonl"})
        self.write("prompts.txt", "red\n")
        done = self.ok("generate", NAME, "--prompts", self.folder / "prompts.txt", "--max-tokens=2", "--seq=32",
                       "--temperature=0", ZEROC_CACHE=str(self.folder / "programs"))
        self.assertEqual(json.loads(done.out)["tokens"], 2)
        texts = self.write("texts.txt", "red green " * 100)
        self.ok("tokenize", texts, "-o", "tokens.u16", f"--tokenizer={NAME}@main")
        end = json.loads((self.base / "config.json").read_text())["vocab_size"] - 1
        config = json.loads((self.base / "config.json").read_text())
        (self.base / "config.json").write_text(json.dumps({**config, "eos_token_id": end}))
        self.hub.revision = "f" * 40
        self.ok("pretrain", NAME, texts, "-o", "pretrained", "--seq=16", "--steps=1", "--progress=none")
        self.assertNotIn("model.safetensors", self.hub.sent)

    def test_refused(self):
        data = self.data / "train.jsonl"
        for name, says in (("tiny/nothing", f"there is no file or folder tiny/nothing, and {self.hub.address} has no model of "
                            "that name, or a private one; check the name, or log in with `hf auth login`"),
                           ("tiny/gated", f"accept its terms: do so at {self.hub.address}/tiny/gated"),
                           (f"{NAME}@older", f"the model {NAME} has no revision older"),
                           ("tiny/bare", "tiny/bare has no weights model*.safetensors, and zeroc reads no *.bin")):
            with self.subTest(name):
                self.refused("finetune", name, data, "-o", "out", "--steps=1", says=says)
        self.refused("plan", "tiny/nothing", says="zeroc plan: error: there is no file or folder tiny/nothing")
        for name, says in (("tiny/nothing", "has no data set of that name"),
                           ("tiny/subsets", "tiny/subsets has the subsets easy, hard; name one, as in tiny/subsets/easy")):
            self.refused("data", "show", NAME, name, says=says)
        self.refused("data", "show", NAME, DATA, "--split=dev",
                     says=f"{DATA} has test, train, and no dev; choose one with --split=train")
        self.ok("data", "show", NAME, "tiny/subsets/hard")
        self.assertEqual(self.hub.sent, ["hard/train-00000-of-00001.jsonl"])
        self.ok("data", "show", NAME, "tiny/plain")
        self.assertEqual(self.hub.sent, ["chats.jsonl"])

    NAMED = """---
license: mit
configs:
- config_name: easy
  data_files:
  - split: train
    path: texts/**/*.jsonl
  - {split: held, path: [texts/one/a.jsonl, './more-?.jsonl']}
- config_name: no
  data_files: more-*.jsonl
  default: true
- {config_name: 2024, data_dir: ./plain}
---
# Chats
"""

    def named(self):
        """A data set whose README.md names subsets; a record says in which file it is."""
        folder = self.folder / "named"
        for name in ("texts/one/a.jsonl", "texts/b.jsonl", "more-1.jsonl", "more-22.jsonl", "plain/train.jsonl",
                     "plain/test.jsonl"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps({"prompt": f"file={name}", "completion": "c"}) + "\n")
        (folder / "README.md").write_text(self.NAMED)
        self.hub.repositories["datasets", "tiny/named"] = folder
        return folder

    def shown(self, *words):
        """The files whose records zeroc data show prints, and the line that says which they are."""
        done = self.ok("data", "show", self.base, *words, "--samples=9")
        return sorted(re.findall(r"file=(\S+\.jsonl)", done.out)), "".join(re.findall("data      (.*)", done.err))

    def test_subsets(self):
        """Those that a README.md names, in a hub's data set and in a folder of its files."""
        folder = self.named()
        for name in ("tiny/named", str(folder)):
            for words, files, line in (
                    (("",), ["more-1.jsonl", "more-22.jsonl"], f"2 files of {name}/no; not the subsets easy, 2024"),
                    (("/no",), ["more-1.jsonl", "more-22.jsonl"], ""),
                    (("/easy",), ["texts/b.jsonl", "texts/one/a.jsonl"],
                     f"train of {name}/easy, 2 files; not held (2 files): see --split"),
                    (("/easy", "--split=held"), ["more-1.jsonl", "texts/one/a.jsonl"],
                     f"held of {name}/easy, 2 files; not train (2 files): see --split"),
                    (("/easy", "--split=all"), ["more-1.jsonl", "texts/b.jsonl", "texts/one/a.jsonl"], ""),
                    (("/2024",), ["plain/train.jsonl"], f"train of {name}/2024, 1 file; not test (1 file): see --split")):
                with self.subTest(name=name, words=words):
                    self.assertEqual(self.shown(name + words[0], *words[1:]), (files, line))
                    self.assertLessEqual(set(self.hub.sent) - {"README.md"}, {*READ, *files})
            for words, says in ((("/hard",), f"{name} has the subsets easy, no, 2024, and no hard; name one, as in {name}/easy"),
                                (("/easy", "--split=test"), f"{name}/easy has held, train, and no test; choose one with")):
                self.refused("data", "show", self.base, name + words[0], *words[1:], says=says)
        # What is no subset may be a folder; zeroc finetune and tokenize take subsets, too.
        self.assertEqual(self.shown("tiny/named/plain")[0], ["plain/train.jsonl"])
        for name in ("tiny/named", folder):
            self.ok("finetune", self.base, f"{name}/2024", "-o", "out", "--dry-run", "--restart", *self.OPTIONS)
            done = self.ok("tokenize", f"{name}/2024", "-o", "t.bin", "--bytes", "--field=prompt", "--force")
            self.assertIn("1 document", done.out)
        self.ok("data", "show", self.base, "tiny/named/easy", HF_HUB_OFFLINE="1")
        self.assertEqual(self.hub.sent, [])

    def test_forms_of_subsets(self):
        folder = self.named()

        def write(configs, begin="---\n"):
            (folder / "README.md").write_text(f"{begin}license: mit\n{configs}\n---\n# configs:\n- x\n")

        for configs, files in (("configs: [{config_name: a, data_files: {test: more-1.jsonl}}]", ["more-1.jsonl"]),
                               ("configs: [{data_files: [more-1.jsonl, plain/*]}]",
                                ["more-1.jsonl", "plain/test.jsonl", "plain/train.jsonl"]),
                               ("configs: [{config_name: b, data_files: more-1.jsonl}, {config_name: default, data_files: "
                                "more-22.jsonl}]", ["more-22.jsonl"]),
                               ("configs: [{config_name: c, data_dir: texts, data_files: 'one/[a-b].jsonl'}]", ["texts/one/a.jsonl"]),
                               ("configs: [{config_name: d, data_files: 'more-{1}.jsonl'}, {config_name: e, default: yes, "
                                "data_files: '**/a.jsonl'}]", ["texts/one/a.jsonl"]),
                               ("configs:", ["plain/train.jsonl"]), ("other: [configs]", ["plain/train.jsonl"])):
            with self.subTest(configs):
                write(configs)
                self.assertEqual(self.shown(folder)[0], files)
        write("configs: [{config_name: a, data_files: more-1.jsonl}]", begin="\ufeff---\r\n")
        self.assertEqual(self.shown(folder)[0], ["more-1.jsonl"])
        write("configs: [{config_name: a, data_files: more-1.jsonl}]", begin="text\n---\n")
        self.assertEqual(self.shown(folder)[0], ["plain/train.jsonl"])
        for configs, says in (
                ("configs: [{config_name: a, data_files: x}, {config_name: b, data_files: y}]",
                 f"{folder} has the subsets a, b; name one, as in {folder}/a"),
                ("configs: [{config_name: a, data_files: more-*.txt}]",
                 f"{folder}: its README.md names more-*.txt for the subset a, and there is no such file that zeroc reads"),
                ("configs: [{config_name: a, data_dir: none}]", "names the folder none/ for the subset a, and there is no file"),
                ("configs: [{config_name: a, data_files: [{split: test}]}]", "data_files has {'split': 'test'}; it must be a path"),
                ("configs: {a: b}", "configs is no list of subsets"), ("configs: [", "README.md, line 4 is not YAML")):
            with self.subTest(configs):
                write(configs)
                self.refused("data", "show", self.base, folder, says=says)

    def test_without_a_network(self):
        """What to run where there is one."""
        by_hand = "where there is a network, run `hf download {}`, and bring the folder {} here"
        for environment, why in (({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set"),
                                 ({"HF_ENDPOINT": "http://127.0.0.1:9"}, "http://127.0.0.1:9: ")):
            for words, name, command in (
                    (("finetune", NAME, DATA, "-o", "out"), NAME, f"{NAME} --local-dir {NAME}"),
                    (("import", NAME, "--batch=1", "--seq=8"), NAME, f"{NAME} config.json --local-dir {NAME}"),
                    (("data", "show", self.base, f"{DATA}@v1"), f"{DATA}@v1",
                     f"{DATA} --repo-type dataset --revision v1 --local-dir {DATA}@v1")):
                with self.subTest(why=why, command=command):
                    self.refused(*words, says=(why, by_hand.format(command, name)), **environment)

    def test_without_the_package(self):
        hidden = self.folder / "hidden" / "huggingface_hub"
        hidden.mkdir(parents=True)
        (hidden / "__init__.py").write_text("raise ImportError('hidden')\n")
        self.refused("finetune", NAME, DATA, "-o", "out", PYTHONPATH=str(hidden.parent),
                     says=f"{NAME}, which is no file or folder here, needs the Python package huggingface_hub (hidden); install "
                          "it with `")
