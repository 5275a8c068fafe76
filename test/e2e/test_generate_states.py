"""Generation with layers that keep a state: long sequences in any runs, slots, and what a slot may go on from."""
import json
import random
import unittest

import chats
import popular
import support
import test_cuda
import test_generate_bits

GOLDEN = support.ROOT / "test" / "golden"
SEQ = 140
#: Delta rules with shared keys, and attention; convolutions, and attention.  Sequences have three chunks of 64.
MODELS = {
    "delta": {**json.loads((GOLDEN / "qwen3_5" / "config.json").read_text()), "num_hidden_layers": 4, "max_position_embeddings": 256,
              "full_attention_interval": 3, "layer_types": ["linear_attention", "full_attention", *["linear_attention"] * 2]},
    "conv": {**json.loads((GOLDEN / "lfm2" / "config.json").read_text()), "max_position_embeddings": 256},
}
VOCAB = 89


class GenerateStates(support.Case):
    def weights(self, kind):
        """Some that tell one text from another."""
        model = support.import_model(MODELS[kind], 3, SEQ)
        _, saved = self.train(support.compile_model(model), self.write_tokens(20 * SEQ, VOCAB), 12, 2e-2, name=kind)
        return saved

    def program(self, kind, *options, slots=3):
        return support.compile_model(support.import_model(MODELS[kind], slots, SEQ), "--sample-only", *options)

    def answers(self, program, weights, requests):
        """Those of one run of the program, in the order of the requests."""
        lines = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests))
        done = self.run_ok(program, "--serve", "--weights", weights, stdin=lines.encode())
        found = [([], []) for _ in requests]
        for line in map(json.loads, done.out.splitlines()):
            self.assertNotIn("error", line)
            found[line["id"]]["end" in line].append(line.get("end", line.get("token")))
        self.assertEqual({len(ends) for _, ends in found}, {1})
        return [tokens for tokens, _ in found]

    def text(self, count, seed):
        rng = random.Random(seed)
        return [rng.randrange(VOCAB) for _ in range(count)]

    def test_slots(self):
        """Answers do not depend on the other slots, nor on what a slot has held before."""
        for kind in MODELS:
            weights, program = self.weights(kind), self.program(kind)
            requests = [{"ids": self.text(count, count), "max": most, "seed": count, "temperature": heat}
                        for count, most, heat in ((1, 139, 0), (63, 5, 1), (64, 70, 0), (65, 3, 1), (100, 39, 1), (130, 9, 0),
                                                  (127, 3, 1), (128, 3, 1), (5, 60, 1), (129, 11, 0))]
            together = self.answers(program, weights, requests)
            for request, answer in zip(requests, together):
                with self.subTest(kind, tokens=len(request["ids"])):
                    self.assertEqual(self.answers(program, weights, [request]), [answer])
                    self.assertEqual(len(answer), request["max"])
            self.assertGreater(len({token for answer in together for token in answer}), 20)

    def test_most_likely(self):
        """Answers consist of the most likely tokens of the logits, which have the bits of training."""
        for kind in MODELS:
            weights, program, prompt = self.weights(kind), self.program(kind), self.text(60, 2)
            [answer] = self.answers(program, weights, [{"ids": prompt, "max": 60, "temperature": 0}])
            ids = prompt + answer
            self.run_ok(program, "--weights", weights, "--prompt-ids", ",".join(map(str, ids)), "--logits",
                        self.folder / "logits.npy")
            (rows, columns), logits = support.read_npy(self.folder / "logits.npy")
            self.assertEqual((rows, columns), (120, VOCAB))
            for at in range(59, 119):
                row = logits[at * VOCAB:(at + 1) * VOCAB]
                self.assertEqual(row.index(max(row)), ids[at + 1])

    def test_what_a_slot_holds(self):
        """The next request in a slot: all that it holds, and more; the same again; a text that parts from it where its
        state is kept, and where it is not; another one."""
        for kind in MODELS:
            weights, program = self.weights(kind), self.program(kind, slots=1)
            first = {"ids": self.text(100, 3), "max": 12, "temperature": 0}
            [answer] = self.answers(program, weights, [first])
            held = first["ids"] + answer[:-1]
            texts = [first["ids"], held + self.text(20, 4), held + self.text(20, 4), held[:70] + self.text(9, 5),
                     held[:66] + self.text(61, 6), held[:66] + self.text(62, 7), held[:40] + self.text(30, 8), held[:1]]
            requests = [{**first, "ids": ids, "max": min(12, SEQ - len(ids))} for ids in texts]
            apart = [self.answers(program, weights, [request])[0] for request in requests]
            self.assertEqual(self.answers(program, weights, requests), apart)

    def test_every_plan(self):
        """Samples of a training, by stages, ranks and tiers."""
        for kind, options in (("delta", ("--precision=bf16",)), ("conv", ())):
            found = set()
            for ranks, plan in ((1, ("--stage=0",)), (1, ("--offload=cpu",)), (2, ("--stage=1",)), (2, ("--stage=2", "--offload=cpu")),
                                (2, ("--stage=3", "--bucket-size=4KiB")), (1, ("--remat=block", "--eval"))):
                binary = support.compile_model(support.import_model(MODELS[kind], 2, SEQ), "--sample", f"--world-size={ranks}",
                                               *options, *plan)
                self.train(binary, self.write_tokens(8 * SEQ, VOCAB), 1, 0, "--init", self.weights(kind), "--sample", 5,
                           "--prompt-ids", ",".join(map(str, self.text(70, 9))), "--sample-tokens", 66, "--temperature", 1,
                           ranks=ranks, name="drawn")
                [samples] = [line["samples"] for line in support.read_metrics(self.folder / "drawn.jsonl") if "samples" in line]
                self.assertEqual({len(sample["ids"]) for sample in samples}, {66})
                found.add(json.dumps([sample["ids"] for sample in samples]))
            self.assertEqual(len(found), 1, kind)

    def test_reference(self):
        """The definition of the operations, across the end of a chunk, a window and documents; with capped scores."""
        layer = {kind: {**MODELS[kind], "num_hidden_layers": 1, "layer_types": [layers]}
                 for kind, layers in (("delta", "linear_attention"), ("conv", "conv"))}
        for kind, config in {**layer, "window": {**test_cuda.GEMMA2, "vocab_size": VOCAB}}.items():
            model = support.import_model(config, 1, 70, "--document-separator=3")
            _, weights = self.train(support.compile_model(model), self.write_tokens(900, VOCAB), 4, 1e-2, name=kind)
            found = []
            for options, run in (((), "token"), (("--reference",), "token"), (("--reference",), "7")):
                self.run_ok(support.compile_model(model, "--sample-only", *options), "--weights", weights, "--prompt-ids",
                            ",".join(map(str, self.text(70, 1))), "--logits", self.folder / "logits.npy", "--logits-by", run)
                found.append(support.read_npy(self.folder / "logits.npy")[1])
            for other in found[1:]:
                self.assertLess(max(abs(a - b) for a, b in zip(found[0], other)), 1e-5, kind)

    def test_memory(self):
        """A state does not grow with the positions; keys and values of attention do."""
        for kind, states in (("delta", 2 * 3 * 4 * (
                # 3 delta rules and their convolutions, of 2 slots
                67 * (2 * 2 * 6 + 4 * 10) + 4 * 6 * 10 + 2 * 64 * 6 + 4 * 64 * 10 + 4 * 64)),
                             ("conv", 2 * 2 * 4 * 66 * 30)):
            found = []
            for seq in (80, 160):
                program = support.compile_model(support.import_model(MODELS[kind], 2, seq), "--sample-only")
                [device] = json.loads(self.run_ok(program, "--certificate=json").out)["arenas"]
                found.append(device["categories"]["keys_and_values"])
            width = MODELS[kind].get("head_dim", 10) * MODELS[kind]["num_key_value_heads"]
            self.assertEqual(found, [states + 2 * 2 * 4 * seq * width for seq in (80, 160)], kind)

    @unittest.skipUnless((test_cuda.FAKE / "libcuda.so.1").exists(), "this build has no CUDA: its headers were not found")
    def test_gpu(self):
        """Logits of an emulated GPU have the bits of processors, also in runs that cross chunks; those of attention, which
        takes long, token by token."""
        for kind, layers, precision, run, count in (("delta", None, "bf16", "token", 66), ("conv", None, "fp32", "token", 66),
                                                    ("delta", "linear_attention", "fp32", "50", SEQ), ("conv", "conv", "bf16", "50", SEQ)):
            config = {**MODELS[kind], **({"num_hidden_layers": 1, "layer_types": [layers]} if layers else {})}
            model, text = support.import_model(config, 1, SEQ), ",".join(map(str, self.text(count, 8)))
            _, weights = self.train(support.compile_model(model), self.write_tokens(5 * SEQ, VOCAB), 3, 1e-2, name=kind)
            found = []
            for target, env in (((), None), ((*test_cuda.GPU, test_cuda.EXACT), test_cuda.fake())):
                program = support.compile_model(model, "--sample-only", test_cuda.CPU, f"--precision={precision}", *target)
                self.run_ok(program, "--weights", weights, "--prompt-ids", text, "--logits", self.folder / "logits.npy",
                            "--logits-by", run, env=env)
                found.append((self.folder / "logits.npy").read_bytes())
            self.assertTrue(found[0] == found[1], (kind, layers, precision, run))

    def test_refused(self):
        weights = self.weights("conv")
        for value, words in (("0", "--logits-by must be 1 or more, got 0"), ("65", "64, got 65"),
                             ("row", "--logits-by must be token, chunk or a number of tokens up to 64, got row")):
            done = support.run(self.program("conv"), "--weights", weights, "--prompt-ids", "1", "--logits", "x.npy",
                               "--logits-by", value)
            self.assert_refused(done, words)


class Commands(chats.ChatCase):
    def test_generate(self):
        for name in ("Qwen3.5-9B", "LFM2-1.2B"):
            config, _ = popular.CONFIGS[name]
            config = {key: value for key, value in config.get("text_config", config).items() if key != "vocab_size"}
            base = self.model(name=name, **config)
            binary = support.compile_model(support.import_model(base / "config.json", 1, 8))
            self.run_ok(binary, "--data", self.write_tokens(100, 256), "--steps", 1, "--lr", "0", "--save",
                        base / "model.safetensors")
            prompts = self.write("prompts.txt", "first\nsecond, which is longer " + 20 * "and " + "longer\nfirst\nfirst of two\n")
            done = self.run_ok(support.ZEROC, "generate", base, "--prompts", prompts, "--max-tokens=70", "--slots=2", "--seq=200",
                               "--temperature=0")
            records = [json.loads(line) for line in done.out.splitlines()]
            self.assertEqual(len(records), 4)
            self.assertEqual(records[0], records[2])
            self.assertLess({record["end"] for record in records} - {"token"}, {"length", "full"})


class LongBits(test_generate_bits.BitsCase):
    """The logits of long sequences have the bits of training, in runs that cross chunks."""
    runs = ("token", "chunk", "7", "50")

    def test_adapters(self):
        self.compare_trained(MODELS["delta"], SEQ, "fp32", ("--lora=4",))


class LongDocuments(test_generate_bits.BitsCase):
    runs, imported = LongBits.runs, ("--document-separator=3",)

    def test_delta(self):
        self.compare_trained(MODELS["delta"], SEQ, "fp32", ())

    def test_conv(self):
        self.compare_trained(MODELS["conv"], SEQ, "bf16", ())


def add_cases():
    def test_of(kind, precision):
        return lambda self: self.compare_trained(MODELS[kind], SEQ, precision, ())
    for kind in MODELS:
        for precision in ("fp32", "bf16"):
            setattr(LongBits, f"test_{kind}_{precision}", test_of(kind, precision))


add_cases()

if __name__ == "__main__":
    unittest.main()
