"""Imitates two hosts by network namespaces with a virtual cable between them.

Their processes have different process numbers and host names and no shared memory, so all
communication between hosts uses the cable.
"""
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from contextlib import ExitStack
from pathlib import Path

import support

#: Starts what mpirun would start by ssh.
AGENT = """#!/bin/bash
host=$1; shift
exec ip netns exec "$host" unshare --uts --pid --fork --mount-proc --ipc bash -c "hostname $host; $*"
"""
NETWORK = "10.77.0"


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


def remove_host(name):
    for process in ip("netns", "pids", name, check=False).stdout.split():
        subprocess.run(["kill", "-9", process], check=False, capture_output=True)
    ip("netns", "del", name, check=False)


def make_hosts(stack, names):
    """Makes two namespaces connected by a cable; `stack` removes them."""
    for name in names:
        ip("netns", "add", name)
        stack.callback(remove_host, name)
    ip("-n", names[0], "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", names[1])
    for number, name in enumerate(names):
        ip("-n", name, "addr", "add", f"{NETWORK}.{number + 1}/24", "dev", "cable")
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", name, "link", "set", "cable", "up")


class Hosts(support.Case):
    def setUp(self):
        super().setUp()
        if not all(map(shutil.which, ("ip", "unshare", "mpirun"))):
            raise unittest.SkipTest("ip, unshare or mpirun is not installed")
        stack = ExitStack()
        self.addCleanup(stack.close)
        # Names of letters, which host names may have.
        unique = "".join(chr(ord("a") + int(digit)) for digit in str(os.getpid()))
        self.hosts = [f"zero-{unique}-{letter}" for letter in "xy"]
        try:
            make_hosts(stack, self.hosts)
            self.run_ok("ip", "netns", "exec", self.hosts[0], "unshare", "--uts", "--pid", "--fork", "--mount-proc",
                        "true")
        except (subprocess.CalledProcessError, AssertionError) as error:
            raise unittest.SkipTest(f"no network namespaces here: {getattr(error, 'stderr', error)}") from error
        self.agent = self.write("agent.sh", AGENT)
        self.agent.chmod(0o755)
        self.data = self.folder / "tokens.u16"
        support.write_tokens(self.data, 1200, support.SMALL["vocab_size"])

    def command(self, program, *flags):
        """Returns the command that starts two ranks of a program on each host."""
        slots = ",".join(f"{host}:2" for host in self.hosts)
        inner = ["mpirun", "--mca", "plm_rsh_agent", self.agent, "-n", 4, "--host", slots]
        for layer in ("btl_tcp_if_include", "oob_tcp_if_include"):
            inner += ["--mca", layer, f"{NETWORK}.0/24"]
        inner += ["-x", "ZRT_TIMEOUT", program, "--data", self.data, "--lr", 1e-2, *flags]
        return ["ip", "netns", "exec", self.hosts[0], "unshare", "--uts", "--fork", "bash", "-c",
                f"hostname {self.hosts[0]}; exec {' '.join(map(str, inner))}"]

    def carried(self):
        """Returns the bytes that the first host has sent to the second."""
        done = subprocess.run(["ip", "netns", "exec", self.hosts[0], "cat", "/proc/net/dev"], capture_output=True,
                              text=True, check=True)
        line = next(line for line in done.stdout.splitlines() if "cable:" in line)
        return int(line.split(":")[1].split()[8])

    def test_same_bits(self):
        """Training on two hosts gives the same bits as on one."""
        environment = {**support.MPI_ENVIRONMENT, "ZRT_TIMEOUT": "60"}
        for stage in (1, 3):
            program = support.compile_gpt2(support.SMALL, 1, 32, f"--stage={stage}", "--world-size=4")
            here = self.train(program, self.data, 3, 1e-2, name=f"here-{stage}", ranks=4)
            before = self.carried()
            saved = self.folder / f"there-{stage}.safetensors"
            metrics = self.folder / f"there-{stage}.jsonl"
            self.run_ok(*self.command(program, "--steps", 3, "--quiet", "--metrics", metrics, "--save", saved),
                        env=environment)
            there = support.read_metrics(metrics)
            self.assertEqual(support.bits_of(here[0]), support.bits_of(there), stage)
            self.assert_same_bytes(here[1], saved)
            # At least half of the gradients, in f32, in each step.
            self.assertGreater(self.carried() - before, 3 * saved.stat().st_size / 2, stage)

    def test_groups(self):
        """With a group on each host, there are the same bits as on one host, and fewer bytes between hosts."""
        environment = {**support.MPI_ENVIRONMENT, "ZRT_TIMEOUT": "60"}
        carried, options = {}, ("--stage=3", "--virtual-shards=8", "--world-size=4", "--accumulate=2")
        for kind in ("", "--ranks-per-host=2", "--secondary-shard=2", "--shard-size=2"):
            program = support.compile_gpt2(support.SMALL, 1, 32, *options, *([kind] if kind else []))
            here = self.train(program, self.data, 4, 1e-2, name="here", ranks=4)
            before, saved = self.carried(), self.folder / "there.safetensors"
            metrics = self.folder / "there.jsonl"
            metrics.unlink(missing_ok=True)
            self.run_ok(*self.command(program, "--steps", 4, "--quiet", "--metrics", metrics, "--save", saved),
                        env=environment)
            carried[kind] = self.carried() - before
            self.assertEqual(support.bits_of(here[0]), support.bits_of(support.read_metrics(metrics)), kind)
            self.assert_same_bytes(here[1], saved)
        # In a step 4 M are gathered and 2 M reduced over all ranks, each for both ranks of a host; with groups once
        # for a host, and gathered twice or once.
        flat, hosts, second, hybrid = carried.values()
        self.assertGreater(flat, 1.5 * hosts)
        self.assertGreater(hosts, second)
        self.assertGreater(second, hybrid)

    def ranks_of(self, program):
        """Returns the number of processes that run the program, on all hosts."""
        found = 0
        for link in Path("/proc").glob("[0-9]*/exe"):
            try:
                found += os.readlink(link) == str(program)
            except OSError:
                pass  # gone meanwhile
        return found

    def wait_until(self, holds, what):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    @support.waits
    def test_cable_is_pulled(self):
        """Ranks on both sides end, and name the ranks they waited for."""
        program = self.folder / "train"
        shutil.copy(support.compile_gpt2(support.SMALL, 1, 32, "--stage=2", "--world-size=4"), program)
        metrics, said = self.folder / "run.jsonl", self.folder / "said"
        with said.open("w") as out:
            run = subprocess.Popen(
                list(map(str, self.command(program, "--steps", 10 ** 6, "--quiet", "--metrics", metrics))),
                env={**os.environ, **support.MPI_ENVIRONMENT, "ZRT_TIMEOUT": "3"}, stdout=out, stderr=out)
        # mpirun waits for its daemon on the other host, and ends with it.
        self.addCleanup(run.wait)
        self.addCleanup(remove_host, self.hosts[0])
        self.wait_until(lambda: metrics.exists() and metrics.read_text().count("\n") > 20, "it does not train")
        self.assertEqual(self.ranks_of(program), 4)
        ip("-n", self.hosts[0], "link", "set", "cable", "down")
        self.wait_until(lambda: self.ranks_of(program) == 0, "ranks wait forever")
        # A rank that waits for another one of its host, which waits for the other host, may be the first to end.
        self.assertRegex(said.read_text(), r"rank \d: error: (step \d+: )?rank [123] has not come for 3.0 s")

    @support.waits
    def test_host_dies(self):
        """A host goes away with its ranks: those of the other one end, and go on from what groups on both have saved."""
        options = ("--stage=3", "--ranks-per-host=2", "--shard-size=2", "--virtual-shards=8", "--accumulate=2",
                   "--world-size=4,2")
        program, folder, said = self.folder / "train", self.folder / "checkpoints", self.folder / "said"
        shutil.copy(support.compile_gpt2(support.SMALL, 1, 32, *options), program)
        ends = self.write("ends.sh", '#!/bin/bash\n"$@"\necho "rank $OMPI_COMM_WORLD_RANK ends with $?"\n')
        ends.chmod(0o755)
        saves = ("--checkpoint", folder, "--save-every", 5, "--keep", 2, "--elastic")
        with said.open("w") as out:
            run = subprocess.Popen(
                list(map(str, self.command(f"{ends} {program}", "--steps", 10 ** 6, "--quiet", *saves))),
                env={**os.environ, **support.MPI_ENVIRONMENT, "ZRT_TIMEOUT": "3"}, stdout=out, stderr=out)
        self.addCleanup(run.wait)
        self.addCleanup(remove_host, self.hosts[0])
        self.wait_until(lambda: any(folder.glob("step-??*")), "it does not save")
        ip("-n", self.hosts[0], "link", "set", "cable", "down")
        # Without the processes that mpirun has started there, as it would notice that.
        for process in ip("netns", "pids", self.hosts[1]).stdout.split():
            if os.path.exists(link := f"/proc/{process}/exe") and os.readlink(link) == str(program):
                os.kill(int(process), signal.SIGKILL)
        self.wait_until(lambda: self.ranks_of(program) == 0, "ranks wait forever")
        self.wait_until(lambda: said.read_text().count("ends with") == 2, "a rank does not end")
        self.assertRegex(said.read_text(), r"rank [01]: note: (step \d+[^:]*: )?rank [23] has not come for 3.0 s")
        self.assertEqual(sorted(re.findall("rank . ends with .*", said.read_text())),
                         ["rank 0 ends with 75", "rank 1 ends with 75"])
        newest = max(int(path.name[5:]) for path in folder.glob("step-*"))
        flags = ("--data", self.data, "--lr", 1e-2, "--quiet", "--steps", newest + 3, "--metrics", "run.jsonl", "--save")
        self.run_ok("ip", "netns", "exec", self.hosts[0], program, *flags, "there", "--ranks", 2, *saves)
        there = support.read_metrics(self.folder / "run.jsonl")
        self.run_ok(program, *flags, "here")
        here = support.read_metrics(self.folder / "run.jsonl")
        self.assertEqual(support.bits_of(there), support.bits_of(here)[newest:])
        self.assert_same_bytes(self.folder / "here", self.folder / "there")
