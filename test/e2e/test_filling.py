"""Tokens that fill a sequence up after its last sample: no sum over tokens counts them."""
import json
import re

import chats
import support
import test_packed

GOLDEN = support.ROOT / "test" / "golden"
SEQ = 24
#: As test/golden/filling.py has them.
COEFFICIENT, VOCAB = 0.5, 89
SAMPLES = [(3, 9, 2), (17, 5, 1), (40, 20, 7), (8, 11, 4), (71, 2, 1)]
ROWS = [[0, 1], [2], [3, 4], []]
#: Options of a step whose weights show the gradient.
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")
OBJECTIVES = {"sft": (), "dpo": ("--samples=4",), "kto": ("--samples=4",), "reward": ("--samples=4", "--margins"),
              "classify": ("--labels=3",)}


def sample(number):
    first, count, trained = SAMPLES[number]
    return [1 + (first + 7 * i + i * i) % (VOCAB - 1) for i in range(count)], [i >= trained for i in range(count)]


def config_of(family, **more):
    config = json.loads((GOLDEN / family / "config.json").read_text())
    return {**config, "output_router_logits": True, "router_aux_loss_coef": COEFFICIENT, **more}


class Filling(support.Case):
    def data(self, rows):
        path = self.folder / "data.safetensors"
        support.write_safetensors(path, test_packed.sequences([[sample(i) for i in row] for row in rows], SEQ))
        return path

    def model(self, family, ranks, *options):
        model = support.import_model(config_of(family), 4 // ranks, SEQ, "--packed")
        return support.compile_model(model, f"--world-size={ranks}", *PLAIN, *options)

    def step(self, family, rows=ROWS, ranks=1, options=(), flags=(), lr=1):
        return self.run_plan(self.model(family, ranks, *options), "--data", self.data(rows), "--init",
                             GOLDEN / family / "model.safetensors", "--steps", 1, "--lr", lr, *flags, ranks=ranks)

    def test_transformers(self):
        """The loss of experts over the samples' tokens; the embedding of a token that only fills does not move."""
        golden = json.loads((GOLDEN / "filling.json").read_text())
        for family, expected in golden.items():
            for ranks, what, options in ((1, "whole", ()), (1, "whole", ("--reference",)), (2, "halves", ())):
                if (ranks == 2 or options) and family != "mixtral":
                    continue
                with self.subTest(family, ranks=ranks, options=options):
                    # Of two ranks each has samples of its own, and one has more than the other.
                    _, [line, *_], saved = self.step(family, ranks=ranks, options=options)
                    self.assert_close(line["loss"], expected[what]["loss"], 1e-6, "the loss")
                    self.assert_close(line["grad_norm"], expected[what]["grad_norm"], 2e-6, "the norm")
                    name = "model.embed_tokens.weight"
                    before, after = (support.read_safetensors(path)[name] for path in
                                     (GOLDEN / family / "model.safetensors", saved))
                    width = before[0][1]
                    self.assertEqual(before[1][:width], after[1][:width])
                    self.assertNotEqual(before[1], after[1])

    def test_a_rank_of_filling(self):
        """It adds nothing, in steps and evaluations; with several micro-steps, either."""
        rows, empty = [[0, 1], [2]], [[], []]
        expected = self.step("mixtral", rows + empty)[1][0]
        for options, ranks, data in ((("--eval",), 2, rows + empty), (("--eval", "--accumulate=2"), 2, rows + empty * 3)):
            _, lines, _ = self.step("mixtral", data, ranks, options, ("--eval-data", self.data(data)), lr=0)
            for name in ("loss", "grad_norm"):
                self.assert_close(lines[0][name], expected[name], 2e-6, name)
            self.assert_close(lines[-1]["eval_loss"], expected["loss"], 2e-6, "the evaluation")

    def test_plans(self):
        """The same bits at each stage, by micro-steps, and where state is in host memory."""
        rows = ROWS + [[1], [], [4, 3], [2]]
        self.check_same_bits((" ".join(options), self.bits(rows, options)) for options in
                             (("--stage=2",), ("--stage=3", "--remat=block"), ("--stage=3", "--offload=cpu")))

    def bits(self, rows, options):
        _, lines, saved = self.step("mixtral", rows, 2, ("--accumulate=2", *options))
        return support.bits_of(lines), support.saved_bytes(saved)


class Sums(chats.ChatCase):
    """Every sum over tokens of every objective and family."""

    def arrays(self, objective, rows, token):
        """The data of records in sequences, filled up with a token; `rows` are numbers of records."""
        import numpy as np
        from zeroc import dataset
        from zeroc.objectives import ALL, Unit
        kind = ALL[objective]
        of_record = 2 if kind.compares else 1
        facts = [{"label": bool(i % 2) if objective == "kto" else i % 3, "margin": 0.5 * i} for i in range(4)]
        taken = [[Unit([(np.array(ids, np.int32), np.array(trained, np.float32) * 0.5)
                        for ids, trained in (sample((3 * i + j) % 5) for j in range(of_record))], facts[i]) for i in row]
                 for row in rows]
        # Two answers of a record are short, so that several records fit.
        for row in taken:
            for unit in row:
                unit.samples = [(ids[:6], weights[:6]) for ids, weights in unit.samples]
        summary = dataset.Summary(most=4, margins=objective == "reward", labels=["0", "1", "2"])
        arrays = dataset.fill(taken, dataset.Request("", [], SEQ, objective=objective), summary)
        for tokens, units in zip(arrays["tokens"], taken):
            tokens[sum(len(ids) for unit in units for ids, _ in unit.samples):] = token
        if kind.has_reference:
            arrays["reference"] = np.full((len(rows), 4), -3, np.float32)
        for name, is_read in (("targets", kind.has_targets), ("token_weights", kind.has_weights)):
            if not is_read:
                del arrays[name]
        path = self.folder / "data.safetensors"
        dataset.write_safetensors(path, arrays, {})
        return path

    def test_other_filling(self):
        """Losses and gradients are the same of records that are side by side, and of each in a sequence of its own, which
        another token fills up."""
        for objective, options in OBJECTIVES.items():
            config = config_of("mixtral", num_hidden_layers=1, num_local_experts=5)
            more = ("--label-smoothing=0.1", "--z-loss=0.01", "--token-weights") if objective == "sft" else options
            model = support.import_model(config, 4, SEQ, "--packed", f"--objective={objective}", *more)
            binary, found = support.compile_model(model, *PLAIN), []
            for rows, token in (([[0, 1], [2, 3], [], []], 0), ([[0], [1], [2], [3]], 7)):
                data = self.arrays(objective, rows, token)
                _, [line, *_], _ = self.run_plan(binary, "--data", data, "--steps", 1, "--lr", 1)
                found.append((line["loss"], line["grad_norm"]))
            with self.subTest(objective):
                self.assert_close(found[1][0], found[0][0], 1e-6, "the loss")
                self.assert_close(found[1][1], found[0][1], 2e-6, "the norm")
                self.assertGreater(found[0][1], 1e-3)

    #: The operations from tokens to what has none, of a loss and of that of experts, which reads what fills a sequence.
    KNOWN = {"sft": {"nn.cross_entropy of loss"}, "dpo": {"linalg.reduce of loss.samples"},
             "kto": {"linalg.reduce of loss.samples"}, "reward": {"linalg.reduce of loss.samples"},
             "classify": {"nn.cross_entropy of loss"}, "grpo": {"linalg.reduce of loss"}}
    OF_EXPERTS = {"linalg.generic of loss.balance", "linalg.reduce of loss.balance", "nn.count_valid of loss.balance"}

    def test_every_sum_is_known(self):
        """Of all families.  A sum over tokens that is not in KNOWN is new: it leaves filling out, or is a fault."""
        from zeroc.objectives import ALL
        self.assertEqual([*OBJECTIVES], [*ALL])
        for path in sorted(GOLDEN.glob("*/config.json")):
            config = json.loads(path.read_text())
            has_experts = config.get("num_experts_per_tok", 0) > 0
            for objective, options in {**OBJECTIVES, "grpo": ()}.items():
                with self.subTest(path.parent.name, objective=objective):
                    model = support.import_model({**config, "output_router_logits": True} if has_experts else config, 5, 53,
                                                 "--packed", f"--objective={objective}", *options)
                    self.assertEqual(sums(model.read_text()), self.KNOWN[objective] | (self.OF_EXPERTS if has_experts else set()))


def sums(text):
    """The operations whose operands have tokens, 5 sequences of 53, and whose result has none, with their places."""
    def has_tokens(types):
        return any(int(size) % 53 == 0 for dims in re.findall(r"tensor<((?:\d+x)+)", types) for size in dims[:-1].split("x"))

    found = set()
    for line in text.splitlines():
        operation = re.match(r"\s*%([^ ]*?)(?:_\d+)? = ([a-z_.]+)", line)
        types = re.search(r"ins\((.*)\) outs\((.*)\)", line) or re.search(r" : (.*) -> (.*)", line)
        if operation and types and has_tokens(types[1]) and not has_tokens(types[2]):
            found.add(f"{operation[2]} of {operation[1]}")
    return found
