"""A step of minutes: the micro-batch on the terminal, and Ctrl-C once and twice."""
import json
import os
import shutil
import signal
import time

import support
import test_finetune
from terminal import Terminal

CTRL_C = "\x03"
STOPPING = "note: stopping after this step; Ctrl-C again stops now"


class Stop(support.Case):
    def setUp(self):
        super().setUp()
        self.data = self.write_tokens(1500, support.SMALL["vocab_size"])
        #: Without the variables of a launcher that this test may run under.
        self.alone = {name: value for name, value in os.environ.items()
                      if not name.startswith(("OMPI_", "PMI", "SLURM_", "RANK", "WORLD_SIZE"))}

    def start(self, micro_steps, *options, ranks=1):
        binary = support.compile_gpt2(support.SMALL, 1, 16, f"--accumulate={micro_steps}", f"--world-size={ranks}")
        terminal = Terminal([str(part) for part in (binary, "--data", self.data, "--steps", 10**6, "--lr", 1e-3, *options)],
                            self.alone, self.folder)
        self.addCleanup(lambda: terminal.child.poll() is None and terminal.child.kill())
        terminal.wait_for("weights   are read ...\r")  # a sign of life
        self.assertIn("\x1b[K", terminal.wait_for(f"] 0/1000000  micro-batch 1/{micro_steps}"))
        return terminal

    def test_first_ends_after_the_step(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks):
                terminal = self.start(4, "--save", "weights", "--force", ranks=ranks)
                terminal.wait_for("] 1")  # a step is done
                terminal.type(CTRL_C)
                terminal.wait_for(f"train: {STOPPING}\n")
                terminal.wait_for("stopped by Ctrl-C after")
                self.assertEqual(terminal.close(), 130)
                self.assertNotIn(STOPPING, terminal.seen)  # one rank says it
                self.assertTrue((self.folder / "weights").exists())

    def test_second_ends_at_once(self):
        """Of a step that would take long; what was there stays, and nothing is begun."""
        for ranks, status in ((1, -signal.SIGINT), (2, 128 + signal.SIGINT)):
            with self.subTest(ranks=ranks):
                (self.folder / "weights").write_text("of another run")
                terminal = self.start(10**6, "--save", "weights", "--force", "--checkpoint", "run", "--save-at-exit",
                                      "--resume=latest", "--metrics", "metrics.jsonl", ranks=ranks)
                terminal.type(CTRL_C)
                terminal.wait_for(f"train: {STOPPING}\n")
                time.sleep(1.2)  # two signals within a second are one
                terminal.type(CTRL_C)
                self.assertEqual(terminal.close(), status)
                self.assertNotIn("stopped by", terminal.seen)
                self.assertEqual((self.folder / "weights").read_text(), "of another run")
                self.assertEqual(list((self.folder / "run").glob("*step*")), [])
                self.assertEqual((self.folder / "metrics.jsonl").read_text(), "")

    def test_quiet(self):
        """Without output to look at, there is no note."""
        binary = support.compile_gpt2(support.SMALL, 1, 16)
        terminal = Terminal([str(part) for part in (binary, "--data", self.data, "--steps", 10**6, "--lr", 1e-3, "--quiet",
                                                    "--metrics", "metrics.jsonl")], self.alone, self.folder)
        self.addCleanup(lambda: terminal.child.poll() is None and terminal.child.kill())
        while not (self.folder / "metrics.jsonl").exists() or not (self.folder / "metrics.jsonl").read_text():
            self.assertIsNone(terminal.child.poll())
            time.sleep(0.02)
        terminal.type(CTRL_C)
        self.assertEqual(terminal.close(), 130)
        self.assertNotIn("stopping", terminal.seen)


class StopFinetune(test_finetune.FinetuneCase):
    def start(self, *options):
        terminal = Terminal([str(part) for part in (support.ZEROC, "finetune", self.base, self.chats, "-o",
                                                    self.folder / "out", "--threads=1", "--seq=32", *options)],
                            dict(os.environ), self.folder)
        self.addCleanup(lambda: terminal.child.poll() is None and terminal.child.kill())
        return terminal

    def test_once(self):
        terminal = self.start("--steps=1000000", "--accumulate=4")
        terminal.wait_for("] 0/1000000  micro-batch 1/4")
        terminal.type(CTRL_C)
        terminal.wait_for(f"train: {STOPPING}\n")
        terminal.wait_for("stopped by Ctrl-C after")
        terminal.wait_for("zeroc finetune: stopped; the same command goes on from the last checkpoint")
        self.assertEqual(terminal.close(), 130)
        self.assertEqual(len(list((self.folder / "out" / "zeroc" / "run").glob("step-*"))), 1)

    def test_signalled_alone(self):
        """The training program stops by a signal to the command alone as by one to both."""
        for number, name in ((signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "Ctrl-C"), (signal.SIGHUP, "SIGHUP"),
                             (signal.SIGUSR1, "SIGUSR1")):
            with self.subTest(name):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                terminal = self.start("--steps=1000000", "--accumulate=4")
                terminal.wait_for("] 0/1000000  micro-batch 1/4")
                terminal.child.send_signal(number)
                terminal.wait_for(f"stopped by {name} after")
                terminal.wait_for("zeroc finetune: stopped; the same command goes on from the last checkpoint")
                self.assertEqual(terminal.close(), 128 + number)
                self.assertEqual(len(list((self.folder / "out" / "zeroc" / "run").glob("step-*"))), 1)

    def test_signalled_twice_alone(self):
        terminal = self.start("--steps=3", "--accumulate=1000000", "--ranks=2")
        terminal.wait_for("] 0/3  micro-batch 1/1000000")
        terminal.child.send_signal(signal.SIGINT)
        terminal.wait_for(f"train: {STOPPING}\n")
        time.sleep(1.2)
        terminal.child.send_signal(signal.SIGINT)
        self.assertEqual(terminal.close(), 130)
        self.assertEqual(list((self.folder / "out" / "zeroc" / "run").glob("*step*")), [])

    def test_other_programs(self):
        """A program that does not train gets one Ctrl-C, whether it was for all or for the command alone."""
        texts, model = self.folder / "texts.txt", self.write("config.json", json.dumps(support.SMALL))
        os.mkfifo(texts)
        for alone in (False, True):
            with self.subTest(alone=alone):
                terminal = Terminal([str(part) for part in (support.ZEROC, "pretrain", model, texts, "-o", self.folder / "out",
                                                            "--bytes", "--seq=16", "--steps=1")], dict(os.environ), self.folder)
                self.addCleanup(lambda: terminal.child.poll() is None and terminal.child.kill())
                with open(texts, "wb"):  # once it reads
                    time.sleep(0.2)
                    if alone:
                        terminal.child.send_signal(signal.SIGINT)
                    else:
                        terminal.type(CTRL_C)
                    self.assertEqual(terminal.close(), 130)
                self.assertNotIn("Traceback", terminal.seen)
                self.assertIn("zeroc tokenize: stopped", terminal.seen)
                self.assertEqual([*(self.folder / "out" / "zeroc").glob("data*")], [])

    def test_before_python_begins(self):
        """Ctrl-C while Python starts ends the command by the signal, without a word."""
        self.write("sitecustomize.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
        # Compiled, the first of these files would stand for the next, which may have its size and time.
        environment = {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        for arguments in (("finetune", self.base, self.chats, "-o", "out"), ("plot", "--help")):
            done = support.run(support.ZEROC, *arguments, env=environment, cwd=self.folder)
            self.assertEqual((done.returncode, done.out, done.err), (-signal.SIGINT, "", ""))
        # A background job of a shell does not get it, nor nohup's program SIGHUP.
        for name in ("INT", "HUP"):
            self.write("sitecustomize.py", f"import os, signal\nos.kill(os.getpid(), signal.SIG{name})\n")
            done = support.run("sh", "-c", f"trap '' {name}; {support.ZEROC} plot --help", env=environment)
            self.assertEqual((done.returncode, done.err), (0, ""))

    def test_before_it_begins(self):
        """Ctrl-C while Python imports modules: one that this package needs first, and one of a command."""
        for name in ("shlex", "tempfile", "tokenizers"):
            with self.subTest(name):
                self.write(f"{name}.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
                done = support.run(support.ZEROC, "finetune", self.base, self.chats, "-o", "out",
                                   env={"PYTHONPATH": str(self.folder)}, cwd=self.folder)
                self.assertEqual((done.returncode, done.err), (130, "zeroc finetune: stopped\n"))
                (self.folder / f"{name}.py").unlink()

    def test_twice(self):
        terminal = self.start("--steps=3", "--accumulate=1000000")
        terminal.wait_for("] 0/3  micro-batch 1/1000000")
        terminal.type(CTRL_C)
        terminal.wait_for(f"train: {STOPPING}\n")
        time.sleep(1.2)
        terminal.type(CTRL_C)
        terminal.wait_for("zeroc finetune: stopped; the same command goes on from the last checkpoint")
        self.assertEqual(terminal.close(), 130)
        self.assertNotIn("Traceback", terminal.seen)
        self.assertEqual(list((self.folder / "out" / "zeroc" / "run").glob("*step*")), [])


del test_finetune
