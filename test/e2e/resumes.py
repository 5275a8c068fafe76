#!/usr/bin/env python3
"""Tests runs that are interrupted and resumed from their checkpoints.

    resumes.py pairs [--only=WORD]    every layout of LAYOUTS into every other
    resumes.py kills [--count=30]     kill -9 at random moments, of two ranks with offload

test_checkpoint.py has a few of both; these take minutes.  The status is 0 if every
resume was right.
"""
import argparse
import itertools
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import support

#: Samples per step, over all ranks.
GLOBAL_BATCH = 12
#: Ranks and options.
LAYOUTS = (
    (1, "--stage=0"),
    (1, "--offload=cpu", "--bucket-size=4KiB"),
    (1, "--offload=nvme", "--precision=bf16"),
    (1, "--accumulate=2", "--precision=bf16"),
    (3, "--stage=3", "--accumulate=2", "--accumulate-order=block", "--bucket-size=4KiB"),
    (2, "--stage=0"),
    (2, "--stage=1", "--offload-optimizer=cpu"),
    (2, "--stage=2", "--precision=bf16", "--bucket-size=8KiB"),
    (2, "--stage=3", "--offload=nvme", "--offload-ratio=0.5"),
    (2, "--stage=3", "--offload=cpu", "--precision=bf16", "--overlap-update"),
    (3, "--stage=1", "--precision=bf16", "--offload-optimizer=nvme"),
    (3, "--stage=2", "--offload-optimizer=cpu"),
    (3, "--stage=3", "--bucket-size=2KiB", "--persist-below=256"),
    (4, "--stage=3", "--offload=nvme", "--precision=bf16", "--bucket-size=4KiB"),
    (4, "--stage=2", "--accumulate=3"),
)
STEPS, SAVED = 7, 3


def name_of(layout):
    return f"{layout[0]}{''.join(layout[1:])}".replace("=", "-")


def is_16_bits(layout):
    return any("precision" in option for option in layout[1:])


def micro_steps(layout):
    return next((int(option.split("=")[1]) for option in layout[1:] if "accumulate" in option), 1)


def compile_layout(layout):
    ranks, *options = layout
    return support.compile_gpt2(support.SMALL, GLOBAL_BATCH // ranks // micro_steps(layout), 16,
                                f"--world-size={ranks}", *options)


def command(layout, folder, name, *flags, steps=STEPS):
    """Returns a command for a run that writes NAME.jsonl and NAME.safetensors in the folder."""
    data = folder / "tokens.u16"
    if not data.exists():
        support.write_tokens(data, 1200, support.SMALL["vocab_size"])
    return [compile_layout(layout), "--data", data, "--steps", steps, "--lr", 1e-3,
            "--schedule", "cosine", "--warmup", 2, "--metrics", folder / f"{name}.jsonl",
            "--save", folder / f"{name}.safetensors", "--quiet", *support.nvme_flags(layout[1:], folder), *flags]


def train(*arguments, env=None, **keywords):
    return support.run(*command(*arguments, **keywords), env=env)


def losses(folder, name):
    """Returns (step, loss, norm) of every step."""
    lines = support.read_metrics(folder / f"{name}.jsonl")
    return [(line["step"], *bits) for line, bits in zip(lines, support.bits_of(lines))]


def read_checkpoint(path):
    """Returns {(slot, parameter): bytes of its elements}, from all ranks' files."""
    manifest = json.loads((path / "manifest.json").read_text())
    files = []
    for file in manifest["files"]:
        raw = (path / file["name"]).read_bytes()
        (length,) = struct.unpack_from("<Q", raw)
        files.append((json.loads(raw[8:8 + length]), raw[8 + length:]))
    state = {}
    for tensor in sorted(manifest["tensors"], key=lambda tensor: tensor["first"]):
        header, data = files[tensor["file"]]
        entry = header[f"{tensor['slot']}/{tensor['parameter']}[{tensor['first']}:{tensor['end']}]"]
        begin, end = entry["data_offsets"]
        state.setdefault((tensor["slot"], tensor["parameter"]), b"")
        state[tensor["slot"], tensor["parameter"]] += data[begin:end]
    return state


class Pairs:
    """Resumes each layout in another one."""

    def __init__(self, folder):
        self.folder = folder
        self.whole = set()

    def unbroken(self, layout):
        """Returns the layout's uninterrupted run, made once, with a checkpoint after SAVED steps."""
        name = name_of(layout)
        if name not in self.whole:
            done = train(layout, self.folder, name, "--checkpoint", self.folder / f"{name}.ck",
                         "--save-every", SAVED)
            assert done.returncode == 0, done.err
            self.whole.add(name)
        return name

    def problem(self, source, target):
        """Returns the error of a resume of `source` as `target`, or None."""
        start, reference = self.unbroken(source), self.unbroken(target)
        checkpoint = self.folder / f"{start}.ck" / f"step-{SAVED}"
        # Without a step, the masters are the source's.
        done = train(target, self.folder, "still", "--resume", checkpoint, steps=SAVED)
        if done.returncode != 0:
            return done.err
        saved = support.read_safetensors(self.folder / "still.safetensors")
        state = read_checkpoint(checkpoint)
        for name, (_, values) in saved.items():
            if values.tobytes() != state["param", name]:
                return f"{name} is not what was saved"
        done = train(target, self.folder, "resumed", "--resume", checkpoint)
        if done.returncode != 0:
            return done.err
        resumed, whole = losses(self.folder, "resumed"), losses(self.folder, start)
        if [step for step, _, _ in resumed] != list(range(SAVED, STEPS)):
            return f"its steps are {resumed}"
        same = source[0] == target[0] and micro_steps(source) == micro_steps(target) and \
            is_16_bits(source) == is_16_bits(target)
        if same:
            if resumed != whole[SAVED:]:
                return f"{resumed} is not {whole[SAVED:]}"
            if (self.folder / "resumed.safetensors").read_bytes() != \
                    (self.folder / f"{start}.safetensors").read_bytes():
                return "the weights are others"
        tolerance = 2e-3 if is_16_bits(source) or is_16_bits(target) else 2e-6
        for (_, loss, norm), (_, expected, norm_expected) in zip(resumed, whole[SAVED:]):
            if abs(loss - expected) > tolerance * expected or \
                    abs(norm - norm_expected) > 20 * tolerance * norm_expected:
                return f"{resumed} is far from {whole[SAVED:]}"
        return None


class Kills:
    """A run of two ranks with offloaded state that is killed repeatedly."""

    LAYOUT = (2, "--stage=3", "--offload=nvme", "--precision=bf16")

    def __init__(self, folder, seed, steps=2000):
        self.folder, self.dice, self.steps = folder, random.Random(seed), steps
        self.flags = ("--checkpoint", folder / "ck", "--save-every", 7, "--keep", 2, "--shuffle",
                      "--seed", 5)
        done = train(self.LAYOUT, folder, "whole", "--shuffle", "--seed", 5, steps=self.steps)
        assert done.returncode == 0, done.err

    def start(self, env):
        return subprocess.Popen([str(part) for part in command(self.LAYOUT, self.folder, "killed",
                                                               *self.flags, "--resume", "latest",
                                                               steps=self.steps)],
                                env={**os.environ, **env},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def fault(self):
        """Returns the point in a checkpoint at which to kill, or nothing to kill at a random time."""
        point = self.dice.choice(("copy", "block", "sync", "manifest", "rename", "renamed", "remove", None, None))
        if point is None:
            return {}
        rank = self.dice.choice((0, 1)) if point in ("copy", "block", "sync") else 0
        return {"ZRT_CHECKPOINT_FAULT": f"kill@{point}#{self.dice.randint(1, 6)}:{rank}"}

    def kill_once(self):
        env = self.fault()
        job = self.start(env)
        deadline = time.monotonic() + (60 if env else self.dice.uniform(0.1, 2))
        while job.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        where = env.get("ZRT_CHECKPOINT_FAULT", "the clock")
        ended = job.poll()
        if ended is None:
            os.killpg(job.pid, signal.SIGKILL)  # and the ranks that it started
            for process in processes_of(compile_layout(self.LAYOUT)):
                os.kill(process, signal.SIGKILL)
        error = job.communicate()[1].decode()
        return where, ended, error

    def torn(self):
        """Checks that every folder named step-N is complete."""
        for path in (self.folder / "ck").glob("step-*"):
            done = train(self.LAYOUT, self.folder, "look", "--resume", path, "--shuffle", "--seed", 5,
                         steps=int(path.name[5:]))
            if done.returncode != 0:
                return done.err
        return None

    def problem(self):
        """Returns the error after the last run, or None."""
        job = self.start({})
        error = job.communicate(timeout=200)[1].decode()
        if job.returncode != 0:
            return error
        if losses(self.folder, "killed") != losses(self.folder, "whole"):
            return "losses or norms are others"
        if (self.folder / "killed.safetensors").read_bytes() != \
                (self.folder / "whole.safetensors").read_bytes():
            return "the weights are others"
        left = sorted(path.name for path in (self.folder / "ck").iterdir())
        if len(left) != 3 or left[0] != ".lock":
            return f"left are {left}"
        return None


def processes_of(binary):
    """Returns the processes that run `binary`."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe") == str(binary):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("pairs", "kills"))
    parser.add_argument("--only", default="", help="layouts whose name has this word")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    support.require_zeroc()
    folder = Path(tempfile.mkdtemp(prefix="zeroc-resumes-"))
    wrong = count = 0
    try:
        if options.what == "pairs":
            pairs = Pairs(folder)
            for source, target in itertools.product(LAYOUTS, LAYOUTS):
                if options.only not in name_of(source) + " " + name_of(target):
                    continue
                problem = pairs.problem(source, target)
                count += 1
                wrong += problem is not None
                print(f"{name_of(source)} -> {name_of(target)}: {problem or 'ok'}", flush=True)
        else:
            kills = Kills(folder, options.seed)
            for count in range(1, options.count + 1):
                where, ended, error = kills.kill_once()
                torn = kills.torn()
                wrong += torn is not None
                steps = sorted(int(path.name[5:]) for path in (folder / "ck").glob("step-*"))
                print(f"{count}: killed at {where}, status {ended}, checkpoints {steps}: {torn or 'ok'}", flush=True)
                if ended == 0:  # it came to its end before
                    shutil.rmtree(folder / "ck")
            problem = kills.problem()
            wrong += problem is not None
            print(f"the run that was killed {count} times: {problem or 'the bits of the unbroken one'}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        support.remove_compiled()
    print(f"{count - min(wrong, count)} right, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
