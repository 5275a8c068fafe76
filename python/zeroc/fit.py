"""Fits the seconds of a unit of each kind of work to measured operations."""
import numpy as np


def nonnegative(matrix, values, weights, rounds=20000):
    """x >= 0 with the least sum of weights * (matrix @ x - values)^2, by coordinate descent."""
    scale = np.abs(matrix).max(axis=0)
    scale[scale == 0] = 1
    a = matrix / scale
    gram, target = (a.T * weights) @ a, (a.T * weights) @ values
    x, gradient = np.zeros(a.shape[1]), -target
    for _ in range(rounds):
        moved = 0
        for i in range(len(x)):
            if gram[i, i] <= 0:
                continue
            step = max(-x[i], -gradient[i] / gram[i, i])
            if step:
                x[i] += step
                gradient += gram[:, i] * step
                moved = max(moved, abs(step) * gram[i, i])
        if moved < 1e-12 * np.abs(target).max():
            break
    return x / scale


def fit(operations):
    """({kind: seconds of a unit}, the mean relative error weighted by time) of [(work, seconds)].

    The square of an error counts by 1 / seconds: as much as in the sum of a step, and short operations are not lost.
    """
    kinds = sorted({kind for work, _ in operations for kind in work})
    index = {kind: i for i, kind in enumerate(kinds)}
    matrix, values = np.zeros((len(operations), len(kinds))), np.array([seconds for _, seconds in operations])
    for row, (work, _) in zip(matrix, operations):
        for kind, amount in work.items():
            row[index[kind]] = amount
    seconds = nonnegative(matrix, values, 1 / np.maximum(values, 1e-7))
    error = np.abs(matrix @ seconds - values).sum() / values.sum()
    return dict(zip(kinds, map(float, seconds))), float(error)
