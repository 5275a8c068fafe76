#!/usr/bin/env python3
"""Kills ranks and starters of elastic runs at random moments, and lets runs grow.

    elastic.py [--seeds=1000] [--seed=1]

A seed is a run of up to 4 ranks whose processes get random signals at random moments; the program has plans for 4, 2
and 1 ranks with virtual shards.  Where a run ends because of that, the same command goes on, with any number of ranks.
In the end the metrics have each step once, losses, norms and weights have the bits of an undisturbed run, the newest
checkpoint is complete, no start has begun before a checkpoint that was there, and no process and no file is left.

test_elastic.py has a few seeds.  The status is 0 if all were right.
"""
import argparse
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import support

MODEL = dict(model_type="gpt2", n_layer=1, n_head=1, n_embd=8, vocab_size=32, n_positions=8, layer_norm_epsilon=1e-5,
             activation_function="gelu_new", tie_word_embeddings=True)
SIZES = (4, 2, 1)
PLANS = (("--stage=3",), ("--stage=2", "--offload-optimizer=cpu"), ("--stage=1",), ("--stage=3", "--offload=nvme"))
STEPS, EVERY, KEEP = 240, 12, 3
#: What happens to a run, and how often.
EVENTS = {"a rank is killed": 40, "two ranks are killed": 10, "a rank is killed at the start": 10,
          "a rank is killed in a checkpoint": 15, "the run grows": 25, "the starter is killed": 20, "a rank is stopped": 1}
POINTS = ("copy", "block", "sync", "manifest", "rename", "renamed", "remove")
GOES_ON = re.compile(r"going on with (\d) of 4 ranks from step (\d+)")


def compile_plans(options):
    return support.compile_gpt2(MODEL, 1, 8, *options, "--world-size=" + ",".join(map(str, SIZES)), "--virtual-shards=4")


def children_of(process):
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def runs(process, program):
    try:
        return os.readlink(f"/proc/{process}/exe") == str(program)
    except OSError:
        return False


def kill(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


class Whole:
    """The undisturbed runs of all plans, made once."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "tmp").mkdir()
        support.write_tokens(folder / "tokens.u16", 3000, MODEL["vocab_size"])
        self.runs = {}

    def of(self, options):
        if options not in self.runs:
            program, begun = compile_plans(options), time.monotonic()
            done = support.run(program, *self.flags(self.folder, options), *self.saves(self.folder))
            assert done.returncode == 0, done.err
            seconds = time.monotonic() - begun
            shutil.rmtree(self.folder / "ck")
            self.runs[options] = (support.bits_of(support.read_metrics(self.folder / "run.jsonl")),
                                  support.saved_bytes(self.folder / "saved.safetensors"), seconds)
        return self.runs[options]

    def flags(self, folder, options):
        return ["--data", self.folder / "tokens.u16", "--steps", STEPS, "--lr", 1e-2, "--quiet", "--shuffle", "--threads", 1,
                "--metrics", folder / "run.jsonl", "--save", folder / "saved.safetensors",
                *support.nvme_flags(options, folder / "tmp")]

    def saves(self, folder):
        return ["--checkpoint", folder / "ck", "--save-every", EVERY, "--keep", KEEP]


class Seed:
    """A run that is disturbed.  `problem` says what was wrong, or nothing; `counts` what has happened."""

    def __init__(self, whole, folder, seed, counts, is_mpi=None, events=None):
        self.dice, self.counts = random.Random(seed), counts
        self.whole, self.folder = whole, folder
        self.options = self.dice.choice(PLANS)
        self.bits, self.saved, self.seconds = whole.of(self.options)
        self.is_mpi = self.dice.random() < 0.06 if is_mpi is None else is_mpi
        self.left = self.dice.randint(1, 5) if events is None else events
        self.program = folder / "train"
        shutil.copy(compile_plans(self.options), self.program)
        (folder / "tmp").mkdir()
        self.said, self.newest = folder / "said", []

    def start(self, is_first):
        """Starts the run, with any number of ranks unless it is the first time."""
        ranks = 4 if is_first else self.dice.choice(SIZES)
        command = [self.program, *self.whole.flags(self.folder, self.options), *self.whole.saves(self.folder), "--elastic"]
        command = [*(["mpirun", "-n", ranks] if self.is_mpi else []), *command,
                   *([] if is_first or self.is_mpi else ["--ranks", ranks])]
        env = {**os.environ, **support.MPI_ENVIRONMENT, "TMPDIR": str(self.folder / "tmp"), "ZRT_TIMEOUT": "15"}
        self.event, self.until = None, time.monotonic() + 100
        if self.left > 0:
            self.left -= 1
            self.plan(env, ranks)
        with self.said.open("a") as out:
            self.job = subprocess.Popen(list(map(str, command)), env=env, stdout=out, stderr=out, stdin=subprocess.DEVNULL)

    def plan(self, env, ranks):
        """Chooses what comes next, and when."""
        self.event = self.dice.choices(list(EVENTS), EVENTS.values())[0]
        wait = self.dice.uniform(0, self.seconds)
        if self.event == "a rank is killed at the start":
            wait = self.dice.uniform(0, 0.03)
        if self.event == "a rank is killed in a checkpoint" and env is None:
            self.event = "a rank is killed"  # only a start can be told the point
        elif self.event == "a rank is stopped" and self.is_mpi:
            self.event = "a rank is killed"  # MPI waits for ever for one that does not connect
        elif self.event == "a rank is killed in a checkpoint":
            point = self.dice.choice(POINTS)
            rank = self.dice.randrange(ranks) if point in ("copy", "block", "sync") else 0
            env["ZRT_CHECKPOINT_FAULT"] = f"kill@{point}#{self.dice.randint(1, STEPS // EVERY - KEEP)}:{rank}"
            self.counts[self.event] += 1
            self.event = None
        self.until = time.monotonic() + (wait if self.event else 100)

    def ranks(self):
        """Returns the processes of the ranks; mpirun has them as children, too."""
        return [child for child in children_of(self.job.pid) if runs(child, self.program)]

    def strike(self):
        """Lets the event happen."""
        ranks = self.ranks()
        self.dice.shuffle(ranks)
        victims = ranks[:2 if self.event == "two ranks are killed" else 1]
        if self.event == "a rank is stopped" and len(ranks) == 1:
            self.event = "a rank is killed"  # no other one waits for it
        # The newest checkpoint, and where what is said later begins.
        self.newest.append((self.checkpoints()[-1:], self.said.stat().st_size))
        if self.event == "the run grows":
            kill(self.job.pid, signal.SIGUSR2)
        elif self.event == "the starter is killed" and not self.is_mpi:
            self.job.kill()
        else:
            for victim in victims:
                kill(victim, signal.SIGSTOP if self.event == "a rank is stopped" else signal.SIGKILL)
        self.counts[self.event] += 1

    def checkpoints(self):
        folder = self.folder / "ck"
        return sorted(int(path.name[5:]) for path in (folder.iterdir() if folder.exists() else ())
                      if path.name.startswith("step-"))

    def problem(self):
        self.start(True)
        for _ in range(20):
            if (wrong := self.follow()) is not None:
                return wrong
            if self.job.returncode == 0:
                return self.judge()
            self.counts["starts again"] += 1
            self.start(False)
        return "it does not come to an end"

    def follow(self):
        """Follows a start to its end; returns what is wrong with it."""
        end = time.monotonic() + 40
        while self.job.poll() is None:
            if time.monotonic() > end:
                self.job.kill()
                if self.processes() or not self.is_mpi:
                    return f"it hangs, with the processes {self.processes()}"
                # Open MPI may do so when a rank is killed while it connects with mpirun.
                self.counts["mpirun hangs, and all ranks have ended"] += 1
                self.job.wait()
                break
            if time.monotonic() > self.until and (self.event == "the starter is killed" or self.ranks()):
                self.strike()
                self.event, self.until = None, end
                if self.left > 0 and self.job.poll() is None and not self.is_mpi:
                    self.left -= 1
                    self.plan(None, 0)
            time.sleep(0.002)
        allowed = {0, -signal.SIGKILL, 128 + signal.SIGKILL}
        if self.is_mpi:
            allowed |= {75, 128 + signal.SIGUSR2, 128 + signal.SIGTERM}
        return None if self.job.returncode in allowed else f"status {self.job.returncode}"

    def processes(self):
        return [int(entry) for entry in os.listdir("/proc") if entry.isdigit() and runs(entry, self.program)]

    def judge(self):
        """Returns what is wrong after the end."""
        lines = support.read_metrics(self.folder / "run.jsonl")
        if [line["step"] for line in lines] != list(range(STEPS)):
            return f"the steps are {[line['step'] for line in lines]}"
        if support.bits_of(lines) != self.bits:
            return "losses or norms are others"
        if support.saved_bytes(self.folder / "saved.safetensors") != self.saved:
            return "the weights are others"
        end = time.monotonic() + 5
        while (processes := self.processes()) and time.monotonic() < end:
            time.sleep(0.005)
        if processes:
            return f"processes {processes} are left"
        # Ranks meet in a folder of the user.
        files = {path.name for path in (self.folder / "tmp").iterdir()} - {f"zeroc-{os.getuid()}"}
        if not self.is_mpi and files:
            return f"files {files} are left"
        # Growth saves between two of --save-every, and a run that is killed may not have removed an older one.
        steps, names = self.checkpoints(), {path.name for path in (self.folder / "ck").iterdir()}
        if names != {".lock", *(f"step-{step}" for step in steps)} or steps[-1] != STEPS or len(steps) > KEEP + 1:
            return f"the checkpoints are {sorted(names)}"
        said = self.said.read_bytes()
        for newest, at in self.newest:
            for ranks, step in GOES_ON.findall(said[at:].decode(errors="replace")):
                if newest and int(step) < newest[0]:
                    return f"it goes on from step {step}, and has a checkpoint of step {newest[0]}"
        self.counts.update(f"goes on with {ranks}" for ranks, _ in GOES_ON.findall(said.decode(errors="replace")))
        # Every byte is verified.
        done = support.run(self.program, *self.whole.flags(self.folder, self.options), "--ranks", 1,
                           "--resume", self.folder / "ck" / f"step-{STEPS}")
        if done.returncode != 0:
            return done.err
        if support.saved_bytes(self.folder / "saved.safetensors") != self.saved:
            return "the weights of the newest checkpoint are others"
        return None


def shared_files():
    """Returns the files of /dev/shm, without those of Open MPI and of tests of GPUs."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith(("vader_segment", "fake-nccl"))}


def run_seed(whole, seed, counts, **keywords):
    """Returns what was wrong, with what the run has said, or nothing."""
    folder = Path(tempfile.mkdtemp(prefix="zeroc-elastic-"))
    memory = shared_files()
    try:
        one = Seed(whole, folder, seed, counts, **keywords)
        problem = one.problem()
        counts["mpirun" if one.is_mpi else "own start"] += 1
        if problem is None and (left := shared_files() - memory):
            problem = f"{left} are left in /dev/shm"
        return problem and f"{problem}\n{one.said.read_text(errors='replace')[-4000:]}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    options = parser.parse_args()
    support.require_zeroc()
    folder = Path(tempfile.mkdtemp(prefix="zeroc-elastic-"))
    wrong, counts, begun = 0, collections.Counter(), time.monotonic()
    try:
        whole = Whole(folder)
        for seed in range(options.seed, options.seed + options.seeds):
            if (problem := run_seed(whole, seed, counts)) is not None:
                wrong += 1
                print(f"seed {seed}: {problem}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        support.remove_compiled()
    for what, number in sorted(counts.items()):
        print(f"{number:6} {what}")
    print(f"{options.seeds - wrong} right, {wrong} wrong, in {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
