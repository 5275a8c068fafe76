"""zeroc generate: prompts of files, their answers in order, and what is refused."""
import array
import datetime
import json
import os
from unittest import mock

import chats
import generating
import support

try:
    from zeroc import generate
    from zeroc.answer import Answer
except ImportError:
    pass  # ChatCase skips


class Generate(generating.GeneratingCase):
    def generate(self, prompts, *options, status=0, name="prompts.txt"):
        """Returns the ended command and the records of its output."""
        path = self.write(name, prompts)
        done = self.zeroc("generate", self.base, "--prompts", path, "-o", "out.jsonl", *options)
        self.assertEqual(done.returncode, status, done.err + done.out)
        out = self.folder / "out.jsonl"
        self.assertEqual(list(self.folder.glob("*.partial*")), [])
        return done, [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []

    def test_lines_in_order(self):
        """Those that end first wait for those before them."""
        self.says(*({"text": "x" * (20 - i) + str(i), "end": "token"} for i in range(10)))
        done, records = self.generate("".join(f"prompt {i}\n\n" for i in range(10)), "--slots=3")
        self.assertEqual(records, [
            {"prompt": f"prompt {i}", "text": "x" * (20 - i) + str(i), "end": "token", "prompt_tokens": 8,
             "tokens": 21 - i} for i in range(10)])
        self.assertRegex(done.err, r"zeroc generate: 10 answers, 165 tokens in .* s \(.*/s\): 10 ended by an end token\n")
        requests = self.requests()
        self.assertEqual([request["sample"] for request in requests], list(range(10)))
        self.assertEqual(requests[3]["ids"], self.ids("prompt 3"))

    def test_what_is_run(self):
        """The compiler once for the same options; the program with what it must know."""
        (self.base / "generation_config.json").write_text(json.dumps({"eos_token_id": [256], "top_k": 20, "top_p": 0.95}))
        self.says("a")
        self.generate("p", "--threads", "2", "--base-storage=nf4", "--seq=50", "--temperature=0.5", "--seed=7",
                      "--max-tokens=9", "--top-p=0.5", "--repetition-penalty=1.1")
        model = ["import", str(self.base / "config.json"), "--batch=8", "--seq=50", "-o"]
        imported, compiled, run, request = self.logged()
        self.assertEqual(imported[:-1], model)
        self.assertEqual(compiled[1:-2], ["--sample-only", "--base-storage=nf4", "--precision=bf16"])
        self.assertEqual(run, ["--serve", "--weights", str(self.base), "--end-ids", "256,258", "--threads=2"])
        self.assertEqual(request, {"id": 1, "ids": self.ids("p"), "seed": 7, "sample": 0, "temperature": 0.5, "top_k": 20,
                                   "top_p": 0.5, "min_p": 0.0, "repetition_penalty": 1.1, "no_repeat_ngram_size": 0,
                                   "max": 9})
        self.generate("p", "--threads", "2", "--base-storage=nf4", "--seq=50", "--temperature=0.9")
        self.assertEqual([line[0] for line in self.logged() if isinstance(line, list)], ["--serve"])
        for option in ("--slots=2", "--precision=fp32", "--seq=51"):
            self.generate("p", option)
            self.assertEqual(len([line for line in self.logged() if isinstance(line, list)]), 3, option)
        config = json.loads((self.base / "config.json").read_text())
        (self.base / "config.json").write_text(json.dumps({**config, "dtype": "float32"}))
        self.generate("p")
        self.assertIn("--precision=fp32", self.logged()[1])

    def test_damaged_cache(self):
        """A program is run only as it was written, and from a folder that no one else may write to."""
        self.says("a")
        self.generate("p")
        programs = self.folder / "cache" / "programs"
        [made] = programs.iterdir()
        self.assertEqual([folder.stat().st_mode & 0o777 for folder in (programs.parent, programs, made)], [0o700] * 3)
        program, compiled = (made / "program").read_bytes(), 3  # import, compile, run
        for damage in (lambda: (made / "program").write_bytes(program[:-20]),
                       lambda: (made / "program").write_bytes(program.replace(b"import", b"imp0rt", 1)),
                       lambda: (made / "program").unlink(), lambda: (made / "sha256").unlink(),
                       lambda: (made / "sha256").write_bytes(b"\xff")):
            self.logged()
            damage()
            self.assertEqual(self.generate("p")[1][0]["text"], "a")
            self.assertEqual(len([line for line in self.logged() if isinstance(line, list)]), compiled)
            self.assertEqual((made / "program").read_bytes(), program)
        self.generate("p")
        self.assertEqual(len([line for line in self.logged() if isinstance(line, list)]), 1)
        for folder in (programs, programs.parent):
            folder.chmod(0o777)
            self.assert_refused(self.generate("p", status=1)[0], f"others may write to {folder}, and could change")
            folder.chmod(0o700)
        if os.getuid() == 0:
            os.chown(programs.parent, 65534, -1)
            self.assert_refused(self.generate("p", status=1)[0], f"{programs.parent} belongs to user 65534, who could")

    def test_full_disk(self):
        """The error names the file."""
        self.says("a" * 3000)
        path = self.write("prompts.txt", "p")
        words = ("generate", self.base, "--prompts", path, "-o", "out.jsonl", "--max-tokens=3000")
        self.zeroc_ok(*words)
        self.logged()
        (self.folder / "out.jsonl").unlink()
        done = support.run(*self.command(*words), cwd=self.folder, env=self.environment, file_limit=2048)
        self.assert_refused(done, "error: cannot write out.jsonl: File too large")
        self.assertEqual(list(self.folder.glob("out.jsonl*")), [])

    def test_records(self):
        """Chats go through the template; other fields come along."""
        self.says("four", "Hallo", "yes")
        lines = [{"messages": [{"role": "user", "content": "2+2?"}], "id": 17},
                 {"prompt": [{"role": "user", "content": "Hi"}], "system": "German"}, {"prompt": "no template"}]
        _, records = self.generate("".join(json.dumps(line) + "\n" for line in lines), name="prompts.jsonl")
        self.assertEqual([record["text"] for record in records], ["four", "Hallo", "yes"])
        self.assertEqual(records[0]["id"], 17)
        self.assertEqual([request["ids"] for request in self.requests()], [self.ids(text) for text in (
            "<user>2+2?<|im_end|><assistant>", "<system>German<|im_end|><user>Hi<|im_end|><assistant>", "no template")])

    def test_ends(self):
        endless = {"text": "abc"}
        self.says("one", endless, {"text": "tw", "end": "full"}, {"text": "", "end": "nonfinite"},
                  {"text": "before END after"}, {"text": "no EN", "end": "token"})
        done, records = self.generate("1\n2\n3\n4\n5\n6\n", "--max-tokens=7", "--stop=END", "--stop=never", "--slots=1")
        self.assertEqual([(record["end"], record["text"]) for record in records],
                         [("token", "one"), ("length", "abcabca"), ("full", "tw"), ("nonfinite", ""),
                          ("length", "before "), ("token", "no EN")])
        _, records = self.generate("1\n2\n3\n4\n5\n6\n", "--max-tokens=30", "--stop=END", "--slots=1")
        self.assertEqual((records[4]["end"], records[4]["text"]), ("stop", "before "))
        self.assertLess(records[4]["tokens"], 30)
        self.assertIn({"stop": 5}, self.requests())

    def test_standard_output_and_broken_characters(self):
        word = self.ids("\u00e4\U0001f600")
        self.says({"ids": word, "end": "token"}, {"ids": word[:-1], "end": "token"})
        done = self.zeroc_ok("generate", self.base, "--prompts", self.write("p.txt", "a\nb\n"))
        self.assertEqual([json.loads(line)["text"] for line in done.out.splitlines()], ["\u00e4\U0001f600", "\u00e4\ufffd"])

    def test_adapters(self):
        adapter = self.folder / "adapter"
        adapter.mkdir()
        config = {"peft_type": "LORA", "r": 8, "lora_alpha": 16, "use_rslora": True, "use_dora": True,
                  "target_modules": ["q_proj", "v_proj"], "layers_to_transform": [0, 2],
                  "modules_to_save": ["head"], "base_model_name_or_path": "base/model"}
        names = [f"model.layers.{layer}.{name}_proj.lora_{part}" for layer in (0, 2) for name in "qv"
                 for part in ("A.weight", "B.weight", "magnitude_vector")] + ["lm_head.weight", "model.layers.1.up.lora_A.weight"]
        tensors = {f"base_model.model.{name}": ([1], array.array("f", [0])) for name in names}
        support.write_safetensors(adapter / support.ADAPTER, tensors)
        (adapter / "adapter_config.json").write_text(json.dumps(config))
        self.says("a")
        self.generate("p", "--adapter", "adapter")
        _, compiled, run, _ = self.logged()
        self.assertEqual(compiled[1:-2], ["--sample-only", "--precision=bf16", "--lora=8:16", "--rslora", "--dora",
                                          "--lora-targets=(model[.]layers[.](0|2)[.](q_proj|v_proj)|"
                                          "model[.]layers[.]1[.]up)", "--modules-to-save=lm_head"])
        self.assertEqual(run[:5], ["--serve", "--weights", str(self.base), "--adapter", "adapter"])
        (adapter / "adapter_config.json").write_text(json.dumps({**config, "target_modules": "all-linear", "r": "8"}))
        done, _ = self.generate("p", "--adapter", "adapter", status=1)
        self.assert_refused(done, "adapter/adapter_config.json: r is '8'; it must be a number above 0")
        (adapter / "adapter_config.json").write_text(json.dumps(config))
        for name in ("base_model.model.embed.lora_embedding_A", "q_proj.lora_A.weight", "lm_head.weight"):
            support.write_safetensors(adapter / support.ADAPTER, {name: ([1], array.array("f", [0]))})
            done, _ = self.generate("p", "--adapter", "adapter", status=1)
            self.assert_refused(done, f"{support.ADAPTER}: {name} is of no adapter of a linear layer")
        done = self.zeroc("generate", adapter, "--prompts", "prompts.txt")
        self.assert_refused(done, "adapter holds adapters; name their model first", "base/model --adapter")

    def test_checkpoints(self):
        """Of zeroc finetune: its settings name the model and its options."""
        work = self.folder / "out" / "zeroc"
        step = work / "run" / "step-5"
        step.mkdir(parents=True)
        (step / "manifest.json").write_text("{}")
        done = self.zeroc("generate", work / "run", "--prompts", self.write("p.txt", "p"))
        self.assert_refused(done, "is a checkpoint, and no settings.json .* is beside it", "zeroc export")
        (work / "settings.json").write_text(json.dumps({
            "model": str(self.base), "options of zeroc": ["--lora=4:8", "--precision=fp32", "--stage=3"]}))
        self.says("a")
        for folder in (work / "run", step):
            self.zeroc_ok("generate", folder, "--prompts", "p.txt")
            run = [line for line in self.logged() if isinstance(line, list)][-1]
            self.assertEqual(run[:3], ["--serve", "--weights", str(folder)])
        self.zeroc_ok("generate", work / "run", "--prompts", "p.txt", "--seq=20")
        self.assertEqual(self.logged()[1][1:-2], ["--sample-only", "--lora=4:8", "--precision=fp32"])
        done = self.zeroc("generate", work / "run", "--prompts", "p.txt", "--adapter=x")
        self.assert_refused(done, "run has adapters itself, and --adapter=x names others; drop it")

    def refuses(self, prompts, words, *options, name="prompts.txt"):
        """Without a process: there are many."""
        path = self.write(name, prompts)
        options = [option.format(folder=self.folder) for option in options]
        with self.subTest(options, words=words), mock.patch.dict(os.environ, self.environment):
            with self.assertRaisesRegex(chats.UserError, words):
                generate.main([str(self.base), "--prompts", str(path), "-o", str(self.folder / "out.jsonl"), *options])

    def test_refusals(self):
        self.says("a")
        chat = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
        spoken = json.dumps({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]})
        for prompts, options, words in (
                ("x" * 100, (), r"prompts.txt, line 1 has 100 tokens, and with --seq=100 a prompt has 99 at most; shorten "
                                r"it, or raise --seq, up to the 100 positions"),
                ("ab\n" + "x" * 20, ("--seq=20",), "line 2 has 20 tokens, and with --seq=20"),
                ("", (), "prompts.txt has no prompt"), ("p", ("--temperature=-1",), "--temperature must be a finite number"),
                ("p", ("--top-p=0",), "--top-p must be a number above 0, up to 1, got 0"),
                ("p", ("--top-k=-3",), "--top-k must be a whole number, 0 or more, got -3"),
                ("p", ("--repetition-penalty=0",), "--repetition-penalty must be"), ("p", ("--slots=0",), "--slots=0 must be 1"),
                ("p", ("--seq=1",), "--seq=1 must be 2 or more"), ("p", ("--max-tokens=0",), "--max-tokens must be a whole"),
                ("p", ("--stop=",), "--stop is empty"), ("p", ("--stop-token=<no>",), "'<no>' is no token"),
                ("p", ("--lr=1",), "--lr is an option of training, and zeroc generate does not take it"),
                ("p", ("--lora=4",), "generate gives --lora itself; say --adapter"),
                ("p", ("--tempratur=1",), "--tempratur is no option .* did you mean --temperature"),
                ("p", ("--adapter=none",), "none has no adapter_config.json"),
                ("p", ("-o", "{folder}/prompts.txt"), "-o .*prompts.txt would overwrite .*prompts.txt; name another file")):
            self.refuses(prompts, words, *options)
        with self.assertRaisesRegex(chats.UserError, "line 1 has a value that JSON cannot write beside the answer"):
            generate.check_record({"prompt": "a", "day": datetime.date(2024, 1, 1)}, "p.parquet, line 1")
        for name, text, words in (("p.jsonl", "{\"text\": \"a\"}", "line 1 has the fields text; zeroc generate reads"),
                                  ("p.jsonl", spoken, "ends with a turn of the assistant"), ("p.jsonl", "{", "is not JSON"),
                                  ("p.xlsx", "a", "p.xlsx does not say what it holds"),
                                  ("p.jsonl", "{\"prompt\": \"\"}", "line 1 has no tokens"),
                                  ("p.jsonl", "{\"prompt\": \"a\", \"n\": 1e400}", "line 1 is not JSON: 1e400"),
                                  *(("p.jsonl", f"{{\"prompt\": \"a\", \"{name}\": 1}}",
                                     f"line 1 has a field {name}, in which the answer is written; rename it")
                                    for name in ("text", "end", "tokens", "prompt_tokens")),
                                  ("p.jsonl", "{\"prompt\": 3}", "prompt is a number, where a text is needed")):
            self.refuses(text, words, name=name)
        self.assert_refused(self.generate("p", "--base-storage=int3", status=1)[0], "--base-storage must be nf4 or int8",
                            "the model was not compiled")
        self.assertFalse((self.folder / "out.jsonl").exists())
        self.assert_refused(self.zeroc("generate", self.base, "--prompts", "none.txt"), "cannot read none.txt: no such file")
        self.assert_refused(self.zeroc("generate", "nowhere", "--prompts", "p.jsonl"), "cannot read nowhere: no such folder")
        (self.base / "chat_template.jinja").unlink()
        self.assert_refused(self.generate(chat, name="p.jsonl", status=1)[0],
                            "line 1 is a chat, and .*model has no chat template; name a file with --chat-template")
        (self.base / "generation_config.json").write_text('{"top_p": 2}')
        self.assert_refused(self.generate("p", status=1)[0], "generation_config.json: top_p must be a number above 0")

    def test_programs_that_fail(self):
        for answer, words in (({"dies": 3}, "the program that generates ended with status 3"),
                              ({"error": "too hot; cool it"}, "refuses request 1: too hot; cool it")):
            self.says(answer)
            done, records = self.generate("p", status=1)
            self.assert_refused(done, words)
            self.assertEqual(records, [])


class Answers(chats.ChatCase):
    def test_text_never_changes(self):
        """Pieces are those of the whole text, without broken characters or beginnings of stop words."""
        tokenizer = chats.byte_tokenizer(chats.SPECIAL)
        text = "a\u00e4\u20ac\U0001f600 STO STOP it"
        ids = tokenizer.encode(text).ids
        for words, whole in (((), text), (("STOP", "it"), "a\u00e4\u20ac\U0001f600 STO "), (("\u20ac\U0001f600",), "a\u00e4"),
                             (("a",), ""), (("itx",), text)):
            answer, said = Answer(tokenizer, words), ""
            for token in ids:
                said += answer.add(token)
                self.assertTrue(whole.startswith(said), (said, words))
            self.assertEqual(said + answer.end(), whole)
            self.assertEqual(answer.text, whole)
            self.assertEqual(answer.stopped_by is None, whole == text)
        # Special tokens are no text.
        answer = Answer(tokenizer)
        self.assertEqual(answer.add(tokenizer.token_to_id("<|im_end|>")), "")
