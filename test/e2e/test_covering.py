"""Tables of pairs: checks the contents by counting."""
import itertools
import os
import subprocess
import sys
import unittest

import covering
import support

AXES = {"stage": (0, 1, 2, 3), "ranks": (1, 2, 3), "place": ("none", "cpu", "nvme"), "order": ("batch", "block"),
        "steps": (1, 2), "precision": ("fp32", "bf16", "fp16")}


def refuses(part):
    place, ranks, stage = part.get("place", "none"), part.get("ranks", 1), part.get("stage", 3)
    return (place != "none" and ranks > 1 and stage < 3) or (part.get("order") == "block" and part.get("steps") == 1)


def product():
    """All rows that are not refused."""
    rows = (dict(zip(AXES, values)) for values in itertools.product(*AXES.values()))
    return [row for row in rows if not refuses(row)]


class Covering(unittest.TestCase):
    def test_every_pair_that_a_row_can_have(self):
        table, all_rows = covering.Table(AXES, refuses), product()
        for row in table.rows:
            self.assertIn(row, all_rows)
        possible = set().union(*map(covering.pairs_of, all_rows))
        self.assertEqual(set().union(*map(covering.pairs_of, table.rows)), possible)
        self.assertEqual(table.refused, [(("order", "block"), ("steps", 1))])
        self.assertLess(len(table.rows), len(all_rows) / 10)
        self.assertEqual(covering.uncovered(AXES, refuses, table.rows), set())

    def test_a_fault_of_any_pair_is_met(self):
        """A plan that is wrong for any pair of values fails in some row."""
        rows = covering.Table(AXES, refuses).rows
        for pair in set().union(*map(covering.pairs_of, product())):
            self.assertTrue(any(dict(pair).items() <= row.items() for row in rows), pair)

    def test_a_row_that_is_lost_is_missed(self):
        rows = covering.Table(AXES, refuses).rows
        for i in range(3):
            self.assertNotEqual(covering.uncovered(AXES, refuses, rows[:i] + rows[i + 1:], 2000), set())

    def test_values_that_depend_on_a_third(self):
        """A pair is possible only if the other axes have values for it."""
        axes = {"a": (0, 1), "b": (0, 1), "c": (0, 1)}
        table = covering.Table(axes, lambda part: part.get("a") == 1 and part.get("b") == 1 and "c" in part)
        self.assertEqual(table.refused, [(("a", 1), ("b", 1))])

    def test_fixed_rows(self):
        fixed = ({"stage": 3, "ranks": 3, "place": "nvme"}, {"stage": 1, "steps": 2, "order": "block"})
        rows = covering.Table(AXES, refuses, fixed).rows
        for part, row in zip(fixed, rows):
            self.assertLessEqual(part.items(), row.items())
        with self.assertRaises(ValueError):
            covering.Table(AXES, refuses, ({"steps": 1, "order": "block"},))

    def test_the_same_rows_in_every_run(self):
        script = ("import test_covering as t, covering; "
                  "print(covering.Table(t.AXES, t.refuses, ({'stage': 2},)).rows)")
        printed = {subprocess.run([sys.executable, "-c", script], cwd=support.ROOT / "test" / "e2e", text=True,
                                  env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
                   for seed in ("1", "2")}
        self.assertEqual(len(printed), 1)
