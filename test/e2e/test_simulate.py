"""zeroc calibrate, simulate, explain and diff: predicted times of steps, and where they come from."""
import json
import random
import re
import shutil
import sys
import unittest
from pathlib import Path

import support

sys.path.insert(0, str(support.ROOT / "python"))

#: Seconds of a unit of work, none of which decides anything: a machine for tests.
SECONDS = {"*.call": 1e-6, "*.memory": 1e-10, "*.cache": 1e-11, "*.flop": 1e-11, "*.a": 0, "*.b": 0, "*.c": 0,
           "*.score": 1e-9, "kernel.op": 1e-10, "kernel.division": 1e-9, "kernel.function": 2e-9,
           "kernel.rounding": 1e-10, "kernel.reduction": 1e-10, "*.byte": 1e-9, "step.call": 1e-4}


class Simulate(support.Case):
    def machine(self, **changes):
        file = {"machine": "a test", "target": "cpu", "cores": 2, "cache_bytes": 1 << 20,
                "layouts": [{"ranks": 1, "threads": 2, "seconds": SECONDS},
                            {"ranks": 2, "threads": 1, "error": 0.04, "seconds": SECONDS}]} | changes
        return self.write("machine.json", {key: value for key, value in file.items() if value is not None})

    def model(self):
        return support.import_model(support.SMALL, 2, 16)

    def simulate(self, *options, machine=None):
        return json.loads(self.run_ok(support.ZEROC, "simulate", self.model(), "--certificate=json",
                                      f"--machine={machine or self.machine()}", *options).out)

    def test_step(self):
        """What is printed adds up, and the text says that it is simulated."""
        options = ["--stage=3", "--world-size=2", "--accumulate=2"]
        step = self.simulate(*options)
        self.assertEqual({part["program"]: part["runs"] for part in step["programs"]}, {"count": 2, "micro": 1, "step": 1})
        self.assertAlmostEqual(step["step_seconds"], 1e-4 + sum(part["runs"] * part["seconds"] for part in step["programs"]))
        self.assertGreater(step["waited"], 0)
        self.assertLessEqual(max(step["by_stream"].values()), step["bound_seconds"])
        self.assertLessEqual(step["bound_seconds"], step["step_seconds"])
        for part in step["programs"]:
            ends = {}
            for task in part["tasks"]:
                self.assertGreaterEqual(task["begin"], ends.get(task["stream"], 0))
                self.assertGreaterEqual(task["end"] - task["begin"], task["alone"] * (1 - 1e-9))
                ends[task["stream"]] = task["end"]
            self.assertAlmostEqual(part["seconds"], max(ends.values()))
            path = [part["tasks"][number] for number in part["critical_path"]]
            self.assertEqual(path[-1]["end"], part["seconds"])
            for before, after in zip(path, path[1:]):
                self.assertAlmostEqual(before["end"], after["begin"])
        text = self.run_ok(support.ZEROC, "simulate", self.model(), f"--machine={self.machine()}", *options).out
        self.assertIn("simulated: ", text)
        self.assertIn("off by 4.0 % in the mean", text)

    def test_bound(self):
        """No plan is faster than its bound, whatever the rates; without transfers that wait both are equal."""
        rng = random.Random(8)
        for options in (["--stage=3"], ["--stage=1", "--accumulate=3"], ["--stage=3", "--offload=nvme", "--prefetch=4KiB"],
                        ["--stage=2", "--offload-optimizer=cpu", "--overlap-update"], ["--offload-activations=nvme"],
                        ["--stage=2", "--network=20MB"]):
            for _ in range(4):
                seconds = {kind: value * 10 ** rng.uniform(-3, 3) for kind, value in SECONDS.items()}
                machine = self.machine(layouts=[{"ranks": 2, "threads": 1, "seconds": seconds, "waiting": rng.random()}])
                with self.subTest(options=options, machine=machine.read_text()):
                    step = self.simulate(*options, "--world-size=2", machine=machine)
                    self.assertLessEqual(step["bound_seconds"], step["step_seconds"] * (1 + 1e-9))
        alone = self.simulate("--threads-per-rank=2")
        self.assertAlmostEqual(alone["bound_seconds"] / alone["step_seconds"], 1)

    def test_jitter(self):
        """Ranks that take longer at random, or one that always does, make a step longer; a seed gives the same again."""
        options = ["--stage=3", "--world-size=2"]
        even = self.simulate(*options)["step_seconds"]
        slow = self.simulate(*options, "--straggler=2")["step_seconds_with_jitter"]
        self.assertGreater(slow, 1.2 * even)
        self.assertLess(slow, 2 * even)
        found = [self.simulate(*options, "--jitter=0.2", f"--jitter-seed={seed}")["step_seconds_with_jitter"] for seed in (1, 2, 1)]
        self.assertEqual(found[0], found[2])
        self.assertNotEqual(found[0], found[1])
        self.assertGreater(min(found), even)

    def test_memory(self):
        """On one rank the most bytes that are alive over time are the certificate's peak, and within the arena of two."""
        for options in ([], ["--world-size=2", "--stage=3"]):
            step = self.simulate(*options)
            done = self.run_ok(support.ZEROC, self.model(), *options, "--certificate=json", "-o", self.folder / "train")
            arena = json.loads(done.out)["arenas"][0]
            most = max(sum(alive) for _, *alive in step["programs"][-1]["memory"]["device"]["points"])
            if options:
                self.assertLessEqual(most, arena["bytes"])
            else:
                self.assertEqual(most, arena["peak"]["bytes"])

    def test_network(self):
        """Collectives over a network take the bytes that a rank receives, at its rate."""
        step = self.simulate("--world-size=2", "--stage=3", "--network=1MB")
        wire = sum(part["runs"] * task["work"].get("all_gather.byte", 0) for part in step["programs"]
                   for task in part["tasks"])
        self.assertGreater(wire, 1000)
        self.assertAlmostEqual(step["by_kind"]["all_gather"], wire / 1e6, delta=1e-4)
        self.assertGreater(step["step_seconds"], wire / 1e6)
        # The system takes 0.25 of a core for it, and what runs beside has 0.75.
        machine = self.machine(layouts=[{"ranks": 2, "threads": 1, "seconds": SECONDS | {"network.byte": 0.25e-6}}])
        slower = self.simulate("--world-size=2", "--stage=3", "--network=1MB", machine=machine)
        beside = {(task["end"] - task["begin"]) / task["alone"] for part in slower["programs"] for task in part["tasks"]
                  if task["stream"] == "compute" and task["alone"] > 0}
        self.assertTrue(any(abs(ratio - 1 / 0.75) < 1e-6 for ratio in beside), beside)
        self.assertAlmostEqual(slower["by_kind"]["all_gather"], step["by_kind"]["all_gather"])

    def test_certificate(self):
        machine = self.machine(watts=10, dollars_per_hour=3.6)
        done = self.run_ok(support.ZEROC, self.model(), "--world-size=2", f"--machine={machine}", "--certificate=json", "-o",
                           self.folder / "train")
        time = json.loads(done.out)["time"]
        seconds = self.simulate("--world-size=2")["step_seconds"]
        self.assertAlmostEqual(time["seconds"], seconds)
        self.assertAlmostEqual(time["joules"], 2 * 10 * seconds)
        self.assertAlmostEqual(time["dollars"], 2 * 1e-3 * seconds)
        self.assertEqual(time["simulated_on"], "a test")

    def test_trace(self):
        """The simulated trace has the operations of a run's trace, and both are compared by kind."""
        binary = support.compile_gpt2(support.SMALL, 2, 16)
        self.run_ok(binary, "--data", self.write_tokens(1000, 256), "--steps", 3, "--lr", 1e-3, "--quiet",
                    env={"ZRT_TRACE": str(self.folder / "ran")})
        # Values may be words of their own.
        self.run_ok(support.ZEROC, "simulate", self.model(), "--certificate", "json", "--machine", self.machine(),
                    f"--trace={self.folder / 'simulated'}", "-o", self.folder / "step.json")
        names = [[(line["stream"], line["number"], line["name"])
                  for line in map(json.loads, (self.folder / f"{name}.0.jsonl").read_text().splitlines())
                  if line["run"] == 1] for name in ("ran", "simulated")]
        self.assertEqual([place[:2] for place in names[0]], [place[:2] for place in names[1]])
        products = [[name for _, _, name in one if name.startswith("matmul")] for one in names]
        self.assertEqual(*products)
        self.run_ok(support.ZEROC, "trace", self.folder / "simulated", "-o", self.folder / "trace.json")
        text = self.run_ok(support.ZEROC, "explain", self.folder / "step.json", "--trace", self.folder / "ran").out
        self.assertIn("the critical path:", text)
        self.assertIn("compute never waits", text)
        self.assertRegex(text, r"matmul +[\d.,]+ ms +[\d.,]+ ms +[+-]")
        # A trace of another plan.
        other = self.write("other.json", self.simulate("--stage=3", "--world-size=2"))
        done = support.run(support.ZEROC, "explain", other, "--trace", self.folder / "ran")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it is of another plan", done.err)

    def test_report(self):
        """A page of its own: it loads nothing, and has the operations, the memory and the losses."""
        if not Path("/usr/share/javascript/dygraphs/dygraph.min.js").exists():
            self.skipTest("libjs-dygraphs is not installed")
        binary = support.compile_gpt2(support.SMALL, 2, 16)
        metrics, report = self.folder / "run <script>.jsonl", self.folder / "report.html"
        self.run_ok(binary, "--data", self.write_tokens(1000, 256), "--steps", 3, "--lr", 1e-3, "--quiet", "--metrics", metrics,
                    env={"ZRT_TRACE": str(self.folder / "ran")})
        step = self.write("step.json", self.simulate())
        self.run_ok(support.ZEROC, "report", step, "--trace", self.folder / "ran", f"--run={metrics}", "-o", report)
        text = report.read_text()
        self.assertLess(len(text), 2 << 20)
        self.assertNotRegex(text, r"<(script|link|img)[^>]*(src|href)=")
        content = json.loads(re.search(r"const data = (\{.*\});\n", text)[1])
        plan, run = ({name: value for name, value in one["rows"]} for one in content["about"])
        self.assertIn("--optimizer=adamw", plan["options"])
        self.assertEqual((plan["model"], plan["machine"]), (self.model().name, "a test, 1 rank of 2 threads"))
        whole, inside, beside = (float(number) for number in re.findall(r"([\d.]+) ms", plan["a step, simulated"]))
        self.assertAlmostEqual(whole, inside + beside, delta=0.02)
        self.assertRegex(run["last written"], r"^20\d\d-\d\d-\d\d \d\d:\d\d UTC$")
        self.assertRegex(run["steps"], r"^3, last loss [\d.]+$")
        program, = content["programs"]
        for lanes in program["simulated"], program["measured"]:
            compute, = [lane["tasks"] for lane in lanes if lane["stream"] == "compute"]
            self.assertIn("matmul", {task[3] for task in compute})
        self.assertEqual([task[2] for task in program["simulated"][0]["tasks"]][:1],
                         [task[2] for task in program["measured"][0]["tasks"]][:1])
        self.assertEqual(len(content["curves"][0]["points"]), 3)
        self.assertTrue(program["memory"]["device"] and content["scatters"] and content["tables"])
        if shutil.which("chromium"):
            done = support.run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                               report.as_uri())
            self.assertNotIn("CONSOLE", done.err)
            self.assertIn("@step, measured", done.out)
        done = support.run(support.ZEROC, "report", step, "-o", report, env={"ZEROC_DYGRAPHS": "/nowhere"})
        self.assertIn("apt-get install libjs-dygraphs", done.err)

    def test_report_of_a_wheel(self):
        """The package brings Dygraphs; of a run of zeroc finetune the page says model, options and dates."""
        package = self.folder / "python" / "zeroc"
        shutil.copytree(support.ROOT / "python" / "zeroc", package)
        (package / "dygraphs").mkdir()
        for name in ("dygraph.min.js", "dygraph.min.css"):
            (package / "dygraphs" / name).write_text(f"/* {name} of the wheel */")
        out = self.folder / "tuned" / "zeroc"
        out.mkdir(parents=True)
        (out / "metrics.jsonl").write_text('{"step": 0, "loss": 2, "step_ms": 9}\n{"step": 1, "loss": 1.5, "step_ms": 7}\n')
        (out / "settings.json").write_text(json.dumps({"model": "/models/tiny", "lr": 1e-5, "date": "1790000000",
                                                       "options of zeroc": ["--lora=4:8", "--precision=bf16"]}))
        self.run_ok(sys.executable, "-m", "zeroc", "report", f"--run={out / 'metrics.jsonl'}", "-o", self.folder / "r.html",
                    env={"PYTHONPATH": str(package.parent)})
        text = (self.folder / "r.html").read_text()
        self.assertIn("/* dygraph.min.js of the wheel */", text)
        content = json.loads(re.search(r"const data = (\{.*\});\n", text)[1])
        run = {name: value for name, value in content["about"][0]["rows"]}
        self.assertEqual((run["model"], run["options of zeroc"]), ("/models/tiny", "--lora=4:8 --precision=bf16"))
        self.assertEqual((run["begun"], run["peak learning rate"]), ("2026-09-21 14:13 UTC", "1e-05"))
        self.assertIn("7.00 ms", run["a step, measured"])

    def test_machines_by_name(self):
        """Those that come with zeroc, from any folder."""
        options = ("--target=cuda", "--cuda-arch=sm_90", "--certificate=json")
        texts = [self.run_ok(support.ZEROC, "simulate", self.model(), f"--machine={name}", *options).out
                 for name in ("h100", "machines/h100.json", support.ROOT / "machines" / "h100.json")]
        self.assertEqual(texts[0], texts[2])
        self.assertEqual(texts[1], texts[2])
        done = support.run(support.ZEROC, "simulate", self.model(), "--machine=h101", *options)
        self.assert_refused(done, "cannot read h101")

    def test_diff(self):
        a, b = self.write("a.json", self.simulate("--world-size=2")), self.write("b.json", self.simulate(
            "--world-size=2", "--stage=3"))
        text = self.run_ok(support.ZEROC, "diff", a, b).out
        self.assertRegex(text, r"all_gather\.byte +[\d,]+ +[\d,]+")
        self.assertIn("@step and @step differ first at operation 1: ", text)
        text = self.run_ok(support.ZEROC, "diff", a, a).out
        self.assertIn("+0.0%", text)
        self.assertIn("the same calls, bytes over links and flops", text)

    def test_bad_machines(self):
        def refused(expected, *options, **changes):
            done = support.run(support.ZEROC, "simulate", self.model(), f"--machine={self.machine(**changes)}", *options)
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected, done.err)
        refused("cores must be an integer of at least 1", cores=0)
        refused("layouts must be a list of at least one layout", layouts=None)
        refused("each of layouts must be an object with \"seconds\"", layouts=[{"ranks": 1}])
        refused("the seconds of *.call must be a number, 0 or more",
                layouts=[{"ranks": 1, "threads": 2, "seconds": SECONDS | {"*.call": -1}}])
        refused("has no times of 4 ranks with 1 threads each, but of ranks x threads 1 x 2, 2 x 1; measure them: zeroc "
                "calibrate --ranks=4 --threads=1", "--world-size=4", "--threads-per-rank=1")
        refused("is of a machine for --target=cuda, and the plan is for cpu", target="cuda")
        refused("error must be a number, 0 or more", layouts=[{"ranks": 1, "threads": 2, "error": "much", "seconds": SECONDS}])
        refused("machine must be a string", machine=3)
        refused("dolars is no field of a machine file", dolars=1)
        refused("seconds must be an object", seconds=5)
        refused("--list-work counts work and predicts no time; drop --jitter", "--list-work", "--jitter=0.1")
        refused("--jitter-seed is the seed of --jitter; add --jitter=PART", "--jitter-seed=3")
        refused("--network is between ranks; add --world-size=N", "--network=1MB")
        refused("zeroc simulate makes no code, so --cpu changes nothing; drop it", "--cpu=znver4")
        refused("has no time of ", layouts=[{"ranks": 1, "threads": 2, "seconds": {"step.call": 0}}])
        done = support.run(support.ZEROC, "simulate", self.model(), "--target=cuda", "--threads-per-rank=2",
                           f"--machine={support.ROOT / 'machines' / 'h100.json'}")
        self.assertIn("is of GPUs, which have no threads of ranks; drop --threads-per-rank", done.err)
        done = support.run(support.ZEROC, "simulate", self.model(), f"--machine={self.write('bad.json', '{')}")
        self.assertIn("bad.json is not JSON: ", done.err)
        done = support.run(support.ZEROC, "simulate", self.model())
        self.assertIn("zeroc simulate needs --machine=FILE: zeroc calibrate -o machine.json measures", done.err)
        done = support.run(support.ZEROC, self.model(), "--threads-per-rank=2", "-o", self.folder / "train")
        self.assertIn("--threads-per-rank is for predicted times; add --machine=FILE", done.err)

    def test_published_machines(self):
        """Each file of machines/ has a source for each number, and times for all that plans do."""
        model = self.model()
        for path in sorted((support.ROOT / "machines").glob("*.json")):
            machine = json.loads(path.read_text())
            for layout in machine["layouts"]:
                self.assertEqual(set(layout["seconds"] | machine["seconds"]) - set(machine["sources"]), set(), path)
            for options in (["--precision=bf16", "--stage=3", "--world-size=16", "--accumulate=2"],
                            ["--precision=bf16", "--offload=nvme"], ["--lora=2", "--base-storage=nf4"]):
                done = self.run_ok(support.ZEROC, "simulate", model, "--target=cuda", *options, f"--machine={path}",
                                   "--certificate=json")
                step = json.loads(done.out)
                self.assertEqual(step["ranks"], 16 if "--world-size=16" in options else 1)
                # What the host's processors do takes the host's time.
                self.assertEqual("host_update" in step["by_kind"], "--offload=nvme" in options)

    def test_calibrate(self):
        """Small models measured once give a machine on which they can be simulated, over a network as well."""
        script = ("import zeroc.calibrate as c, sys\n"
                  "c.ALONE, c.SHARED, c.ROUNDS = c.ALONE[-1:], [next(one for one in c.SHARED if one[0] == 'tiny-3')], 1\n"
                  "c.EXPERTS = c.SUMS = c.PACKED = c.TIERS = []\n"
                  "c.main(sys.argv[1:])")
        self.run_ok("python3", "-c", script, "-o", self.folder / "m.json", "--ranks", 1, "--ranks", 2, "--threads", 1,
                    "--precision", "fp32",
                    env={"PYTHONPATH": str(support.ROOT / "python"), "ZEROC_PROGRAM": str(support.ZEROC)})
        machine = json.loads((self.folder / "m.json").read_text())
        alone, shared = machine["layouts"]
        self.assertGreater(alone["seconds"]["matmul.f32.flop"], 0)
        self.assertGreater(shared["seconds"]["network.byte"], 0)
        self.assertEqual(set(machine["sources"].values()), {"measured"})
        for options in (["--threads-per-rank=1"], ["--world-size=2", "--stage=3", "--network=125MB"]):
            self.run_ok(support.ZEROC, "simulate", self.model(), f"--machine={self.folder / 'm.json'}", *options)


class Fit(unittest.TestCase):
    def setUp(self):
        try:
            import numpy  # noqa: F401
        except ModuleNotFoundError:
            self.skipTest("needs numpy")

    def test_exact(self):
        """Times that are a sum give its terms back; a kind that does nothing gets 0, none a negative time."""
        from zeroc.fit import fit
        rng = random.Random(3)
        true = {"call": 2e-6, "flop": 3e-12, "byte": 1e-10, "nothing": 0.0}
        amounts = [{"call": 1, "flop": rng.uniform(1e6, 1e10), "byte": rng.uniform(1e3, 1e8),
                    "nothing": rng.uniform(0, 1e6)} for _ in range(60)]
        seconds, error = fit([(work, sum(true[kind] * amount for kind, amount in work.items())) for work in amounts])
        self.assertLess(error, 1e-4)
        for kind in true:
            self.assertAlmostEqual(seconds[kind], true[kind], delta=1e-3 * true[kind] + 1e-16)

    def test_alone(self):
        """The time alone of what ran beside others, as much as cores allowed."""
        from zeroc.calibrate import shared_time
        second = 10**9
        self.assertEqual(shared_time(0, 4 * second, [], 2, 1), 2)
        self.assertEqual(shared_time(0, 4 * second, [], 1, 2), 4)
        # Half of the time beside another on one core.
        self.assertEqual(shared_time(0, 4 * second, [(2 * second, 9 * second, 1)], 1, 1), 3)
        # The drive takes no core.
        self.assertEqual(shared_time(0, 4 * second, [(0, 9 * second, 0)], 1, 1), 4)
