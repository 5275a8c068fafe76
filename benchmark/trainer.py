"""Compiles a case with zeroc and runs what comes out."""
import array
import dataclasses
import json
import os
import random
import re
from pathlib import Path

import watch
import where
from cases import median

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ZERO_BUILD_DIR", ROOT / "build" / "release")).resolve()
ZEROC = BUILD / "bin" / "zeroc"

#: Steps that pay for page faults, and in PyTorch for code generation.
WARM_UP = 2


@dataclasses.dataclass
class Run:
    """One run of a program that trains."""
    step: float  # seconds, the median
    mean: float  # of all steps but the first, as in the profile
    resident: int  # bytes of all ranks
    arenas: int = 0  # of these, what the certificate says
    profile: where.Profile = None


def write_tokens(path, count, vocab):
    """Random: the work of a step does not depend on them."""
    rng = random.Random(1)
    path.write_bytes(array.array("H", (rng.randrange(vocab) for _ in range(count))).tobytes())


def step_of(times):
    """(median, mean) seconds of a step, of those of all steps."""
    later = times[1:] or times
    return median(times[WARM_UP:] or times), sum(later) / len(later)


class Trainer:
    """`name` tells its files from those of another trainer in the same folder."""

    def __init__(self, config, folder, options=(), name="train"):
        self.config, self.folder = Path(config).resolve(), Path(folder)
        self.options, self.name = tuple(options), name
        self.compile_seconds = {}
        self._binaries, self._certificates = {}, {}

    @staticmethod
    def _key(case):
        """Threads make no difference."""
        return case.batch, case.seq, case.ranks, case.stage

    def compile(self, case):
        """The training binary of `case`."""
        key = self._key(case)
        if key not in self._binaries:
            binary = self.folder / "{}-{}-{}-{}-{}".format(self.name, *key)
            model = binary.with_suffix(".mlir")
            watch.run("zeroc import", [ZEROC, "import", self.config, f"--batch={case.batch}",
                                       f"--seq={case.seq}", "-o", model],
                      watch.environment(), self.folder)
            done = watch.run("zeroc", [ZEROC, model, f"--world-size={case.ranks}",
                                       f"--stage={case.stage}", *self.options,
                                       "--certificate=json", "-o", binary],
                             watch.environment(), self.folder)
            self._binaries[key], self._certificates[key] = binary, done.out
            self.compile_seconds[key] = done.seconds
        return self._binaries[key]

    def certificate(self, case):
        """Of `case`, as zeroc writes it in JSON."""
        self.compile(case)
        return json.loads(self._certificates[self._key(case)])

    def run(self, case, tokens, steps):
        binary = self.compile(case)
        metrics = self.folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)

        def look(pid):
            """Memory, once nothing new is touched any more."""
            if not metrics.exists() or metrics.read_bytes().count(b"\n") < WARM_UP:
                return None
            return watch.resident(pid, binary)

        launcher = ["mpirun", "-n", case.ranks] if case.ranks > 1 else []
        done = watch.run(f"zeroc {case.name}",
                         [*launcher, binary, "--data", tokens, "--steps", steps, "--lr", "1e-4",
                          "--threads", case.threads, "--metrics", metrics, "--profile", "--init", "random"],
                         watch.environment(**watch.MPI), self.folder, look)
        times = [json.loads(line)["step_ms"] * 1e-3 for line in metrics.read_text().splitlines()]
        arenas = sum(int(size.replace(",", "")) for line in done.out.splitlines()
                     if line.startswith("memory ")
                     for size in re.findall(r"([\d,]+) bytes", line))
        return Run(*step_of(times), done.seen or 0, arenas * case.ranks,
                   where.parse(done.out))
