"""Mixtures of experts, as a piece of random models (layers.py) and in models of a test's own.

A router chooses experts by comparing numbers, and a rounding difference may change the choice.  So
in random models, whose runs are compared, the choice depends on constants that are far apart, and
learned values change them only slightly.
"""
import layers
from writer import Value, tensor


def results(w, text, shapes):
    """Writes an operation with several results."""
    w.count += 1
    w.lines.append(f"%{w.count}:{len(shapes)} = {text}")
    return [Value(f"%{w.count}#{i}", tuple(shape)) for i, shape in enumerate(shapes)]


class Groups:
    """The pairs of tokens and their `k` largest of `probabilities` [N, E], sorted by expert."""

    def __init__(self, w, probabilities, k):
        self.w, (self.tokens, self.experts), self.k = w, probabilities.shape, k
        self.pairs = self.tokens * k
        each, line, offsets = (self.tokens, k), (self.pairs,), (self.experts + 1,)
        self.weights, chosen = results(
            w, f"nn.top_k {probabilities.name} : {tensor(probabilities.shape)} -> {tensor(each)}, "
               f"{tensor(each, 'i32')}", (each, each))
        self.rows, self.places, self.offsets = results(
            w, f"nn.group_by_expert {chosen.name} : {tensor(each, 'i32')} -> {tensor(line, 'i32')}, "
               f"{tensor(each, 'i32')}, {tensor(offsets, 'i32')}", (line, each, offsets))
        self.types = f"{tensor(line, 'i32')}, {tensor(each, 'i32')}"
        self.by = f"by {self.rows.name}, {self.places.name}"

    def gather(self, x):
        shape = (self.pairs, x.shape[1])
        return self.w.op(f"nn.gather_rows {x.name} {self.by} : {tensor(x.shape)}, {self.types} -> {tensor(shape)}",
                         shape)

    def product(self, x, weights, transposed=False):
        one = weights[0].shape
        shape = (self.pairs, one[1] if transposed else one[0])
        names = ", ".join(weight.name for weight in weights)
        return self.w.op(f"nn.grouped_matmul {x.name} by {self.offsets.name} ({names})"
                         f"{' {transposed}' if transposed else ''} : {tensor(x.shape)}, "
                         f"{tensor(self.offsets.shape, 'i32')}, {tensor(one)} -> {tensor(shape)}", shape)

    def combine(self, y, weights):
        shape = (self.tokens, y.shape[1])
        return self.w.op(f"nn.combine_rows {y.name} weights {weights.name} {self.by} : {tensor(y.shape)}, "
                         f"{self.types}, {tensor(weights.shape)} -> {tensor(shape)}", shape)

    def counts(self):
        """Returns the number of pairs of each expert."""
        w, shape = self.w, (self.experts,)
        first = w.slice(self.offsets, 0, 0, self.experts, element="i32")
        last = w.slice(self.offsets, 0, 1, self.experts, element="i32")
        number = w.op(f"arith.subi {last.name}, {first.name} : {tensor(shape, 'i32')}", shape)
        return w.convert("arith.sitofp", number, "i32", "f32")


def normalized(w, weights):
    """Divides rows by their sums."""
    return w.binary("arith.divf", weights, w.broadcast(w.reduce(weights, 1), weights.shape, (1,)))


def mixture(net, scope, x):
    """Experts of one or two products, for tokens that constants select."""
    w, rng = net.w, net.rng
    count = rng.choice((1, 2, 3, 5, 9))
    k = rng.randint(1, min(count, 3))
    levels = []
    for _ in range(net.seq):
        row = [0.4 * i for i in range(count)]
        rng.shuffle(row)
        levels.append("[" + ", ".join(f"{level:.2f}" for level in row) + "]")
    shape = x.shape[:2] + (count,)
    fixed = w.op(f"arith.constant dense<[{', '.join(levels)}]> : {tensor(shape[1:])}", shape[1:])
    learned = w.scale(w.unary("math.tanh", net.linear(scope + ".router", x, count)), 0.1)
    logits = w.collapse(w.add(w.spread(fixed, shape), learned))
    groups = Groups(w, w.softmax(logits, linalg=False), k)
    inner = rng.choice((1, net.width, 17))
    deep, transposed = net.chance(0.6), net.chance(0.4)

    def weights(name, out, inputs):
        shape = (inputs, out) if transposed else (out, inputs)
        return [net.normal(f"{scope}.{e}.{name}", shape, 0.7 / inputs ** 0.5) for e in range(count)]

    h = groups.gather(w.collapse(x))
    if deep:
        h = layers.activation(net, groups.product(h, weights("up", inner, net.width), transposed))
    y = groups.product(h, weights("down", net.width, h.shape[1]), transposed)
    by = normalized(w, groups.weights) if net.chance(0.5) else groups.weights
    return w.regroup(groups.combine(y, by), [[0, 1], [2]], x.shape)


#: A third of the pieces are mixtures; the others are arbitrary.
PIECES = [mixture] * (len(layers.PIECES) // 2) + layers.PIECES
