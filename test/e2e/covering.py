"""A small table of option values in which every pair of values occurs.

A fault of a plan mostly needs one value of an option, or two values together.  A full
product of the options has these, and thousands of rows besides.  A table has a few rows,
such that each pair of values that can occur in one plan does occur.  Larger sets of
values are drawn at random by test/random/check.py.

An axis is a name and its values.  A refusal is a function of a part of a row (a dict of
names and values) that says whether no plan has these values; what a part lacks is
unknown and must not be refused.
"""
import itertools
import random


def pairs_of(row):
    """The pairs of items of a row: ((name, value), (name, value)), in the order of axes."""
    return set(itertools.combinations(row.items(), 2))


class Table:
    """The rows for `axes`, a dict of names and values: first `fixed`, parts of rows that are always
    included, then rows until every possible pair occurs.

    `refused` has the pairs that no row can have.
    """

    def __init__(self, axes, refuses=lambda part: False, fixed=()):
        self.axes, self.refuses = axes, refuses
        self.rows, self.refused = [], []
        items = [(name, value) for name in axes for value in axes[name]]
        #: Missing pairs in a fixed order; and for each item, the partners it has not met yet.
        self.missing = dict.fromkeys(pair for pair in itertools.combinations(items, 2) if pair[0][0] != pair[1][0])
        self.partners = {item: {other for other in items if other[0] != item[0]} for item in items}
        for part in fixed:
            row = self._complete(part)
            if row is None:
                raise ValueError(f"no row has {part}")
            self._take(row)
        while self.missing:
            # Of the rows for the first few missing pairs, the one that covers most of them.
            candidates = []
            for pair in list(itertools.islice(self.missing, 5)):
                row = self._complete(dict(pair))
                if row is None:
                    self.refused.append(pair)
                    self._strike(pair)
                else:
                    candidates.append(row)
            if candidates:
                self._take(max(candidates, key=lambda row: sum(pair in self.missing for pair in pairs_of(row))))

    def _strike(self, pair):
        if pair in self.missing:
            del self.missing[pair]
            self.partners[pair[0]].discard(pair[1])
            self.partners[pair[1]].discard(pair[0])

    def _take(self, row):
        self.rows.append(row)
        for pair in pairs_of(row):
            self._strike(pair)

    def _complete(self, part):
        """A row with the values of `part` and many of the missing pairs, or None."""
        if self.refuses(part):
            return None
        present = set(part.items())
        choices = {}
        for name in self.axes:
            if name not in part:
                values = [value for value in self.axes[name] if not self.refuses({**part, name: value})]
                if not values:
                    return None
                # Prefer pairs with present items; among equals, pairs with most missing partners.
                gains = [(len(present & self.partners[name, value]), len(self.partners[name, value])) for value in values]
                choices[name] = sorted(zip(gains, values), key=lambda choice: choice[0], reverse=True)
        if not choices:
            return {name: part[name] for name in self.axes}
        # The axis with the largest gain first: later axes have less choice.
        name = max(choices, key=lambda name: choices[name][0][0])
        for _, value in choices[name]:
            row = self._complete({**part, name: value})
            if row is not None:
                return row
        return None


def uncovered(axes, refuses, rows, draws=5000):
    """Draws random rows and returns their pairs that no row of `rows` has: pairs that a table
    should contain, found independently of its algorithm."""
    rng = random.Random(1)
    there = set().union(*map(pairs_of, rows))
    found = set()
    for _ in range(draws):
        row = {}
        for name in rng.sample(list(axes), len(axes)):
            values = [value for value in axes[name] if not refuses({**row, name: value})]
            if not values:
                break
            row[name] = rng.choice(values)
        else:
            found |= pairs_of({name: row[name] for name in axes}) - there
    return found
