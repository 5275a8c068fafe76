#!/usr/bin/env python3
"""Several processes of zrt_ranks: the same bits through shared memory and between imitated hosts,
and the other ranks' messages when one fails.

    test_ranks.py ZRT_RANKS MPIRUN [CLASS...]
"""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM, MPIRUN = sys.argv[1:3]
del sys.argv[1:3]


def environment(**more):
    """Allows more ranks than processors."""
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_rmaps_base_oversubscribe="1", **more)


def job(ranks, mode, started=None, patience=None, **variables):
    """Returns the finished job; `patience` has a ZRT_TIMEOUT for each rank."""
    start = ["-n", str(started or ranks), PROGRAM, str(ranks), mode]
    if patience:
        start = [word for seconds in patience
                 for word in ("-n", "1", "env", f"ZRT_TIMEOUT={seconds}", PROGRAM, str(ranks), mode, ":")][:-1]
    return subprocess.run([MPIRUN, *start],
                          env=environment(**variables), capture_output=True, text=True, timeout=120)


def spawned(ranks, mode, started=None, **variables):
    """Same, for processes that know only their rank numbers, as torchrun starts them: returns all
    output and the statuses, None for a process that does not end."""
    started = started or ranks
    with tempfile.TemporaryFile("w+") as printed:
        processes = []
        for rank in range(started):
            # A port for each job on this machine.
            numbers = dict(RANK=str(rank), WORLD_SIZE=str(started), MASTER_ADDR="localhost",
                           MASTER_PORT=f"{os.getpid()}.{spawned.jobs}")
            processes.append(subprocess.Popen([PROGRAM, str(ranks), mode], env={**os.environ, **numbers, **variables},
                                              stdout=printed, stderr=printed))
        spawned.jobs += 1
        statuses = []
        for process in processes:
            is_stopped = mode in ("stop", "asleep", "unborn") and process is processes[-1]
            try:
                statuses.append(process.wait(timeout=1 if is_stopped else 120))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                statuses.append(None)
        printed.seek(0)
        return printed.read(), statuses


spawned.jobs = 0


def alone(ranks, mode, **variables):
    """Returns the finished program, which has started its ranks itself."""
    return subprocess.run([PROGRAM, str(ranks), mode], env={**ALONE, **variables}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)


#: The environment without the launcher that this test itself may run under.
ALONE = {name: value for name, value in os.environ.items()
         if not re.match("OMPI_|PMI|SLURM_|RANK$|WORLD_SIZE$", name)}


class Bits(unittest.TestCase):
    def bits(self, ranks, mode="bits", **environment):
        done = job(ranks, mode, **environment)
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


    def test_of_groups_do_not_depend_on_where_ranks_run(self):
        right = self.bits(4, "groups")
        for hosts, seed in ((2, 0), (1, 0), (3, 1), (2, 2), (4, 3)):
            with self.subTest(per_host=hosts, seed=seed):
                more = {"ZRT_CHAOS": str(seed)} if seed else {}
                self.assertEqual(self.bits(4, "groups", ZRT_RANKS_PER_HOST=str(hosts), **more), right)

    def test_ranks_share_a_folder_of_nvme(self):
        with tempfile.TemporaryDirectory() as folder:
            done = job(3, "spill", TMPDIR=folder)
            self.assertEqual((done.returncode, done.stdout), (0, self.bits(3)), done.stderr)
            self.assertEqual(os.listdir(folder), [])


    def test_do_not_depend_on_the_launcher(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                self.assertEqual(spawned(ranks, "bits"), (self.bits(ranks), [0] * ranks))
                self.assertEqual(alone(ranks, "bits").stdout, self.bits(ranks))


class Faults(unittest.TestCase):
    def failing(self, mode, **environment):
        done = job(3, mode, **environment)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def assert_told(self, text, message):
        """Rank 2 has failed; each of the other two names it, once."""
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
                    ("eio@9", r"(spill|fetch) of b2: (writing|reading) [\d,]+ bytes \([^)]+\) "
                              rf"at byte [\d,]+ of the nvme tier's file in {folder}: "
                              "input/output error; .*" + self.WAITING),
                    ("flip@2", r"fetch of b2: reading [\d,]+ bytes \([^)]+\) at byte [\d,]+ of the "
                               rf"nvme tier's file in {folder}: "
                               "this is not what was written there; .*" + self.WAITING),
                    ("full", rf"--nvme-path: the nvme tier needs 4,194,304 bytes \(4.0 MiB\) in {folder}, "
                             "which has .*")):
                with self.subTest(fault=fault):
                    self.assert_told(self.failing("spill", TMPDIR=folder,
                                                  ZRT_STORE_FAULT=f"{fault}:2"),
                                     "rank 2 failed: " + message)
                    self.assertEqual(set(os.listdir(folder)) - {f"zeroc-{os.getuid()}"}, set())

    def test_a_failure_between_steps(self):
        for hosts in "31":
            with self.subTest(per_host=hosts):
                self.assert_told(self.failing("throw", ZRT_RANKS_PER_HOST=hosts),
                                 "rank 2 failed: the disk is full" + self.WAITING)

    def test_a_failure_before_ranks_are_connected(self):
        self.assert_told(self.failing("early"), "rank 2 failed: no data$")

    def test_a_process_stopped_before_ranks_are_connected(self):
        """A rank notices it, or gets the message of the one that noticed first."""
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
                # The launcher leaves them time to say it.
                text = self.failing("stop", patience=patience, ZRT_RANKS_PER_HOST="1",
                                    OMPI_MCA_odls_base_sigkill_timeout="4")
                self.assert_told(text, r"rank \d has not come for \d\.\d s"
                                 + self.WAITED.replace("$", "; set ZRT_TIMEOUT"))
                self.assertRegex(text, r"rank 2 has not come for \d\.\d s while rank [01] waited")

    def test_another_number_of_ranks(self):
        done = job(4, "bits", started=2)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(re.findall("compiled for .*", done.stderr),
                         ["compiled for 4 ranks, started with 2; run mpirun -n 4 ... or compile with "
                          "--world-size=2"])


class FaultsOfSpawned(Faults):
    """The same words as with MPI; what concerns several hosts is left out."""

    def failing(self, mode, **variables):
        printed, statuses = spawned(3, mode, **{name: value for name, value in variables.items()
                                                if name != "ZRT_RANKS_PER_HOST"})
        self.assertEqual(statuses[:2], [1, 1], printed)
        return printed

    test_a_process_stopped_before_it_starts = None
    test_a_stopped_process_on_another_host = None

    def test_another_number_of_ranks(self):
        printed, statuses = spawned(4, "bits", started=2)
        self.assertEqual(statuses, [1, 1])
        self.assertEqual(printed, "rank 0: compiled for 4 ranks, started with 2; start 4 or compile with "
                                  "--world-size=2\n")

    def test_a_rank_that_never_starts(self):
        printed, statuses = spawned(3, "unborn", ZRT_TIMEOUT="11")
        self.assertEqual(statuses, [1, 1, None])
        for rank in (0, 1):
            self.assertIn(f"zrt_ranks: note: rank 2 has not come to rank {rank} for 10 s\n", printed)
            self.assertIn(f"rank 2 has not come for 11 s while rank {rank} waited for it at the start; set ZRT_TIMEOUT "
                          "to more seconds", printed)

    def test_wrong_numbers(self):
        for numbers, message in ((dict(RANK="3"), "RANK=3 is not below WORLD_SIZE=3"),
                                 (dict(RANK="two"), "RANK must be a whole number from 0, got two"),
                                 (dict(WORLD_SIZE="-1"), "WORLD_SIZE must be a whole number from 1, got -1"),
                                 (dict(LOCAL_WORLD_SIZE="2"), "2 of 3 ranks are on this host; without MPI all must "
                                                              "be on one: start with mpirun or srun")):
            with self.subTest(numbers):
                printed, statuses = spawned(3, "bits", **numbers)
                self.assertEqual(statuses, [1, 1, 1])
                self.assertIn(message, printed)

    def test_two_jobs_of_one_port(self):
        """The second one says so, and the first goes on."""
        def sockets():
            with open("/proc/net/unix", encoding="utf-8") as lines:
                return {line.split()[-1] for line in lines if "/zeroc-" in line}

        def start(rank, **pipes):
            environ = dict(os.environ, MASTER_PORT=f"{os.getpid()}.same", WORLD_SIZE="2", RANK=str(rank))
            return subprocess.Popen([PROGRAM, "2", "bits"], env=environ, text=True, **pipes)

        before = sockets()
        with start(0, stdout=subprocess.PIPE) as first:
            try:
                while sockets() <= before and first.poll() is None:
                    time.sleep(0.01)
                self.assertIn("rank 0 of a job with this MASTER_PORT runs already; give each job a MASTER_PORT of "
                              "its own", start(0, stderr=subprocess.PIPE).communicate(timeout=60)[1])
                self.assertEqual((start(1).wait(timeout=60), first.wait(timeout=60)), (0, 0))
            finally:
                first.kill()


    def folder(self, mode=0o700, name=""):
        """A folder with one of that mode, which is that of sockets if it is called so."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        inner = os.path.join(temporary.name, name or "inner")
        os.mkdir(inner)
        os.chmod(inner, mode)
        return temporary.name, inner

    def start_rank(self, rank, size, **variables):
        environ = dict(os.environ, WORLD_SIZE=str(size), RANK=str(rank), **variables)
        process = subprocess.Popen([PROGRAM, str(size), "bits"], env=environ, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def first_rank(self, **variables):
        """Starts rank 0 of 2; returns the process and the file of its socket."""
        process = self.start_rank(0, 2, **variables)
        for _ in range(500):
            if found := os.listdir(variables["XDG_RUNTIME_DIR"]):
                return process, os.path.join(variables["XDG_RUNTIME_DIR"], *found)
            time.sleep(0.02)
        self.fail("no socket in the folder")

    def test_names_are_in_a_folder_of_the_user(self):
        """No one else can take them; what a killed rank leaves is in no one's way."""
        _, own = self.folder()
        port = dict(MASTER_ADDR="localhost", MASTER_PORT="7", XDG_RUNTIME_DIR=own)
        process, _ = self.first_rank(**port)
        process.kill()
        process.wait()
        self.assertEqual(len(os.listdir(own)), 1)
        self.assertEqual(spawned(2, "bits", **port)[1], [0, 0])
        self.assertEqual(os.listdir(own), [])

    def test_other_folders(self):
        uid = f"zeroc-{os.getuid()}"
        _, shared = self.folder(0o755)
        with tempfile.TemporaryDirectory() as temporary:
            self.assertEqual(spawned(2, "bits", XDG_RUNTIME_DIR=shared, TMPDIR=temporary)[1], [0, 0])
            self.assertEqual(os.listdir(shared), [])
            self.assertEqual(os.stat(os.path.join(temporary, uid)).st_mode & 0o777, 0o700)
        temporary, open_to_all = self.folder(0o777, uid)
        blocked, _ = self.folder()
        file = os.path.join(blocked, uid)
        with open(file, "w", encoding="utf-8"):
            pass
        places = [(temporary, f"cannot connect the ranks in {open_to_all}: it is not yours alone (mode 0700)"),
                  (blocked, f"cannot connect the ranks in {file}: not a directory; set XDG_RUNTIME_DIR"),
                  ("/proc", f"cannot make /proc/{uid} to connect the ranks: ")]
        if os.getuid() == 0:
            foreign, inner = self.folder(0o700, uid)
            os.chown(inner, 65534, -1)
            places.append((foreign, f"{inner}: it is not yours alone"))
        for place, message in places:
            printed, statuses = spawned(2, "bits", XDG_RUNTIME_DIR="", TMPDIR=place)
            self.assertEqual(statuses, [1, 1])
            self.assertEqual(printed.count(message), 2, printed)

    def test_a_rank_that_cannot_listen(self):
        """The others end with its reason, rather than wait for it."""
        _, own = self.folder()
        process, path = self.first_rank(MASTER_ADDR="localhost", MASTER_PORT="8", XDG_RUNTIME_DIR=own)
        process.kill()
        process.wait()
        blocked = path.removesuffix("-0") + "-1"
        os.mkdir(blocked)
        printed, statuses = spawned(3, "bits", MASTER_PORT="8", XDG_RUNTIME_DIR=own)
        self.assertEqual(statuses, [1, 1, 1])
        why = f"cannot connect the ranks at {blocked}: address already in use"
        self.assertEqual(printed.count(why), 3, printed)
        self.assertEqual(printed.count(f"rank 1 failed: {why}"), 2, printed)

    def test_ranks_of_two_sizes(self):
        _, own = self.folder()
        of_both = dict(MASTER_ADDR="localhost", MASTER_PORT="9", XDG_RUNTIME_DIR=own, ZRT_TIMEOUT="5")
        process, _ = self.first_rank(**of_both)
        self.start_rank(1, 3, **of_both)
        self.assertIn("rank 0 was started as one of 2, rank 1 as one of 3; WORLD_SIZE must be the same for all",
                      process.communicate(timeout=60)[1])

    def test_a_stranger_at_the_socket(self):
        """It is no rank, and keeps none from coming."""
        _, own = self.folder()
        of_both = dict(MASTER_ADDR="localhost", MASTER_PORT="10", XDG_RUNTIME_DIR=own)
        process, path = self.first_rank(**of_both)
        for words in (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.connect(path)
                stranger.sendall(words)
        other = self.start_rank(1, 2, **of_both)
        self.assertEqual((other.wait(timeout=60), process.wait(timeout=60)), (0, 0))


class FaultsOfStarted(Faults):
    """The same words where the program has started its ranks itself; and its status."""

    def failing(self, mode, **variables):
        variables.pop("ZRT_RANKS_PER_HOST", None)
        done = alone(3, mode, **variables)
        self.assertEqual(done.returncode, 128 + signal.SIGKILL if mode == "kill" else 1, done.stderr)
        return done.stderr

    test_a_process_stopped_before_it_starts = None
    test_a_stopped_process_on_another_host = None
    test_another_number_of_ranks = None

    def test_a_killed_process_is_named_by_the_one_that_started_it(self):
        self.assertRegex(self.failing("kill"), r"zrt_ranks: error: rank 2 was ended by signal 9 \(Killed\); .*memory")

    def started(self, mode):
        """The process, and its ranks once they sleep for ever."""
        process = subprocess.Popen([PROGRAM, "3", mode], env=ALONE, stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        for _ in range(500):
            with open(children, encoding="utf-8") as file:
                ranks = [int(pid) for pid in file.read().split()]
            if len(ranks) == 3 and all(self.is_waiting(pid) for pid in ranks):
                return process, ranks
            time.sleep(0.02)
        self.fail(f"ranks {ranks} do not wait")

    @staticmethod
    def is_waiting(pid):
        with open(f"/proc/{pid}/cmdline", "rb") as file, open(f"/proc/{pid}/syscall", encoding="utf-8") as call:
            return file.read() and call.read().split()[0] == str(PAUSE)

    def assert_gone(self, ranks):
        for _ in range(500):
            if not any(os.path.exists(f"/proc/{pid}") for pid in ranks):
                return
            time.sleep(0.02)
        self.fail(f"some of {ranks} are still there")

    def test_ranks_end_with_the_process_that_started_them(self):
        process, ranks = self.started("wait")
        process.kill()
        self.assertEqual(process.wait(timeout=60), -signal.SIGKILL)
        self.assert_gone(ranks)

    def test_signals_come_to_each_rank_once(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            with self.subTest(number):
                process, _ = self.started("wait")
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), 40)
                self.assertEqual(sorted(process.stderr.read().splitlines()),
                                 [f"rank {rank}: signal {number.value}" for rank in range(3)])

    @staticmethod
    def is_stopped(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(") ")[2][0] == "T"

    def test_ranks_are_stopped_and_go_on_with_it(self):
        """Ctrl-Z, fg, Ctrl-C."""
        process, ranks = self.started("wait")
        for number, is_stopped in ((signal.SIGTSTP, True), (signal.SIGCONT, False)):
            process.send_signal(number)
            for _ in range(500):
                if all(self.is_stopped(pid) == is_stopped for pid in (process.pid, *ranks)):
                    break
                time.sleep(0.02)
            else:
                self.fail(f"after {number.name} some of {ranks} are in the other state")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 40)

    def test_a_launcher_of_one_process_is_none(self):
        """As in an interactive shell of Slurm's, or a job of one worker."""
        for variables in (dict(SLURM_STEP_NUM_TASKS="1", SLURM_PROCID="0"), dict(PMI_SIZE="1", PMI_RANK="0"),
                          dict(RANK="0", WORLD_SIZE="1")):
            with self.subTest(variables):
                done = alone(3, "bits", **variables)
                self.assertEqual((done.returncode, done.stdout.count(" ")), (0, 3), done.stderr)

    def test_only_rank_0_reads_what_is_typed(self):
        done = subprocess.run([PROGRAM, "3", "read"], env=ALONE, input="abc", capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())),
                         (0, ["rank 0: 3 bytes", "rank 1: 0 bytes", "rank 2: 0 bytes"]), done.stderr)


#: The system call in which a rank waits for a signal.
PAUSE = 34

if __name__ == "__main__":
    unittest.main(verbosity=2)
