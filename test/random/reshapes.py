"""Pieces as other front ends print them: every function decomposed, with reshapes between.

In all of them a value changes only its shape between one generic and the next: the sums of rows are
[B, T], [B, T, 1] or [B x T, 1].  The batch stays the outermost dimension, so rows of different
sequences are never combined.
"""


def row_sums(net, x):
    """Returns the sums of rows, in one of the shapes that front ends print."""
    w, size = net.w, x.shape[-1]
    kind = net.rng.randrange(4)
    if kind == 0:
        return w.row_sums(x)
    if kind == 1 and size % 2 == 0:  # of halves, then of both
        x = w.reduce(w.reshape(x, x.shape[:-1] + (2, size // 2)), len(x.shape))
    return w.reduce(x, len(x.shape) - 1)


def any_row_shape(net, r, rows):
    """Returns `r`, with one element per row, sometimes in another shape."""
    shape = net.rng.choice((rows, rows + (1,), r.shape))
    return net.w.reshape(r, shape)


def with_rows(net, x, others, body):
    """A generic of x and of `others`, which have one element for each of its rows."""
    every = list(range(len(x.shape)))
    others = [any_row_shape(net, r, x.shape[:-1]) for r in others]
    reads = [every] + [every[:-1] + [None] * (len(r.shape) == len(every)) for r in others]
    return net.w.generic([x] + others, x.shape, body, reads)


def spelled_norm(net, scope, x, eps):
    """nn.layer_norm as sums, reshapes and arithmetic."""
    w, shape, size = net.w, x.shape, x.shape[-1]
    if net.chance(0.3):
        x = w.collapse(x)
    rows = x.shape[:-1]
    mean = any_row_shape(net, w.scale(row_sums(net, x), 1 / size), rows)
    centered = with_rows(net, x, [mean], ["arith.subf %x0, %x1 : f32"])
    if net.chance(0.3):  # the mean has two readers
        square = with_rows(net, x, [mean], ["arith.subf %x0, %x1 : f32", "arith.mulf %r0, %r0 : f32"])
    else:
        square = w.mul(centered, centered)
    variance = any_row_shape(net, w.scale(row_sums(net, square), 1 / size), rows)
    root = w.unary("math.rsqrt", w.add(variance, w.constant(eps, variance.shape)))
    y = with_rows(net, centered, [root], ["arith.mulf %x0, %x1 : f32"])
    gain = w.param(scope + ".gain", (size,), "#zero.constant<1.0>")
    bias = w.param(scope + ".bias", (size,), "#zero.constant<0.0>")
    every = list(range(len(y.shape)))
    y = w.generic([y, gain, bias], y.shape, ["arith.mulf %x0, %x1 : f32", "arith.addf %r0, %x2 : f32"],
                  [every, every[-1:], every[-1:]])
    return w.reshape(y, shape)


def reshaped(net, scope, x):
    """Elementwise functions, sums of rows and transposes, in changing shapes."""
    w, (batch, seq, width) = net.w, x.shape
    shapes = [(batch, seq, width), (batch * seq, width), (batch, seq * width), (batch, seq, width, 1),
              (batch, 1, seq, width), (batch * seq, 1, width), (batch * seq * width,), (batch * seq, width, 1)]
    for part in (2, 3):
        if width % part == 0:
            shapes += [(batch, seq, part, width // part), (batch * seq, part, width // part),
                       (batch * seq * part, width // part)]
    h, seen = x, [x]
    for step in range(net.rng.choice((2, 3, 4, 6))):
        h = w.reshape(h, net.rng.choice(shapes))
        kind = net.rng.randrange(6)
        every = list(range(len(h.shape)))
        if kind == 0:
            h = w.unary(net.rng.choice(("math.tanh", "math.sin", "math.cos")), h)
        elif kind == 1:  # with an earlier value
            old = w.reshape(net.rng.choice(seen), h.shape)
            h = w.generic([h, old], h.shape, ["math.sin %x0 : f32", "arith.addf %r0, %x1 : f32"])
        elif kind == 2 and len(every) > 1:  # each row by its size
            mean = w.scale(row_sums(net, w.mul(h, h)), 1 / h.shape[-1])
            root = w.unary("math.rsqrt", w.add(mean, w.constant("3.0e-1", mean.shape)))
            h = with_rows(net, h, [root], ["arith.mulf %x0, %x1 : f32"])
        elif kind == 3 and len(every) > 1:  # what rows have in common, twice
            mean = w.unary("math.tanh", w.scale(row_sums(net, h), 1 / h.shape[-1]))
            h = with_rows(net, h, [mean, mean], ["arith.mulf %x0, %x1 : f32", "arith.addf %r0, %x2 : f32"])
        elif kind == 4 and len(every) > 2:  # there and back
            order = every[:-2] + [every[-1], every[-2]]
            h = w.transpose(w.unary("math.sin", w.transpose(h, order)), order)
        else:
            vector = net.normal(f"{scope}.vector{step}", h.shape[-1:] if len(every) > 2 else (), 0.8)
            reads = [every, every[-1:] if vector.shape else []]
            h = w.generic([h, vector], h.shape, ["arith.mulf %x0, %x1 : f32"], reads)
        seen.append(h)
    return w.unary("math.tanh", w.reshape(h, x.shape))
