"""zeroc trace: traces of all ranks as one file for Perfetto."""
import json
import sys

import support

sys.path.insert(0, str(support.ROOT / "python"))
from zeroc import trace


class Trace(support.Case):
    def traced(self, *options):
        binary = support.compile_model(support.import_model(support.SMALL, 2, 16), *options)
        prefix = self.folder / "run"
        self.run_ok(binary, "--data", self.write("text.txt", support.TEXT), "--steps", 3, "--lr", 1e-3, "--quiet",
                    env={**support.MPI_ENVIRONMENT, "ZRT_TRACE": str(prefix)})
        return prefix

    def convert(self, prefix):
        out = self.folder / "trace.json"
        done = self.run_ok(support.ZEROC, "trace", prefix, "-o", out)
        return json.loads(out.read_text()), done.out

    def lines(self, prefix, rank):
        return [json.loads(line) for line in open(f"{prefix}.{rank}.jsonl")]

    def test_ranks(self):
        """Every operation of every rank is there, at its time; collectives are joined."""
        prefix = self.traced("--world-size=2", "--stage=3", "--offload=cpu")
        found, said = self.convert(prefix)
        lines = {rank: self.lines(prefix, rank) for rank in (0, 1)}
        begin = min(line["begin"] for of_rank in lines.values() for line in of_rank)
        events = found["traceEvents"]
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
        for rank, of_rank in lines.items():
            shown = [(names[event["pid"], event["tid"]], event["name"], event["ts"], event["dur"]) for event in events
                     if event["ph"] == "X" and event["pid"] == rank]
            self.assertEqual(shown, [(line["stream"], line["name"], (line["begin"] - begin) / 1e3,
                                      (line["end"] - line["begin"]) / 1e3) for line in of_rank])
        exchanges = sum("collective" in line for line in lines[0])
        self.assertGreater(exchanges, 3)
        for phase in "sf":
            self.assertEqual(sum(event["ph"] == phase for event in events), exchanges)
        self.assertIn(f"{sum(map(len, lines.values())):,} operations of 2 ranks", said)
        self.assertNotIn("moved", said)

    def test_clocks_of_hosts(self):
        """A clock that is off by a second is set back to within the time of a collective."""
        prefix = self.traced("--world-size=2", "--stage=2")
        lines, off = self.lines(prefix, 1), 10**9
        with open(f"{prefix}.1.jsonl", "w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps({key: value + off if key in ("begin", "end", "arrived", "read") else value
                                       for key, value in line.items()}) + "\n")
        found, said = self.convert(prefix)
        shift = found["otherData"]["clock shifts in ns"]["1"]
        shortest = min(line["read"] - line["arrived"] for line in lines if "collective" in line)
        self.assertLess(abs(shift + off), shortest + 10**7)
        self.assertIn("the clocks of 1 rank were moved", said)

    def test_bounds(self):
        mine = {("a", 1): {"arrived": 100, "read": 110}}
        for arrived, read, shift in ((95, 115, 0), (195, 205, 95), (5, 15, -95), (105, 120, 0)):
            self.assertEqual(trace.clock_shift(mine, {("a", 1): {"arrived": arrived, "read": read}}), shift)
        self.assertEqual(trace.clock_shift(mine, {}), 0)

    def test_refused(self):
        (self.folder / "bad.0.jsonl").write_text("{}\n")
        (self.folder / "gap.1.jsonl").write_text("")
        for prefix, *keywords in (("none", "there is no", "none.0.jsonl", "ZRT_TRACE="), ("bad", "line 1 is no operation"),
                                  ("gap", "gap.0.jsonl is missing")):
            done = support.run(support.ZEROC, "trace", self.folder / prefix, "-o", self.folder / "out.json")
            self.assert_refused(done, *keywords, status=1)
        self.assertFalse((self.folder / "out.json").exists())
