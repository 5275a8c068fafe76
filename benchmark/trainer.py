"""Compiles a case with zeroc and runs the training binary."""
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

#: The first steps include page faults, and in PyTorch code generation.
WARM_UP = 2


@dataclasses.dataclass
class Run:
    """The result of one run of a training binary."""
    step: float  # seconds, the median
    mean: float  # of all steps but the first, as in the profile
    resident: int  # bytes of all ranks
    arenas: int = 0  # the part of it that the certificate lists
    profile: where.Profile = None


def write_tokens(path, count, vocab):
    """Writes random tokens of 16 bits, since the work of a step does not depend on them."""
    rng, vocab = random.Random(1), min(vocab, 1 << 16)
    path.write_bytes(array.array("H", (rng.randrange(vocab) for _ in range(count))).tobytes())


def step_of(times):
    """Returns (median, mean) seconds of a step, from those of all steps."""
    later = times[1:] or times
    return median(times[WARM_UP:] or times), sum(later) / len(later)


class Trainer:
    """`name` distinguishes its files from those of other trainers in the same folder."""

    def __init__(self, config, folder, options=(), name="train"):
        self.config, self.folder = Path(config).resolve(), Path(folder)
        self.options, self.name = tuple(options), name
        self.compile_seconds = {}
        self._binaries, self._certificates = {}, {}

    @staticmethod
    def _key(case):
        """The number of threads does not change the binary."""
        return case.batch, case.seq, case.ranks, case.stage

    def compile(self, case):
        """Returns the training binary of `case`."""
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
        """Returns the certificate of `case`, which zeroc writes in JSON."""
        self.compile(case)
        return json.loads(self._certificates[self._key(case)])

    def run(self, case, tokens, steps):
        binary = self.compile(case)
        metrics = self.folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)

        def look(pid):
            """Measures memory, once all pages have been touched."""
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
