"""train --drive: steps, samples, values and checkpoints as requests, with the bits of the other ways to them."""
import array
import json
import os
import random
import select
import signal
import subprocess
import time

import support
from test_faults import rank_processes

CONFIG = support.SMALL
VOCAB, BATCH, SEQ = CONFIG["vocab_size"], 2, 16
IGNORED = -100


def request(number, what, **fields):
    return {"id": number, what: fields}


def printed(number):
    """A number as metrics print it, with nine digits."""
    return float(f"{number:.9g}")


class Driven:
    """A program that is asked one thing after the other."""

    def __init__(self, case, binary, *options, launcher=()):
        command = [str(part) for part in (*launcher, binary, "--drive", "--quiet", *options)]
        self.case = case
        self.process = subprocess.Popen(command, cwd=case.folder, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **support.MPI_ENVIRONMENT})
        case.addCleanup(self.kill)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def say(self, *lines):
        for line in lines:
            text = line if isinstance(line, bytes) else json.dumps(line).encode()
            self.process.stdin.write(text + b"\n")
        self.process.stdin.flush()

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            self.process.kill()
            self.case.fail(f"no answer\n{self.process.stderr.read().decode()}")
        return json.loads(line)

    def ask(self, what, **fields):
        """The answer to a request, which is not an error."""
        self.say(request(1, what, **fields))
        found = self.answer()
        self.case.assertEqual(found.pop("id"), 1, found)
        self.case.assertNotIn("error", found)
        return found

    def step(self, *inputs, lr):
        """Gives rows in so many requests, and makes a step of them."""
        self.say(*(request(10 + i, "forward_backward", inputs=some) for i, some in enumerate(inputs)),
                 request(1, "step", lr=lr))
        answers = [self.answer() for _ in range(len(inputs) + 1)]
        for i, found in enumerate(answers[:-1]):
            self.case.assertEqual(found, {"id": 10 + i, "step": answers[-1].get("step")}, answers)
        return answers[-1]

    def end(self, status=0):
        self.process.stdin.close()
        self.case.assertEqual(self.process.wait(60), status, self.process.stderr.read().decode())
        rest = self.process.stdout.read()
        self.case.assertEqual(rest, b"")


class Drive(support.Case):
    def setUp(self):
        super().setUp()
        self.tokens = array.array("H", self.write_tokens(3000, VOCAB).read_bytes())

    def compile(self, *options):
        return support.compile_gpt2(CONFIG, BATCH, SEQ, "--sample", "--eval", *options)

    def rows(self, first, count):
        """So many sequences of the text, as --data feeds them."""
        texts = [list(self.tokens[i * SEQ:(i + 1) * SEQ + 1]) for i in range(first, first + count)]
        return {"tokens": [text[:-1] for text in texts], "targets": [text[1:] for text in texts]}

    def trained(self, binary, steps, *options, name="data"):
        """Losses, norms and weights of a run that reads the text."""
        lines, saved = self.train(binary, self.folder / "tokens.u16", steps, 1e-2, *options, name=name)
        return support.bits_of(lines), support.saved_bytes(saved)

    def test_steps(self):
        """The same rows in the same order are the same bits, also with samples and evaluations between."""
        for micro, ranks, *options in (
                (1, 1), (3, 1), (1, 2), (3, 2), (1, 2, "--stage=3"), (3, 2, "--stage=3"), (2, 2, "--stage=2"),
                (1, 2, "--stage=1", "--offload-optimizer=cpu"), (2, 2, "--stage=3", "--offload=cpu"),
                (2, 1, "--accumulate-order=block"), (1, 1, "--offload-optimizer=cpu", "--overlap-update"), (1, 1, "--offload-optimizer=cpu", "--delayed-update"),
                (2, 2, "--context=2", "--stage=3"), (2, 2, "--lora=4:8", "--lora-dropout=0.25", "--stage=3"),
                (1, 1, "--precision=fp16")):
            with self.subTest(micro=micro, ranks=ranks, options=options):
                binary = self.compile(f"--accumulate={micro}", f"--world-size={ranks}", *options)
                initial = support.init_flags(options)
                expected = self.trained(binary, 3, *initial, name="adapters" if initial else "data")
                driven = Driven(self, binary, *initial, "--metrics", "driven.jsonl", "--save", "driven", "--force")
                count, losses = driven.ask("state")["rows"], []
                self.assertEqual(count, BATCH * micro * ranks // (2 if "--context=2" in options else 1))
                for step in range(3):
                    parts = (1, count - 1) if step == 1 else (count,)
                    given = [self.rows(step * count + sum(parts[:i]), size) for i, size in enumerate(parts)]
                    found = driven.step(*given, lr=1e-2)
                    self.assertEqual((found["step"], found["skipped"]), (step + 1, False))
                    losses.append((found["loss"], found["grad_norm"]))
                    if "--delayed-update" not in options and step == 1:
                        driven.ask("sample", prompts=[[1, 2, 3]], count=3, max=3)
                        driven.ask("eval", inputs=self.rows(90, 5))
                driven.end()
                lines = support.read_metrics(self.folder / "driven.jsonl")
                self.assertEqual(support.bits_of(lines), expected[0])
                self.assertTrue(support.saved_bytes(self.folder / "driven") == expected[1], "weights differ")
                self.assertEqual([tuple(map(printed, pair)) for pair in losses], expected[0])
                support.run("rm", "-rf", "driven.jsonl", "driven", cwd=self.folder)

    def test_padding(self):
        """Short rows and missing ones are as if padding had been given."""
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                binary = self.compile("--accumulate=2", f"--world-size={ranks}")
                count = 2 * BATCH * ranks
                some = {"tokens": [[5, 6, 7], [9] * SEQ, [1]], "targets": [[6, 7, 8], [9] * 4, [2]]}
                driven = Driven(self, binary)
                short = driven.step(some, lr=1e-2), driven.ask("eval", inputs=some)
                driven.end()
                full = {name: [row + [fill] * (SEQ - len(row)) for row in some[name]] +
                              [[fill] * SEQ] * (count - len(some[name]))
                        for name, fill in (("tokens", 0), ("targets", IGNORED))}
                driven = Driven(self, binary)
                self.assertEqual((driven.step(full, lr=1e-2), driven.ask("eval", inputs=full)), short)
                driven.end()

    def test_eval(self):
        """As --eval-data measures it."""
        text = self.folder / "eval.u16"
        text.write_bytes(self.tokens[:8 * SEQ + 1].tobytes())
        for ranks, *options in ((1,), (2, "--stage=3"), (1, "--accumulate=2", "--accumulate-order=block")):
            with self.subTest(ranks=ranks, options=options):
                binary = self.compile(f"--world-size={ranks}", *options)
                done = self.run_ok(binary, "--data", "tokens.u16", "--steps", 0, "--lr", 1, "--eval-data", text)
                driven = Driven(self, binary)
                found = driven.ask("eval", inputs=self.rows(0, 8))["loss"]
                driven.end()
                self.assertIn(f"loss {found:.6f}", done.out)

    def served(self, weights, prompts, count, **fields):
        """What --serve answers."""
        only = support.compile_model(support.import_model(CONFIG, BATCH, SEQ), "--sample-only")
        end_ids = fields.pop("end_ids", [])
        requests = [{"id": i, "ids": prompts[i // count], "sample": i, **fields} for i in range(len(prompts) * count)]
        done = self.run_ok(only, "--serve", "--weights", weights,
                           *(("--end-ids", ",".join(map(str, end_ids))) if end_ids else ()),
                           stdin="".join(json.dumps(one) + "\n" for one in requests).encode())
        answers = [{"prompt": i // count, "ids": [], "end": None} for i in range(len(requests))]
        for line in map(json.loads, done.out.splitlines()):
            if "token" in line:
                answers[line["id"]]["ids"].append(line["token"])
            else:
                answers[line["id"]]["end"] = line["end"]
        return answers

    def sampled(self, driven, **asked):
        """The answers of a request, without the tokens that end them, as --serve has them."""
        answers = driven.ask("sample", **asked)["answers"]
        for answer in answers:
            if answer["end"] == "token":
                self.assertIn(answer["ids"].pop(), asked["end_ids"])
        return answers

    def test_samples(self):
        """Those of --serve, on any ranks; and of the weights as they are after a step, an evaluation or a load."""
        initial = self.folder / "initial.safetensors"
        plain = self.compile()
        self.run_ok(plain, "--data", "tokens.u16", "--steps", 0, "--lr", 1, "--save", initial)
        asked = dict(prompts=[[1, 2, 3, 4, 5, 6, 7, 8, 9], [7], [1, 2, 3, 4, 200], list(range(SEQ - 2)), [5] * SEQ],
                     count=3, seed=7, temperature=0.9, top_k=50, max=9, end_ids=[3, 17, 80, 81, 82, 83])
        for ranks, *options in ((1,), (2,), (2, "--stage=3"), (3, "--stage=3", "--offload-params=cpu"),
                                (2, "--stage=3", "--offload=nvme"), (1, "--offload-optimizer=cpu", "--overlap-update")):
            with self.subTest(ranks=ranks, options=options):
                binary = self.compile(f"--world-size={ranks}", *options)
                driven = Driven(self, binary, "--init", initial, "--checkpoint", "run", "--save", "stepped.safetensors",
                                "--force", *support.nvme_flags(options, self.folder))
                expected = self.served(initial, **asked)
                self.assertEqual(self.sampled(driven, **asked), expected)
                self.assertEqual({answer["end"] for answer in expected}, {"token", "length", "full"})
                path = driven.ask("save")["path"]
                driven.ask("eval", inputs=self.rows(3, 4))
                self.assertEqual(self.sampled(driven, **asked), expected)
                rows = {name: some[:2] for name, some in self.rows(0, 2).items()}
                driven.step(rows, lr=0.1)
                stepped = self.sampled(driven, **asked)
                self.assertNotEqual(stepped, expected)
                driven.ask("load", path=path)
                self.assertEqual(self.sampled(driven, **asked), expected)
                driven.step(rows, lr=0.1)
                self.assertEqual(self.sampled(driven, **asked), stepped)
                driven.end()
                self.assertEqual(self.served(self.folder / "stepped.safetensors", **asked), stepped)
                support.run("rm", "-rf", "run", cwd=self.folder)

    def test_save_and_go_on(self):
        """A run that goes on from a saved step has the bits of one that did not stop, also if it reads files then."""
        for ranks, *options in ((1, "--accumulate=3"), (2, "--stage=3", "--accumulate=2"), (1, "--offload-optimizer=cpu", "--overlap-update")):
            with self.subTest(ranks=ranks, options=options):
                binary = self.compile(f"--world-size={ranks}", *options)
                count = samples_of(options) * ranks
                expected = self.trained(binary, 4)
                driven = Driven(self, binary, "--checkpoint", "run", "--lr", 1e-2)
                for step in range(2):
                    driven.step(self.rows(step * count, count), lr=1e-2)
                self.assertEqual(driven.ask("save"), {"path": "run/step-2"})
                self.assertEqual(driven.ask("save"), {"path": "run/step-2"})
                driven.end()
                driven = Driven(self, binary, "--resume", "run/step-2", "--save", "on.safetensors", "--force")
                self.assertEqual(driven.ask("state")["step"], 2)
                for step in range(2, 4):
                    last = driven.step(self.rows(step * count, count), lr=1e-2)
                driven.end()
                self.assertEqual(printed(last["loss"]), expected[0][3][0])
                self.assertTrue(support.saved_bytes(self.folder / "on.safetensors") == expected[1], "weights differ")
                self.run_ok(binary, "--resume", "run/step-2", "--data", "tokens.u16", "--steps", 4, "--lr", 1e-2, "--save",
                            "file.safetensors", "--force", "--quiet")
                self.assertTrue(support.saved_bytes(self.folder / "file.safetensors") == expected[1], "weights differ")
                support.run("rm", "-rf", "run", cwd=self.folder)

    def test_damaged_weights(self):
        """Errors say so, and the run goes back to what it has saved; a step with them ends it."""
        rows = self.rows(0, 4)
        for ranks, *options in ((1, "--accumulate=2"), (2, "--stage=3")):
            with self.subTest(ranks=ranks, options=options):
                binary = self.compile(f"--world-size={ranks}", *options)
                driven = Driven(self, binary, "--checkpoint", f"run{ranks}")
                driven.step(rows, lr=1e-2)
                path = driven.ask("save")["path"]
                expected = driven.step(rows, lr=3e38)
                [answer] = driven.ask("sample", prompts=[[1]])["answers"]
                self.assertEqual(answer, {"prompt": 0, "ids": [], "end": "nonfinite"})
                driven.say(request(2, "save"), request(3, "eval", inputs=rows))
                self.assertRegex(driven.answer()["error"], "not finite|is nan|is inf")
                self.assertIn("the loss is nan", driven.answer()["error"])
                self.assertEqual(driven.ask("load", path=path), {"step": 1})
                self.assertEqual(driven.step(rows, lr=3e38), expected)
                driven.say(request(2, "forward_backward", inputs=rows), request(3, "step", lr=1))
                for number in (2, 3):
                    answer = driven.answer()
                    self.assertEqual(answer["id"], number)
                    self.assertIn("step 2: the loss is nan; the run ends", answer["error"])
                self.assertEqual(driven.process.wait(60), 3)

    def test_rate_and_periodic_checkpoints(self):
        """Without "lr" a step has --lr; hooks of the loop go on."""
        driven = Driven(self, self.compile(), "--lr", 1e-2, "--checkpoint", "run", "--save-every", 2, "--metrics",
                        "metrics.jsonl")
        for step in range(4):
            driven.say(request(3, "forward_backward", inputs=self.rows(2 * step, 2)), request(4, "step"))
            self.assertEqual([driven.answer()["id"] for _ in range(2)], [3, 4])
        driven.end()
        self.assertEqual(sorted(path.name for path in (self.folder / "run").glob("step-*")), ["step-2", "step-4"])
        lines = support.read_metrics(self.folder / "metrics.jsonl")
        self.assertEqual([(line["step"], round(line["lr"], 8)) for line in lines],
                         [(step, 0.01) for step in range(4)])
        self.assertEqual(support.bits_of(lines), self.trained(self.compile(), 4)[0])

    def test_digests(self):
        """Of another run of the same requests they agree; the first step that differs ends the run."""
        binary = self.compile("--world-size=2", "--stage=2")
        for name, change, status in (("first", None, 0), ("same", None, 0), ("other", 1, 5), ("longer", None, 1)):
            option = ("--digest", "run.digest", "--digest-for=ranks") if name == "first" else ("--against", "run.digest")
            driven = Driven(self, binary, *option)
            for step in range(3 if name == "longer" else 2):
                rows = self.rows(4 * step, 4)
                if step == change:
                    rows["tokens"][3][0] ^= 1
                driven.say(request(1, "forward_backward", inputs=rows), request(2, "step", lr=1e-2))
                answers = [driven.process.stdout.readline() for _ in range(2)]
            if status == 0:
                driven.end()
            else:
                self.assertEqual(driven.process.wait(60), status)
                self.assertIn("computed another gradient" if status == 5 else "requests have made step 2",
                              driven.process.stderr.read().decode())
                self.assertEqual(b"step 1: rank 1 computed another gradient" in answers[1], status == 5)

    def test_state(self):
        driven = Driven(self, self.compile("--world-size=2", "--accumulate=3"))
        driven.say(request(3, "forward_backward", inputs=self.rows(0, 5)))
        text = {"dtype": "i32", "shape": [BATCH, SEQ]}
        self.assertEqual(driven.ask("state"), {
            "step": 0, "queued": 5, "batch": BATCH, "rows": 12, "positions": SEQ, "vocabulary": VOCAB, "ranks": 2,
            "inputs": {"tokens": text, "targets": text}, "programs": ["step", "sample", "eval"]})
        driven.process.stdin.close()
        self.assertIn("ended before a step", driven.answer()["error"])
        self.assertEqual(driven.process.wait(60), 0)

    def test_stops(self):
        """A signal ends the run after it has saved, a reader that is gone ends it, too; a lost rank is an error."""
        binary = self.compile("--world-size=2")
        driven = Driven(self, binary, "--checkpoint", "run")
        driven.step(self.rows(0, 4), lr=1e-2)
        driven.process.send_signal(signal.SIGTERM)
        self.assertEqual(driven.process.wait(60), 128 + signal.SIGTERM)
        self.assertTrue((self.folder / "run" / "step-1" / "manifest.json").exists())
        driven = Driven(self, binary, "--resume", "run")
        self.assertEqual(driven.ask("state")["step"], 1)
        driven.process.stdout.close()
        self.assertEqual(driven.process.wait(60), 128 + signal.SIGPIPE)

    def test_killed_rank(self):
        binary = self.compile("--world-size=2")
        driven = Driven(self, binary, launcher=support.mpirun(2))
        driven.ask("state")
        processes = rank_processes(binary, 2, time.monotonic() + 60, self.folder)
        os.kill(processes[1], signal.SIGKILL)
        self.assertNotEqual(driven.process.wait(60), 0)
        self.assertRegex(driven.process.stderr.read().decode(), rf"rank 1 \(process {processes[1]}\) is gone|signal 9")

    def test_refused(self):
        """An error has the id, the field, the number and the fix; and changes nothing."""
        binary = self.compile("--world-size=2")
        driven = Driven(self, binary)
        good = self.rows(0, 1)
        for what, fields, words in (
                ("step", {}, "no rows wait for it"),
                ("forward_backward", {"inputs": {"tokens": [[1]]}}, 'lacks "targets"'),
                ("forward_backward", {"inputs": {**good, "extra": [[1]]}}, 'has "extra", and the model has no such input'),
                ("forward_backward", {"inputs": {**good, "tokens": [[256]]}}, 'row 0 of "tokens" holds 256, which is not 0 to 255'),
                ("forward_backward", {"inputs": {**good, "tokens": [[1.5]]}}, "holds 1.5"),
                ("forward_backward", {"inputs": {**good, "tokens": [[2**63]]}}, "holds 9223372036854775808"),
                ("forward_backward", {"inputs": {**good, "tokens": [[1] * 17]}}, "has 17 numbers, and a sample has 16"),
                ("forward_backward", {"inputs": {**good, "tokens": [[1], [1]]}}, "give them equally many"),
                ("forward_backward", {"inputs": {"tokens": [[1]], "targets": [[IGNORED]]}}, "no value that the loss counts"),
                ("forward_backward", {"inputs": {"tokens": [], "targets": []}}, "has 0 rows"),
                ("forward_backward", {"inputs": self.rows(0, 5)}, "has 5 rows, 0 wait already, and a step takes 4"),
                ("eval", {"inputs": {"tokens": [[1]], "targets": [[]]}}, "no value that the loss counts"),
                ("score", {"inputs": good}, "this program gives no values"),
                ("save", {}, "start with --checkpoint=DIR"),
                ("save", {"path": "x"}, 'has no fields, got "path"'),
                ("load", {"path": "nowhere"}, "nowhere"), ("load", {}, '"path" is missing'),
                ("sample", {"prompts": [[256]]}, "has 256 at place 0, and the model has tokens 0 to 255"),
                ("sample", {"prompts": [[1] * 17]}, "has 17 tokens, and the model reads 16"),
                ("sample", {"prompts": [[1]], "count": 0}, '"count" is 0; give it a whole number from 1'),
                ("sample", {"prompts": [[1]], "temprature": 1}, 'has no field "temprature"'),
                ("sample", {}, '"prompts" is missing'),
                ("steps", {}, 'has no field "steps"')):
            with self.subTest(what=what, fields=fields):
                driven.say(request(5, what, **fields))
                found = driven.answer()
                self.assertEqual(list(found), ["id", "error"])
                self.assertEqual(found["id"], 5)
                self.assertIn(words, found["error"])
        for line, words in ((b"", None), (b"{", "is not JSON"), (b"[1]", "where an object is needed"),
                            (b'{"state":{}}', '"id" is missing'), (b'{"id":1}', "lacks what it asks for"),
                            (b'{"id":1,"state":{},"save":{}}', "two requests"), (b'{"id":-1,"state":{}}', '"id" is -1'),
                            (b'{"id":1,"state":[]}', "give it an object")):
            driven.say(line)
            if words:
                self.assertIn(words, driven.answer()["error"])
        driven.say(request(3, "forward_backward", inputs=good), request(3, "state"))
        self.assertIn("waits for its step", driven.answer()["error"])
        driven.say(request(4, "step"), request(4, "step", lr=-1), request(4, "step", lr=1e300), request(4, "step", lr=1e-2))
        self.assertEqual([answer.get("error", "")[:5] for answer in (driven.answer() for _ in range(5))],
                         ['"lr" ', '"lr" ', '"lr" ', "", ""])
        driven.end()
        for options, words in ((("--steps", 3), "--steps and --drive exclude each other"), (("--data", "x"), "--data and --drive"),
                               (("--metrics", "-"), "--metrics=- and --drive"), (("--digest", "d"), "--digest-for=ranks"),
                               (("--schedule", "cosine"), "--schedule and --drive"), (("--elastic",), "--elastic and --drive")):
            self.assert_refused(support.run(binary, "--drive", *options, cwd=self.folder), words, status=2)

    def test_damaged_lines(self):
        """Each is answered, and nothing of it stays: good steps then have the right bits."""
        binary = self.compile("--world-size=2", "--stage=3")
        expected = self.trained(binary, 2)
        rng = random.Random(5)
        good = [json.dumps(line).encode() for line in (
            request(3, "forward_backward", inputs={"tokens": [[1, 2]], "targets": [[2, 3], [3]]}), request(4, "step", lr=-1e-4),
            request(5, "eval", inputs=self.rows(0, 3)), request(6, "save"), request(7, "load", path="x"),
            request(8, "state"), request(2, "score", inputs=self.rows(0, 1)),
            request(1, "sample", prompts=[[1, 2], [3]], count=2, seed=0, temperature=1, top_p=1, max=3, end_ids=[2]))]
        driven = Driven(self, binary, "--save", "driven.safetensors")
        for number in range(1000):
            line = bytearray(rng.choice(good))
            for _ in range(rng.randrange(1, 5)):
                at = rng.randrange(len(line))
                how = rng.randrange(4)
                if how == 0:
                    del line[at:at + rng.randrange(1, 9)]
                elif how == 1:
                    line[at] = rng.choice(b'{}[]",:0123456789.-eE \\\xff\x00')
                elif how == 2:
                    line[at:at] = bytes(rng.choice(b'{}[]",:09-e') for _ in range(rng.randrange(1, 4)))
                else:
                    line = line[:at] + line[rng.randrange(len(line)):]
                if not line:
                    line = bytearray(b"x")
            line = bytes(line).replace(b"\n", b"")
            if line.strip(b" \t\r"):
                driven.say(line)
                found = driven.answer()
                self.assertTrue("error" in found or "id" in found, line)
        self.assertEqual(driven.ask("state")["queued"], 0)
        self.assertEqual(driven.ask("state")["step"], 0)
        for step in range(2):
            last = driven.step(self.rows(4 * step, 4), lr=1e-2)
        driven.end()
        self.assertEqual(printed(last["loss"]), expected[0][1][0])
        self.assertTrue(support.saved_bytes(self.folder / "driven.safetensors") == expected[1], "weights differ")


def samples_of(options):
    return BATCH * next((int(option.split("=")[1]) for option in options if option.startswith("--accumulate=")), 1)


class DriveObjectives(support.Case):
    """Of pairs: values of samples beside steps."""
    SAMPLES = 4

    def given(self, rows, seed=1):
        """Two pairs in each row, but for the last row, which has one."""
        rng, values = random.Random(seed), {
            name: [] for name in ("tokens", "targets", "samples", "starts", "positions", "choices")}
        for row in range(rows):
            length, pairs = SEQ // self.SAMPLES, 1 if row == rows - 1 else 2
            text = [rng.randrange(VOCAB) for _ in range(SEQ)]
            samples = [min(i // length, 2 * pairs) if i // length < 2 * pairs else self.SAMPLES for i in range(SEQ)]
            values["tokens"].append(text)
            values["targets"].append([text[i + 1] if i % length in (1, 2) and samples[i] < self.SAMPLES else IGNORED
                                      for i in range(SEQ)])
            values["samples"].append(samples)
            values["starts"].append([i // length * length for i in range(SEQ)])
            values["positions"].append([i % length for i in range(SEQ)])
            values["choices"].append([0 if pair < pairs else IGNORED for pair in range(2)])
        return values

    def test_score(self):
        """The values of --score-only, bit for bit, and steps that read them as their reference."""
        model = support.import_model(CONFIG, BATCH, SEQ, "--packed", "--objective=dpo", f"--samples={self.SAMPLES}")
        values = self.given(10)
        shapes = {"choices": 2}
        support.write_safetensors(self.folder / "data.safetensors", {
            name: ((10, shapes.get(name, SEQ)), array.array("i", sum(rows, []))) for name, rows in values.items()})
        weights = self.folder / "weights.safetensors"
        plain = support.compile_model(model, "--eval")
        (self.folder / "zeros.npy").write_bytes(support.npy("f", (10, self.SAMPLES), [0] * 10 * self.SAMPLES))
        data = ("--data", "data.safetensors", "--input", "reference=reference.npy")
        self.run_ok(plain, *data[:3], "reference=zeros.npy", "--steps", 1, "--lr", 1e-2, "--save", weights)
        scorer = support.compile_model(model, "--score-only")
        self.run_ok(scorer, "--weights", weights, "--data", "data.safetensors", "--out", "reference.npy")
        _, expected = support.read_npy(self.folder / "reference.npy")
        for ranks, *options in ((1,), (2,), (2, "--stage=3", "--accumulate=2")):
            with self.subTest(ranks=ranks, options=options):
                binary = support.compile_model(model, "--eval", f"--world-size={ranks}", *options)
                count = samples_of(options) * ranks
                self.run_ok(binary, *data, "--init", weights, "--steps", 1, "--lr", 1e-2, "--save", "file.safetensors",
                            "--metrics", "file.jsonl", "--force")
                driven = Driven(self, binary, "--init", weights, "--save", "driven.safetensors", "--force")
                inputs = {name: rows for name, rows in values.items() if name != "choices"}
                found = driven.ask("score", inputs=inputs)["values"]
                self.assertEqual([len(row) for row in found], [self.SAMPLES] * 10)
                self.assertEqual(array.array("f", sum(found, [])).tobytes(), expected.tobytes())
                step = driven.step({name: rows[:count] for name, rows in {**values, "reference": found}.items()}, lr=1e-2)
                self.assertEqual(driven.ask("state")["programs"], ["step", "score", "eval"])
                driven.end()
                [line] = support.read_metrics(self.folder / "file.jsonl")
                self.assertEqual(printed(step["loss"]), line["loss"])
                self.assertTrue(support.saved_bytes(self.folder / "driven.safetensors") ==
                                support.saved_bytes(self.folder / "file.safetensors"), "weights differ")
                (self.folder / "file.jsonl").unlink()
