"""zeroc finetune --objective=dpo, kto, reward, classify: against TRL, in every layout, and what is refused."""
import array
import json
import math
import re
import shutil

import chats
import support
from test_simulate import SECONDS

try:
    import numpy as np
    from zeroc import objectives
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

    def test_options_of_the_reference(self):
        """With every option that a first forward could depend on the first loss is log 2."""
        self.finetune("dpo", "adapters", "--lora=2", "--batch=4", "--accumulate=1", steps=2)
        drive, machine = self.folder / "drive", self.folder / "machine.json"
        drive.mkdir()
        machine.write_text(json.dumps({"machine": "a test", "target": "cpu", "cores": 1, "cache_bytes": 1 << 20, "layouts": [
            {"ranks": 2, "threads": 1, "seconds": SECONDS}]}))
        ranks = ("--ranks=2", "--batch=1", "--accumulate=1")
        for name, precision, *options in (
                ("wires", "fp32", "--ranks=4", "--batch=1", "--accumulate=1", "--stage=3", "--secondary-shard=2",
                 "--wire-params=int4", "--bucket-size=2KiB", "--persist-below=200", "--wire-gradients=int8"),
                ("adapter", "bf16", "--lora=2", f"--adapter={self.folder / 'adapters'}", "--cpu=x86-64-v3", "--attention=f32",
                 "--master=none", "--loss-chunk=2KiB", "--remat=block"),
                ("optimizer", "fp32", "--offload-optimizer=nvme", f"--nvme-path={drive}", "--verify-reads"),
                ("state", "fp32", *ranks, "--stage=1", "--offload=cpu"),
                ("chosen", "fp32", *ranks, "--stage=3", "--wire-params=int8", "--bucket-size=auto", f"--machine={machine}")):
            with self.subTest(name):
                self.finetune("dpo", name, *options, steps=1, precision=precision)
                self.assert_begins_at_log2(name)

    def test_deepspeed_config(self):
        """The reference gets the options that a file becomes, as it gets those that are typed."""
        other = self.folder / "other"
        shutil.copytree(MODEL, other)
        weights = support.read_safetensors(MODEL / "model.safetensors")
        weights = {name: (shape, array.array("f", (1.01 * x for x in values))) for name, (shape, values) in weights.items()}
        support.write_safetensors(other / "model.safetensors", weights)
        zero = {"stage": 3, "stage3_param_persistence_threshold": 10, "offload_optimizer": {"device": "cpu"},
                "offload_param": {"device": "cpu"}, "zero_quantized_weights": True}
        common = ("--ranks=2", "--bucket-size=2KiB")

        def write(**more):
            return self.write("ds.json", json.dumps({
                "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 1, "gradient_clipping": 0,
                "zero_optimization": {**zero, **more}}))

        file = write()
        told = json.loads(self.run_ok(support.ZEROC, f"--ds-config={file}", "--world-size=2", "--certificate=json").out)
        self.assertLessEqual({"--wire-params=int8", "--persist-below=41", "--offload-params=cpu"}, set(told["compile"]))
        typed = [option for option in (*told["compile"], *told["import"]) if not option.startswith("--grad-clip=")]
        for objective in ("dpo", "kto"):
            for out, options in (("file", [f"--ds-config={file}"]), ("typed", typed)):
                self.finetune(objective, f"{objective}-{out}", *common, *options, f"--reference={other}", steps=2)
            found = [self.folder / f"{objective}-{out}" / "zeroc" / "data.reference.npy" for out in ("file", "typed")]
            self.assert_same_bytes(*found)
            self.assertEqual(*(self.losses(f"{objective}-{out}") for out in ("file", "typed")))
        # Without another model the first forward is the reference's, bit for bit, also of a limit that zeroc has raised.
        done = self.finetune("dpo", "raised", *common, f"--ds-config={write(stage3_max_live_parameters=10)}", steps=1)
        self.assertRegex(done.out, r"--score-only .*--max-live=\d{3}")
        self.assert_begins_at_log2("raised")

    #: The options that a reference is compiled without, with values, and what they need.
    OF_STEPS = ("optimizer=sgd --momentum=0", "optimizer=lion", "optimizer-numbers=x=1", "betas=0.8,0.9", "eps=1e-6", "momentum=0",
                "grad-clip=2", "grad-clip=0", "skip-nonfinite=off", "grad-dtype=f32", "state-dtype=bf16", "master=none",
                "lora-dropout=0.1", "wire-gradients=int8", "accumulate=2", "accumulate-order=block",
                "virtual-shards=4", "offload-optimizer=cpu", "offload-ratio=0.5",
                "offload-gradients=cpu", "offload-activations=cpu", "remat=block", "remat-ratio=0.5", "overlap-update",
                "delayed-update", "eval", "sample", "machine=x.json", "threads-per-rank=2", "network=1GB", "context=2")

    def test_options_without_effect_on_values(self):
        """Those are refused beside --score-only, or change no program; what train and score have alike is given to both."""
        from zeroc import finetuning
        listed = [line.split() for line in self.run_ok(support.ZEROC, "--options").out.splitlines()]
        self.assertEqual({re.match("--[a-z-]+", f"--{words}")[0] for words in self.OF_STEPS} | {"--ds-config"},
                         {name.rstrip("=") for who, name, *traits in listed if who == "compile" and "steps" in traits})
        model = self.folder / "model.mlir"
        self.run_ok(support.ZEROC, "import", MODEL, "--batch=1", "--seq=16", "--packed", "--objective=dpo", "--samples=2",
                    "-o", model)

        def plan(*options):
            """The layout, and the program with its kernels in their places."""
            done = support.run(support.ZEROC, model, "--score-only", "--precision=bf16", "--stage=3", "--world-size=4",
                               "--wire-params=int8", "--emit=scheduled", *options)
            kernels = dict(re.findall(r"^  zero.kernel (@[a-z.0-9]+)(.*?^  })", done.out, re.M | re.S))
            programs = re.findall(r"^  zero.program @score.*? {$(.*?^  })", done.out, re.M | re.S)
            return done, re.findall("^  zero.bucket.*", done.out, re.M), [
                re.sub(r"@[a-z]+[.][0-9]+", lambda name: kernels[name[0]], program) for program in programs]

        done, *expected = plan()
        self.assertTrue(all(expected), done.err)
        for words in self.OF_STEPS:
            with self.subTest(words):
                done, *found = plan(*f"--{words}".split())
                if done.returncode:
                    self.assert_refused(done)
                else:
                    self.assertTrue(found == expected)
        train, score = (support.compile_model(model, *options) for options in ((), ("--score-only",)))
        both = set.intersection(*(set(re.findall(r"^ *(--[a-z-]+)", support.run(program, "--help").out, re.M))
                                  for program in (train, score)))
        # The run itself says of which data, and packed data have no separator; a base is of checkpoints.
        self.assertEqual(both - {"--data", "--data-format", "--document-separator", "--input", "--certificate", "--plan", "--force",
                                 "--help", "--base"},
                         {*finetuning.OF_SCORES, *finetuning.OF_DRIVES, *finetuning.OF_WEIGHTS})

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

    def test_folders_without_head(self):
        """A head that the folder lacks begins random; what is written begins the next run."""
        texts = [{"text": "w1 w2 w3", "label": "good"}, {"text": "", "label": "bad"}, {"text": "w5 w6", "label": "good"},
                 {"text": "w7", "label": "bad"}]
        data = self.write("texts.jsonl", "".join(json.dumps(text) + "\n" for text in texts))
        for options in ((), ("--lora=4", "--modules-to-save=model[.]norm")):
            out = self.folder / f"labels{len(options)}"
            command = (support.ZEROC, "finetune", MODEL, data, "-o", out, "--objective=classify", "--seq=16", "--steps=3",
                       "--accumulate=1", "--threads=1", *options)
            done = support.run(*command)
            self.assertEqual(done.returncode, 0, done.err)
            self.assertIn("has no score.weight, which begins random", done.err)
            self.assertIn("1 sample left out", done.err + done.out)
        weights = support.read_safetensors(self.folder / "labels2" / "adapter_model.safetensors")
        self.assertLessEqual({"base_model.model.score.weight", "base_model.model.model.norm.weight"}, set(weights))
        self.assertFalse(any("score.lora" in name for name in weights))
        config = json.loads((self.folder / "labels0" / "config.json").read_text())
        self.assertEqual((config["id2label"], config["pad_token_id"]), ({"0": "bad", "1": "good"}, 0))
        done = support.run(support.ZEROC, "finetune", self.folder / "labels0", data, "-o", self.folder / "again",
                           "--objective=classify", "--seq=16", "--steps=1", "--accumulate=1", "--threads=1")
        self.assertEqual(done.returncode, 0, done.err)
        self.assertNotIn("begins random", done.err)
        self.assert_refused(support.run(support.ZEROC, "import", self.folder / "labels0", "--batch=1", "--seq=8"),
                            "LlamaForSequenceClassification", "--objective=reward or classify", status=1)

    def test_dropout(self):
        """Values are without dropout."""
        base = self.folder / "base"
        shutil.copytree(MODEL, base)
        config = json.loads((base / "config.json").read_text())
        (base / "config.json").write_text(json.dumps({**config, "attention_dropout": 0.5}))
        plain, drops = (("--batch=4", "--accumulate=1", "--no-packing", *more) for more in ((), ("--dropout",)))
        self.finetune("dpo", "plain", *plain, steps=1)
        self.base = lambda objective: base
        self.finetune("dpo", "drops", *drops, steps=1)
        files = [self.folder / out / "zeroc" / "data.reference.npy" for out in ("plain", "drops")]
        self.assertEqual(*(support.read_npy(file) for file in files))

    def test_other_reference(self):
        """A run does not go on with another reference, nor with old values of one that has changed."""
        other = self.folder / "other"
        shutil.copytree(MODEL, other)
        common = ("--batch=4", "--accumulate=1", "--no-packing", f"--reference={other}")
        self.finetune("dpo", "run", *common, "--save-every=1", steps=2)
        before = (self.folder / "run" / "zeroc" / "data.reference.npy").read_bytes()
        config = json.loads((other / "config.json").read_text())
        (other / "config.json").write_text(json.dumps({**config, "rms_norm_eps": 0.1}))
        self.assert_refused(self.finetune("dpo", "run", *common, status=1, steps=2), "has a run with other reference",
                            "--restart")
        self.finetune("dpo", "run", *common, "--restart", steps=2)
        self.assertNotEqual((self.folder / "run" / "zeroc" / "data.reference.npy").read_bytes(), before)

    def test_answers_to_other_prompts(self):
        """Of pairs, too, KTO measures with answers to other prompts."""
        self.run_ok(support.ZEROC, "data", "build", MODEL, GOLDEN / "dpo.jsonl", "-o", self.folder / "data.safetensors",
                    "--seq=64", "--objective=kto", "--no-packing")
        data = support.read_safetensors(self.folder / "data.safetensors")
        tokens, starts = (np.array(data[name][1]).reshape(data[name][0]) for name in ("tokens", "starts"))
        answers = {}
        for row, begin in zip(tokens, starts):
            first, second = row[begin == 0], row[(begin == begin[-1]) & (row != 0)]
            answers.setdefault(tuple(first[:2]), set()).add(tuple(first[-4:]))
            self.assertNotIn(tuple(second[-4:]), answers[tuple(first[:2])])
        one = self.write("one.jsonl", json.dumps({"prompt": "w1", "chosen": " w2", "rejected": " w3"}) + "\n")
        self.assert_refused(self.finetune("kto", "refused", data=one, status=1), "all answers are to one prompt")

    def test_forms_of_pairs(self):
        """As in ultrafeedback, in ShareGPT's form, and with the prompt repeated: the same pair."""
        user, good, bad = ({"role": role, "content": text} for role, text in (("user", "q"), ("assistant", "g"),
                                                                              ("assistant", "b")))
        sender = {"from": "human", "value": "q"}
        for record in (
                {"prompt": [user], "chosen": [good], "rejected": [bad]}, {"chosen": [user, good], "rejected": [user, bad]},
                {"prompt": "q", "chosen": [user, good], "rejected": [user, bad], "messages": [user, good]},
                {"prompt": "q", "chosen": [good], "rejected": [bad]}, {"prompt": [user], "chosen": "g", "rejected": "b"},
                {"prompt": [user], "chosen": [user, good], "rejected": [user, bad]},
                {"messages": [user], "chosen": [good], "rejected": [bad], "prompt": None},
                {"conversations": [sender], "chosen": {"from": "gpt", "value": "g"}, "rejected": {"from": "gpt", "value": "b"}}):
            [(chats_of, _)] = objectives.ALL["dpo"].read(record, "r")
            self.assertEqual([(chat.messages, chat.trained) for chat in chats_of],
                             [([user, good], [0, 1]), ([user, bad], [0, 1])], record)
        for change, keyword in (({"prompt": "another"}, "prompt is none of the turns that chosen and rejected begin with"),
                                ({"rejected": "b"}, "both texts, or both lists")):
            with self.assertRaisesRegex(chats.UserError, keyword):
                objectives.ALL["dpo"].read({"prompt": "q", "chosen": [user, good], "rejected": [user, bad], **change}, "r")

    def measured(self, objective, out):
        """What an evaluation measures of the tuned model, by numpy and the program that scores."""
        work = self.folder / out / "zeroc"
        score = support.compile_model(work / "model.mlir", "--score-only", "--precision=fp32")
        self.run_ok(score, "--weights", self.folder / out, "--data", work / "eval.safetensors", "--out", self.folder / "v.npy",
                    "--force")
        data = {name: np.array(values).reshape(shape)
                for name, (shape, values) in support.read_safetensors(work / "eval.safetensors").items()}
        values, beta = np.load(self.folder / "v.npy").astype(float), 1
        if objective in ("dpo", "kto"):
            values, beta = values - np.load(work / "eval.reference.npy"), 0.3
        if objective == "kto":
            chosen, rejected = (beta * values[data["labels"] == label].mean() for label in (1, 0))
            return {"rewards/chosen": chosen, "rewards/rejected": rejected, "rewards/margins": chosen - rejected}
        if objective == "classify":
            there = data["targets"] != -100
            true, found = data["targets"][there], values.reshape(*there.shape, -1)[there].argmax(-1)
            f1 = [2 * ((true == label) & (found == label)).sum() / ((true == label).sum() + (found == label).sum())
                  for label in {*true, *found}]
            return {"accuracy": (true == found).mean(), "f1": np.mean(f1)}
        chosen, rejected = beta * values.reshape(len(values), -1, 2)[data["choices"] == 0].T
        names = ("accuracy", "margin") if objective == "reward" else ("rewards/accuracies", "rewards/margins")
        more = {} if objective == "reward" else {"rewards/chosen": chosen.mean(), "rewards/rejected": rejected.mean()}
        return {**dict(zip(names, ((chosen > rejected).mean(), (chosen - rejected).mean()))), **more}

    def test_measures(self):
        """Evaluations measure what numpy does; before the first step the same bits on all ranks and in all micro-steps."""
        other = self.folder / "other"
        shutil.copytree(MODEL, other)
        weights = support.read_safetensors(MODEL / "model.safetensors")
        weights = {name: (shape, array.array("f", (1.01 * x for x in values))) for name, (shape, values) in weights.items()}
        support.write_safetensors(other / "model.safetensors", weights)
        layouts = ((), ("--ranks=2", "--accumulate=2"), ("--ranks=3", "--stage=3", "--offload=cpu", "--overlap-update"),
                   ("--accumulate=3", "--accumulate-order=block"))
        for objective in OWN:
            reference = (f"--reference={other}",) if objective in ("dpo", "kto") else ()
            known = []
            for number, options in enumerate(layouts):
                out = f"{objective}-{number}"
                self.finetune(objective, out, "--batch=2", "--eval-split=0.5", "--eval-every=1", *reference,
                              *(() if number else ("--accumulate=1",)), *options, *(("--accumulate=1",) if number == 2 else ()),
                              steps=2)
                lines = support.read_metrics(self.folder / out / "zeroc" / "metrics.jsonl")
                known.append({key: value for key, value in lines[0].items()
                              if key.startswith("initial_eval_") and not key.endswith(("_ms", "_loss"))})
                if number:
                    continue
                picture = (self.folder / out / "loss.svg").read_text()
                self.assertEqual("in evaluations</text>" in picture, objective != "kto")
                for name, value in self.measured(objective, out).items():
                    with self.subTest(objective=objective, name=name):
                        self.assert_close(lines[1][f"eval_{name}"], value, 1e-6, name)
                        self.assertIn(f"initial_eval_{name}", known[0])
            with self.subTest(objective=objective):
                self.assertTrue(known[0])
                self.assertTrue(all(one == known[0] for one in known), known)

    def test_names(self):
        """The compiler, Python and these tests know the same objectives, and of an option the same ones; but policies, which
        need a loop, are none of Python's."""
        self.assertEqual([*objectives.ALL], ["sft", *OWN])
        self.assert_refused(self.finetune("dpo", "refused", "--objective=grpo", status=2), "--objective: invalid choice: 'grpo'")
        text = " ".join(self.run_ok(support.ZEROC, "import", "--help").out.split())
        self.assertIn(f"what to train for: {', '.join(objectives.ALL)}, grpo (", text)
        for option in {option for one in objectives.ALL.values() for option in one.options}:
            having = objectives.those_that(lambda one, option=option: option in one.options)
            self.assertRegex(text, f"{option}=<?[A-Z]+>? +- {', '.join(having)}(, grpo)?: ")
        self.assertIn(f"- {', '.join(objectives.those_that(lambda one: one.compares))}: the most samples", text)

    def test_refused(self):
        pair = {"prompt": "w1", "chosen": " w2", "rejected": " w3"}
        for objective, record, *keywords in (
                ("dpo", {"prompt": "w1", "chosen": " w2"}, "line 1", "no rejected", "prompt, chosen and rejected"),
                ("dpo", {**pair, "rejected": " w2"}, "chosen and rejected are the same"),
                ("dpo", {**pair, "rejected": [{"role": "user", "content": "x"}]}, "both texts, or both lists"),
                ("kto", {"prompt": "w1", "completion": " w2", "label": "yes"}, "label", "true or false"),
                ("reward", {**pair, "margin": "much"}, "margin 'much'", "no number"),
                ("reward", {**pair, "margin": 1e39}, "line 1 has margin 1e.39, which is beyond float32"),
                ("classify", {"text": "w1"}, "label None"),
                ("classify", {"text": "w1", "label": True}, "label True"),
                ("classify", {"text": "w1", "label": 300_000_000}, "not from 0 to 65,535"),
                ("dpo", {"prompt": [{"role": "user", "content": "w1"}], "chosen": [{"role": "assistant", "content": "w2",
                                                                                   "weight": 0}],
                         "rejected": [{"role": "assistant", "content": "w3"}]}, "chat template|weight 0"),
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
                                 (("--objective=dpo", "--samples=2", "--packed", "--label-smoothing=0.5"), "below 0.5"),
                                 (("--objective=reward", "--samples=2", "--packed", "--label-smoothing=0.5"), "below 0.5")):
            with self.subTest(options=options):
                done = support.run(support.ZEROC, "import", MODEL, "--batch=1", "--seq=8", *options)
                self.assert_refused(done, keyword, status=1)
        plain = support.compile_model(support.import_model(json.loads((MODEL / "config.json").read_text()), 1, 8))
        self.assertTrue(plain)
        model = self.write("plain.mlir", support.run(support.ZEROC, "import", MODEL, "--batch=1", "--seq=8").out)
        self.assert_refused(support.run(support.ZEROC, model, "--score-only", "-o", self.folder / "score"),
                            "--score-only needs the values of samples")
