#!/usr/bin/env python3
"""Several processes of zrt_ranks: the same bits through shared memory and
between imitated hosts, and what the others say when one fails.

    test_ranks.py ZRT_RANKS MPIRUN
"""
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM, MPIRUN = sys.argv[1:3]
del sys.argv[1:3]


def environment(**more):
    """Ranks may be more than the processors."""
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", **more)


def job(ranks, mode, started=None, patience=None, **variables):
    """The finished job; `patience` has a ZRT_TIMEOUT for each rank."""
    start = ["-n", str(started or ranks), PROGRAM, str(ranks), mode]
    if patience:
        start = [word for seconds in patience
                 for word in ("-n", "1", "env", f"ZRT_TIMEOUT={seconds}", PROGRAM, str(ranks), mode, ":")][:-1]
    return subprocess.run([MPIRUN, *start],
                          env=environment(**variables), capture_output=True, text=True, timeout=120)


class Bits(unittest.TestCase):
    def bits(self, ranks, **environment):
        done = job(ranks, "bits", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"^([0-9a-f]{{16}} ){{{ranks}}}\n$")
        return done.stdout

    def test_do_not_depend_on_where_ranks_run(self):
        for ranks, hosts in ((2, "1"), (4, "2"), (3, "2"), (4, "1")):
            with self.subTest(ranks=ranks, per_host=hosts):
                self.assertEqual(self.bits(ranks, ZRT_RANKS_PER_HOST=hosts), self.bits(ranks))

    def test_do_not_depend_on_delays(self):
        quiet = self.bits(4)
        for seed in "12":
            for hosts in "42":
                with self.subTest(seed=seed, per_host=hosts):
                    self.assertEqual(self.bits(4, ZRT_CHAOS=seed, ZRT_RANKS_PER_HOST=hosts), quiet)


    def test_ranks_share_a_folder_of_nvme(self):
        with tempfile.TemporaryDirectory() as folder:
            done = job(3, "spill", TMPDIR=folder)
            self.assertEqual((done.returncode, done.stdout), (0, self.bits(3)), done.stderr)
            self.assertEqual(os.listdir(folder), [])


class Faults(unittest.TestCase):
    def failing(self, mode, **environment):
        done = job(3, mode, **environment)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def assert_told(self, text, message):
        """Rank 2 has failed; the other two name it, and say it once each."""
        for rank in (0, 1):
            lines = re.findall(rf"^rank {rank}: .*$", text, re.MULTILINE)
            self.assertEqual(len(lines), 1, text)
            self.assertRegex(lines[0], f"^rank {rank}: {message}", text)

    WAITING = r" \(rank \d was waiting for (it|rank \d) in (all|reduce)_\w+ of \w+\)$"
    WAITED = r" while rank [01] waited for it in (all|reduce)_\w+ of \w+$"

    def test_a_failing_operation(self):
        for hosts in "31":
            with self.subTest(per_host=hosts):
                self.assert_told(self.failing("fail", ZRT_RANKS_PER_HOST=hosts),
                                 "rank 2 failed: the kernel is broken" + self.WAITING)

    def test_a_failing_drive(self):
        with tempfile.TemporaryDirectory() as folder:
            for fault, message in (
                    ("eio@9", r"(spill|fetch) of b2: (writing|reading) \d+ bytes at \d+ of the nvme "
                              f"tier's file in {folder}: input/output error; .*" + self.WAITING),
                    ("flip@2", r"fetch of b2: reading \d+ bytes at \d+ of the nvme tier's file in "
                               f"{folder}: this is not what was written there; .*" + self.WAITING),
                    ("full", rf"--nvme-path: the nvme tier needs 4194304 bytes in {folder}, "
                             "which has .*")):
                with self.subTest(fault=fault):
                    self.assert_told(self.failing("spill", TMPDIR=folder,
                                                  ZRT_STORE_FAULT=f"{fault}:2"),
                                     "rank 2 failed: " + message)
                    self.assertEqual(os.listdir(folder), [])

    def test_a_failure_between_steps(self):
        for hosts in "31":
            with self.subTest(per_host=hosts):
                self.assert_told(self.failing("throw", ZRT_RANKS_PER_HOST=hosts),
                                 "rank 2 failed: the disk is full" + self.WAITING)

    def test_a_failure_before_ranks_are_connected(self):
        self.assert_told(self.failing("early"), "rank 2 failed: no data$")

    def test_a_process_stopped_before_ranks_are_connected(self):
        """A rank finds it out, or hears of it from the one that did first."""
        self.assert_told(self.failing("asleep"),
                         r"(rank [01] failed: )?rank 2 \(process \d+\) has not moved for 5 s \(it is stopped\) while rank "
                         r"[01] waited for it in a message between all ranks$")

    def test_a_process_stopped_before_it_starts(self):
        """MPI waits for it, for ever; the others say that it is not their work that takes so long."""
        with subprocess.Popen([MPIRUN, "-n", "3", PROGRAM, "3", "unborn"], env=environment(),
                              stderr=subprocess.PIPE, text=True) as started:
            late = threading.Timer(60, started.kill)
            late.start()
            try:
                self.assertRegex(started.stderr.readline(),
                                 "zrt_ranks: note: MPI has not connected all ranks for 10 s")
            finally:
                late.cancel()
                started.terminate()
                started.stderr.read()

    def test_a_killed_process(self):
        self.assert_told(self.failing("kill"), r"rank 2 \(process \d+\) is gone" + self.WAITED)

    def test_a_stopped_process(self):
        self.assert_told(self.failing("stop"),
                         r"rank 2 \(process \d+\) has not moved for 5 s \(it is stopped\)" + self.WAITED)

    def test_a_stopped_process_on_another_host(self):
        """Without shared memory a rank knows only whom it waited for, which may be
        one that waits for the stopped rank as well: that one says so, whoever is
        first to give up."""
        for patience in ((3, 3, 3), (3, 9, 9), (9, 3, 9)):
            with self.subTest(patience=patience):
                text = self.failing("stop", patience=patience, ZRT_RANKS_PER_HOST="1")
                self.assert_told(text, r"rank \d has not come for \d\.\d s"
                                 + self.WAITED.replace("$", "; set ZRT_TIMEOUT"))
                self.assertRegex(text, r"rank 2 has not come for \d\.\d s while rank [01] waited")

    def test_another_number_of_ranks(self):
        done = job(4, "bits", started=2)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(re.findall("compiled for .*", done.stderr),
                         ["compiled for 4 ranks, started with 2; run mpirun -n 4 ... or compile with "
                          "--world-size=2"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
