"""Pieces of random models with layers that keep a state; as those of layers.py."""
import math

import layers


def state(net, scope, x):
    """A gated delta rule, perhaps without beta, of several heads and documents, perhaps behind a convolution."""
    w, rng = net.w, net.rng
    groups, shared = rng.randint(1, 2), rng.randint(1, 3)
    heads, key, value = groups * shared, rng.choice((1, 3, 8, 17)), rng.choice((1, 5, 16, 20))
    starts = w.document_starts(net.tokens, rng.randrange(3)) if net.tokens and net.chance(0.3) else None

    def split(y, count, width):
        return w.regroup(y, [[0], [1], [2, 3]], x.shape[:2] + (count, width))

    def unit(y):
        """Rows of unit length: the state is bounded then."""
        weight = w.constant(f"{1 / math.sqrt(y.shape[-1]):.6e}", y.shape[-1:])
        return w.rms_norm(y, weight, "1.0e-2", False)

    h = x
    if net.chance(0.6):
        taps = rng.randint(1, 5)
        h = w.silu(w.causal_conv(x, net.normal(scope + ".taps", (net.width, taps), 0.6), starts))
    q, k = (unit(split(net.linear(f"{scope}.{name}", h, groups * key), groups, key)) for name in "qk")
    v = split(net.linear(scope + ".v", h, heads * value), heads, value)
    gates = w.unary("math.log1p", w.unary("math.exp", net.linear(scope + ".g", x, heads)))
    beta = layers.sigmoid(net, net.linear(scope + ".b", x, heads)) if net.chance(0.7) else None
    o = w.gated_delta_rule(q, k, v, w.unary("arith.negf", gates), beta, starts)
    o = w.regroup(o, [[0], [1], [2, 3]], x.shape[:2] + (heads * value,))
    return net.linear(scope + ".out", o, net.width)


#: A third of the pieces keep a state; the others are arbitrary.
PIECES = [state] * (len(layers.PIECES) // 2) + layers.PIECES
