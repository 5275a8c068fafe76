"""Plans that need more memory than the machine has, and programs that were killed for it."""
import json
import os
import re
import signal
import subprocess
import unittest.mock

import support
import test_finetune

#: Terabytes of activations.
HUGE, CHUNK = 1 << 24, "--loss-chunk=64GiB"
NEED = r"the plan needs [\d.]+ TiB"


class Memory(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(1500, support.SMALL["vocab_size"])
        self.common = ("--data", self.data, "--steps", 2, "--lr", "1e-3")
        self.alone = {name: value for name, value in os.environ.items()
                      if not name.startswith(("OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE"))}

    def program(self, *options, batch=HUGE):
        return support.compile_gpt2({**support.SMALL, "n_embd": 64}, batch, 16, CHUNK, *options)

    def test_refused_before_it_is_touched(self):
        for program, words in ((self.program(), r"\(arenas of "), (self.program("--world-size=2", "--stage=2"),
                                                                     "for each of 2 ranks on this host")):
            done = support.run(program, *self.common, "--save", "weights", cwd=self.folder, env=self.alone)
            self.assert_refused(done, words, status=1)
            self.assertRegex(done.err, NEED)
            for text in ("can be taken of the", "a smaller --batch", "--remat=block, --offload=nvme",
                         "--memory-check=off"):
                self.assertIn(text, done.err)
            self.assertEqual(done.err.count("error:"), 1)
            self.assertFalse((self.folder / "weights").exists())

    def test_asked_for(self):
        """A plan that fits starts with and without the check; of one that does not, the memory is asked for."""
        small = self.program(batch=2)
        weights = []
        for option in ("--memory-check=on", "--memory-check=off"):
            self.run_ok(small, *self.common, option, "--save", "weights")
            weights.append((self.folder / "weights").read_bytes())
        self.assertEqual(weights[0], weights[1])
        self.assert_refused(support.run(small, *self.common, "--memory-check=maybe"), "--memory-check=maybe is unknown",
                            status=2)
        # The address space ends the run then, and not the machine.
        done = support.run("sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", self.program(), *self.common,
                           "--memory-check=off")
        self.assert_refused(done, "cannot map", status=1)

    def test_programs_that_do_not_train(self):
        program = self.program("--sample-only")
        done = support.run(program, "--weights", "none", "--prompt-ids=1")
        self.assert_refused(done, "the plan needs", "--memory-check=off", status=1)
        done = support.run("sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", program, "--weights", "none",
                           "--prompt-ids=1", "--memory-check=off")
        self.assert_refused(done, "cannot map", status=1)

    def test_killed_rank(self):
        program = self.program("--world-size=2", batch=2)
        process = subprocess.Popen([str(part) for part in (program, *self.common[:3], 10**6, *self.common[4:])],
                                   env=self.alone, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while not process.stdout.readline().startswith("step "):
            self.assertIsNone(process.poll())
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as children:
            os.kill(int(children.read().split()[1]), signal.SIGKILL)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 137)
        self.assertRegex(errors, r"rank 1 was ended by signal 9 \(Killed\); (if nobody has sent it, memory ran out|the "
                         r"kernel has killed a process for lack of memory meanwhile): [\d.]+ \w+ are available now")


class MemoryOfFinetune(test_finetune.FinetuneCase):
    def test_refused_before_it_is_compiled(self):
        for more, words in ((("--dry-run",), ()), ((), ()), (("--ranks=2",), (" of memory for each of 2 ranks",))):
            done = self.finetune("out", f"--batch={HUGE}", CHUNK, *more, status=1)
            self.assert_refused(done, "can be had of the", "go on anyway with --memory-check=off", *words)
            self.assertRegex(done.err, NEED)
            found = re.search(r"^  --batch=(\d+) --accumulate=\d+ needs [\d.]+ [MG]iB$", done.err, re.MULTILINE)
            self.assertIsNotNone(found, done.err)
            self.assertLess(int(found[1]), HUGE)
            self.assertFalse((self.folder / "out" / "zeroc" / "train").exists())
        # What it names fits, and the double of it does not.
        self.assertEqual(self.check(int(found[1]), 2), "")
        self.assertIn("the plan needs", self.check(4 * int(found[1]), 2))

    def check(self, batch, ranks):
        done = support.run(support.ZEROC, "finetune", self.base, self.chats, "-o", self.folder / "other", "--accumulate=2",
                           f"--batch={batch}", f"--ranks={ranks}", "--steps=1", "--dry-run")
        return "" if done.returncode == 0 else done.err

    def test_other_plans_are_named(self):
        """What plans need is what their programs have in arenas."""
        from zeroc import memory
        model = support.import_model(support.SMALL, 64, 16)
        with unittest.mock.patch.dict(os.environ, ZEROC_PROGRAM=str(support.ZEROC)):
            for options in ([], ["--remat=block"], ["--offload=cpu"], ["--world-size=2", "--stage=2"]):
                done = self.run_ok(support.compile_model(model, *options), "--certificate=json")
                self.assertEqual(memory.need_of(model, options),
                                 sum(arena["bytes"] for arena in json.loads(done.stdout)["arenas"][:2]))
            less = memory.need_of(model, ["--remat=block"])
            self.assertLess(less, memory.need_of(model, []))
            self.assertIn(("--remat=block", less), memory.smaller_plans(model, [], 1, less))
            self.assertNotIn("--remat=block", dict(memory.smaller_plans(model, [], 1, less - 1)))
            self.assertNotIn("--stage=3", dict(memory.smaller_plans(model, [], 1, 10**9)))
            self.assertIn("--stage=3", dict(memory.smaller_plans(model, ["--world-size=2"], 2, 10**9)))

    def test_asked_for(self):
        done = self.finetune("out", f"--batch={HUGE}", CHUNK, "--dry-run", "--steps=1", "--memory-check=off")
        self.assertIn("memory certificate", done.out)

    def test_killed(self):
        run = subprocess.Popen([str(part) for part in (support.ZEROC, "finetune", self.base, self.chats, "-o",
                                                       self.folder / "out", "--threads=1", "--steps=1000000", "--seq=32",
                                                       "--save-every=1000000", "--accumulate=1")],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        while not run.stdout.readline().startswith("step "):
            self.assertIsNone(run.poll())
        train = self.find_child(run.pid)
        os.kill(train, signal.SIGKILL)
        errors = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 137)
        self.assertRegex(errors, r"out/zeroc/train was killed \(SIGKILL\): if nobody did that, the machine ran out of memory; "
                         r"its plan needs [\d.]+ [KM]iB for each rank, and [\d.]+ \w+ are available now")

    def find_child(self, process):
        """The training program among the processes that a process has started."""
        with open(f"/proc/{process}/task/{process}/children", encoding="utf-8") as children:
            for child in map(int, children.read().split()):
                if os.readlink(f"/proc/{child}/exe").endswith("/train"):
                    return child
                if (found := self.find_child(child)) is not None:
                    return found
        return None


del test_finetune
