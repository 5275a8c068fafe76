"""Mixtures of experts: the layer of dialect/nn/Experts.td in small models with a learned router and
router losses.  test_families.py compares runs of Hugging Face's models."""
import sys
from unittest import mock

import support

sys.path.insert(0, str(support.ROOT / "test" / "random"))

import check
import experts
import layers
from writer import Writer, tensor

SEQ, VOCAB, WIDTH, EXPERTS, CHOSEN, INNER, LAYERS = 11, 29, 10, 5, 2, 7, 2
#: Options of a step whose gradients are computed from the weights.
PLAIN = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0")


def normal(std):
    return f"#zero.normal<std = {std}>"


class Model:
    """Norms and mixtures between an embedding and a head."""

    def __init__(self, batch, idle=None):
        self.w, self.batch, self.idle = Writer(batch), batch, idle
        self.routers = []

    def text(self):
        w = self.w
        tokens, targets = (w.input(name, (self.batch, SEQ), VOCAB) for name in ("tokens", "targets"))
        table = w.param("embedding", (VOCAB, WIDTH), normal(0.5))
        x = w.embedding(tokens, table)
        for layer in range(LAYERS):
            x = w.add(x, self.mixture(f"layers.{layer}", x))
        logits = w.linear(x, w.param("head", (VOCAB, WIDTH), normal(0.3)))
        loss = w.cross_entropy(logits, targets)
        loss = w.add(loss, w.scale(self.balance(), 0.05))
        return w.module(w.add(loss, w.scale(self.z(), 0.01)))

    def mixture(self, scope, x):
        w = self.w
        gain = w.param(f"{scope}.norm.weight", (WIDTH,), "#zero.constant<1.0>")
        bias = w.param(f"{scope}.norm.bias", (WIDTH,), "#zero.constant<0.0>")
        flat = w.collapse(w.layer_norm(x, gain, bias, "1.0e-5"))
        logits = w.linear(flat, w.param(f"{scope}.router", (EXPERTS, WIDTH), normal(0.5)))
        if self.idle is not None:
            low = ", ".join("-100.0" if e == self.idle else "0.0" for e in range(EXPERTS))
            fixed = w.op(f"arith.constant dense<[{low}]> : {tensor((EXPERTS,))}", (EXPERTS,))
            logits = w.add(logits, w.spread(fixed, logits.shape))
        probabilities = w.softmax(logits, linalg=False)
        groups = experts.Groups(w, probabilities, CHOSEN)
        self.routers.append((logits, probabilities, groups))

        def weights(name, out, inputs):
            return [w.param(f"{scope}.experts.{e}.{name}", (out, inputs), normal(0.3)) for e in range(EXPERTS)]

        rows = groups.gather(flat)
        gate = groups.product(rows, weights("gate", INNER, WIDTH))
        up = groups.product(rows, weights("up", INNER, WIDTH))
        y = groups.product(w.mul(w.unary("math.tanh", gate), up), weights("down", WIDTH, INNER))
        y = groups.combine(y, experts.normalized(w, groups.weights))
        return w.regroup(y, [[0, 1], [2]], x.shape)

    def balance(self):
        """EXPERTS times the sum of the share and the mean probability of each, over all layers."""
        w, rows = self.w, LAYERS * self.batch * SEQ
        counts = [groups.counts() for _, _, groups in self.routers]
        sums = [w.reduce(probabilities, 0) for _, probabilities, _ in self.routers]
        return w.scale(w.sum_of_products(w.add(*counts), w.add(*sums)), EXPERTS / rows ** 2)

    def z(self):
        w, rows = self.w, LAYERS * self.batch * SEQ
        terms = []
        for logits, _, _ in self.routers:
            shape = logits.shape[:1]
            lse = w.op(f"nn.log_sum_exp {logits.name} : {tensor(logits.shape)} -> {tensor(shape)}", shape)
            terms.append(w.sum_of_products(lse, lse))
        return w.scale(w.add(*terms), 1 / rows)


class Experts(support.Case):
    def learn(self, *options, batch=6, ranks=1, steps=4, lr=1e-2, name="run", idle=None, flags=()):
        model = support.written_model(Model(batch // ranks, idle).text())
        binary, data = support.compile_model(model, f"--world-size={ranks}", *options), self.write_tokens(900, VOCAB)
        return self.train(binary, data, steps, lr, "--data-format", "u16", *flags, name=name, ranks=ranks)

    def outcome(self, *options, **keywords):
        lines, saved = self.learn(*options, **keywords)
        return support.bits_of(lines), support.saved_bytes(saved)

    def check_close(self, options, losses, weights, *others):
        fast, fast_saved = self.learn(*options, name="fast")
        slow, slow_saved = self.learn(*others, name="slow")
        for a, b in zip(fast, slow):
            self.assert_close(a["loss"], b["loss"], losses, f"loss of step {a['step']}")
        self.assert_weights_close(fast_saved, slow_saved, weights)

    def test_reference(self):
        self.check_close((), 1e-5, 1e-3, "--reference")

    def test_half_floats(self):
        self.check_close(("--precision=bf16",), 2e-2, 5e-2)
        self.check_close(("--precision=fp16", "--grad-dtype=f32"), 5e-3, 5e-2)

    def test_half_floats_reference(self):
        self.check_close(("--precision=bf16",), 1e-2, 5e-2, "--precision=bf16", "--reference")

    def test_stages_have_the_same_bits(self):
        """Each stage, number of ranks and precision."""
        for ranks, precision, stages in ((2, "fp32", (0, 3)), (3, "fp32", (1, 2)), (2, "bf16", (1, 2)),
                                         (3, "bf16", (0, 3))):
            self.check_same_bits(
                (f"{ranks} ranks, {precision}, stage {stage}",
                 self.outcome(f"--stage={stage}", f"--precision={precision}", ranks=ranks)) for stage in stages)

    def test_micro_steps(self):
        """The mean of two micro-batches' losses equals that of two ranks'."""
        for stages in ((0, 1), (2, 3)):
            self.check_same_bits(
                (f"stage {stage}", self.outcome(f"--stage={stage}", "--accumulate=2", batch=4, ranks=2))
                for stage in stages)
        ranks, _ = self.learn(name="ranks", batch=6, ranks=2)
        steps, _ = self.learn("--accumulate=2", name="steps", batch=3)
        self.assert_close(steps[0]["loss"], ranks[0]["loss"], 1e-6, "the first loss")

    def test_one_rank_has_the_same_bits(self):
        """For any storage of state and activations, and any number of threads."""
        plans = ((), ("--remat=block",), ("--offload=cpu",), ("--offload-activations=cpu",))
        self.check_same_bits((" ".join(options) or "plain", self.outcome(*options)) for options in plans)
        self.check_same_bits((f"{threads} threads", self.outcome(flags=("--threads", str(threads))))
                             for threads in (1, 2, 3))

    def test_an_expert_without_tokens_stays_as_it_is(self):
        begun, ended = (support.read_safetensors(self.learn(*PLAIN, steps=steps, idle=3, name=f"idle{steps}")[1])
                        for steps in (1, 3))
        for name, (_, values) in begun.items():
            same = values == ended[name][1]
            self.assertEqual(same, ".experts.3." in name, name)

    def test_learns(self):
        lines, _ = self.learn(steps=40)
        self.assertLess(lines[-1]["loss"], 0.9 * lines[0]["loss"])


MIXTRAL = dict(model_type="mixtral", num_hidden_layers=2, hidden_size=24, intermediate_size=20, num_attention_heads=4,
               num_key_value_heads=2, vocab_size=VOCAB, max_position_embeddings=32, num_local_experts=EXPERTS,
               num_experts_per_tok=CHOSEN, sliding_window=None, output_router_logits=True)


class Imported(support.Case):
    """Other operations of runs, for an imported mixture."""

    def run_of(self, name, *options, ranks=1, steps=4, lr=1e-2, flags=()):
        binary = support.compile_model(support.import_model(MIXTRAL, 2, SEQ), f"--world-size={ranks}", *options)
        data = self.write_tokens(900, VOCAB)
        return self.outcome_of(binary, data, steps, lr, "--data-format", "u16", *flags,
                               *support.init_flags(options, flags), name=name, ranks=ranks)

    def test_order_of_micro_steps(self):
        self.check_same_bits((order, self.run_of("order", "--stage=3", "--accumulate=2", f"--accumulate-order={order}",
                                                 ranks=2)) for order in ("batch", "block"))

    def test_resumes_in_another_layout(self):
        folder = self.folder / "checkpoints"
        losses, weights = self.run_of("whole", "--stage=2", ranks=2,
                                      flags=("--checkpoint", folder, "--save-every", 2))
        metrics, saved = self.folder / "resumed.jsonl", self.folder / "resumed.safetensors"
        binary = support.compile_model(support.import_model(MIXTRAL, 2, SEQ), "--world-size=2", "--stage=3",
                                       "--offload=cpu")
        self.run_ok(binary, "--data", self.folder / "tokens.u16", "--data-format", "u16",
                    "--steps", 4, "--lr", 1e-2, "--resume", folder / "step-2", "--metrics", metrics, "--save", saved,
                    env=support.MPI_ENVIRONMENT)
        self.assertEqual([line["loss"] for line in support.read_metrics(metrics)], [loss for loss, _ in losses[2:]])
        self.assertEqual(support.saved_bytes(saved), weights)

    def test_samples(self):
        """The same samples from any plan, with trained weights."""
        self.run_of("base", steps=6)
        texts = []
        for ranks, options in ((1, ()), (2, ("--stage=3", "--remat=block")), (2, ("--stage=1", "--offload=cpu"))):
            self.run_of("drawn", "--sample", *options, ranks=ranks, steps=1, lr=0, flags=(
                "--init", self.folder / "base.safetensors", "--sample", 3, "--prompt-ids", "3,9,1", "--sample-tokens", 6))
            texts += [line["samples"] for line in support.read_metrics(self.folder / "drawn.jsonl")
                      if "samples" in line]
        self.assertEqual(texts, [texts[0]] * 3)

    def test_adapters(self):
        """Adapters on linear layers only: experts do not change."""
        self.check_same_bits((options, self.run_of("lora", "--lora=2:4", *options.split(), ranks=ranks))
                             for options, ranks in (("--stage=0", 2), ("--stage=3", 2), ("--stage=2 --offload=cpu", 2)))


class RandomModels(support.Case):
    """`test/random/check.py --experts --models=1000` is the same for many."""

    def check(self, models, **how):
        failures = []
        with mock.patch.object(layers, "PIECES", experts.PIECES):
            total = check.check(models, jobs=4, report=failures.append, **how)
        self.assertEqual(total["models"], models)
        self.assertEqual(total["failures"], 0, "\n".join(failures))

    def test_models(self):
        self.check(2, seed=601)

    def test_models_in_16_bits(self):
        self.check(1, seed=611, precision="bf16")
