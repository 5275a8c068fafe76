"""Runs a program and reports whether other programs disturbed it."""
import dataclasses
import os
import resource
import subprocess
import time
from pathlib import Path

#: Processors used by other programs and the hypervisor; above, a run counts as disturbed.
QUIET = 0.05

#: Environment variables that would change a program's speed.
DROPPED = ("OPENBLAS_", "OMP_", "GOMP_", "KMP_", "MALLOC_", "MKL_", "DNNL_", "ONEDNN_", "ZRT_")
#: Allows more ranks than cores in Open MPI, and root, as which containers run.
MPI = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

#: A line for each run that other programs disturbed.
disturbed = []


class Failed(Exception):
    """A program ended with an error."""


@dataclasses.dataclass
class Done:
    out: str
    seconds: float
    seen: object  # what `look` returned last


def environment(**changes):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    return {**kept, **changes}


def _busy():
    """Returns the processor seconds of all programs, and those that the hypervisor took."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    user, nice, system, _, _, irq, softirq, steal = (fields + 8 * [0])[:8]
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + softirq) / ticks, steal / ticks


def _own():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def run(what, command, env, folder, look=None):
    """Runs `command` to its end; calls `look(pid)` ten times a second until it returns something.
    Raises Failed with the program's messages."""
    busy, stolen = _busy()
    own, start = _own(), time.monotonic()
    seen = None
    with open(Path(folder) / "out.txt", "w+") as out, open(Path(folder) / "err.txt", "w+") as err:
        try:
            process = subprocess.Popen([str(part) for part in command], env=env, cwd=folder,
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        except OSError as error:
            raise Failed(f"{what} did not start: {error}") from error
        try:
            while True:
                try:
                    process.wait(0.1 if look and seen is None else None)
                    break
                except subprocess.TimeoutExpired:
                    seen = look(process.pid)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        out.seek(0)
        err.seek(0)
        said, errors = out.read(), err.read()
    if process.returncode != 0:
        raise Failed(f"{what} ended with {process.returncode}: {(errors or said).strip()[-600:]}")
    seconds = time.monotonic() - start
    busy_after, stolen_after = _busy()
    foreign = max(0.0, busy_after - busy - (_own() - own)) / seconds
    steal = (stolen_after - stolen) / seconds
    if foreign + steal > QUIET:
        disturbed.append(f"{what}: other programs took {foreign:.2f} processors, "
                         f"the hypervisor {steal:.2f}")
    return Done(said, seconds, seen)


def load():
    return os.getloadavg()[0]


def resident(pid, binary):
    """Bytes of all processes of `binary` at or below `pid`, each shared page counted once; None if
    there is none yet."""
    pids, total, found = [pid], 0, False
    for pid in pids:  # grows
        try:
            for task in Path(f"/proc/{pid}/task").iterdir():
                pids += map(int, (task / "children").read_text().split())
            if not os.path.samefile(f"/proc/{pid}/exe", binary):
                continue
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:  # it has ended, or just begins
            continue
        total += next(int(line.split()[1]) * 1024 for line in rollup.splitlines()
                      if line.startswith("Pss:"))
        found = True
    return total if found else None
