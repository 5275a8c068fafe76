"""The measured models: their matmuls, and their numbers of parameters."""
import dataclasses
import json
from collections import Counter
from pathlib import Path


class Unknown(Exception):
    """A config.json whose products are not known here."""


@dataclasses.dataclass(frozen=True)
class Linear:
    """`times` weights of a model, each of which multiplies `share` of the tokens."""
    inputs: int
    outputs: int
    times: int
    share: float = 1
    turned: bool = False  # stored as inputs x outputs

    @property
    def weights(self):
        return self.inputs * self.outputs * self.times


class Model:
    """Subclasses have layers, `attention_width` (of all query heads) and vocab."""

    def linears(self):
        raise NotImplementedError

    def products(self, tokens):
        """Returns {(m, n, k): how often a step multiplies m x k by k x n}."""
        counts = Counter()
        for one in self.linears():
            rows = round(tokens * one.share)
            gradient = ((one.inputs, one.outputs) if one.turned
                        else (one.outputs, one.inputs))
            counts[rows, one.outputs, one.inputs] += one.times
            counts[rows, one.inputs, one.outputs] += one.times
            counts[(*gradient, rows)] += one.times
        return counts

    @property
    def weights(self):
        """The number of weights in matrices that multiply a token."""
        return round(sum(one.weights * one.share for one in self.linears()))

    def flops(self, batch, seq):
        """Flops of a step: each weight in three products, and the causal half of attention."""
        return 6 * self.weights * batch * seq + self.attention_flops(batch, seq)

    def attention_flops(self, batch, seq):
        return 6 * batch * seq**2 * self.attention_width * self.layers


@dataclasses.dataclass(frozen=True)
class Gpt2(Model):
    layers: int
    heads: int
    width: int
    vocab: int
    positions: int

    @property
    def attention_width(self):
        return self.width

    def linears(self):
        c, layers = self.width, self.layers
        return [Linear(c, 3 * c, layers, turned=True), Linear(c, c, layers, turned=True),
                Linear(c, 4 * c, layers, turned=True), Linear(4 * c, c, layers, turned=True),
                Linear(c, self.vocab, 1)]

    @property
    def parameters(self):
        vectors = self.layers * 13 * self.width + 2 * self.width
        return self.weights + self.positions * self.width + vectors


@dataclasses.dataclass(frozen=True)
class Decoder(Model):
    """Llama, Qwen3, whose heads have norms, and Mixtral: then `experts` is not 0, and each token goes to `chosen` of
    them."""
    layers: int
    heads: int
    key_heads: int
    head_width: int
    width: int
    inner: int
    vocab: int
    tied: bool
    experts: int = 0
    chosen: int = 0
    norms_heads: bool = False

    @property
    def attention_width(self):
        return self.heads * self.head_width

    def linears(self):
        c, layers, keys = self.width, self.layers, self.key_heads * self.head_width
        attention = [Linear(c, self.attention_width, layers), Linear(c, keys, 2 * layers),
                     Linear(self.attention_width, c, layers)]
        # The rows of a single expert are not known, only their mean.
        each, share = ((layers * self.experts, self.chosen / self.experts) if self.experts
                       else (layers, 1))
        mlp = [Linear(c, self.inner, 2 * each, share), Linear(self.inner, c, each, share)]
        router = [Linear(c, self.experts, layers)] if self.experts else []
        return [*attention, *router, *mlp, Linear(c, self.vocab, 1)]

    @property
    def parameters(self):
        embedding = 0 if self.tied else self.vocab * self.width
        norms = (2 * self.layers + 1) * self.width + 2 * self.norms_heads * self.layers * self.head_width
        return embedding + norms + sum(one.weights for one in self.linears())


def read(path):
    """The model that a Hugging Face config.json describes."""
    config = json.loads(Path(path).read_text())
    kind = config.get("model_type", "gpt2")
    if kind == "gpt2":
        return Gpt2(*(config[key] for key in
                      ("n_layer", "n_head", "n_embd", "vocab_size", "n_positions")))
    if kind not in ("llama", "mixtral", "qwen3"):
        raise Unknown(f"it is a {kind}; models are gpt2, llama, mixtral and qwen3")
    heads, width = config["num_attention_heads"], config["hidden_size"]
    mixture = kind == "mixtral"
    return Decoder(config["num_hidden_layers"], heads, config.get("num_key_value_heads", heads),
                   config.get("head_dim") or width // heads, width, config["intermediate_size"],
                   config["vocab_size"], config.get("tie_word_embeddings", False),
                   config["num_local_experts"] if mixture else 0,
                   config["num_experts_per_tok"] if mixture else 0, kind == "qwen3")
