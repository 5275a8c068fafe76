"""Compares the judge's clocks with those of a run: which operations are complete when one starts.

The judge (zero-verify-plan) rejects a plan that lacks an event, by clocks computed from records and
waits.  If its model of streams, events or collectives differed from the runtime, its verdict would
be worthless; this test compares the two, operation by operation, with random delays of streams.
"""
import copy

import order
import support

STEPS = 3


class OrderCase(support.Case):
    def plan(self, stage, ranks, micro_steps, *options):
        """Returns the judge's listing of a plan, and its training binary."""
        model = support.import_model(support.SMALL, 2, 16)
        plan = self.folder / f"{stage}-{ranks}-{micro_steps}.mlir"
        self.run_ok(support.ZEROC, model, f"--stage={stage}", f"--world-size={ranks}",
                    f"--accumulate={micro_steps}", *options, "--bucket-size=4KiB", "--emit=memory",
                    "-o", plan)
        printed = self.run_ok(support.BUILD / "bin" / "zero-opt", plan, "--zero-print-order",
                              "-o", "/dev/null")
        binary = plan.with_suffix("")
        self.run_ok(support.ZEROC, plan, "-o", binary)
        return order.parse_promises(printed.out), binary

    def traces(self, binary, ranks, seed):
        data = self.write("text.txt", support.TEXT)
        prefix = self.folder / "trace"
        self.run_ok(binary, "--data", data, "--steps", STEPS,
                    "--lr", 1e-3, "--quiet",
                    env={**support.MPI_ENVIRONMENT, "ZRT_TRACE": str(prefix),
                         "ZRT_CHAOS": str(seed)})
        return [order.read_trace(f"{prefix}.{rank}.jsonl") for rank in range(ranks)]


def programs_of(promises, micro_steps):
    """Returns the programs that a run of the binary executes."""
    if micro_steps > 1 and "micro" not in promises:
        return (["count"] * ("count" in promises) + ["step"]) * STEPS
    count = ["count"] * micro_steps if micro_steps > 1 and "count" in promises else []
    return (count + ["micro"] * (micro_steps - 1) + ["step"]) * STEPS


class Order(OrderCase):
    """Every rank agrees with the judge."""

    def check(self, stage, ranks, micro_steps, seed, *options):
        with self.subTest(stage=stage, ranks=ranks, micro_steps=micro_steps, options=options):
            promises, binary = self.plan(stage, ranks, micro_steps, *options)
            programs = programs_of(promises, micro_steps)
            found = order.violations(promises, self.traces(binary, ranks, seed), programs)
            self.assertFalse(found, f"seed {seed}:\n" + "\n".join(found[:20]))

    def test_two_ranks(self):
        for stage in range(4):
            for micro_steps in (1, 2):
                self.check(stage, 2, micro_steps, 2 * stage + micro_steps)
            self.check(stage, 2, 2, stage, "--accumulate-order=block")

    def test_three_ranks(self):
        self.check(1, 3, 1, seed=3)
        self.check(3, 3, 2, seed=4)

    def test_one_rank(self):
        self.check(0, 1, 1, seed=5)
        self.check(3, 1, 2, seed=5)


class Altered(OrderCase):
    """The comparison detects wrong traces."""

    def setUp(self):
        super().setUp()
        self.promises, binary = self.plan(3, 2, 1)
        self.sound = self.traces(binary, 2, seed=6)
        self.programs = programs_of(self.promises, 1)
        self.altered = copy.deepcopy(self.sound)
        self.assertEqual(self.found(), [])

    def found(self):
        return order.violations(self.promises, self.altered, self.programs)

    def line(self, rank, run, condition):
        """Returns the last line of a run that satisfies the condition."""
        return [line for line in self.altered[rank]
                if line["run"] == run and condition(line)][-1]

    def assert_found(self, *texts):
        found = self.found()
        self.assertEqual(len(found), len(texts), found)
        for text, pattern in zip(found, texts):
            self.assertRegex(text, pattern)

    def test_all(self):
        for name in [name for name in dir(self) if name.startswith("alter_")]:
            with self.subTest(name):
                self.altered = copy.deepcopy(self.sound)
                getattr(self, name)()

    def alter_clock(self):
        """An edge is missing, as if a stream had not waited."""
        line = self.line(1, 2, lambda line: "gather" in line["after"])
        count = line["after"].pop("gather")
        self.assert_found(rf"^rank 1, run 2 \(step\): {line['stream']} {line['number']} \(.*\) came "
                          rf"after .*; the judge says after .*gather {count}")

    def alter_clock_of_more(self):
        """The runtime waits for more than the judge has."""
        line = self.line(0, 3, lambda line: "gather" not in line["after"]
                         and line["stream"] == "compute" or line["after"].get("gather"))
        line["after"]["gather"] = line["after"].get("gather", 0) + 1
        self.assertRegex(self.found()[0], r"^rank 0, run 3 .* came after .*; the judge says")

    def alter_begin(self):
        """An operation begins before the end of one that it depends on."""
        line = self.line(0, 1, lambda line: "reduce" in line["after"])
        waited = self.line(0, 1, lambda other: other["stream"] == "reduce"
                           and other["number"] == line["after"]["reduce"])
        line["begin"] = waited["end"] - 7
        self.assertIn(f"began 7 ns before the end of reduce {waited['number']} "
                      f"({waited['name']})", "\n".join(self.found()))

    def alter_run(self):
        """A run begins before the last one has ended."""
        first = self.line(1, 2, lambda line: line["number"] == 1 and line["stream"] == "gather")
        end = max(line["end"] for line in self.altered[1] if line["run"] == 1)
        first["begin"] = end - 5
        self.assert_found(r"^rank 1, run 2 .*: gather 1 .* began 5 ns before the last run ended")

    def alter_collectives(self):
        """A rank executes two collectives in another order."""
        first, second = [line for line in self.altered[1]
                         if line["run"] == 1 and line["stream"] == "gather"][:2]
        first["name"], second["name"] = second["name"], first["name"]
        self.assert_found(
            r"^rank 1, run 1 \(step\): gather 1 \(all_gather of b\d+\) stands where the judge has",
            r"^rank 1, run 1 \(step\): gather 1 .* is another collective than rank 0, run 1",
            r"^rank 1, run 1 \(step\): gather 2 .* is another collective than rank 0, run 1")

    def alter_arrival(self):
        """A rank reads before its peer has arrived."""
        late = self.line(0, 2, lambda line: line.get("kind") == "all_reduce")
        same = self.line(1, 2, lambda line: line.get("kind") == "all_reduce")
        shift = same["read"] - late["arrived"] + 3
        for key in ("arrived", "read", "end"):
            late[key] += shift
        self.assertIn(f"rank 1, run 2 (step): {same['stream']} {same['number']} ({same['name']}) "
                      "had read 3 ns before rank 0 arrived", self.found())

    def alter_read(self):
        """A rank continues while its peer still reads."""
        early = self.line(0, 2, lambda line: line.get("kind") == "reduce_scatter")
        peer = self.line(1, 2, lambda line: line.get("kind") == "reduce_scatter")
        peer["read"] = peer["end"] = early["end"] + 9
        self.assertIn(f"rank 0, run 2 (step): reduce {early['number']} ({early['name']}) ended 9 ns "
                      "before rank 1 had read", self.found())

    def alter_length(self):
        """An operation is missing."""
        self.altered[1].remove(self.line(1, 3, lambda line: line["stream"] == "compute"))
        self.assertRegex(self.found()[0], r"^rank 1, run 3 \(step\) has \d+ operations")
