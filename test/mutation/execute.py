"""Compiles plans, trains with them, and compares their outcomes.

A plan's outcome is the losses, gradient norms and saved weights of three steps, without chaos and
under each chaos seed, bit for bit; of one that only generates, logits and texts up to its last
position, and what it refuses.  Then the host's work is compared: in a run whose steps are
skipped where the plan can skip them, all measurements, the checkpoints, and the claimed options.  A
crash, an error or a hang is an outcome, too, and equals none.
"""
import hashlib
import json
import re
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

from plans import PAIRS, support

HERE = Path(__file__).resolve().parent
STEPS = 3


def sha(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def last_error(text):
    lines = [line for line in text.splitlines() if "error:" in line]
    return lines[0] if lines else " / ".join(text.strip().splitlines()[-2:])


def differing(mine, right):
    """Describes the differences of two dicts."""
    keys = [key for key in {**right, **mine} if repr(mine.get(key)) != repr(right.get(key))]
    return f"{ {key: mine.get(key) for key in keys} } instead of { {key: right.get(key) for key in keys} }"


def shown(text):
    """JSON without options that a plan determines only within bounds (docs/verify.md): sizes, and
    the type of gradients, which may be explicit or the default."""
    # A pair of plans (two_plans.cpp) prints it once for each rank.
    return json.JSONDecoder().raw_decode(re.sub(r" --(reuse-distance|ranks-per-host|shard-size|secondary-shard|bucket-size|persist-below|grad-dtype|prefetch|max-live|remat|remat-ratio)=[\w.]+", "", text).lstrip())[0]


def content_of(path):
    """Returns the contents of a file of a checkpoint."""
    if path.name != "manifest.json":
        return sha(path)
    return {**shown(path.read_text()), "checksum": None}


#: The end of a program (runtime/program/Attachments.cpp): entries, their number, a mark.
ENTRY, FOOTER, MARK = struct.Struct("<16sQQ"), struct.Struct("<Q8s"), b"zrtfile1"


def attached(program, name):
    """Returns the bytes that zeroc has attached to a program under this name."""
    raw = program.read_bytes()
    count, mark = FOOTER.unpack(raw[-FOOTER.size:])
    assert mark == MARK, f"{program} has no attachments"
    entries = raw[-FOOTER.size - count * ENTRY.size:-FOOTER.size]
    for found, offset, size in ENTRY.iter_unpack(entries):
        if found.rstrip(b"\0").decode() == name:
            return raw[offset:offset + size]
    raise KeyError(name)


def attach(program, files):
    """Returns `program` with files, a dict of bytes, appended."""
    entries = b""
    for name, content in files.items():
        entries += ENTRY.pack(name.encode(), len(program), len(content))
        program += content
    return program + entries + FOOTER.pack(len(files), MARK)


class Plan:
    """A correct plan, with which its mutants are compared."""

    def __init__(self, recipe, folder, seeds, timeout=20):
        self.recipe, self.folder, self.timeout = recipe, folder, timeout
        self.runs = [None, *range(1, seeds + 1)]
        folder.mkdir(parents=True)
        self.file = recipe.write(folder)
        arena = re.search(r"zero.arena = array<i64: (\d+), (\d+), (\d+)>", self.file.read_text())
        self.nvme = ("--nvme-path", folder) if int(arena[3]) else ()
        self.data = ("--data", recipe.write_data(folder))
        self.scores, self.generates = "--score-only" in recipe.options, "--sample-only" in recipe.options
        if self.generates:
            self.data, self.weights = (), recipe.write_weights(folder)
            positions = re.search(r'zero.input = "begin",.*? zero.vocab = (\d+)', self.file.read_text())
            self.positions = int(positions[1])
        self.init = support.init_flags(recipe.options)
        self.eval = ("--eval-data", self.data[1], "--eval-every", 1) if "--eval" in recipe.options else ()
        if "--sample" in recipe.options:  # up to the last position
            self.eval += ("--sample", 3, "--sample-every", 1, "--prompt-ids", "1,0,2", "--sample-tokens", 99)
        #: Options for gradients that overflow, or a loss that counts as a spike.
        self.skips = ()
        if "skip_nonfinite = true" in self.file.read_text():
            self.skips = ("--loss-scale", "1e30") if "--precision=fp16" in recipe.options else (
                "--spike-guard", "0.01", "--spike-window", 2)
        self.program = self.compile(self.file, folder / "program")
        self.known = {}  # hash of a program -> why it is no equal of the plan, or ""
        self.truth = self.outcome(self.program, folder, None)
        if self.truth[0]:
            raise SystemExit(f"mutate.py: error: {recipe.name} itself fails: {self.truth[0]}")
        reason = self.compare(self.program, folder, {})
        if reason:
            raise SystemExit(f"mutate.py: error: {recipe.name} itself differs, {reason}")
        self.known[sha(self.program)] = ""

    def compile(self, plan, out, *options):
        """Returns the program of `plan`, or raises with zeroc's error.  A program contains the name
        of its plan, so all plans have the same name."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "plan.mlir"
            shutil.copyfile(plan, source)
            done = support.run(support.ZEROC, source, *options, "-o", out)
        if done.returncode:
            raise RuntimeError(f"zeroc: {last_error(done.err)}")
        return out

    def compile_pair(self, plan, own, folder):
        """Returns a program whose rank MUTANT_RANK runs `own`; None if both compile to the same
        program."""
        first = self.compile(plan, folder / "all")
        second = self.compile(own, folder / "own")
        if sha(first) == sha(second):
            return None
        program = folder / "program"
        program.write_bytes(attach((support.BUILD / "bin" / "zero-two-plans").read_bytes(),
                                   {"plan.so": attached(first, "plan.so"), "own.so": attached(second, "plan.so")}))
        program.chmod(0o755)
        return program

    def outcome(self, program, folder, seed, env=None, lr="1e-2"):
        """Returns (error, log of each step, the saved weights)."""
        if self.scores:
            error = self.run(program, folder, seed, env, "--weights", PAIRS / "model.safetensors", "--out", folder / "run.npy")
            return (error, None, None) if error else ("", [], (folder / "run.npy").read_bytes())
        if self.generates:
            return self.texts(program, folder, seed, env)
        metrics, saved = folder / "run.jsonl", folder / "run.safetensors"
        error = self.train(program, folder, STEPS, lr, seed, env, "--save", saved)
        if error:
            return error, None, None
        said = [{key: line.get(key) for key in ("step", "loss", "grad_norm", "lr", "nonfinite", "eval_loss", "samples")}
                for line in map(json.loads, metrics.read_text().splitlines())]
        # A plan with adapters saves a folder.
        weights = saved / "adapter_model.safetensors" if saved.is_dir() else saved
        weights = weights.read_bytes()
        if seed is None:
            error, host = self.host_outcome(program, folder, lr, env)
            if error:
                return error, None, None
            said += host
        return "", said, weights

    def texts(self, program, folder, seed, env):
        """Returns (error, texts and refusals, logits)."""
        weights, npy = ("--weights", self.weights), folder / "run.npy"
        vocab, last, said, logits = self.recipe.vocab, self.positions, [], b""
        ids = [i * 7 % vocab for i in range(last)]  # with 0, the separator
        for by in ("token", "chunk"):
            error = self.run(program, folder, seed, env, *weights, "--prompt-ids", ",".join(map(str, ids)), "--logits", npy,
                             "--logits-by", by)
            if error:
                return error, None, None
            logits += npy.read_bytes()
        error = self.run(program, folder, seed, env, *weights, "--prompt-ids", f"1,0,{vocab - 1}", "--sample", 3,
                         "--sample-tokens", 2 * last)
        said.append({"texts": error or (folder / "run.txt").read_text()})
        for name, refused in (("positions", [1] * (last + 1)), ("tokens", [vocab])):
            said.append({name: self.run(program, folder, seed, env, *weights, "--prompt-ids", ",".join(map(str, refused)))})
        return "", said, logits

    def train(self, program, folder, steps, lr, seed, env, *flags):
        """Trains into run.jsonl; returns the error, empty if there is none."""
        return self.run(program, folder, seed, env, "--steps", steps, "--lr", lr, "--metrics", folder / "run.jsonl",
                        "--quiet", *flags, *self.eval, *self.init)

    def run(self, program, folder, seed, env, *flags):
        """Reads the data; returns the error, empty if there is none."""
        for path in folder.glob("run.*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        env = {"ZRT_TIMEOUT": "5", **(env or {})}
        if seed is not None:
            env["ZRT_CHAOS"] = str(seed)
        try:
            done = support.run(program, *self.data, "--threads", 1, *flags, *self.nvme, env=env,
                               timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return f"hangs: no end after {self.timeout} s"
        (folder / "run.txt").write_text(done.out)
        return f"ends with {done.returncode}: {last_error(done.err + done.out)}" if done.returncode else ""

    def host_outcome(self, program, folder, lr, env):
        """Returns (error, the host's measurements, files and claims, as a list of dicts)."""
        saved = folder / "run.checkpoints"
        error = self.train(program, folder, 5, lr, None, env, "--checkpoint", saved, "--save-every", 3, "--save-at-exit",
                         *self.skips)
        if error:
            return error, None
        lines = [{key: value for key, value in json.loads(line).items() if not key.endswith(("_ms", "_s"))}
                 for line in (folder / "run.jsonl").read_text().splitlines()]
        files = {str(path.relative_to(saved)): content_of(path)
                 for path in sorted(saved.rglob("[!.]*")) if path.is_file()}
        # The lifetimes are the certificate's own count, and change with a stream.
        claims = support.run(program, "--certificate=json", env=env)
        if claims.returncode:
            return f"--certificate=json: {last_error(claims.err)}", None
        return "", [*lines, files, {"options": shown(claims.out)["options"]}]

    def compare(self, program, folder, env, lr="1e-2"):
        """Returns why `program` behaves differently from the plan; empty if it does not."""
        for seed in self.runs:
            when = "without chaos" if seed is None else f"under chaos seed {seed}"
            error, said, weights = self.outcome(program, folder, seed, env, lr)
            if error:
                return f"{error} ({when})"
            for mine, right in zip(said, self.truth[1]):
                if repr(mine) != repr(right):  # no number is itself
                    return f"{differing(mine, right)} ({when})"
            if seed is None and len(said) != len(self.truth[1]):
                return f"{len(said)} lines instead of {len(self.truth[1])} ({when})"
            if weights != self.truth[2]:
                return f"other weights ({when})"
        return ""

    def examine(self, mutant, folder):
        """Executes an accepted mutant; returns (verdict, reason): "same program",
        "equal", "differs", or "refused" if the ranks of a run compare their plans."""
        stem = f"{mutant['number']:04}"
        rank = mutant.get("rank")
        with tempfile.TemporaryDirectory() as scratch:
            scratch = Path(scratch)
            try:
                if rank is None:
                    program = self.compile(folder / f"{stem}.mlir", scratch / "program")
                else:
                    program = self.compile_pair(
                        folder / f"{stem}.mlir", folder / f"{stem}.rank{rank}.mlir", scratch)
            except RuntimeError as error:
                return "differs", str(error)
            if program is None:
                return "same program", ""
            key = sha(program) + ("" if rank is None else f" on rank {rank}")
            if key == sha(self.program):
                return "same program", ""
            if key not in self.known:
                env = {} if rank is None else {"MUTANT_RANK": str(rank), "MUTANT_RANKS": str(self.recipe.ranks)}
                self.known[key] = self.compare(program, scratch, env)
            reason = self.known[key]
            refused = rank is not None and re.search("runs? another plan", reason)
            return ("refused" if refused else "differs" if reason else "equal"), reason
