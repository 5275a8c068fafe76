"""Pieces of random models that read windows: convolutions over positions, maxima of neighbours,
reversed positions.  See layers.py."""
import math


def convolution(net, scope, x):
    """A convolution over this position and some before it, channels last or first."""
    w, rng = net.w, net.rng
    size, step = rng.choice((1, 2, 3)), rng.choice((1, 1, 2))
    reach = (size - 1) * step
    filters = net.normal(scope + ".filters", (size, net.width, net.width),
                         0.7 / math.sqrt(size * net.width))
    at = f"d1 + d3 * {step}"
    if rng.random() < 0.5:
        wide = w.pad(x, 1, reach) if reach else x
        return w.windows([wide, filters], x.shape, ["d0", "d1", "d2"], "ppprr",
                         [["d0", at, "d4"], ["d3", "d4", "d2"]])
    first = w.transpose(x, (0, 2, 1))
    wide = w.pad(first, 2, reach) if reach else first
    y = w.windows([wide, filters], first.shape, ["d0", "d2", "d1"], "ppprr",
                  [["d0", "d4", at], ["d3", "d4", "d2"]])
    return w.transpose(y, (0, 2, 1))


def depthwise(net, scope, x):
    """Convolves each channel separately, at every other position, and adds the mean to all."""
    w, size = net.w, min(net.seq, 3)
    count = (net.seq - size) // 2 + 1
    filters = net.normal(scope + ".filters", (size, net.width), 0.7 / math.sqrt(size))
    y = w.windows([x, filters], (net.batch, count, net.width), ["d0", "d1", "d2"], "pppr",
                  [["d0", "d1 * 2 + d3", "d2"], ["d3", "d2"]])
    mean = w.scale(w.reduce(y, 1), 1 / count)
    return w.broadcast(net.linear(scope + ".proj", mean, net.width), x.shape, (1,))


def neighbours(net, scope, x):
    """The maximum of this position and the previous one, in reverse order."""
    w = net.w
    wide, shape = w.pad(x, 1, 1), w.constant("0.0", (2,))
    y = w.windows([wide, shape], x.shape, ["d0", "d1", "d2"], "pppr",
                  [["d0", "d1 + d3", "d2"], ["d3"]], largest=True)
    scale = net.normal(scope + ".scale", (net.width,), 0.7)
    return w.generic([w.reverse(y, 1), scale], x.shape, ["arith.mulf %x0, %x1 : f32"], [range(3), [2]])


PIECES = [convolution, depthwise, neighbours]
