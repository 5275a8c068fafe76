"""The pieces of random models.

A piece is a function (net, scope, x) that maps activations x, [batch, seq, width], to the addition
of a residual connection: of the same shape, and of about unit size for x of unit size, so that a
model of any pieces is well-conditioned.  `scope` is the prefix of its parameters' names.
"""
import math

import reshapes
import windows


class Net:
    """A model under construction: its writer, its sizes, its random choices."""

    def __init__(self, writer, rng, drops, seq, heads, head_width):
        """`drops` draws dropout."""
        self.w, self.rng = writer, rng
        self.batch, self.seq = writer.batch, seq
        self.heads, self.head_width, self.width = heads, head_width, heads * head_width
        self.weights = []  # to tie others to
        self.tokens = None  # [B, T], if the model reads some
        self.drops = drops
        self.has_dropout = drops.random() < 0.2

    def chance(self, probability):
        return self.rng.random() < probability

    def init(self, std):
        kind = self.rng.randrange(3)
        if kind:
            return f"#zero.normal<std = {std:.4e}>"
        return f"#zero.uniform<low = {-1.7 * std:.4e}, high = {1.6 * std:.4e}>"

    def normal(self, name, shape, std=0.5):
        return self.w.param(name, shape, self.init(std))

    def weight(self, name, rows, columns, fan_in=None):
        """Returns a matrix: a parameter, one used elsewhere, or one computed from parameters."""
        w, shape = self.w, (rows, columns)
        std = 0.7 / math.sqrt(fan_in or columns)
        tied = [weight for weight in self.weights if weight.shape == shape]
        if tied and self.chance(0.2):
            return self.rng.choice(tied)
        kind = self.rng.randrange(40)
        if kind == 0:
            rank = self.rng.choice((1, 2, 5))
            return w.matmul(self.normal(name + ".a", (rows, rank), 1 / math.sqrt(rank)),
                            self.normal(name + ".b", (rank, columns), std))
        if kind == 1:
            scale = w.param(name + ".scale", (), "#zero.constant<0.9>")
            return w.mul(self.normal(name, shape, std), w.broadcast(scale, shape, (0, 1)))
        if kind == 2:
            return w.unary("math.tanh", self.normal(name, shape, std))
        if kind == 3:
            return w.transpose(self.normal(name, (columns, rows), std), (1, 0))
        if kind == 4:
            half = std / math.sqrt(2)
            return w.add(self.normal(name + ".one", shape, half), self.normal(name + ".two", shape, half))
        if kind == 6:
            return w.constant(f"{std / 2:.4e}", shape)  # not trained
        if kind == 5 and rows > 1:
            top = rows // 2
            return w.concat([self.normal(name + ".top", (top, columns), std),
                             self.normal(name + ".bottom", (rows - top, columns), std)], 0)
        self.weights.append(self.normal(name, shape, std))
        return self.weights[-1]

    def rate(self):
        """Of dropout, for some models."""
        return self.drops.choice((None, 0.1, 0.3)) if self.has_dropout else None

    def bias(self, name, size):
        if self.chance(0.4):
            return self.w.param(name, (size,), "#zero.constant<0.0>")
        return self.normal(name, (size,), 0.2)

    def linear(self, name, x, out):
        """Returns x times a matrix, written in one of several ways."""
        w, inner = self.w, x.shape[-1]
        if self.chance(0.2):
            flat = w.collapse(x) if len(x.shape) > 2 else x
            weight = self.weight(name + ".w", inner, out, fan_in=inner)
            start = None
            if self.chance(0.5):
                start = w.spread(self.bias(name + ".b", out), (flat.shape[0], out))
            y = w.matmul(flat, weight, start)
            if len(x.shape) == 2:
                return y
            return w.regroup(y, [[0, 1], [2]], x.shape[:-1] + (out,))
        transposed = self.chance(0.5)
        rows, columns = (inner, out) if transposed else (out, inner)
        weight = self.weight(name + ".w", rows, columns, fan_in=inner)
        return w.linear(x, weight, self.bias(name + ".b", out) if self.chance(0.6) else None, transposed)


def norm(net, scope, x):
    """Normalizes rows: by the mean of squares, the variance, or a bounded function."""
    w, size = net.w, x.shape[-1]
    # A few elements may all be equal; their variance is then only rounding.
    eps = "1.0e-5" if size > 8 else "1.0e-1"
    kind = net.rng.randrange(8)
    if kind == 0:
        return w.unary("math.tanh", x)
    if kind == 1:
        squares = w.reduce(w.mul(x, x), len(x.shape) - 1)
        mean = w.scale(squares, 1 / size)
        root = w.unary("math.rsqrt", w.add(mean, w.constant(eps, mean.shape)))
        every = range(len(x.shape))
        gain = w.param(scope + ".gain", (size,), "#zero.constant<1.0>")
        return w.generic([x, root, gain], x.shape,
                         ["arith.mulf %x0, %x1 : f32", "arith.mulf %r0, %x2 : f32"],
                         [every, every[:-1], every[-1:]])
    if kind == 2:
        return reshapes.spelled_norm(net, scope, x, eps)
    if net.chance(0.3):
        offset = net.chance(0.4)
        gain = w.param(scope + ".weight", (size,), f"#zero.constant<{0.0 if offset else 1.0}>")
        return w.rms_norm(x, gain, eps, offset)
    if net.chance(0.05):  # nothing to train
        return w.layer_norm(x, w.constant("1.0", (size,)), w.constant("0.0", (size,)), eps)
    return w.layer_norm(x, w.param(scope + ".weight", (size,), "#zero.constant<1.0>"),
                        w.param(scope + ".bias", (size,), "#zero.constant<0.0>"), eps)


def sigmoid(net, x):
    w = net.w
    if net.chance(0.5):
        return w.generic([x], x.shape, [
            "arith.constant 1.0 : f32", "arith.negf %x0 : f32", "math.exp %r1 : f32",
            "arith.addf %r2, %r0 : f32", "arith.divf %r0, %r3 : f32"])
    one = w.constant("1.0", x.shape)
    return w.binary("arith.divf", one, w.add(one, w.unary("math.exp", w.unary("arith.negf", x))))


def saturated(net, x):
    """A unit that is off for most x, and for many of them an exponential overflows."""
    w = net.w
    z = w.add(w.scale(x, 40), w.constant("-60.0", x.shape))
    if net.chance(0.5):
        gate = w.add(w.constant("1.0", x.shape), w.unary("math.exp", w.unary("arith.negf", z)))
        return w.scale(w.binary("arith.divf", z, gate), 1 / 40)
    above = w.unary("math.exp", w.scale(z, -1))  # elu, upside down
    least = w.add(w.constant("1.0", x.shape), w.unary("math.expm1", w.unary("arith.negf", z)))
    return w.scale(w.select_greater(z, w.constant("0.0", x.shape), w.mul(least, above), z), 1 / 40)


def activation(net, x):
    """A function of each element, of about unit size.  Nearly all are smooth: where a slope jumps,
    a rounding can change a gradient by more than a rounding."""
    w, kind = net.w, net.rng.randrange(20)
    if kind < 4:
        return w.gelu(x, tanh=net.chance(0.5))
    if kind < 8:
        return w.unary(("math.tanh", "math.sin", "math.cos", "math.erf")[kind - 4], x)
    if kind == 8:
        return sigmoid(net, x)
    if kind == 9:
        return w.silu(x) if net.chance(0.7) else w.mul(x, sigmoid(net, x))
    if kind == 10:
        return w.unary("math.log1p", w.unary("math.exp", x))
    if kind == 11:
        zero = w.constant("0.0", x.shape)
        relu = w.binary(net.rng.choice(("arith.maximumf", "arith.maxnumf")), x, zero)
        return w.mul(relu, w.unary("math.tanh", x))
    if kind == 12:
        one = w.constant("1.0", x.shape)
        root = net.rng.choice(("math.sqrt", "math.rsqrt", "math.log"))
        return w.unary(root, w.op(f"math.fma {x.name}, {x.name}, {one.name} : "
                                  f"tensor<{'x'.join(map(str, x.shape))}xf32>", x.shape))
    if kind == 13:
        bounded = w.unary("math.tanh", x)
        return w.unary(net.rng.choice(("math.exp2", "math.expm1", "math.exp")), bounded)
    if kind == 14:
        bounded = w.unary("math.tanh", x)
        return w.mul(bounded, w.unary("math.absf", bounded))
    if kind == 15:
        return w.map("arith.mulf", [w.unary("math.tanh", x), x])
    if kind == 16:  # in float64, and back
        wide = w.convert("arith.extf", x, "f32", "f64")
        return w.convert("arith.truncf", w.unary("math.tanh", wide, "f64"), "f64", "f32")
    if kind == 17:
        return saturated(net, x)
    if kind == 18:
        bounded = w.scale(w.unary("math.tanh", x), 0.9)
        return w.unary(net.rng.choice(("math.asin", "math.acos", "math.atan", "math.atanh", "math.sinh",
                                       "math.cosh", "math.tan", "math.asinh", "math.erfc")), bounded)
    if net.chance(0.8):
        return w.binary("arith.subf", x, w.unary("math.sin", x))
    # The slope jumps at zero.
    zero = w.constant("0.0", x.shape)
    return w.select_greater(x, zero, x, w.scale(x, 0.1))


def mlp(net, scope, x):
    inner = net.rng.choice((1, net.width, 2 * net.width + 1, 4 * net.width, 33))
    h = activation(net, net.linear(scope + ".fc", x, inner))
    return net.linear(scope + ".proj", h, net.width)


def gated_mlp(net, scope, x):
    inner = net.rng.choice((2, net.width, 17))
    both = net.linear(scope + ".fc", x, 2 * inner)
    gate, value = net.w.slice(both, 2, 0, inner), net.w.slice(both, 2, inner, inner)
    return net.linear(scope + ".proj", net.w.mul(sigmoid(net, gate), value), net.width)


def by_heads(net, x):
    """Returns [B, T, H x D] as [B, T, H, D], sometimes with the elements of heads interleaved."""
    if net.chance(0.1):
        apart = net.w.regroup(x, [[0], [1], [2, 3]], x.shape[:2] + (net.head_width, net.heads))
        return net.w.transpose(apart, (0, 1, 3, 2))
    shape = x.shape[:2] + (net.heads, net.head_width)
    return net.w.regroup(x, [[0], [1], [2, 3]], shape)


def attend(net, scope, q, k, v, causal):
    scale = net.rng.choice((1 / math.sqrt(net.head_width), 0.3))
    window = net.rng.choice((1, 2, net.seq, 50)) if causal and net.chance(0.3) else None
    cap = net.rng.choice((0.5, 3.0)) if net.chance(0.2) else None
    starts = None
    if causal and net.chance(0.2) and net.tokens:
        starts = net.w.document_starts(net.tokens, net.rng.randrange(3))
    o = net.w.attention(q, k, v, scale, causal, window, cap, starts, dropout=net.rate())
    joined = net.w.regroup(o, [[0], [1], [2, 3]], (net.batch, net.seq, net.width))
    return net.linear(scope + ".proj", joined, net.width) if net.chance(0.8) else joined


def rotated(net, *heads):
    """Rotates each of `heads`, [B, T, H, D], by its position."""
    pairs = net.head_width // 2
    if not pairs or not net.chance(0.5):
        return heads
    count, interleaved = net.rng.randint(1, pairs), net.chance(0.3)
    frequencies = [net.rng.choice((1.0, 100.0)) ** -(i / count) for i in range(count)]
    return tuple(net.w.rope(head, frequencies, interleaved) for head in heads)


def grouped_attention(net, scope, x):
    """Several query heads share each head of keys and values."""
    groups = net.rng.choice([g for g in range(1, net.heads + 1) if net.heads % g == 0])
    shape = x.shape[:2] + (groups, net.head_width)
    few = groups * net.head_width
    q = by_heads(net, net.linear(scope + ".q", x, net.width))
    k, v = (net.w.regroup(net.linear(scope + "." + name, x, few), [[0], [1], [2, 3]], shape) for name in "kv")
    q, k = rotated(net, q, k)
    return attend(net, scope, q, k, v, net.chance(0.8))


def packed_attention(net, scope, x):
    """q, k and v are slices of one product."""
    packed = net.linear(scope + ".qkv", x, 3 * net.width)
    q, k, v = (by_heads(net, net.w.slice(packed, 2, i * net.width, net.width)) for i in range(3))
    return attend(net, scope, q, k, v, net.chance(0.7))


def separate_attention(net, scope, x):
    q = by_heads(net, net.linear(scope + ".q", x, net.width))
    k = by_heads(net, net.linear(scope + ".k", x, net.width))
    v = k if net.chance(0.2) else by_heads(net, net.linear(scope + ".v", x, net.width))
    q, k = rotated(net, q, k)
    return attend(net, scope, q, k, v, net.chance(0.7))


def cross_attention(net, scope, x):
    """Attends to rows that are parameters, alone or before x's own (then it may be causal)."""
    w, rows = net.w, net.rng.choice((1, 3, 9))
    memory = net.normal(scope + ".memory", (rows, net.width), 0.8)
    memory = w.spread(memory, (net.batch, rows, net.width))
    own = net.chance(0.5)
    source = w.concat([memory, x], 1) if own else memory
    q = by_heads(net, net.linear(scope + ".q", x, net.width))
    k = by_heads(net, net.linear(scope + ".k", source, net.width))
    v = by_heads(net, net.linear(scope + ".v", source, net.width))
    if net.chance(0.15):  # a constant has no gradient
        k = w.constant("0.3", k.shape)
    if net.chance(0.15):
        v = w.constant("0.6", v.shape)
    return attend(net, scope, q, k, v, own and net.chance(0.6))


def plain_attention(net, scope, x):
    """Explicit products and a softmax; the mask is an added constant."""
    w, size = net.w, (net.batch, net.seq, net.seq)
    q, k, v = (net.linear(f"{scope}.{name}", x, net.width) for name in "qkv")
    scores = w.scale(w.batch_matmul(q, w.transpose(k, (0, 2, 1))), 1 / math.sqrt(net.width))
    if net.chance(0.5):
        rows = ", ".join("[" + ", ".join("0.0" if j <= i else "-1.0e4" for j in range(net.seq)) + "]"
                         for i in range(net.seq))
        mask = w.op(f"arith.constant dense<[{rows}]> : tensor<{net.seq}x{net.seq}xf32>", size[1:])
        scores = w.add(scores, w.spread(mask, size))
    return w.batch_matmul(w.softmax(scores, linalg=net.chance(0.4)), v)


def shift(net, scope, x):
    """A weighted sum of each position and the previous one."""
    w = net.w
    if net.seq == 1 or net.chance(0.4):
        before = w.slice(w.pad(x, 1, 1), 1, 0, net.seq)
    elif net.chance(0.5):
        before = w.concat([w.slice(x, 1, net.seq - 1, 1), w.slice(x, 1, 0, net.seq - 1)], 1)
    else:
        before = w.insert(w.slice(x, 1, 0, net.seq - 1), x, 1, 1)
    now, past = net.normal(scope + ".now", (net.width,)), net.normal(scope + ".past", (net.width,))
    every = range(3)
    return w.generic([x, before, now, past], x.shape, [
        "arith.mulf %x0, %x2 : f32", "arith.mulf %x1, %x3 : f32", "arith.addf %r0, %r1 : f32"],
        [every, every, every[2:], every[2:]])


def by_position(net, scope, x):
    """x times a number that depends on its position, and a vector."""
    w = net.w
    vector = net.normal(scope + ".vector", (net.width,))
    return w.generic([x, vector], x.shape, [
        "linalg.index 1 : index", "arith.index_cast %r0 : index to i32", "arith.sitofp %r1 : i32 to f32",
        "arith.constant 0.3 : f32", "arith.mulf %r2, %r3 : f32", "math.cos %r4 : f32",
        "arith.mulf %x0, %x1 : f32", "arith.mulf %r6, %r5 : f32"], [range(3), [2]])


def pool(net, scope, x):
    """Combines all positions of a sequence, for each of them."""
    w = net.w
    if net.chance(0.5):
        one = w.scale(w.reduce(x, 1), 1 / net.seq)
    else:
        one = w.reduce(x, 1, largest=True)
    return w.broadcast(activation(net, net.linear(scope + ".pool", one, net.width)), x.shape, (1,))


def row_gate(net, scope, x):
    """x times one number per row, a product with a vector."""
    w, flat = net.w, net.w.collapse(x)
    vector = net.normal(scope + ".gate", (net.width,), 0.7 / math.sqrt(net.width))
    gate = sigmoid(net, w.contract("matvec", flat, vector, flat.shape[:1]))
    y = w.mul(flat, w.broadcast(gate, flat.shape, (1,)))
    return w.regroup(y, [[0, 1], [2]], x.shape)


def channel_scale(net, scope, x):
    """x times a vector, which is itself a product of a vector and a matrix."""
    w, inner = net.w, net.rng.choice((1, 5, 17))
    vector = net.normal(scope + ".v", (inner,), 0.8)
    matrix = net.weight(scope + ".m", inner, net.width, fan_in=inner)
    scale = w.contract("vecmat", vector, matrix, (net.width,))
    return w.mul(x, w.spread(scale, x.shape))


def routed(net, scope, x):
    """A softmax over a few learned rows, and their mixture."""
    count = net.rng.choice((2, 5, 19))
    p = net.w.softmax(net.linear(scope + ".route", x, count), linalg=net.chance(0.3))
    return net.linear(scope + ".rows", p, net.width)


PIECES = [mlp, mlp, gated_mlp, packed_attention, packed_attention, separate_attention,
          grouped_attention, grouped_attention, cross_attention, plain_attention, shift, by_position, pool, row_gate, channel_scale, routed,
          reshapes.reshaped, *windows.PIECES]
