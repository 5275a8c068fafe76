#!/usr/bin/env python3
"""Compares the nvme tier of the runtime with fio on one path.

    benchmark/store.py --path=/disk0

Reads, writes, and both at once (two lanes, and two jobs of fio), bypassing the page cache, with requests of 1
MiB, 16 of them in flight on each lane, in memory that is pinned before.  Each round measures both programs in
turn; the ratios are medians over rounds.  Takes 2 x --size of the drive, and needs fio and a build of the
runtime in build/release (ZERO_BUILD_DIR names another build folder).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ZERO_BUILD_DIR", ROOT / "build" / "release"))
FORMS = ("read", "write", "mix")
MIB = 1 << 20


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"store.py: error: {Path(command[0]).name}: {done.stderr.strip()}")
    sys.stderr.write(done.stderr)
    return done.stdout


def build(folder):
    program = Path(folder) / "store"
    run(os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-DFMT_HEADER_ONLY", f"-I{ROOT}",
        Path(__file__).parent / "limits" / "store.cpp", "-o", program, f"-L{BUILD / 'lib'}",
        "-lzrt", "-luring", "-lpthread")
    return program


def ours(program, options):
    """Returns {form: (bytes read per second, bytes written per second)}."""
    rates = {}
    for line in run(program, options.seconds, options.path, options.size * MIB,
                    options.copy * MIB).splitlines():
        form, read, written, seconds = line.split()
        rates[form] = (int(read) / float(seconds), int(written) / float(seconds))
    return rates


def fio(options, folder):
    rates = {}
    common = ["fio", "--output-format=json", "--ioengine=io_uring", "--direct=1", "--bs=1M",
              "--iodepth=16", "--fixedbufs=1", f"--filename={folder}/fio", f"--size={options.size}M",
              "--time_based", f"--runtime={options.seconds}"]
    for form in FORMS:
        jobs = [part for one in ("read", "write") if form in (one, "mix")
                for part in (f"--name={one}", f"--rw={one}")]
        text = run(*common, *jobs)
        found = json.loads(text[text.index("{"):])["jobs"]
        rates[form] = tuple(sum(job[way]["bw_bytes"] for job in found) for way in ("read", "write"))
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--path", required=True, help="a folder on the drive")
    parser.add_argument("--size", type=int, default=2048, help="MiB that are read and written")
    parser.add_argument("--copy", type=int, default=32, help="MiB of a copy of the plan")
    parser.add_argument("--seconds", type=float, default=5, help="of each form")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    # fio takes whole seconds.
    options.seconds = max(1, round(options.seconds))
    rounds = []
    with tempfile.TemporaryDirectory(prefix="zeroc-store-", dir=options.path) as folder:
        program = build(folder)
        # fio's file is written whole first: reads of reserved space do not reach the drive.
        run("fio", "--name=fill", f"--filename={folder}/fio", f"--size={options.size}M", "--rw=write",
            "--bs=1M", "--direct=1", "--iodepth=16", "--ioengine=io_uring")
        for turn in range(options.rounds):
            pair = (fio, ours) if turn % 2 else (ours, fio)
            result = {one: one(*((program, options) if one is ours else (options, folder)))
                      for one in pair}
            rounds.append((result[ours], result[fio]))
    print(f"{'MB/s':<8} {'store read':>12} {'written':>10} {'fio read':>12} {'written':>10} "
          f"{'of fio':>8} {'from':>6} {'to':>6}")
    for form in FORMS:
        mine, theirs = ([statistics.median(one[which][form][way] for one in rounds) / 1e6
                         for way in (0, 1)] for which in (0, 1))
        ratios = sorted(sum(one[0][form]) / sum(one[1][form]) for one in rounds)
        print(f"{form:<8} {mine[0]:>12.0f} {mine[1]:>10.0f} {theirs[0]:>12.0f} {theirs[1]:>10.0f} "
              f"{statistics.median(ratios):>8.2f} {ratios[0]:>6.2f} {ratios[-1]:>6.2f}")


if __name__ == "__main__":
    main()
