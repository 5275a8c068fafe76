"""zeroc finetune: from a folder and chats to adapters or weights; and zeroc export --merge."""
import array
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time

import chats
import support

try:
    import numpy as np
    import safetensors.numpy
    from zeroc import advice
except ImportError:
    pass  # ChatCase skips

CONFIG = dict(model_type="qwen3", hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
              num_key_value_heads=1, head_dim=16, max_position_embeddings=64, tie_word_embeddings=True,
              architectures=["Qwen3ForCausalLM"])
#: A copy is what is asked for.
WORDS = ("red", "green", "blue", "one", "two", "three")


class FinetuneCase(chats.ChatCase):
    def setUp(self):
        super().setUp()
        self.base = self.model(**CONFIG)
        config = json.loads((self.base / "config.json").read_text())
        binary = support.compile_model(support.import_model(config, 1, 8))
        tokens = self.write_tokens(100, config["vocab_size"])
        self.run_ok(binary, "--data", tokens, "--steps", 1, "--lr", "0", "--save", self.base / "model.safetensors")
        rng = random.Random(1)
        self.chats = self.write("chats.jsonl", "".join(json.dumps({"messages": [
            {"role": "user", "content": word}, {"role": "assistant", "content": word}]}) + "\n"
            for word in (rng.choice(WORDS) for _ in range(120))))

    def finetune(self, out, *options, status=0, accumulate=("--accumulate=2",)):
        done = support.run(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / out, *accumulate,
                           "--threads", "1", "--progress=none", *options)
        self.assertEqual(done.returncode, status, done.err + done.out)
        return done

    def weights(self, folder):
        files = sorted(folder.glob("*.safetensors"))
        self.assertEqual(len(files), 1)
        return {name: (shape, values.tobytes()) for name, (shape, values) in support.read_safetensors(files[0]).items()}

    def last_loss(self, out):
        lines = support.read_metrics(self.folder / out / "zeroc" / "metrics.jsonl")
        return lines[0]["loss"], lines[-1]["loss"]


class Finetune(FinetuneCase):
    def test_best(self):
        """With --keep-best OUT has the weights of the best evaluation; with --patience a run ends that does not get better."""
        done = self.finetune("out", "--steps=8", "--lr=0.5", "--warmup=0", "--eval-split=0.1", "--eval-every=1", "--keep-best",
                             "--patience=2", "--precision=fp32")
        lines = support.read_metrics(self.folder / "out" / "zeroc" / "metrics.jsonl")
        self.assertEqual(len(lines), 2)
        self.assertLess(lines[0]["initial_eval_loss"], min(line["eval_loss"] for line in lines))
        self.assertEqual(self.weights(self.folder / "out"), self.weights(self.base))
        self.assertIn("best evaluation before step 0", done.out)
        card = (self.folder / "out" / "README.md").read_text()
        self.assertIn(f"| loss of the evaluation | {lines[0]['initial_eval_loss']} |", card)
        self.finetune("on", "--steps=2", "--lr=0.5", "--warmup=0", "--eval-split=0.1", "--eval-every=1", "--keep-best=on",
                      "--precision=fp32")
        self.assertEqual(self.weights(self.folder / "on"), self.weights(self.base))

    def test_a_base_that_was_moved(self):
        """Adapters are trained further on a base that lies elsewhere, and on no other."""
        options = ("--lora=4", "--steps=6", "--save-every=2")
        self.finetune("whole", *options)
        self.finetune("out", *options, "--until=2")
        self.base = self.base.rename(self.folder / "moved")
        shutil.copytree(self.base, self.folder / "copy")
        self.finetune("out", *options, "--until=4")
        self.base = self.folder / "copy"
        self.finetune("out", *options)
        self.assertEqual(self.weights(self.folder / "out"), self.weights(self.folder / "whole"))
        weights = self.base / "model.safetensors"
        data = bytearray(weights.read_bytes())
        data[-1] ^= 1
        weights.write_bytes(data)
        self.finetune("cut", *options, "--until=2")
        self.base = self.folder / "moved"
        self.assertIn("is another", self.finetune("cut", *options, status=1).err)

    def test_all_weights(self):
        lines = [json.loads(line) for line in self.chats.read_text().splitlines()]
        for line in lines[::2]:
            line["messages"][1]["weight"] = 0.5
        self.chats.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = self.finetune("out", "--steps=30", "--lr=1e-2", "--eval-split=0.1", "--precision=fp32", "--z-loss=1e-4")
        self.assertIn("--packed --token-weights --z-loss=1e-4", done.out)
        first, last = self.last_loss("out")
        self.assertLess(last, 0.5 * first)
        out = self.folder / "out"
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "loss.svg",
                     "README.md", "generation_config.json"):
            self.assertTrue((out / name).exists(), name)
        self.assertEqual((out / "tokenizer.json").read_bytes(), (self.base / "tokenizer.json").read_bytes())
        self.assertEqual(self.weights(out).keys(), self.weights(self.base).keys())
        card = (out / "README.md").read_text()
        self.assertIn("| data | chats.jsonl |", card)
        self.assertIn("| loss of the evaluation | ", card)
        # The commands that it prints do the same.
        commands = [line.strip() for line in done.out.split("single commands:")[1].splitlines() if line.startswith("    ")]
        before = self.weights(out)
        shutil.rmtree(out)
        (out / "zeroc").mkdir(parents=True)
        path = {"PATH": f"{support.ZEROC.parent}:{os.environ['PATH']}"}
        for command in commands:
            done = support.run("bash", "-c", command, cwd=self.folder, env=path)
            self.assertEqual(done.returncode, 0, command + done.err)
        self.assertEqual(self.weights(out), before)

    def test_samples(self):
        """Answers as text while the model learns, which end with a stop token."""
        done = self.finetune("out", "--steps=60", "--lr=1e-2", "--precision=fp32", "--sample-prompt=green",
                             "--sample-every=30", "--sample-tokens=12", "--temperature=0")
        shown = done.out.split("--- sample 1 of 1, after step")[1:]
        self.assertEqual(len(shown), 2, done.out)
        self.assertRegex(shown[-1], r"<.im_start.>user\ngreen<.im_end.>\n<.im_start.>assistant\n\w+<.im_end.>\n--- end of samples")
        lines = [line for line in support.read_metrics(self.folder / "out" / "zeroc" / "metrics.jsonl") if "samples" in line]
        self.assertRegex(lines[-1]["samples"][0]["text"], r"^\w+<.im_end.>$")
        self.assert_refused(self.finetune("refused", "--steps=1", "--objective=dpo", "--sample-prompt=green", status=1),
                            "--sample-prompt is for --objective=sft")
        wrong = self.folder / "wrong.safetensors"
        support.write_safetensors(wrong, {"ends": ((1,), array.array("i", [1]))})
        program = self.folder / "out" / "zeroc" / "train"
        done = support.run(program, "--data", self.folder / "out" / "zeroc" / "data.safetensors", "--steps=1", "--lr=1",
                           "--sample=1", "--prompt-ids=1", "--pieces", wrong)
        self.assert_refused(done, "has no tensor bytes of U8")

    def test_adapters(self):
        """With and without --merge: the merged weights are the base and what the adapters add."""
        for storage in ((), ("--base-storage=nf4",)):
            common = ("--lora=4:8", "--steps=12", "--lr=1e-2", "--precision=fp32", *storage)
            with self.subTest(storage):
                adapters = self.folder / f"adapters{len(storage)}"
                self.finetune(adapters.name, *common)
                merged = self.folder / f"merged{len(storage)}"
                self.finetune(merged.name, *common, "--merge")
                # A run that goes on writes the same, with the base from its folder.
                whole = (merged / "model.safetensors").read_bytes()
                step, = (merged / "zeroc" / "run").glob("step-12")
                self.assertEqual(json.loads((step / "manifest.json").read_text())["base"]["path"], str(self.base))
                done = self.finetune(merged.name, *common, "--merge")
                self.assertIn(f"base      {self.base}, ", done.out)
                self.assertNotIn("is not read", done.err)
                self.assertEqual((merged / "model.safetensors").read_bytes(), whole)
                config = json.loads((adapters / "adapter_config.json").read_text())
                self.assertEqual((config["r"], config["lora_alpha"], config["base_model_name_or_path"]),
                                 (4, 8, str(self.base)))
                both = self.folder / f"both{len(storage)}.safetensors"
                self.run_ok(support.ZEROC, "export", merged / "zeroc" / "run", "-o", both)
                added = safetensors.numpy.load_file(adapters / "adapter_model.safetensors")
                base, found = safetensors.numpy.load_file(both), safetensors.numpy.load_file(merged / "model.safetensors")
                self.assertEqual(set(found), set(self.weights(self.base)))
                count = 0
                for name, weight in found.items():
                    module = "base_model.model." + name.removesuffix(".weight")
                    expected = base[name].astype(np.float64)
                    if f"{module}.lora_A.weight" in added:
                        count += 1
                        change = 2 * added[f"{module}.lora_B.weight"].astype(np.float64) @ added[f"{module}.lora_A.weight"]
                        self.assertGreater(np.abs(change).max(), 1e-4)
                        expected += change
                    self.assertLess(np.abs(weight - expected).max(), 1e-6, name)
                self.assertEqual(count, 14)

    def test_adapters_of_some_layers(self):
        """Training goes on with the layers that the folder has; what --merge could not merge is refused before it."""
        common = ("--lora=4:8", "--steps=1", "--precision=fp32")
        self.finetune("one", *common, r"--lora-targets=.*layers\.(?!0)\d+\..*(?:q|v)_proj", "--lr=1e-2")
        self.finetune("two", *common, "--adapter", self.folder / "one", "--lr=0")
        self.assertEqual(len(self.weights(self.folder / "one")), 4)
        self.assertEqual(self.weights(self.folder / "two"), self.weights(self.folder / "one"))
        done = self.finetune("three", *common, "--merge", "--lora-targets=.*(embed_tokens|q_proj)", status=1)
        self.assert_refused(done, 'an adapter of "model.embed_tokens" would be of its linear layer alone')
        self.assertFalse((self.folder / "three" / "zeroc" / "run").exists())

    def test_same_bits_on_ranks(self):
        """With one micro-step the stage does not matter."""
        common = ("--steps=4", "--batch=1", "--ranks=2", "--accumulate=1", "--lr=1e-2")
        found = []
        for stage in (0, 3):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            done = support.run(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "out",
                               "--progress=none", f"--stage={stage}", *common)
            self.assertEqual(done.returncode, 0, done.err)
            found.append(self.weights(self.folder / "out"))
        self.assertEqual(found[0], found[1])

    def test_same_command_again(self):
        """A run that is killed goes on, to the bytes of one that is not."""
        common = ("--steps=600", "--save-every=5", "--lr=1e-3", "--seq=32")
        self.finetune("whole", *common)
        command = [support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "killed", "--accumulate=2",
                   "--threads", "1", "--progress=none", *common]
        for interrupt in (signal.SIGKILL, signal.SIGINT):
            before = self.checkpoints("killed")
            run = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
            for _ in range(2000):
                if self.checkpoints("killed") > before or run.poll() is not None:
                    break
                time.sleep(0.01)
            self.assertIsNone(run.poll(), "it ended before it could be stopped")
            os.killpg(run.pid, interrupt)
            self.assertNotEqual(run.wait(60), 0)
        done = self.finetune("killed", *common)
        self.assertIn("resume", done.out)
        self.assertNotIn("is not read", done.err)
        self.assertEqual(self.weights(self.folder / "killed"), self.weights(self.folder / "whole"))
        # Other settings would be another run.
        done = self.finetune("killed", "--steps=600", "--save-every=5", "--lr=2e-3", "--seq=32", status=1)
        self.assert_refused(done, "has a run with lr 0.001, and now it is 0.002", "--restart")

    def test_changed_inputs(self):
        """Other data, other weights or other options do not go on with a run."""
        common = ("--steps=3", "--lr=1e-3", "--seq=32")
        self.finetune("out", *common)
        before = self.weights(self.folder / "out")
        text = self.chats.read_text()
        self.chats.write_text(text.replace("red", "blu"))
        self.assert_refused(self.finetune("out", *common, status=1), "has a run with other data", "--restart")
        self.chats.write_text(text)
        weights = self.base / "model.safetensors"
        times = weights.stat()
        os.utime(weights, ns=(1, 1))
        self.assert_refused(self.finetune("out", *common, status=1), "has a run with other weights", "--restart")
        os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assert_refused(self.finetune("out", *common, "--batch=2", status=1), "sequences of a step 2, and now it is 4")
        self.assert_refused(self.finetune("out", *common, "--dropout", status=1), "options of zeroc import")
        # Another place of the same steps goes on.
        self.finetune("out", *common, "--offload=cpu", "--remat=block")
        # Nothing was lost; a dry run changes nothing, also with --restart.
        self.finetune("out", *common, "--lora=4", "--restart", "--dry-run")
        self.assertEqual(self.weights(self.folder / "out"), before)
        self.assertEqual(self.checkpoints("out"), 3)
        (self.folder / "out" / "zeroc" / "notes.txt").write_text("mine")
        self.finetune("out", *common, "--lora=4", "--restart")
        self.assertTrue((self.folder / "out" / "zeroc" / "notes.txt").exists())
        # Weights and adapters are never in one folder.
        self.assertEqual([file.name for file in (self.folder / "out").glob("*.safetensors")], ["adapter_model.safetensors"])
        self.finetune("out", *common, "--lora=4", "--merge", "--keep=1")
        self.assertEqual([file.name for file in (self.folder / "out").glob("*.safetensors")], ["model.safetensors"])
        self.assertFalse((self.folder / "out" / "adapter_config.json").exists())

    def test_failed_command_is_no_run(self):
        """What an error says to change can be changed."""
        self.assert_refused(self.finetune("out", "--batch=500", "--epochs=1", status=1), "are fewer than the 1000 of a step")
        self.finetune("out", "--epochs=1", "--stage=9", status=1)
        self.finetune("out", "--epochs=1", "--dry-run", "--lora=4")
        self.finetune("out", "--epochs=1", "--batch=4", "--eval-split=0.02")

    def test_template_and_stop_tokens_come_along(self):
        """A model that was tuned with another template is used with it."""
        template = self.write("my.jinja", chats.CHATML.replace("<|im_end|>", "<|endoftext|>"))
        (self.base / "chat_template.jinja").unlink()
        self.finetune("out", "--steps=1", f"--chat-template={template}", "--stop-token=<|endoftext|>")
        out = self.folder / "out"
        self.assertEqual((out / "chat_template.jinja").read_text(), template.read_text())
        end = [chats.byte_tokenizer(chats.SPECIAL).token_to_id(text) for text in ("<|endoftext|>", "<|im_end|>")]
        self.assertEqual(json.loads((out / "generation_config.json").read_text())["eos_token_id"], sorted(end))

    def checkpoints(self, out):
        """The last step of a checkpoint."""
        return max((int(path.name.removeprefix("step-")) for path in
                    (self.folder / out / "zeroc" / "run").glob("step-*")), default=0)

    def test_refused_before_the_data(self):
        """What import or the compiler refuses is said before the data are read, which may take hours."""
        self.chats.write_text("this is no JSON\n")
        config = json.loads((self.base / "config.json").read_text())
        for changes, options, keywords in (({"model_type": "hyena"}, [], ["hyena"]), ({}, ["--stage=7"], ["--stage"])):
            (self.base / "config.json").write_text(json.dumps({**config, **changes}))
            done = self.finetune("out", "--steps=1", *options, status=1)
            self.assert_refused(done, *keywords)
            self.assertNotIn("JSON", done.err)

    def test_dry_run(self):
        done = self.finetune("out", "--dry-run", "--lora=4", "--epochs=2")
        for text in ("memory certificate", "run       60 steps of 2 sequences, 128 tokens", "--lora=4:8"):
            self.assertIn(text, done.out)
        self.assertFalse(list((self.folder / "out").glob("*.safetensors")))
        self.assertFalse((self.folder / "out" / "zeroc" / "run").exists())

    def test_few_records(self):
        """Steps become smaller, so that there are more.  What is given stays, and so do the steps of a run that goes on."""
        def lines_of(done):
            return done.out.split("run       ")[1].split("\n")[:2]

        for options, *expected in (
                (("--epochs=1",), "60 steps of 1 sequence, 64 tokens",
                 "1 epoch of 60 sequences, --accumulate=1 rather than 8, which would be 7 steps"),
                (("--epochs=8",), "60 steps of 8 sequences, 512 tokens", "8 epochs of 60 sequences, --accumulate=8 by default"),
                (("--epochs=1", "--accumulate=8"), "7 steps of 8 sequences, 512 tokens",
                 "0.933 epochs of 60 sequences, --accumulate=8"),
                (("--steps=5", "--batch=16"), "5 steps of 32 sequences, 2,048 tokens",
                 "2.67 epochs of 60 sequences, --accumulate=2 rather than 8, so that a step reads no sequence twice")):
            with self.subTest(options):
                done = self.finetune("dry", *options, "--dry-run", "--eval-split=0.01", "--seq=64", accumulate=())
                self.assertEqual([line.strip() for line in lines_of(done)], expected)
                # What it says of memory is that of the program of the run.
                certificate = self.run_ok(self.folder / "dry" / "zeroc" / "train", "--certificate").out
                shown, ran = (re.findall(r"device arena +([\d,]+)", text) for text in (done.out, certificate))
                self.assertEqual(shown, ran)
        common = ("--eval-split=0.01", "--seq=64", "--save-every=20")
        done = self.finetune("out", *common, accumulate=())
        self.assertIn("90 steps of 2 sequences", done.out)
        self.assertEqual(self.checkpoints("out"), 90)
        for more, said in ((), "--accumulate=2 as the run began"), (("--ranks=2",), "--accumulate=1 as the run began"):
            shutil.rmtree(self.folder / "out" / "zeroc" / "run" / "step-90")
            done = self.finetune("out", *common, *more, accumulate=())
            self.assertIn(said, done.out)
            self.assertIn("resumed   step 80", done.out)
        self.finetune("given", *common, "--epochs=1", accumulate=("--accumulate=8",))
        self.assertIn("7 steps of 8 sequences", self.finetune("given", *common, "--epochs=1", accumulate=()).out)

    def test_advice(self):
        """A run that was short, or whose loss is still falling, says what to change."""
        done = self.finetune("out", "--epochs=1")
        self.assertRegex(done.out, r"\nadvice    the loss went from [\d.]+ to [\d.]+ in only 30 steps.*: raise --epochs \(now 1\), "
                                   r"lower --accumulate \(now 2\), lower --seq \(now 64\), or raise --lr \(now 2e-05\), with --restart or another -o\n")
        # A loss that rose is no reason for more of the same, also if it falls from a peak.
        for steps, warmup in ((30, 0), (60, 20)):
            done = self.finetune(f"rose-{steps}", f"--steps={steps}", "--lr=3", "--schedule=constant",
                                 f"--warmup={warmup}")
            self.assertRegex(done.out, rf"\nadvice    the loss went from [\d.]+ to [\d.]+ in (only )?{steps} steps: "
                                       r"lower --lr \(now 3\), with --restart or another -o\n")
        noise = [random.Random(1).uniform(-0.1, 0.1) for _ in range(60)]
        for losses, falling in (([5 - i / 20 for i in range(60)], True), ([2 + one for one in noise], False),
                                ([5 - min(i, 20) / 10 + one for i, one in enumerate(noise)], False),
                                ([5 - i / 20 + one for i, one in enumerate(noise)], True), ([2.0] * 60, False), ([3, 2], False)):
            self.assertEqual(advice.is_falling(losses), falling, losses)

    def test_numbers(self):
        """A learning rate is printed as it is meant, and one thing is not several."""
        self.chats.write_text("".join(json.dumps({"prompt": "a", "chosen": word, "rejected": "no"}) + "\n" for word in WORDS[:2]))
        done = self.finetune("out", "--objective=dpo", "--lora=2", "--epochs=1", accumulate=())
        self.assertIn(" --lr=1e-05 ", done.out)
        self.assertNotRegex(done.out + done.err, r"\b1 (sequences|samples|steps|records)\b|\d99999|00000\d")
        self.assertIn("1 step of 1 sequence", (self.folder / "out" / "README.md").read_text() + done.out)

    def test_refused(self):
        out = self.folder / "out"
        empty = self.folder / "empty"
        empty.mkdir()
        for arguments, *keywords in (
                ((self.base, self.chats, "-o", out, "--lorra=4"), "--lorra is no option", "did you mean --lora"),
                ((self.base, self.chats, "-o", out, "--data=x"), "gives --data itself"),
                ((self.base, self.chats, "-o", out, "--merge"), "--merge is for the adapters of --lora"),
                ((self.base, self.chats, "-o", out, "--steps=1", "--epochs=1"), "drop one"),
                ((self.base, self.chats, "-o", out, "--batch=0"), "--batch=0 must be 1 or more"),
                ((self.base, self.chats, "-o", out, "--eval-split=2"), "--eval-split=2 must be from 0"),
                ((self.base, self.chats, "-o", out, "--keep-best"), "--keep-best is for evaluations; say --eval-split=PART"),
                ((self.base, self.chats, "-o", out, "--eval-split=0.1", "--patience=2"),
                 "zeroc finetune: error: --patience=2 counts evaluations; add --eval-every=N"),
                ((self.base, self.chats, "-o", self.base), "is the model itself"),
                ((empty, self.chats, "-o", out), "has no config.json"),
                ((self.base, self.chats, "-o", out, "--stage=9"), "--stage must be 0, 1, 2 or 3|--stage"),
                ((self.base, self.chats, "-o", out, "--accumulate=1000"), "are fewer than the 1000 of a step"),
                ((self.base, self.chats, "-o", out, "--seq=65"), "--seq=64 or less"),
                ((self.base, self.chats, "-o", out, "--accumulate=0"), "--accumulate=0 must be a whole number from 1"),
                ((self.base, self.chats, "-o", out, "--lora=\u00b2"), "--lora must be a rank"),
                ((self.base, self.chats, "-o", out, "--ds-config=x"), "cannot read x"),
                ((self.base, self.chats, "-o", out, "--threads"), "--threads needs a value")):
            with self.subTest(keywords):
                done = support.run(support.ZEROC, "finetune", *arguments)
                self.assert_refused(done, *keywords)
                shutil.rmtree(out, ignore_errors=True)

    def test_planned(self):
        """The command that zeroc plan prints for a folder is one."""
        plans = json.loads(self.run_ok(support.ZEROC, "plan", self.base, "--seq=32", "--batch=2", "--world-size=2",
                                       "--device-memory=30MB", "--certificate=json").out)["plans"]
        for plan in [plan for plan in plans if plan["best"]]:
            command = shlex.split(plan["finetune"].replace("chats.jsonl", str(self.chats)))
            self.assertEqual(command[:2], ["zeroc", "finetune"])
            self.assertIn("--ranks=2", command)
            done = self.run_ok(support.ZEROC, *command[1:], "--dry-run")
            self.assertIn("steps of 4 sequences", done.out)
            shutil.rmtree(self.folder / "tuned")
        shown = self.run_ok(support.ZEROC, "plan", "model", "--seq=32", "--device-memory=30MB").out
        self.assertIn("    zeroc finetune model chats.jsonl -o tuned --batch=1 --seq=32 --accumulate=1 --precision=bf16", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 100)
        (self.base / "tokenizer.json").unlink()
        self.assertNotIn("finetune", self.run_ok(support.ZEROC, "plan", self.base, "--seq=32").out)

    def test_swapped_and_missing(self):
        """Files where folders are needed, the reverse, and arguments in another order: said before anything is compiled."""
        nowhere = self.folder / "nowhere"
        for arguments, message in (
                (("finetune", self.chats, self.base, "-o", "out"),
                 f"{self.chats} is a file, and the model comes first: zeroc finetune {self.base} {self.chats} ..."),
                (("data", "show", self.chats, self.base), f"the model comes first: zeroc data show {self.base} {self.chats} ..."),
                (("finetune", nowhere, self.chats, "-o", "out"), f"cannot read {nowhere}: no such folder; a model of Hugging "
                 f"Face is there after `hf download OWNER/NAME --local-dir {nowhere}`"),
                (("finetune", self.base / "config.json", self.chats, "-o", "out"),
                 f"{self.base / 'config.json'} is a file; name the folder of a model, {self.base}"),
                (("finetune", self.base, nowhere, "-o", "out"), f"cannot read {nowhere}: no such file"),
                (("finetune", self.base, self.chats, "-o", self.chats), f"{self.chats} is a file, and a folder is needed"),
                (("chat", self.chats), f"{self.chats} is a file; name the folder of a model"),
                (("tokenize", self.chats, "-o", "t.bin", f"--tokenizer={self.base}"),
                 f"{self.base} is a folder; name the tokenizer.json in it"),
                (("generate", self.base, "--prompts", self.base), f"{self.base} is a folder; name a file of prompts")):
            with self.subTest(message):
                done = support.run(support.ZEROC, *arguments, cwd=self.folder)
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.err)
                self.assertFalse((self.folder / "out").exists())

    def test_pretrain(self):
        """From a config and texts, by tokens with ends of documents, and by bytes; resumed to the same bytes."""
        rng = random.Random(4)
        text = "".join(json.dumps({"text": " ".join(rng.choice(WORDS) for _ in range(rng.randrange(3, 30)))}) + "\n"
                       for _ in range(200))
        texts = self.write("texts.jsonl", text)
        config = json.loads((self.base / "config.json").read_text())
        end = chats.byte_tokenizer(chats.SPECIAL).token_to_id("<|im_end|>")
        (self.base / "config.json").write_text(json.dumps({**config, "eos_token_id": end}))
        out = self.folder / "out"
        common = ("--seq=32", "--lr=1e-2", "--accumulate=2", "--threads=1", "--progress=none")
        done = self.run_ok(support.ZEROC, "pretrain", self.base, texts, "-o", out, "--eval-split=0.1", "--epochs=2", *common)
        first, last = self.last_loss("out")
        self.assertLess(last, 0.7 * first)
        self.assertIn(f"--document-separator={end}", done.out)
        for name in ("config.json", "tokenizer.json", "model.safetensors", "loss.svg"):
            self.assertTrue((out / name).exists(), name)
        self.assertIn("loss of the evaluation", (out / "README.md").read_text())
        # The weights are those of a model that can be tuned further.
        done = support.run(support.ZEROC, "finetune", out, self.chats, "-o", self.folder / "tuned", "--steps=2",
                           "--accumulate=1", "--progress=none")
        self.assertEqual(done.returncode, 0, done.err)
        gpt2 = self.write("config.json", json.dumps(support.SMALL))
        self.run_ok(support.ZEROC, "pretrain", gpt2, self.write("t.txt", "ab " * 500), "-o", self.folder / "bytes",
                    "--bytes", "--steps=20", *common)
        self.assertLess(*reversed(self.last_loss("bytes")))
        small = self.write("small.json", json.dumps({**config, "eos_token_id": 0, "vocab_size": 80}))
        for arguments, keyword in (((gpt2, texts, "-o", out), "tokenizer.json does not exist"),
                                   ((self.folder, texts, "-o", out), "config.json|tokenizer"),
                                   ((gpt2, texts, "-o", out, "--bytes", "--tokenizer=x"), "exclude each other"),
                                   ((self.base, texts, "-o", self.base), "is the folder of the config"),
                                   ((small, texts, "-o", self.folder / "small", f"--tokenizer={self.base}/tokenizer.json"),
                                    "texts.jsonl, document 1: the token '[a-z]' has the id 8., and the model has rows for 0 "
                                    "to 79"),
                                   ((self.base, texts, "-o", out, "--eval-split=0.999", "--restart", "--seq=32"),
                                    "leaves none to train on")):
            self.assert_refused(support.run(support.ZEROC, "pretrain", *arguments), keyword)

    def test_pretrain_goes_on(self):
        """Only with the same settings, which are compared before anything is compiled or made of texts."""
        texts, model = self.write("texts.txt", "red green blue " * 100), self.write("config.json", json.dumps(support.SMALL))
        out = self.folder / "out"
        command = (support.ZEROC, "pretrain", model, texts, "-o", out, "--bytes", "--seq=16", "--steps=2", "--progress=none")
        self.run_ok(*command)
        files = [out / "zeroc" / name for name in ("train", "data.u32")]
        times = [file.stat().st_mtime_ns for file in files]
        for option, says in (("--lr=1e-2", "has a run with lr 0.0006, and now it is 0.01; name another folder with -o, or"),
                             ("--batch=2", "sequences of a step 1, and now it is 2"), ("--steps=3", "steps 2, and now it is 3"),
                             ("--warmup=2", "warmup 1, and now it is 2"), ("--seed=1", "seed 0, and now it is 1"),
                             ("--seq=8", "tokens of a sequence 16, and now it is 8"),
                             ("--z-loss=1", "options of zeroc import"),
                             ("--weight-decay=0.3", "options of zeroc"), ("--schedule=linear", "options of train")):
            with self.subTest(option):
                words = [word for word in command if str(word).partition("=")[0] != option.partition("=")[0]]
                done = support.run(*words, option)
                self.assert_refused(done, says)
                self.assertNotIn("tokens of", done.out)
        self.assertEqual([file.stat().st_mtime_ns for file in files], times)
        self.run_ok(*command)
        texts.write_text("blue green red " * 100)
        self.assert_refused(support.run(*command), "has a run with other data")

    def test_export_of_other_runs(self):
        """--merge needs adapters, and their scale."""
        self.finetune("out", "--steps=2", "--lr=1e-3")
        done = support.run(support.ZEROC, "export", self.folder / "out" / "zeroc" / "run", "-o", self.folder / "x",
                           "--merge")
        self.assert_refused(done, "trained no adapters, so there is nothing to merge", status=1)
