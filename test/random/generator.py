"""Random small models: every seed is one, and every model can be made for any batch.

    print(random_model(7).text(batch=2))

A model has embeddings, blocks of the pieces in layers.py with residual
connections, and a head with a cross-entropy.  On top come oddities of state:
parameters that nothing reads, that are each other's gradient, that share one, whose
gradient is a constant; scalars; sizes that divide by nothing; ties within a block
and across blocks; blocks of any names and orders.

The batch changes shapes only, never a choice.  So one model can be compiled for one
rank with the whole batch and for N ranks with an N-th each, and the two must train
alike.  For that, every term of the loss is the same for each batch (it depends on
parameters only) or a mean over rows that every batch has equally many of.  The one
exception are targets that are ignored: `nn.cross_entropy` counts over all ranks.
"""
import argparse
import random

import layers
from writer import Writer


class Model:
    def __init__(self, seed, shared=False):
        """With `shared`, ranks can share sequences: one mean over positions is all of the loss."""
        self.seed, self.shared = seed, shared
        rng = self._rng()
        self.seq = rng.choice((1, 2, 3, 4, 5, 7, 8, 8, 11, 13))
        self.vocab = rng.choice((2, 5, 16, 23, 31, 50, 64, 67))
        self.heads = rng.choice((1, 1, 2, 3, 4))
        self.head_width = rng.choice((1, 3, 4, 5, 8, 9, 16) if self.heads < 3 else (2, 3, 5, 8))
        # The cross-entropy ignores rows whose target is this token.
        self.ignored = rng.randrange(self.vocab) if rng.random() < 0.4 else None
        ids = random.Random(f"ids {seed}")
        self.wide_ids = ids.random() < 0.3
        self.says_vocab = ids.random() < 0.6
        # A token whose row gets no gradient, and a soft cap of logits.
        self.padding = ids.randrange(self.vocab) if ids.random() < 0.2 else None
        self.cap = ids.choice((0.5, 4.0)) if ids.random() < 0.2 else None
        if shared:
            sizes = random.Random(f"shared {seed}")
            self.seq, self.heads = sizes.choice((2, 4, 6, 8, 8, 12)), sizes.choice((2, 2, 4, 4, 6))
            self.head_width = sizes.choice((2, 3, 5, 8))

    def _rng(self):
        return random.Random(f"model {self.seed}")

    def text(self, batch):
        rng = self._rng()
        rng.random()
        net = layers.Net(Writer(batch), random.Random(f"layers {self.seed}"), random.Random(f"dropout {self.seed}"),
                         self.seq, self.heads, self.head_width)
        net.has_dropout = net.has_dropout and not self.shared
        self.options = random.Random(f"loss {self.seed}")
        text = _build(net, self)
        # Some operations count in i32, whatever the type of ids.
        is_wide = self.wide_ids and not any(name in text for name in ("nn.document_starts", "nn.top_k"))
        return text.replace("xi32>", "xi64>") if is_wide else text


def random_model(seed):
    return Model(seed)


def _embeddings(net, model, tokens):
    """Returns x and the table, which a head may be tied to."""
    w, vocab, width = net.w, model.vocab, net.width
    if net.chance(0.15):
        inner = net.rng.choice((1, 6, 17))
        table = net.normal("wte.weight", (vocab, inner), 1.0)
        x = net.linear("wte.up", w.embedding(tokens, table, model.padding), width)
    else:
        table = net.normal("wte.weight", (vocab, width), 0.8)
        # Sometimes rows of a computed table.
        x = w.embedding(tokens, w.unary("math.tanh", table) if net.chance(0.1) else table, model.padding)
    if net.chance(0.1):  # looked up by constant ids
        ids = ", ".join(str(position // 2) for position in range(net.seq))
        rows = ", ".join(f"[{ids}]" for _ in range(net.batch))
        ids = w.op(f"arith.constant dense<[{rows}]> : tensor<{net.batch}x{net.seq}xi32>",
                   (net.batch, net.seq))
        x = w.add(x, w.embedding(ids, net.normal("ids.weight", (net.seq, width), 0.4)))
    for number in range(net.rng.choice((0, 1, 1, 1, 2, 3))):
        name = "wpe.weight" if number == 0 else f"pos{number}.weight"
        x = w.add(x, w.spread(_positions(net, name), x.shape))
    if net.chance(0.1):
        x = w.add(x, w.embedding(tokens, net.normal("wte2.weight", (vocab, width), 0.3)))
    if net.seq > 1 and net.chance(0.1):  # the previous token
        before = w.slice(tokens, 1, 0, net.seq - 1, element="i32")
        x = w.add(x, w.pad(w.embedding(before, net.normal("wte3.weight", (vocab, width), 0.3)), 1, 1))
    return x, table


def _positions(net, name):
    """Returns a row for each position: a parameter, or one sliced or concatenated from parameters."""
    w, seq, width = net.w, net.seq, net.width
    kind = net.rng.randrange(12)
    if kind < 3:
        return w.slice(net.normal(name, (seq + 3, width), 0.4), 0, kind, seq)
    if kind == 3:
        return w.slice(net.normal(name, (2 * seq, width), 0.4), 0, 1, seq, stride=2)
    if kind == 4 and seq > 1:
        return w.pad(net.normal(name, (seq - 1, width), 0.4), 0, 1)
    if kind == 5:
        one = net.normal(name + ".one", (1, width), 0.4)
        return w.insert(one, net.normal(name, (seq, width), 0.4), 0, net.rng.randrange(seq))
    return net.normal(name, (seq, width), 0.4)


def _blocks(net, x):
    names = net.rng.choice(("h.{}", "h.{}", "transformer.h.{}", "layer{}", "blocks"))
    for depth in range(net.rng.choice((0, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4))):
        scope = names.format(depth)
        for part in range(net.rng.choice((1, 1, 1, 1, 2) if depth < 2 else (1,))):
            piece = net.rng.choice(layers.PIECES)
            inner = f"{scope}.{piece.__name__}" + (str(part) if net.chance(0.3) else "")
            y = x if net.chance(0.1) else layers.norm(net, f"{scope}.ln_{part + 1}", x)
            y, rate = piece(net, inner, y), net.rate()
            x = net.w.add(x, net.w.dropout(y, rate) if rate else y)
    return x


def _logits(net, model, x, table, name):
    w = net.w
    if net.chance(0.7):
        x = layers.norm(net, name + "_ln", x)
    if table.shape[1] == x.shape[-1] and net.chance(0.4):
        # Each element of the table's rows has unit size, so products are large.
        logits = w.scale(w.linear(x, table), 0.5)
    else:
        logits = net.linear(name, x, model.vocab)
    if net.chance(0.1):
        temperature = w.param(name + ".temperature", (), "#zero.constant<0.8>")
        logits = w.mul(logits, w.broadcast(temperature, logits.shape, (0, 1, 2)))
    if model.cap is not None:
        logits = w.scale(w.unary("math.tanh", w.scale(logits, 1 / model.cap)), model.cap)
    return logits


def _cross_entropy(net, model, logits, targets):
    # Weights depend on the position alone, so that each batch has the same sum.
    options = {}
    if model.options.random() < 0.3:
        options = {"smoothing": model.options.choice((0, 0.1, 0.5)), "z": model.options.choice((0, 1e-3, 0.1))}
    if model.ignored is not None and net.chance(0.8):
        return net.w.cross_entropy(logits, targets, ignore=model.ignored, **options)
    if net.chance(0.1):
        rows = net.w.constant(f"{net.batch * net.seq}.0", ())
        return net.w.cross_entropy(logits, targets, count=rows, **options)
    if model.options.random() < 0.2:
        options["weights"] = net.w.spread(net.w.constant(f"[{', '.join(f'{(i + 1) % 3 / 2}' for i in range(net.seq))}]", (net.seq,)),
                                          (net.batch, net.seq))
    return net.w.cross_entropy(logits, targets, **options)


#: Sizes that are not multiples of vectors, blocks and ranks, and some that are.
SIZES = (1, 1, 3, 5, 16, 17, 31, 33, 64, 100)


def _odd_terms(net, x):
    """Yields terms of the loss, with their own parameters or with existing ones."""
    w, rng = net.w, net.rng
    names = [f"{block}.{leaf}" for block in ("extra", "h.0", "h.1", "head", "aux.7.sub", "a")
             for leaf in ("u", "v.weight", "z.bias")]
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        name, size, kind = rng.choice(names), rng.choice(SIZES), rng.randrange(9)
        if kind == 0:  # a penalty of a parameter's squares
            p = rng.choice(net.weights) if net.weights and net.chance(0.6) else net.normal(name, (size,))
            yield w.scale(w.sum_of_products(p, p), 1e-2)
        elif kind == 1:  # each other's gradient
            p, q = net.normal(name + ".p", (size,), 0.3), net.normal(rng.choice(names), (size,), 0.3)
            yield w.sum_of_products(p, q) if net.chance(0.5) else w.contract("dot", p, q, ())
        elif kind == 2:  # the gradient is a constant, 1
            yield w.param(name, (), "#zero.constant<0.3>")
        elif kind == 3:  # the gradient is a constant in every element
            p = net.normal(name, (size,), 0.2)
            yield w.sum_of_products(p, w.constant("0.25", (size,)))
        elif kind == 4:
            yield w.unary("math.exp", w.param(name, (), "#zero.constant<-0.7>"))
        elif kind == 5:  # of one sum, so with one gradient for all
            parts = [net.normal(rng.choice(names), (size,), 0.3) for _ in range(rng.choice((2, 3)))]
            total = parts[0]
            for part in parts[1:]:
                total = w.binary(rng.choice(("arith.addf", "arith.subf")), total, part)
            yield w.scale(w.sum_of_products(total, w.unary("math.tanh", total)), 0.05)
        elif kind == 6:  # a mean of squares of activations
            yield w.scale(w.sum_of_products(x, x), 0.02 / (net.batch * net.seq * net.width))
        elif kind == 7:  # a matrix by its log-sum-exp
            p = net.normal(name, (size, 3), 0.5)
            rows = w.unary("math.log", w.reduce(w.unary("math.exp", p), 1))
            yield w.scale(w.reduce(rows, 0), 0.1 / size)
        else:  # read, but with a gradient of zero
            p = net.normal(name, (size,), 0.3)
            yield w.sum_of_products(w.binary("arith.subf", p, p), w.constant("1.0", (size,)))


def _build(net, model):
    w, rng = net.w, net.rng
    shape = (net.batch, net.seq)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        idle = rng.choice(((), (1,), (5,), (7, 3), (33,), (2, 3, 4)))
        w.param(rng.choice(("unused", "h.0.idle", "h.1.idle", "zz.idle")), idle,
                net.init(0.5) if net.chance(0.5) else None)
    vocab = model.vocab if model.says_vocab else None
    tokens = w.input("tokens", shape, vocab)
    targets = w.input("targets", shape, vocab)
    net.tokens = tokens
    x, table = _embeddings(net, model, tokens)
    x = _blocks(net, x)
    loss = _cross_entropy(net, model, _logits(net, model, x, table, "head"), targets)
    if net.chance(0.06) and not model.shared:
        second = _cross_entropy(net, model, _logits(net, model, x, table, "head2"), targets)
        loss = w.add(loss, w.scale(second, 0.3))
    for term in () if model.shared else list(_odd_terms(net, x)):
        loss = w.add(loss, term) if net.chance(0.5) else w.add(term, loss)
    if net.chance(0.3):
        rng.shuffle(w.arguments)
    return w.module(loss)


def main():
    parser = argparse.ArgumentParser(description="Prints the random model of a seed.")
    parser.add_argument("seed", type=int)
    parser.add_argument("--batch", type=int, default=2)
    options = parser.parse_args()
    print(random_model(options.seed).text(options.batch), end="")


if __name__ == "__main__":
    main()
