"""A failure of a rank ends the job in seconds, with a message that says which rank failed and what
the others were doing."""
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import support


def rank_processes(binary, ranks, deadline, folder):
    """Returns {rank: process id} of the running ranks of `binary` in `folder`."""
    while time.monotonic() < deadline:
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                # Other tests may run the same program.
                if os.readlink(entry / "exe") != str(binary) or os.readlink(entry / "cwd") != str(folder):
                    continue
                environment = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            for item in environment:
                if item.startswith(f"{support.RANK_VARIABLE}=".encode()):
                    found[int(item.split(b"=")[1])] = int(entry.name)
        if len(found) == ranks:
            return found
        time.sleep(0.02)
    raise AssertionError(f"{binary} did not start {ranks} ranks in time")


class Faults(support.Case):
    #: A fault is noticed within this time, most of which is the time-out of a stopped rank.
    SECONDS = 40

    def setUp(self):
        super().setUp()
        self.data = self.write("text.txt", support.TEXT)

    def binary(self, *options, ranks=2, stage=3):
        return support.compile_gpt2(support.SMALL, 2, 16, f"--stage={stage}",
                                    f"--world-size={ranks}", *options)

    def arguments(self, steps, data=None):
        return ["--data", data or self.data, "--data-format", "text", "--steps", steps,
                "--lr", 1e-3]

    def launch(self, *command, env=None):
        return support.run(*command, cwd=self.folder, timeout=120,
                           env={**support.MPI_ENVIRONMENT, **(env or {})})

    def start(self, binary, ranks, env=None, more=()):
        """Starts a long job, and waits for its first steps."""
        metrics = self.folder / "metrics.jsonl"
        command = [*support.mpirun(ranks), binary, *self.arguments(1000000), "--metrics",
                   metrics, "--quiet", *more]
        job = subprocess.Popen([str(part) for part in command], cwd=self.folder,
                               env={**os.environ, **support.MPI_ENVIRONMENT, **(env or {})},
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(job.kill)
        deadline = time.monotonic() + 60
        processes = rank_processes(binary, ranks, deadline, self.folder)
        while not (metrics.exists() and metrics.read_text().count("\n") > 3):
            self.assertLess(time.monotonic(), deadline, "the job does not train")
            time.sleep(0.02)
        return job, processes

    def end(self, job, *keywords, status=None):
        started = time.monotonic()
        try:
            out, err = job.communicate(timeout=self.SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            self.fail(f"the job hangs\n{job.communicate()[1].decode()}")
        err = err.decode()
        self.assertNotEqual(job.returncode, 0, err)
        for keyword in keywords:
            self.assertRegex(err, keyword)
        return time.monotonic() - started

    # What a rank may be waiting in when another ends: a collective of the step, or messages between
    # hosts between steps.
    WAITING = r"(all_gather|reduce_scatter|all_reduce) of \w+|a message between all ranks"

    def test_killed_rank(self):
        binary = self.binary(ranks=3)
        job, processes = self.start(binary, 3)
        os.kill(processes[1], signal.SIGKILL)
        self.end(job, rf"rank 1 \(process {processes[1]}\) is gone", self.WAITING)

    @support.waits
    def test_stopped_rank(self):
        binary = self.binary()
        job, processes = self.start(binary, 2)
        os.kill(processes[1], signal.SIGSTOP)
        try:
            self.end(job, rf"rank 1 \(process {processes[1]}\)", "stopped|not moved", self.WAITING)
        finally:
            try:
                os.kill(processes[1], signal.SIGKILL)
            except ProcessLookupError:
                pass

    @support.waits
    def test_killed_rank_of_another_host(self):
        binary = self.binary()
        job, processes = self.start(binary, 2, env={"ZRT_RANKS_PER_HOST": "1"})
        os.kill(processes[1], signal.SIGKILL)
        self.end(job)

    def test_killed_rank_of_gpus(self):
        """Streams that wait for the GPU of a dead rank continue, and end."""
        fake = support.BUILD / "lib" / "fakecuda"
        if not (fake / "libcuda.so.1").exists():
            self.skipTest("this build has no CUDA: its headers were not found")
        for how in ("direct", *(["nccl"] if (fake / "libnccl.so.2").exists() else [])):
            with self.subTest(how=how):
                binary = self.binary("--target=cuda", "--cuda-arch=emulated", f"--collectives={how}", ranks=3)
                job, processes = self.start(binary, 3, env={"LD_LIBRARY_PATH": str(fake)})
                os.kill(processes[1], signal.SIGKILL)
                self.end(job, rf"rank 1 \(process {processes[1]}\) is gone",
                         "a collective between GPUs|a message between all ranks")
                (self.folder / "metrics.jsonl").unlink()

    def test_failing_read(self):
        """The data file of rank 1 is truncated while it trains."""
        script = self.write("each.sh", f'#!/bin/sh\nexec "$0.bin" --data "text.${support.RANK_VARIABLE}" "$@"\n')
        os.chmod(script, 0o755)
        shutil.copy(self.binary(), self.folder / "each.sh.bin")
        for rank in range(2):
            self.write(f"text.{rank}", support.TEXT)
        done = self.launch(*support.mpirun(2), "./each.sh", "--data-format", "text", "--steps", 2,
                           "--lr", 1e-3)
        self.assertEqual(done.returncode, 0, done.err)
        self.write("text.1", b"short")
        done = self.launch(*support.mpirun(2), "./each.sh", "--data-format", "text", "--steps", 2,
                           "--lr", 1e-3)
        self.assert_refused(done, r"rank 1: error: .*text\.1", r"rank 1 failed")
        os.remove(self.folder / "text.1")
        done = self.launch(*support.mpirun(2), "./each.sh", "--data-format", "text", "--steps", 2,
                           "--lr", 1e-3)
        self.assert_refused(done, r"rank 1: error: .*text\.1.*no such file", r"rank 1 failed")

    def test_data_cut_while_training(self):
        job, _ = self.start(self.binary(), 2)
        os.truncate(self.data, 0)
        self.end(job, r"rank 0: error: (rank 1 failed: )?step \d+: .*text\.txt ends at byte 0",
                 r"rank 1: error: (rank 0 failed: )?step \d+: .*text\.txt ends at byte 0")

    def test_other_data(self):
        other = self.write("other.txt", support.TEXT[:-500] + b"x" * 500)
        binary = self.binary()
        done = self.launch(*support.launch_each([binary, *self.arguments(3)], [binary, *self.arguments(3, other)]))
        self.assert_refused(done, "rank 1", "other data|data differ", "rank 0")

    def test_other_program(self):
        done = self.launch(*support.launch_each([self.binary(), *self.arguments(3)],
                                                [self.binary("--weight-decay=0.2"), *self.arguments(3)]))
        self.assert_refused(done, "rank 1", "program", "rank 0")

    def test_other_options(self):
        binary = self.binary()
        done = self.launch(*support.launch_each([binary, *self.arguments(3)], [binary, *self.arguments(4)]))
        self.assert_refused(done, "rank 1", "--steps")

    def test_wrong_number_of_ranks(self):
        binary = self.binary()
        for started in (3, 1):
            with self.subTest(started=started):
                done = self.launch("mpirun", "-n", started, binary, *self.arguments(3))
                self.assert_refused(done, f"compiled for 2 ranks, started with {started}",
                                    "mpirun -n 2", "--world-size")
        done = self.launch("mpirun", "-n", 2, self.binary(ranks=1), *self.arguments(3))
        self.assert_refused(done, "compiled for 1 rank, started with 2", "--world-size=2")
        done = support.run(self.binary(ranks=1), *self.arguments(3), env={"PMIX_RANK": "1"})
        self.assert_refused(done, "compiled for 1 rank, and this is rank 1 of a launcher")

    def inside(self, mount):
        """Returns a command prefix that mounts something for its command only."""
        prefix = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
        if support.run(*prefix, "true", cwd=self.folder).returncode != 0:
            self.skipTest("mounting in a namespace is not permitted here")
        return prefix

    def test_small_shared_memory_folder(self):
        """A container's /dev/shm has 64 MiB; the arenas here are larger."""
        inside = self.inside("mount -t tmpfs -o size=64m tmpfs /dev/shm")
        config = {**support.SMALL, "n_embd": 256, "n_layer": 4, "vocab_size": 8192}
        binary = support.compile_gpt2(config, 1, 16, "--stage=2", "--world-size=2")
        size = support.parse_sizes((binary.parent / "zeroc.txt").read_text())["device arena"]
        self.assertGreater(2 * size, 64 << 20)
        data = self.write_tokens(1000, 8192)
        done = self.launch(*inside, *support.mpirun(2), binary, "--data", data, "--steps", 2,
                           "--lr", 1e-3)
        self.assertEqual(done.returncode, 0, done.err)

    def test_disk_full_while_saving(self):
        """No rank hangs, and no part of the file remains."""
        (self.folder / "small").mkdir()
        inside = self.inside("mount -t tmpfs -o size=16k tmpfs small")
        done = self.launch(*inside, "sh", "-c", '"$@"; status=$?; ls small >&2; exit $status', "sh",
                           *support.mpirun(3), self.binary(ranks=3), *self.arguments(2),
                           "--save", "small/out")
        self.assert_refused(done, "rank 0: error: .*small/out.*no space", "rank 0 failed")
        self.assertNotIn("out.tmp", done.err.splitlines()[-1])

    def spilling(self, *more, fault="", inside=()):
        """Two ranks whose state lies on nvme, in the folder `disk`."""
        (self.folder / "disk").mkdir(exist_ok=True)
        done = self.launch(*inside, *support.mpirun(2), self.binary("--offload=nvme"),
                           *self.arguments(20), "--nvme-path", "disk", *more,
                           env={"ZRT_STORE_FAULT": fault} if fault else None)
        self.assertEqual(os.listdir(self.folder / "disk"), [])
        return done

    PLACE = r"(reading|writing) [\d,]+ bytes( \([^)]*\))? at byte [\d,]+ of the nvme tier's file in disk: "

    def test_failing_drive(self):
        """All ranks name the rank, the copy, the folder, and the error."""
        for fault, what in (("eio@150", "input/output error"),
                            ("enospc@80", "no space left on device"),
                            ("cut@80", "the file ends there; it has been cut")):
            with self.subTest(fault):
                done = self.spilling(fault=f"{fault}:1")
                self.assert_refused(
                    done, rf"rank 1: error: step \d+: (fetch|spill)\w* .*: {self.PLACE}{what}",
                    rf"rank 0: error: (step \d+: )?rank 1 failed: .*{self.PLACE}{what}")

    def test_flipped_bits(self):
        done = self.spilling("--verify-reads", fault="flip@30:1")
        self.assert_refused(done, f"rank 1: error: .*{self.PLACE}this is not what was written there",
                            "rank 0: error: .*rank 1 failed: ")

    def test_slow_drive(self):
        """Partial transfers and retries work, and reads return the written data."""
        for fault in ("short@2", "eagain@3", "eintr@2", "nouring", "nodirect", "nopin"):
            with self.subTest(fault):
                done = self.spilling("--verify-reads", fault=fault)
                self.assertEqual(done.returncode, 0, done.err)
                self.assertEqual("note      nvme tier: " in done.out, fault.startswith("no"), done.out)

    def test_full_drive(self):
        """There is room for one rank but not for two."""
        binary = self.binary("--offload=nvme")
        size = support.parse_sizes((binary.parent / "zeroc.txt").read_text())["nvme arena"]
        (self.folder / "disk").mkdir()
        inside = self.inside(f"mount -t tmpfs -o size={size * 3 // 2 // 1024}k tmpfs disk")
        done = self.spilling(inside=inside)
        self.assert_refused(done, "error: --nvme-path: the nvme tier needs " + re.escape(support.show_bytes(size)) + " in disk, "
                                  r"which has [\d,]+ bytes? .*free; make room",
                            # Both, if each has taken a part, and one reports it.
                            "rank [01](: error| failed): --nvme-path: ")

    def test_killed_rank_with_a_drive(self):
        (self.folder / "disk").mkdir()
        binary = self.binary("--offload=nvme")
        job, processes = self.start(binary, 2, more=("--nvme-path", "disk"))
        os.kill(processes[1], signal.SIGKILL)
        self.end(job, rf"rank 1 \(process {processes[1]}\) is gone")
        self.assertEqual(os.listdir(self.folder / "disk"), [])

    def test_interrupt_before_an_update(self):
        """The saved weights include the pending update of the last step."""
        binary = self.binary("--offload=cpu", "--overlap-update")
        saved = self.folder / "stopped.safetensors"
        job, processes = self.start(binary, 2, more=("--save", saved))
        os.kill(processes[1], signal.SIGTERM)
        _, err = job.communicate(timeout=self.SECONDS)
        self.assertEqual(err.count(b"error"), 0, err.decode())
        steps = len(support.read_metrics(self.folder / "metrics.jsonl"))
        done = self.launch(*support.mpirun(2), self.binary(), *self.arguments(steps), "--save", "whole.safetensors")
        self.assertEqual(done.returncode, 0, done.err)
        self.assert_same_bytes(saved, self.folder / "whole.safetensors")

    def test_interrupt(self):
        """All ranks stop at the same step, and the weights are saved."""
        binary = self.binary()
        job, processes = self.start(binary, 2)
        os.kill(processes[1], signal.SIGTERM)
        _, err = job.communicate(timeout=self.SECONDS)
        self.assertEqual(err.count(b"error"), 0, err.decode())

