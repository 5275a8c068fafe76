"""Curves of many points, lists of (x, y) where y is NaN in a gap, and the axes around them."""
from __future__ import annotations

import math
from itertools import groupby


def smoothed(curve, steps, left_out):
    """The moving average over about `steps` points, without those at `left_out`; gaps stay.

    An average of past values lags behind a falling curve.  The mean of a forward and a backward average does not."""
    share, sums = 2 / (steps + 1), [0.0] * len(curve)
    for order in (range(len(curve)), reversed(range(len(curve)))):
        total = weight = 0.0  # `weight` corrects the bias of the initial 0
        for i in order:
            x, y = curve[i]
            if not math.isnan(y) and x not in left_out:
                total += share * (y - total)
                weight += share * (1 - weight)
            sums[i] += total / weight if weight else y
    return [(x, y if math.isnan(y) else total / 2) for (x, y), total in zip(curve, sums)]


def thinned(curve, columns):
    """At most 4 points for each of `columns` columns of pixels: the minimum and the maximum, which look the same as all
    points and keep every spike, and gaps beside them.  A curve of at most two points a column is unchanged."""
    if len(curve) <= 2 * columns:
        return curve
    first = curve[0][0]
    by_step, result = columns / (curve[-1][0] - first + 1), []
    for _, column in groupby(curve, lambda point: int((point[0] - first) * by_step)):
        column = list(column)
        there = [point for point in column if not math.isnan(point[1])]
        # A gap within a column is narrower than a pixel.
        if math.isnan(column[0][1]) and not (result and math.isnan(result[-1][1])):
            result.append(column[0])
        if there:
            result += sorted({min(there, key=lambda point: point[1]), max(there, key=lambda point: point[1])})
            if math.isnan(column[-1][1]):
                result.append(column[-1])
    return result


def padded(low, high, share):
    """A range with a margin on both sides, and a positive length."""
    size = max(abs(low), abs(high))
    # (Almost) equal values: their differences are only rounding errors.
    if high - low < (1e-6 * size or 1):
        return low - (0.1 * size or 1), high + (0.1 * size or 1)
    return low - share * (high - low), high + share * (high - low)


def scale(low, high, begin, end, is_log=False):
    """Maps values of a range linearly, or by their logarithm, to `begin`...`end`."""
    of = math.log10 if is_log else float
    return lambda value: begin + (of(value) - of(low)) * (end - begin) / (of(high) - of(low))


def linear_ticks(low, high, wanted, whole=False):
    """[(value, label)] of about `wanted` values, at multiples of 1, 2 or 5 times a power of ten; `whole`: of integers.

    A value is computed from integers, and its label has the digits of the power, so 0.1 + 0.2 is never printed."""
    exponent = math.floor(math.log10((high - low) / wanted))
    digit = (high - low) / wanted / 10.0**exponent
    factor = 1 if digit < 1.5 else 2 if digit < 3.5 else 5 if digit < 7.5 else 10
    if factor == 10:
        factor, exponent = 1, exponent + 1
    if whole and exponent < 0:
        factor, exponent = 1, 0
    unit = multiple(factor, exponent)
    values = [multiple(i * factor, exponent)
              for i in range(math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9) + 1)]
    return [(value, label(value, exponent, max(abs(low), abs(high)))) for value in values]


def log_ticks(low, high):
    """[(value, label)] at powers of ten; if there are few, also at 2 and 5 times those."""
    begin, end = math.log10(low), math.log10(high)
    # An axis of less than one decade may contain no power of ten.
    if end - begin < 0.7:
        return linear_ticks(low, high, 4)
    every = max(1, math.ceil((end - begin) / 6))
    ticks = [(multiple(factor, exponent), exponent) for exponent in range(math.floor(begin), math.floor(end) + 1)
             for factor in (1, 2, 5) if (exponent % every == 0 if factor == 1 else end - begin <= 2.5)]
    # Labels are of one value each, since their magnitudes differ.
    return [(value, label(value, exponent, 1 if -3 <= exponent <= 4 else 1e9)) for value, exponent in ticks
            if low <= value <= high]


def multiple(count, exponent):
    """count * 10^exponent, as exactly as a double can be."""
    return count / 10.0**-exponent if exponent < 0 else count * 10.0**exponent


def label(value, exponent, largest):
    """A multiple of 10^exponent as text; the `largest` value of the axis decides the notation."""
    if value == 0:
        return "0"
    if largest < 1e7 and (largest >= 0.05 or exponent >= -2):
        return f"{value:,.0f}" if exponent >= 0 else f"{value:.{-exponent}f}"
    own = math.floor(math.log10(abs(value)) + 1e-9)
    digits, power = f"{value:.{max(0, own - exponent)}e}".split("e")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return f"{digits}e{int(power)}" if int(power) else digits
