#!/usr/bin/env python3
"""Flips bits in runs with train --digest, and checks that zeroc replay names the step, rank and bucket of each.

    flips.py [--count=100] [--seed=1]

test_digest.py has a few of them; a hundred take minutes.  The status is 0 if every flip was located.
"""
import argparse
import json
import random
import sys
import tempfile
import zlib
from pathlib import Path

import support

#: Ranks and options of runs of four micro-batches.
WAYS = ((2, "--stage=0"), (4, "--stage=1"), (4, "--stage=2", "--ranks-per-host=2"), (2, "--stage=3", "--precision=bf16"),
        (4, "--stage=3", "--shard-size=2"), (2, "--stage=2", "--offload=cpu", "--bucket-size=4KiB"))
KINDS = ("read", "computed", "reduced", "written")
#: Steps of a run; the first that is replayed.
STEPS, SAVED = 6, 2
#: What the message of each kind says.
WORDS = {"read": "read another", "computed": "computed another gradient of", "reduced": "got another sum of the gradients of",
         "written": "updated"}


def compiled(ranks, *options):
    """A program of four micro-batches."""
    return support.compile_gpt2(support.SMALL, 1, 16, f"--world-size={ranks}", "--virtual-shards=4",
                                f"--accumulate={4 // ranks}", *options)


def parts_of(path):
    """The bytes of the header, of each whole step, and of the last one if it is not whole; each ends with its check."""
    raw = Path(path).read_bytes()
    begin = raw.index(b"\n") + 5
    header = json.loads(raw[:begin - 4])
    size = 8 + 32 * header["ranks"] * len(header["buckets"]) + 4
    whole = begin + (len(raw) - begin) // size * size
    return raw[:begin], [raw[at:at + size] for at in range(begin, whole, size)], raw[whole:]


def checked(part):
    """A part with its check made anew."""
    return part[:-4] + zlib.crc32(part[:-4]).to_bytes(4, "little")


def read_digest(path):
    """The header, and for each step a list by rank of lists by bucket of four checksums."""
    begin, records, _ = parts_of(path)
    header = json.loads(begin[:-4])
    ranks, buckets = header["ranks"], len(header["buckets"])
    steps = {}
    for record in records:
        words = memoryview(record)[:-4].cast("Q").tolist()
        steps[words[0]] = [[tuple(words[1 + 4 * (r * buckets + b):][:4]) for b in range(buckets)] for r in range(ranks)]
    return header, steps


def draw_flip(rng, header):
    """A place (step, rank, kind, bucket) and the value of ZRT_FLIP for it."""
    ranks, members = header["ranks"], header["group_size"] or header["ranks"]
    while True:
        kind, rank, number = rng.choice(KINDS), rng.randrange(ranks), rng.randrange(len(header["buckets"]))
        bucket, step = header["buckets"][number], rng.randrange(SAVED, STEPS)
        size, part = bucket["elements"] // ranks, rank % members * (ranks // members) + rank // members
        is_whole = kind == "computed" or header["stage"] == 0
        begin, end = (0, bucket["elements"]) if is_whole else (part * size, (part + 1) * size)
        inside = [range(max(begin, offset), min(end, offset + count)) for _, _, offset, count in bucket["members"]]
        if inside := [places for places in inside if places]:
            break
    # Bits from 16 on would be those of the next operand where gradients have 16 of them; the second is a slot.
    bit = rng.randrange(16) + (32 * rng.randrange(2) if kind == "read" else 0)
    return (step, rank, kind, bucket["name"]), f"{step}:{rank}:{kind}:{number}:{rng.choice(rng.choice(inside))}:{bit}"


def record(folder, program, tokens, name, flip=None):
    """Trains; returns the folder of checkpoints and the file of digests."""
    run, digest = folder / name, folder / f"{name}.digest"
    done = support.run(program, "--data", tokens, "--steps", STEPS, "--lr", "1e-2", "--checkpoint", run, "--save-every", SAVED,
                       "--digest", digest, "--quiet", env={"ZRT_FLIP": flip} if flip else None)
    # A flipped bit of an exponent may make the run diverge.
    if done.returncode not in ((0, 3) if flip else (0,)):
        raise AssertionError(f"{flip}: {done.returncode}: {done.err}")
    return run, digest


def is_located(place, done):
    """Whether a replay that has ended names the place of a flip."""
    step, rank, kind, bucket = place
    return done.returncode == 5 and f"step {step}: rank {rank} {WORDS[kind]}" in done.err and f"bucket {bucket} " in done.err


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    support.require_zeroc()
    rng, missed, kinds = random.Random(args.seed), 0, dict.fromkeys(KINDS, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = folder / "tokens.u16"
        support.write_tokens(tokens, 1200, support.SMALL["vocab_size"])
        programs = [compiled(*way) for way in WAYS]
        headers = [read_digest(record(folder, program, tokens, f"way{i}")[1])[0] for i, program in enumerate(programs)]
        model = support.import_model(support.SMALL, 1, 16)
        for i in range(args.count):
            way = i % len(WAYS)
            place, flip = draw_flip(rng, headers[way])
            run, digest = record(folder, programs[way], tokens, f"flip{i}", flip)
            done = support.run(support.ZEROC, "replay", run, "--steps", f"{SAVED}:{STEPS}", "--against", digest, "--model", model)
            kinds[place[2]] += 1
            if not is_located(place, done):
                missed += 1
                print(f"{' '.join(map(str, WAYS[way]))}, ZRT_FLIP={flip}: status {done.returncode}: {done.err}{done.out}")
    print(f"{args.count - missed} of {args.count} flips located: " + ", ".join(f"{n} {kind}" for kind, n in kinds.items()))
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
