"""Checkpoints: an interrupted run resumes bit for bit in its own layout, as if it had not been
interrupted; incomplete, damaged and foreign checkpoints are detected and named.

test/e2e/resumes.py has longer forms: every layout into every other, and more kills.
"""
import json
import math
import os
import re
import signal
import subprocess
import time

import resumes
import support
from test_precision import LINEAR

PLAIN = (1, "--stage=0")
TWO = (2, "--stage=3", "--offload=cpu", "--precision=bf16")
#: Resumes the checkpoints of TWO, without a launcher.
ONE = (1, "--precision=bf16")


class Checkpoints(support.Case):
    def train(self, layout, name, *flags, env=None, steps=resumes.STEPS):
        return resumes.train(layout, self.folder, name, *flags, env=env, steps=steps)

    def train_ok(self, *arguments, **keywords):
        done = self.train(*arguments, **keywords)
        self.assertEqual(done.returncode, 0, done.err + done.out)
        return done

    def wait_for_steps(self, name):
        path, deadline = self.folder / f"{name}.jsonl", time.monotonic() + 60
        while not (path.exists() and path.read_text().count("\n") > 3):
            self.assertLess(time.monotonic(), deadline, "the job does not train")
            time.sleep(0.01)

    def losses(self, name):
        return resumes.losses(self.folder, name)

    def steps(self, folder="ck"):
        return sorted(int(path.name[5:]) for path in (self.folder / folder).glob("step-*"))

    def assert_clean(self, folder="ck"):
        for path in (self.folder / folder).iterdir():
            self.assertRegex(path.name, r"^(step-\d+|\.lock)$")

    def assert_same_run(self, name, other):
        self.assertEqual(self.losses(name), self.losses(other))
        self.assert_same_bytes(self.folder / f"{name}.safetensors", self.folder / f"{other}.safetensors")


class SameLayout(Checkpoints):
    """Compares bits and step numbers."""

    PLANS = (
        PLAIN,
        (1, "--optimizer=sgd", "--accumulate=2"),
        (1, "--precision=bf16", "--master=none", "--state-dtype=bf16"),
        (1, "--offload=nvme", "--overlap-update"),
        (1, "--offload-optimizer=nvme", "--delayed-update"),
        (1, "--offload=cpu", "--offload-ratio=0.5", "--bucket-size=4KiB"),
        (2, "--stage=1", "--precision=fp16"),
        (2, "--stage=3", "--offload-optimizer=cpu", "--precision=bf16", "--delayed-update"),
        (2, "--stage=2", "--accumulate=3", "--bucket-size=4KiB", "--offload-gradients=nvme"),
        (2, "--stage=3", "--accumulate=3", "--accumulate-order=block", "--offload=cpu"),
        (2, "--stage=3", "--accumulate=2", "--accumulate-order=block"),
        (2, "--stage=3", "--offload=cpu", "--precision=bf16", "--overlap-update"),
    )

    def test_resumes(self):
        for number, plan in enumerate(self.PLANS):
            with self.subTest(plan):
                folder = self.folder / f"ck{number}"
                flags = ("--shuffle", "--seed", 3)
                self.train_ok(plan, "whole", *flags)
                self.train_ok(plan, "saving", *flags, "--checkpoint", folder, "--save-every", 2)
                self.assert_same_run("saving", "whole")
                self.assertEqual(self.steps(folder.name), [2, 4, 6])
                self.assert_clean(folder.name)
                # Metrics of later steps are removed, and then written again.
                (self.folder / "again.jsonl").write_bytes((self.folder / "whole.jsonl").read_bytes())
                self.train_ok(plan, "again", *flags, "--resume", folder / "step-4")
                self.assert_same_run("again", "whole")

    def test_loss_scale(self):
        """Two steps overflow and are skipped, and the scale halves: wherever that is interrupted,
        the run resumes with all counters, and reads samples of --input from the right position."""
        binary = support.compile_model(self.write("linear.mlir", LINEAR), "--precision=fp16", "--optimizer=sgd")
        values = [(4000 if i < 2 * 32 else 1) * math.sin(1 + i % 37) for i in range(6 * 32)]
        self.write("x.npy", support.npy("f", (24, 8), values))
        self.write("t.npy", support.npy("i", (24,), [i % 8 for i in range(24)]))

        def train(name, *flags):
            self.run_ok(binary, "--input", "x=x.npy", "--input", "t=t.npy", "--lr", 1e-2, "--steps", 6,
                        "--metrics", f"{name}.jsonl", "--save", f"{name}.safetensors", *flags)
            return [{key: value for key, value in line.items() if key not in ("step_ms", "samples_per_s", "checkpoint_ms")}
                    for line in support.read_metrics(self.folder / f"{name}.jsonl")]

        whole = train("whole", "--checkpoint", "ck", "--save-every", 1)
        self.assertEqual([line["loss_scale"] for line in whole], 2 * [65536] + 4 * [32768])
        self.assertEqual([line["skipped"] for line in whole], [1] + 5 * [2])
        for step in range(1, 6):
            # Lines of earlier steps are kept, but the first of these runs has not written any.
            self.assertEqual(train("again", "--resume", f"ck/step-{step}"), whole[1:])
            self.assert_same_bytes(self.folder / "again.safetensors", self.folder / "whole.safetensors")
        manifest = json.loads((self.folder / "ck/step-4/manifest.json").read_text())
        self.assertEqual(manifest["loss_scale"], {"value": 32768, "moves": True, "hysteresis": 1,
                                                  "since_overflow": 2})

    def test_at_exit(self):
        folder = self.folder / "ck"
        self.train_ok(TWO, "whole")
        self.train_ok(TWO, "first", "--checkpoint", folder, "--save-at-exit", "--resume", "latest", steps=4)
        self.assertEqual(self.steps(), [4])
        done = self.train(TWO, "second", "--checkpoint", folder, "--save-at-exit")
        self.assert_refused(done, "has checkpoints already, up to step 4", "--resume=latest")
        # The schedule's end has changed: the run says so, and uses the new end.
        done = self.run_ok(*[part for part in resumes.command(TWO, self.folder, "second", "--checkpoint", folder,
                                                             "--save-at-exit", "--resume", "latest")
                             if part != "--quiet"], env=support.MPI_ENVIRONMENT)
        self.assertIn("note      --steps is 7, and was 4 until the checkpoint", done.out)
        self.assertRegex(done.out, rf"resumed   step 4, {4 * resumes.GLOBAL_BATCH} samples, from .*ck/step-4\n")
        self.assertEqual(self.steps(), [4, 7])

    def test_keep(self):
        self.train_ok(TWO, "run", "--checkpoint", self.folder / "ck", "--save-every", 1, "--keep", 2)
        self.assertEqual(self.steps(), [6, 7])
        self.assert_clean()

    def test_little_memory(self):
        """State is copied in pieces."""
        plan = (2, "--stage=1", "--offload-optimizer=nvme")
        self.train_ok(plan, "whole")
        self.train_ok(plan, "saving", "--checkpoint", self.folder / "ck", "--save-every", 3,
                      "--checkpoint-memory", "4MiB")
        self.assert_same_run("saving", "whole")
        # State that is larger than the memory.
        config = {**support.SMALL, "vocab_size": 8000, "n_embd": 255, "n_head": 1}
        binary = support.compile_gpt2(config, 1, 16, "--stage=1", "--world-size=2")
        flags = (binary, "--data", self.folder / "tokens.u16", "--steps", 3, "--lr", 1e-3, "--checkpoint",
                 self.folder / "pieces", "--save-every", 2, "--save", self.folder / "large.safetensors")
        done = self.run_ok(*flags, "--checkpoint-memory", "5MiB")
        self.assertIn("; 4,194,304 bytes (4.0 MiB) of host memory a rank, less than a rank writes: steps wait for it\n",
                      done.out)
        saved = support.saved_bytes(self.folder / "large.safetensors")
        self.run_ok(*flags, "--resume", "latest")
        self.assertTrue(support.saved_bytes(self.folder / "large.safetensors") == saved, "weights differ")


class Memory(Checkpoints):
    def test_is_in_the_certificate(self):
        """A run's memory for copies is what the compiler has reported."""
        config = {**support.SMALL, "vocab_size": 8000, "n_embd": 255, "n_head": 1}
        for ranks, options in ((1, ()), (2, ("--stage=3", "--offload=cpu")), (3, ("--stage=1", "--precision=bf16")),
                               (2, ("--stage=2", "--precision=bf16", "--offload-optimizer=nvme")),
                               (2, ("--stage=3", "--offload-optimizer=cpu", "--delayed-update"))):
            with self.subTest(options, ranks=ranks):
                binary = support.compile_gpt2(config, 1, 16, f"--world-size={ranks}", *options)
                said = re.search(r"with train --checkpoint, ([\d,]+ bytes \([^)]*\)) of host memory",
                                 (binary.parent / "zeroc.txt").read_text())[1]
                support.write_tokens(self.folder / "tokens.u16", 1200, 255)
                flags = ("--nvme-path", self.folder) if "nvme" in str(options) else ()
                done = self.run_ok(binary, "--data",
                                   self.folder / "tokens.u16", "--steps", 1, "--lr", 1e-4, "--checkpoint",
                                   self.folder / f"ck{len(str(options))}", "--save-at-exit", *flags,
                                   env=support.MPI_ENVIRONMENT)
                self.assertIn(f"; {said}", done.out)
                self.assertGreater(int(said.split()[0].replace(",", "")), 8 << 20)


class OtherLayouts(Checkpoints):
    def test_pairs(self):
        pairs = resumes.Pairs(self.folder)
        layouts = resumes.LAYOUTS
        chosen = list(zip(layouts, layouts[5:] + layouts[:5])) + [(layouts[7], layouts[4])]
        for source, target in chosen:
            with self.subTest(source=source, target=target):
                self.assertIsNone(pairs.problem(source, target))

    def test_updates_that_are_left(self):
        """Pending gradients of a delayed plan are resumed by another delayed plan, or applied at
        once; a plan without a program for that refuses."""
        late = (2, "--stage=3", "--offload-optimizer=cpu", "--delayed-update")
        self.train_ok(late, "whole", "--checkpoint", self.folder / "ck", "--save-every", 3, "--save-at-exit")
        at = self.folder / "ck" / "step-3"
        self.train_ok((2, "--stage=1", "--offload-optimizer=nvme", "--delayed-update"), "again", "--resume", at)
        self.assertEqual(self.losses("again"), self.losses("whole")[3:])
        self.train_ok((2, "--stage=3", "--offload=cpu", "--overlap-update"), "soon", "--resume", at)
        self.assertLess(self.losses("soon")[0][1], self.losses("whole")[3][1])
        # At the end of the run only the pending update remains.
        self.train_ok(late, "flushed", "--resume", self.folder / "ck")
        self.assert_same_bytes(self.folder / "flushed.safetensors", self.folder / "whole.safetensors")
        done = self.train((2, "--stage=3"), "again", "--resume", at)
        self.assert_refused(done, "the update of its last step is left", "--delayed-update or --overlap-update")

    def test_other_state_types(self):
        wide, narrow = (1, "--precision=bf16"), (1, "--precision=bf16", "--master=none", "--state-dtype=bf16")
        for source, target, notes in ((wide, narrow, ("\"m\" of the checkpoint is f32, rounded to bf16",
                                                      "\"param\" of the checkpoint is f32, rounded to bf16")),
                                      (narrow, wide, ("\"v\" of the checkpoint is bf16, widened to f32",))):
            folder = self.folder / f"ck-{len(source)}"
            self.train_ok(source, "whole", "--checkpoint", folder, "--save-every", 3)
            done = self.run_ok(*[part for part in resumes.command(target, self.folder, "again", "--resume",
                                                                 folder / "step-3") if part != "--quiet"])
            for note in notes:
                self.assertIn(note, done.out)
            for (_, loss, _), (_, expected, _) in zip(self.losses("again"), self.losses("whole")[3:]):
                self.assert_close(loss, expected, 5e-3, "loss")

    def test_other_batch(self):
        """Data continue at the same position, in the order of the shuffle."""
        folder = self.folder / "ck"
        self.train_ok(PLAIN, "six", "--shuffle", "--checkpoint", folder, "--save-every", 3)
        two = support.compile_gpt2(support.SMALL, 4, 16, "--world-size=1")
        data = self.folder / "tokens.u16"
        done = self.run_ok(two, "--data", data, "--steps", 5, "--lr", 1e-3, "--shuffle", "--resume",
                           folder / "step-3", "--checkpoint", self.folder / "other", "--save-at-exit")
        self.assertIn(f"a step reads 4 samples now: the data continue at number {3 * resumes.GLOBAL_BATCH}, "
                          "the schedule at step 3", done.out)
        manifest = json.loads((self.folder / "other/step-5/manifest.json").read_text())
        self.assertEqual((manifest["step"], manifest["sequences"]), (5, 3 * resumes.GLOBAL_BATCH + 2 * 4))


class Refusals(Checkpoints):
    def setUp(self):
        super().setUp()
        self.ck = self.folder / "ck"
        self.train_ok(TWO, "whole", "--checkpoint", self.ck, "--save-every", 2)

    def resume(self, *flags, layout=ONE, path=None):
        return self.train(layout, "again", "--resume", path or self.ck / "step-4", *flags)

    def test_damage(self):
        file = self.ck / "step-4" / "rank-00001.safetensors"
        manifest = self.ck / "step-4" / "manifest.json"
        whole, text = file.read_bytes(), manifest.read_text()
        middle = len(whole) - 700

        def flipped(data, at):
            return data[:at] + bytes([data[at] ^ 16]) + data[at + 1:]

        for what, change, keywords in (
                ("a bit", lambda: file.write_bytes(flipped(whole, middle)),
                 (r"rank-00001.safetensors: bytes [\d,]+ to [\d,]+, of .*\[\d+:\d+\].*, are not what was written",)),
                ("its header", lambda: file.write_bytes(flipped(whole, 40)),
                 ("rank-00001.safetensors: its header, bytes 0 to 8192|4096, is not what was written",)),
                ("cut", lambda: file.write_bytes(whole[:-1]), ("rank-00001.safetensors.*cut short",)),
                ("empty", lambda: file.write_bytes(b""), ("rank-00001.safetensors.*cut short",)),
                ("missing", file.unlink, ("rank-00001.safetensors: no such file",)),
                ("no manifest", manifest.unlink, ("step-4",)),
                ("half a manifest", lambda: manifest.write_text(text[:len(text) // 2]),
                 ("manifest.json: its end is missing",)),
                ("another number", lambda: manifest.write_text(text.replace('"step":4', '"step":5')),
                 ("manifest.json: its text is not what was written",)),
                ("another version", lambda: manifest.write_text(text.replace('"version":1', '"version":3')),
                 ("manifest.json: it has version 3",)),
                ("no JSON", lambda: manifest.write_text("checkpoint\n"), ("manifest.json",))):
            with self.subTest(what):
                change()
                done = self.resume()
                self.assert_refused(done, *keywords, *(() if what == "no manifest" else (
                    r"the one before is intact: --resume=.*/ck/step-2",)), status=1)
                file.write_bytes(whole)
                manifest.write_text(text)
        self.assertEqual(self.resume().returncode, 0)

    def test_other_runs(self):
        other = support.compile_gpt2({**support.SMALL, "n_embd": 8}, 6, 16)
        two_ranks = self.resume(layout=TWO)
        self.assertEqual(two_ranks.returncode, 0, two_ranks.err)
        for what, done, keywords in (
                ("shuffle", self.resume("--shuffle"), ("without --shuffle",)),
                ("optimizer", self.resume(layout=(1, "--optimizer=sgd")),
                 ('no "momentum" of parameter', "it has m, param, v")),
                ("steps", self.train(ONE, "again", "--resume", self.ck / "step-4", steps=3), ("beyond --steps=3",)),
                ("newer ones", self.resume("--checkpoint", self.ck, "--save-every", 1),
                 ("has a checkpoint of step 6, and this run continues from step 4",)),
                ("nothing", self.resume(path=self.folder), ("there is no checkpoint in",)),
                ("no folder", self.resume(path=self.folder / "none"), ("none.*no such file",)),
                ("init", self.resume("--init", self.folder / "whole.safetensors"), ("drop one",)),
                ("model", support.run(other, "--data", self.folder / "tokens.u16", "--steps", 9, "--lr", 1,
                                      "--resume", self.ck), ("of another model",))):
            with self.subTest(what):
                self.assert_refused(done, *keywords)

    def test_seed_and_data(self):
        # Nothing in it is random, so the seed does not matter; other data are reported, but may be
        # intended.
        self.assertEqual(self.resume("--seed", 4).returncode, 0)
        self.train_ok(ONE, "shuffled", "--shuffle", "--checkpoint", self.folder / "shuffled", "--save-every", 2)
        done = self.resume("--shuffle", "--seed", 4, path=self.folder / "shuffled")
        self.assert_refused(done, "has --seed=0, this one --seed=4")
        support.write_tokens(self.folder / "tokens.u16", 1300, support.SMALL["vocab_size"])
        done = self.resume()
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: --data is another file than before the checkpoint", done.err)

    def test_command_line(self):
        for flags, keyword in ((("--save-every", 2), "--save-every needs --checkpoint"),
                               (("--checkpoint", "x"), "needs --save-every=N or --save-at-exit"),
                               (("--checkpoint", "x", "--save-every", 0), "must be 1 or more"),
                               (("--checkpoint", "x", "--save-every", 1, "--keep", 0), "must be 1 or more"),
                               (("--checkpoint", "x", "--save-every", 1, "--checkpoint-memory", "2PB"),
                                "a number of bytes"),
                               (("--time-limit", "soon"), "a time above 0"),
                               (("--resume", "latest"), "needs --checkpoint")):
            with self.subTest(flags):
                self.assert_refused(self.train(PLAIN, "run", *flags), keyword, status=2)

    def test_a_second_run(self):
        with subprocess.Popen([str(part) for part in resumes.command(
                TWO, self.folder, "long", "--checkpoint", self.folder / "busy", "--save-every", 10 ** 6,
                steps=10 ** 6)], env={**os.environ, **support.MPI_ENVIRONMENT}, stderr=subprocess.PIPE) as job:
            try:
                self.wait_for_steps("long")
                done = self.train(PLAIN, "again", "--checkpoint", self.folder / "busy", "--save-every", 1)
                self.assert_refused(done, r"busy are another run's, which is still there: process \d+ on \S+ since 20")
            finally:
                job.send_signal(signal.SIGTERM)
                job.communicate()
        self.train_ok(PLAIN, "again", "--checkpoint", self.folder / "busy", "--save-every", 1)

    def test_folders_that_cannot_be(self):
        done = self.train(PLAIN, "again", "--checkpoint", self.folder / "whole.jsonl", "--save-every", 1)
        self.assert_refused(done, "whole.jsonl", status=1)
        done = self.train(PLAIN, "again", "--checkpoint", "/sys/checkpoints", "--save-every", 1)
        self.assert_refused(done, "cannot make the folder /sys/checkpoints", status=1)


class Faults(Checkpoints):
    """Failures while a checkpoint is written."""

    FLAGS = ("--save-every", 2)

    def test_drives_that_fail(self):
        self.train_ok(TWO, "whole")
        for fault, keyword in (("enospc@block#1:1", "rank 1: cannot write .*rank-00001.*no space left"),
                               ("eio@sync:0", "rank 0: cannot write .*rank-00000.*input/output error"),
                               ("eio@manifest", "cannot write .*manifest.json.*input/output error"),
                               ("enospc@rename", "cannot rename")):
            with self.subTest(fault):
                folder = self.folder / fault.replace(":", "-")
                done = self.train(TWO, "run", "--checkpoint", folder, *self.FLAGS,
                                  env={"ZRT_CHECKPOINT_FAULT": fault})
                self.assertEqual(done.returncode, 4, done.err)
                self.assertRegex(done.err, f"warning: checkpoint of step 2: {keyword}.*training continues without it")
                self.assert_same_run("run", "whole")
                self.assertEqual(self.steps(folder.name), [4, 6])
                self.assert_clean(folder.name)
                if "@block" in fault or "@rename" in fault:
                    done = self.train(TWO, "run", "--checkpoint", self.folder / "stopped" / folder.name, *self.FLAGS,
                                      "--on-checkpoint-error", "stop", env={"ZRT_CHECKPOINT_FAULT": fault})
                    self.assert_refused(done, f"checkpoint of step 2: {keyword}", status=1)

    def test_full_disk(self):
        """Imitated by a limit on the size of files."""
        done = support.run(*resumes.command(PLAIN, self.folder, "run", "--checkpoint", self.folder / "ck", *self.FLAGS),
                           file_limit=50000)
        self.assertEqual(done.returncode, 4, done.err)
        self.assertRegex(done.err, "cannot find room for the .* bytes .* of .*file too large")
        self.assertEqual(self.steps(), [])
        self.assert_clean()

    def test_divergence(self):
        """Weights with non-finite values do not replace good ones."""
        plan = (1, "--optimizer=sgd", "--momentum=0", "--grad-clip=0")
        self.train_ok(plan, "good", "--checkpoint", self.folder / "ck", "--save-at-exit", steps=2)
        done = support.run(resumes.compile_layout(plan), "--data", self.folder / "tokens.u16", "--steps", 5, "--lr", 3e38,
                           "--checkpoint", self.folder / "ck", "--save-every", 1, "--keep", 1, "--resume", "latest")
        self.assertEqual(done.returncode, 3, done.err)
        self.assertRegex(done.err, "warning: the checkpoint of step 3 is given up; older ones stay")
        self.assertEqual(self.steps(), [2])
        self.assert_clean()

    def test_kills(self):
        kills = resumes.Kills(self.folder, seed=7, steps=60)
        for fault in ("copy#2:1", "block#1:0", "sync#1:1", "manifest#1:0", "rename#1:0", "renamed#1:0", "remove#1:0"):
            with self.subTest(fault):
                kills.fault = lambda: {"ZRT_CHECKPOINT_FAULT": f"kill@{fault}"}
                _, ended, error = kills.kill_once()
                self.assertNotEqual(ended, 0, error)
                self.assertIsNone(kills.torn())
        self.assertIsNone(kills.problem())

    def test_signals(self):
        for number, sent in enumerate((signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)):
            with self.subTest(sent):
                name = f"stopped{number}"
                job = subprocess.Popen([str(part) for part in resumes.command(
                    PLAIN, self.folder, name, "--checkpoint", self.folder / name, "--save-at-exit", steps=10 ** 6)])
                self.wait_for_steps(name)
                job.send_signal(sent)
                self.assertEqual(job.wait(60), 128 + sent)
                steps = len(self.losses(name))
                self.assertEqual(self.steps(name), [steps])

    def test_time_limit(self):
        done = self.train(TWO, "run", "--checkpoint", self.folder / "ck", "--save-at-exit", "--time-limit", "1s",
                          steps=10 ** 6)
        self.assertEqual(done.returncode, 75, done.err)
        self.assertEqual(self.steps(), [len(self.losses("run"))])
