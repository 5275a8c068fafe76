"""Several samples in one sequence: first-fit decreasing.

Samples in order of decreasing length, each into the first sequence that has room (Johnson, 1973: at most
11/9 of the fewest sequences, and one).  A tree of the most room in each range of sequences finds it in
O(log n).
"""
from __future__ import annotations


def pack(lengths, room):
    """The numbers of the samples in each sequence of `room` tokens; no length is above it."""
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    leaves = 1
    while leaves < len(lengths):
        leaves *= 2
    tree = [room] * (2 * leaves)
    rows = []
    for i in order:
        node = 1
        while node < leaves:
            node = 2 * node if tree[2 * node] >= lengths[i] else 2 * node + 1
        row = node - leaves
        if row == len(rows):
            rows.append([])
        rows[row].append(i)
        tree[node] -= lengths[i]
        while node > 1:
            node //= 2
            tree[node] = max(tree[2 * node], tree[2 * node + 1])
    return rows
