"""test/checksums sees a bit that moves, and a run that fails; the whole table is for changes
that must move none."""
import shutil
import sys
from collections import Counter

import support

sys.path[:0] = [str(support.ROOT / "test" / folder) for folder in ("checksums", "random")]

import checksums
import compare

ONE, TWO, THREE = (f"mlp/{layout}" for layout in
                   ("stage-0/accumulate-1/ranks-1", "stage-0/accumulate-1/ranks-2", "stage-3/accumulate-1/ranks-2"))
CERTIFICATE = "certificate/gpt2-small/stage-3/accumulate-1/ranks-2"


class Checksums(support.Case):
    def table(self, *options, zeroc=support.ZEROC):
        return support.run(sys.executable, support.ROOT / "test" / "checksums" / "checksums.py", f"--zeroc={zeroc}",
                           *(f"--only={name}" for name in (ONE, TWO, THREE, CERTIFICATE)), *options)

    def test_compare(self):
        before, after = self.folder / "before.txt", self.folder / "after.txt"
        done = self.table("-o", before)
        self.assertEqual(done.returncode, 0, done.err)
        lines, machine = checksums.read_table(before)
        self.assertEqual(machine, checksums.processor())
        self.assertEqual(list(lines)[:3], [ONE, TWO, THREE])
        self.assertEqual(lines[TWO], lines[THREE], "stages train to the same bits")
        self.assertNotEqual(lines[ONE], lines[TWO])
        self.assertEqual(lines[f"{CERTIFICATE}/model-state.parameters"],
                         "248,879,616 B = 497,759,232 / 2 + padding 0")
        for part in "device-arena", "wire", "wire.all_gather", "peak", "live-at-the-peak.line-5":
            self.assertRegex(lines[f"{CERTIFICATE}/{part}"], r"\d,\d{3}")

        # A line that differs, a removed one, and a new one; other lines are not selected.
        text = before.read_text().replace(f"{ONE}  losses ", f"{ONE}  losses 0")
        text = text.replace(f"{THREE} ", "mlp/stage-3/accumulate-1/ranks-2/more ")
        before.write_text(text + "golden/reference  losses 0\n")
        done = self.table("-o", after, f"--compare={before}")
        self.assertEqual(done.returncode, 1, done.err)
        self.assertIn(f"{ONE}\n    was losses 0", done.out)
        self.assertIn(f"{THREE}\n    was not there\n", done.out)
        self.assertIn("ranks-2/more\n", done.out)
        self.assertIn(f"3 of {len(lines)} lines are not as in", done.out)

    def test_failures(self):
        done = self.table(zeroc=shutil.which("false"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{ONE}  failed\n{TWO}  failed\n{THREE}  failed\n{CERTIFICATE}  failed\n", done.out)
        self.assertIn(f"FAIL: {ONE}: status 1", done.err)

    def test_a_bit(self):
        """A bit of a weight, of a loss or of a norm, or a name, changes the sum, but the time does
        not."""
        weights = {"w": ([2], support.array.array("f", [1, 2]))}
        lines = [{"step": 0, "loss": 1.5, "grad_norm": 2.5, "lr": 0.1, "step_ms": 3}]

        def summed(weights, *changes):
            support.write_safetensors(self.folder / "w.safetensors", weights)
            (self.folder / "m.jsonl").write_text(support.json.dumps(dict(lines[0], **dict(changes))))
            return checksums.summed(compare.Outcome(self.folder / "m.jsonl", self.folder / "w.safetensors"))

        values = [summed(weights), summed(weights, ("loss", 1.50000012)), summed(weights, ("grad_norm", 2.50000024)),
                  summed({"w": ([2], support.array.array("f", [1, 2.00000024]))}),
                  summed({"v": weights["w"]}), summed({"w": ([2, 1], weights["w"][1])})]
        self.assertEqual(len(set(values)), len(values))
        self.assertEqual(summed(weights, ("step_ms", 4)), values[0])

    def test_every_layout_occurs(self):
        runs = checksums.runs(60)
        names = [f"{subject.name}/{layout}" for subject, layouts in runs for layout in layouts]
        self.assertEqual(len(names), len(set(names)))
        for subject, layouts in runs:
            for layout in layouts:
                options = subject.layout_options(layout.stage, str(layout))
                self.assertTrue(all(option.startswith("--") for option in options), options)
        for kind, least in ("random", 20), ("loss", 5), ("", 60):
            times = Counter(layout for subject, layouts in runs for layout in layouts
                            if subject.name.startswith(kind))
            for layout in checksums.LAYOUTS:
                self.assertGreaterEqual(times[layout], least, f"{kind} {layout}")
        few = [f"{subject.name}/{layout}" for subject, layouts in checksums.runs(3) for layout in layouts]
        self.assertEqual(few, [name for name in names if not name.startswith("random-") or name < "random-004"])
