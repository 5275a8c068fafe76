"""zeroc plan, options that are auto, and zeroc tune: the fastest plan that fits."""
import json
import os
import pty
import re
import shlex
import subprocess
import unittest
from pathlib import Path

import support
from test_simulate import SECONDS


class Plan(support.Case):
    def machine(self, **changes):
        layouts = [{"ranks": ranks, "threads": 1, "seconds": SECONDS | changes} for ranks in (1, 2)]
        return self.write("machine.json", {"machine": "a test", "target": "cpu", "cores": 1, "cache_bytes": 1 << 20,
                                           "layouts": layouts})

    def model(self):
        return support.import_model(support.SMALL, 2, 16)

    def plan(self, *options, machine=None, model=None):
        done = support.run(support.ZEROC, "plan", model or self.model(), f"--machine={machine or self.machine()}", *options,
                           "--certificate=json")
        plans = json.loads(done.out)["plans"]
        self.assertEqual(done.returncode, 0 if any(plan["fits"] for plan in plans) else 1, done.err)
        return plans

    def bytes_of(self, plan, tier="device"):
        return sum(arena["bytes"] for arena in plan["certificate"]["arenas"] if arena["tier"] == tier)

    def test_table(self):
        """Each time is what zeroc simulate says, each size what the compiled plan has, and the first is the fastest."""
        machine = self.machine()
        plans = self.plan("--world-size=2", machine=machine)
        self.assertGreater(len(plans), 4)
        self.assertTrue(any("--stage=3" in plan["options"] for plan in plans))
        self.assertTrue(plans[0]["best"])
        self.assertEqual(plans[0]["why_not"], "")
        fastest = min(plan["step_seconds"] for plan in plans if plan["fits"])
        self.assertLessEqual(plans[0]["step_seconds"] * (1 - 1e-3), fastest)
        for plan in plans:
            command, = plan["commands"]
            options = shlex.split(command)[2:-2]
            step = json.loads(self.run_ok(support.ZEROC, "simulate", self.model(), f"--machine={machine}", *options,
                                          "--certificate=json").out)
            self.assertEqual(step["step_seconds"], plan["step_seconds"])
            made = self.run_ok(support.ZEROC, self.model(), *options, "--certificate=json", "-o", self.folder / "train")
            self.assertEqual(json.loads(made.out)["arenas"], plan["certificate"]["arenas"])
        text = self.run_ok(support.ZEROC, "plan", self.model(), f"--machine={machine}", "--world-size=2").out
        said = " ".join(text.replace("\\\n", " ").split())
        self.assertIn("times are simulated", said)
        self.assertIn(plans[0]["commands"][0].split(maxsplit=2)[2], said)
        self.assertEqual(text, self.run_ok(support.ZEROC, "plan", self.model(), f"--machine={machine}",
                                           "--world-size=2").out)

    def test_progress(self):
        """On a terminal a line says which plan is made, and is gone at the end."""
        ours, theirs = pty.openpty()
        with os.fdopen(ours, "rb", buffering=0) as terminal, os.fdopen(theirs):
            done = subprocess.run([support.ZEROC, "plan", self.model(), "--stage=0,1", "--world-size=2"], stderr=theirs,
                                  stdout=subprocess.PIPE, text=True, check=True)
            said = terminal.read(1 << 16).decode()
        self.assertIn("\rzeroc: plan 2 of the search, ", said)
        self.assertTrue(said.endswith("\r\x1b[K"), said)
        self.assertNotIn("search", done.stdout)

    def test_report(self):
        """The page has a point for each plan, and no other that fits within as much memory is faster than the line."""
        if not Path("/usr/share/javascript/dygraphs/dygraph.min.js").exists():
            self.skipTest("libjs-dygraphs is not installed")
        plans = self.plan("--world-size=2")
        found = {"model": "m.mlir", "machine": "a machine", "plans": plans}
        self.run_ok(support.ZEROC, "report", self.write("plans.json", found), "-o", self.folder / "plans.html")
        content = json.loads(re.search(r"const data = (\{.*\});\n", (self.folder / "plans.html").read_text())[1])
        best, = [plan for plan in plans if plan["best"]]
        self.assertEqual(content["about"][0]["rows"][:2], [["model", "m.mlir"], ["machine", "a machine"]])
        self.assertIn(best["options"], content["about"][0]["rows"][2][1])
        points = content["scatters"][0]["points"]
        self.assertEqual(len(points), len(plans))
        for size, _, _, fastest in points:
            self.assertEqual(fastest, min(time for other, time, *_ in points if other <= size))
        self.assertEqual(len(content["tables"][0]["rows"]), len(plans))
        untimed = self.write("untimed.json", {"plans": [{**plan, "step_seconds": None} for plan in plans]})
        done = support.run(support.ZEROC, "report", untimed, "-o", self.folder / "untimed.html")
        self.assert_refused(done, "has plans without times; give zeroc plan --machine=FILE, too", status=1)

    def test_last_resort(self):
        """If nothing else fits, activations go to drives, with one micro-step and with several."""
        for more in ((), ("--accumulate=2",)):
            plans = self.plan("--device-memory=1KiB", "--host-memory=1KiB", *more)
            self.assertTrue(any("--offload-activations=nvme" in plan["options"] for plan in plans), more)
            self.assertEqual(any("--offload-gradients" in plan["options"] for plan in plans), bool(more))

    def test_limit(self):
        """A plan that does not fit is not taken, though it is faster; the one that is has the bits of all others."""
        machine = self.machine()
        plans = self.plan("--world-size=2", machine=machine)
        limit = self.bytes_of(plans[0]) - 1
        limited = self.plan("--world-size=2", f"--device-memory={limit}", machine=machine)
        self.assertLessEqual(self.bytes_of(limited[0]), limit)
        self.assertGreater(limited[0]["step_seconds"], plans[0]["step_seconds"])
        lost = [plan for plan in limited if not plan["fits"]]
        self.assertTrue(lost)
        for plan in lost:
            self.assertEqual(plan["excess"], self.bytes_of(plan) - limit)
            self.assertIn(" too much", plan["why_not"])
        tokens = self.write_tokens(4096, 64)
        losses = set()
        for name, options in (("plain", []), ("auto", [
                "--stage=auto", "--offload=auto", "--remat=auto", "--bucket-size=auto", "--reuse-distance=auto", "--prefetch=auto",
                f"--machine={machine}", f"--device-memory={limit}"])):
            made = self.run_ok(support.ZEROC, self.model(), "--world-size=2", *options, "--certificate=json", "-o",
                               self.folder / name)
            if options:
                self.assertIn(f"zeroc: note: chose {limited[0]['options']} of {len(limited)} plans", made.err)
                self.assertEqual(json.loads(made.out)["arenas"], limited[0]["certificate"]["arenas"])
            metrics = self.folder / f"{name}.jsonl"
            self.run_ok(self.folder / name, "--data", tokens, "--steps", 4, "--lr", "1e-3", "--metrics", metrics)
            losses.add(tuple(json.loads(line)["loss"] for line in metrics.read_text().splitlines()))
        self.assertEqual(len(losses), 1)

    def test_recomputes_no_more_than_needed(self):
        """The least of eight parts of the blocks that fits, which is faster than more."""
        def plan(*options):
            return self.plan("--offload=none", "--bucket-size=1GiB", *options, model=model)
        model = support.import_model({**support.SMALL, "n_layer": 8, "n_embd": 64}, 32, 32)
        whole, kernels = (plan(f"--remat={what}")[0] for what in ("block", "kernels"))
        limit = (self.bytes_of(whole) + self.bytes_of(kernels)) // 2
        plans = plan(f"--device-memory={limit}", "--remat=auto")
        part = re.fullmatch(r"--remat=block --remat-ratio=(.*)", plans[0]["options"])
        self.assertIsNotNone(part, plans[0]["options"])
        self.assertLessEqual(self.bytes_of(plans[0]), limit)
        self.assertLess(plans[0]["step_seconds"], whole["step_seconds"])
        less = f"--remat-ratio={float(part[1]) - 0.125:g}"
        self.assertGreater(self.bytes_of(plan("--remat=block", less)[0]), limit)

    def test_machine_decides(self):
        """What is slow on a machine is not chosen on it: exchanges, recomputation, copies to the host."""
        tight = ["--device-memory", str(int(0.9 * self.bytes_of(self.plan()[0])))]
        slow_copies = self.plan(*tight, machine=self.machine(**{"*.byte": 1e-6}))[0]
        slow_products = self.plan(*tight, machine=self.machine(**{"*.flop": 1e-7, "kernel.op": 1e-6, "*.byte": 1e-12}))[0]
        self.assertNotIn("offload", slow_copies["options"])
        self.assertIn("--remat=", slow_copies["options"])
        self.assertIn("offload", slow_products["options"])
        self.assertNotIn("--remat=", slow_products["options"])
        free, slow = (self.plan("--world-size=2", machine=self.machine(**{"*.byte": byte})) for byte in (1e-12, 1e-5))
        received = [sum(one["bytes"] for one in plans[0]["certificate"]["wire"].values()) for plans in (free, slow)]
        self.assertLessEqual(received[1], received[0])

    def test_given(self):
        """What is given is not chosen."""
        for plan in self.plan("--world-size=2", "--stage=2", "--offload=none", "--bucket-size=1MiB"):
            command, = plan["commands"]
            self.assertIn("--stage=2", command)
            self.assertIn("--offload=none", command)
            self.assertNotIn("offload-", command)
            self.assertEqual(command.count("--bucket-size"), 1)

    def test_folder(self):
        """Of a config.json, micro-batches, micro-steps and precisions are chosen, so that a step has the given tokens."""
        config = self.write("config.json", support.SMALL)
        done = self.run_ok(support.ZEROC, "plan", config, f"--machine={self.machine()}", "--seq=16", "--batch-tokens=128",
                           "--world-size=2", "--remat=none", "--offload=none", "--stage=1", "--certificate=json")
        plans = json.loads(done.out)["plans"]
        seen = set()
        for plan in plans:
            words = dict(word.split("=", 1) for word in plan["commands"][0].split() + plan["commands"][1].split()
                         if word.startswith("--") and "=" in word)
            steps = int(words.get("--accumulate", 1))
            seen.add((int(words["--batch"]), steps, words["--precision"]))
            self.assertEqual(int(words["--batch"]) * 16 * 2 * steps, 128)
        self.assertEqual(seen, {(batch, 4 // batch, precision) for batch in (1, 2, 4) for precision in ("fp32", "bf16")})
        for command in plans[0]["commands"]:
            self.run_ok(support.ZEROC, *shlex.split(command)[1:])

    def test_tune(self):
        """The measured plans are the predicted ones, and the program that is kept trains."""
        tokens = self.write_tokens(4096, 64)
        done = self.run_ok(support.ZEROC, "tune", self.model(), f"--machine={self.machine()}", "--data", tokens,
                           "--world-size=2", "--plans=2", "--rounds=1", "--steps=4", "-o", self.folder / "train")
        lines = done.out.splitlines()
        self.assertEqual([line[0] for line in lines[:2]], ["*", " "])
        self.assertIn("ms measured", lines[0])
        self.assertIn("ranks     2", self.run_ok(self.folder / "train", "--data", tokens, "--steps", 2, "--lr", "1e-3").out)

    def test_errors(self):
        machine = f"--machine={self.machine()}"

        def refused(message, *command):
            done = support.run(support.ZEROC, *command)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.err)

        model = self.model()
        refused("auto chooses by predicted time; add --machine=FILE", model, "--stage=auto")
        refused("auto chooses by predicted time; add --machine=FILE", "plan", model, "--prefetch=auto")
        refused("--offload=auto chooses tiers, and --offload-params is one; drop one of them", model, machine,
                "--offload=auto", "--offload-params=cpu")
        refused("several values of an option are compared, and auto is chosen; drop one of them", "plan", model,
                "--offload=none,cpu", "--remat=auto")
        refused("--stage must be 0, 1, 2 or 3, got 0,1", model, "--stage=0,1", "--world-size=2")
        refused("--precision must be fp32, bf16 or fp16, got fp32,bf16", "plan", model, "--precision=fp32,bf16")
        refused("--network is for predicted times; add --machine=FILE", "plan", model, "--world-size=2", "--network=1MB")
        refused("zeroc plan prints times and no plan; drop --emit", "plan", model, machine, "--emit=memory")
        refused("--jitter is for zeroc simulate, of one plan; drop it", "plan", model, machine, "--jitter=0.1")
        refused("--batch-tokens is for zeroc plan MODEL_DIR", "plan", model, machine, "--batch-tokens=64")
        refused("--batch-tokens=100 is no step: 2 ranks with one sequence each take 32 tokens", "plan",
                self.write("config.json", support.SMALL), machine, "--seq=16", "--batch-tokens=100", "--world-size=2")
        config = self.write("config.json", support.SMALL)
        refused("--optimizer=rule.mlir is for a model.mlir; import", "plan", config, machine, "--optimizer=rule.mlir")
        refused("has no batch yet", "tune", config, machine, "--data", "tokens.u16", "-o", self.folder / "train")
        refused("cannot write /nowhere/train; choose a folder", "tune", model, machine, "--data", "tokens.u16", "-o",
                "/nowhere/train")
        refused("no plan of", model, machine, "--remat=auto", "--device-memory=1KiB")
        self.run_ok(support.ZEROC, model, "--emit=memory", "-o", self.folder / "plan.mlir")
        refused("is a plan already, and has nothing to choose", "plan", self.folder / "plan.mlir", machine)
        refused(f"no plan of {model} fits; use more ranks", "plan", model, machine, "--device-memory=1KiB")


if __name__ == "__main__":
    unittest.main()
