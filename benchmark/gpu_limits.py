#!/usr/bin/env python3
"""What a plan's kernels would take on a GPU, from their machine code alone.

    benchmark/gpu_limits.py MODEL.mlir [options of zeroc] [--gpu=h100]

Needs no GPU: zeroc, zero-kernels and ptxas (of the CUDA toolkit).  For each kernel of
the program `step`:

    limit      the longer of bytes / bandwidth and flops / peak, by published numbers
    estimate   bytes / what its threads can have in flight at once, or its instructions
               / what the processors issue, whichever is longer; and a launch

A kernel reads and writes each operand once.  In flight are the bytes that a thread
loads in one basic block, times the threads that are resident by registers, shared
memory and the number of blocks.  Products have their limit alone, for cuBLASLt computes
them.  Attention's limit is that of tensor cores; its estimate is that of the kernel of
docs/cuda.md, which reads tiles of f32 from shared memory.
"""
import argparse
import dataclasses
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

BUILD = Path(os.environ.get("ZERO_BUILD_DIR", Path(__file__).resolve().parents[1] / "build" / "release"))
LAUNCH_SECONDS = 2e-6  # of one kernel after another in a graph


@dataclasses.dataclass(frozen=True)
class Gpu:
    """Published numbers; seconds of a load are what microbenchmarks of others find."""
    arch: str
    processors: int
    clock: float
    bandwidth: float
    flops: dict
    threads: int = 2048  # of a processor, as all below
    blocks: int = 32
    registers: int = 65536
    shared: int = 227 << 10
    lanes: int = 128
    latency: float = 0.7e-6


#: NVIDIA H100 SXM5 80 GB: dense flops/s, bytes/s.
GPUS = {"h100": Gpu("sm_90", 132, 1.83e9, 3.35e12, {"bf16": 989e12, "f16": 989e12, "f32": 67e12, "f64": 67e12})}


@dataclasses.dataclass
class Kernel:
    """What a launch of it is made of."""
    units: int  # of a block; 0: blocks share a unit
    threads: int
    shared: int
    registers: int = 0
    spilled: int = 0
    loaded: int = 0       # bytes of global memory, by a thread in the block of code that loads most
    instructions: int = 0  # in all blocks of code that load


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gpu_limits.py: error: {command[0]} failed\n{done.stderr}")
    return done.stdout + done.stderr


def entry_of(name):
    if name.startswith("zrt_"):
        return name
    return "zk_" + "".join(c if c.isalnum() or c == "_" else f"${ord(c):x}" for c in name)


def find_ptxas():
    for folder in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        path = Path(folder) / "bin" / "ptxas"
        if folder and path.exists():
            return path
    return "ptxas"


WIDTHS = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b128": 16}


def read_code(ptx, kernels):
    """Loads and instructions of each entry's blocks of code that load."""
    names = {entry_of(name): kernel for name, kernel in kernels.items()}
    for entry in re.finditer(r"\.visible \.entry (\S+)\((.*?)\n\}", ptx, re.DOTALL):
        kernel = names.get(entry[1])
        if not kernel:
            continue
        for block in re.split(r"^\$L__BB\S+:|\bbra\b.*", entry[2], flags=re.MULTILINE):
            loads = re.findall(r"ld\.global\.(?:nc\.)?(?:v(\d)\.)?([bfsu]\d+)", block)
            loaded = sum(int(count or 1) * int(kind[1:]) // 8 for count, kind in loads)
            if loaded:
                kernel.loaded = max(kernel.loaded, loaded)
                kernel.instructions += len(re.findall(r";$", block, re.MULTILINE))


def read_kernels(ptx, report):
    """{name: Kernel} of what zero-kernels and ptxas have printed."""
    kernels = {name: Kernel(int(units), int(threads), int(shared)) for name, units, threads, shared in re.findall(
        r"^// @(\S+): (\d+) units by (\d+) threads, (\d+) bytes shared", ptx, re.MULTILINE)}
    for name, threads, shared in re.findall(
            r"^// @(\S+): a unit by \d+ blocks of (\d+) threads, (\d+) bytes shared", ptx, re.MULTILINE):
        kernels[name] = Kernel(0, int(threads), int(shared))
    read_code(ptx, kernels)
    names = {entry_of(name): kernel for name, kernel in kernels.items()}
    for entry, text in re.findall(r"entry function '(\S+)' for(.*?)Compile time", report, re.DOTALL):
        if entry in names:
            names[entry].registers = int(re.search(r"Used (\d+) registers", text)[1])
            names[entry].spilled = sum(map(int, re.findall(r"(\d+) bytes spill", text)))
    return kernels


@dataclasses.dataclass
class Work:
    """All calls of a kernel, or of products."""
    calls: int = 0
    seconds: float = 0
    limit: float = 0
    bytes: float = 0
    why: str = ""
    grid: str = ""


def bytes_of(text):
    return sum(int(size) for size in re.findall(r"(?:device|host) \d+ \+ (\d+) ", text))


def estimate(gpu, kernel, units, moved):
    """(seconds, what decides, blocks) of a launch that moves so many bytes."""
    blocks = math.ceil(units / kernel.units)
    warps = kernel.threads / 32
    registers = math.ceil(kernel.registers * 32 / 256) * 256 * warps
    resident = min(gpu.blocks, gpu.threads // kernel.threads, int(gpu.registers // max(registers, 1)),
                   gpu.shared // kernel.shared if kernel.shared else gpu.blocks)
    at_once = min(blocks, resident * gpu.processors)
    in_flight = at_once * kernel.threads * max(kernel.loaded, 4)
    reach = min(1.0, in_flight / (gpu.bandwidth * gpu.latency))
    busy = min(1.0, at_once / gpu.processors)
    by_bytes = moved / (gpu.bandwidth * reach)
    steps = moved / max(kernel.loaded, 4)
    by_issue = steps * kernel.instructions / (gpu.processors * gpu.lanes * gpu.clock * busy)
    why = "instructions" if by_issue > by_bytes else "bandwidth" if reach == 1 else (
        "few blocks" if at_once < resident * gpu.processors else "few bytes in flight")
    return max(by_bytes, by_issue) + LAUNCH_SECONDS, why, blocks


def attention_flops(name, operands, units):
    """Of the causal half: what a product of T x T x D takes, and how many of them there are at
    least and in the kernels of docs/cuda.md."""
    sizes = [int(size) for size in re.findall(r"device \d+ \+ (\d+) ", operands)]
    backward = "backward" in name
    length = next(size // 4 // units for size, kind in
                  re.findall(r"\+ (\d+) (f32) members", operands) for size in [int(size)])
    width = (sizes[0] if backward else sizes[1]) // (2 if "bf16" in operands or "f16" in operands else 4) // (
        units * length)
    return units * length * length * width, *((5, 9) if backward else (2, 3))


def estimate_attention(gpu, flops):
    """Seconds of products in f32 whose threads read 4 and 6 numbers of shared memory for 24 FMAs."""
    return flops / 2 * (4 * (4 + 6) / 24) / (gpu.processors * gpu.lanes * gpu.clock)


def add_all(gpu, plan, kernels):
    """{name: Work} of the program `step`."""
    works = defaultdict(Work)
    text = plan[plan.index("\nprogram step:"):]
    end = text.find("\nprogram ", 1)
    for line in text[:end if end > 0 else None].splitlines():
        match = re.match(r"\s+\d+\s+\S+\s+(launch|matmul|update|squares|dequantize)\s+(\S+) (?:of )?(.*)", line)
        if not match:
            continue
        kind, name, rest = match.groups()
        moved = bytes_of(rest)
        element = "bf16" if " bf16 " in rest else "f16" if " f16 " in rest else "f32"
        seconds, why, blocks, flops = 0, "", None, 0
        if kind == "matmul":
            m, n, k = map(int, re.search(r"(\d+) x (\d+) x (\d+)", rest).groups())
            batch = re.search(r"\(batch (\d+)\)", rest)
            flops, name = 2 * m * n * k * int(batch[1] if batch else 1), "products"
        elif "attention" in name:
            one, least, count = attention_flops(name, rest, int(re.search(r"(\d+) by \d+:", rest)[1]))
            flops, seconds, why = least * one, estimate_attention(gpu, count * one), "shared memory"
        limit = max(moved / gpu.bandwidth, flops / gpu.flops[element])
        kernel = kernels.get(name)
        if kind == "update":
            found = [kernels[one] for one in kernels if one.startswith(name)]
            kernel = found[0] if found else None
        elif kind == "squares":
            kernel = kernels.get(f"zrt_squares_{element}")
        elif kind == "dequantize":
            elements, packing = re.search(r"(\d+) elements of (\w+)", rest).groups()
            name = f"zrt_dequantize_{packing}_{element}"
            # A thread moves 8 bytes of codes and what they stand for; it looks numbers up in caches.
            run = 8 + (16 if packing == "nf4" else 8) * (4 if element == "f32" else 2)
            kernel, count = dataclasses.replace(kernels[name], loaded=run), math.ceil(int(elements) / 16384)
        if kernel and kernel.units:
            units = re.search(r"(\d+) by \d+:", rest)
            if kind != "dequantize":
                count = int(units[1]) if units else int(re.search(r"\+ (\d+) f32", rest)[1]) // 4 if kind == "update" else 1
            seconds, why, blocks = estimate(gpu, kernel, count, moved)
        work = works[name]
        work.calls += 1
        work.bytes += moved
        work.limit += limit
        work.seconds += seconds
        work.why, work.grid = why or work.why, f"{blocks} x {kernel.threads}" if blocks else ""
    return works


def print_table(works, kernels):
    print(f"{'kernel':24} {'calls':>5} {'grid':>14} {'regs':>4} {'spill':>5} {'limit':>9} {'estimate':>9} {'ratio':>6}")
    total = limit = 0
    for name, work in sorted(works.items(), key=lambda item: -item[1].limit):
        kernel = kernels.get(name)
        known = work.seconds > 0
        total += work.seconds if known else work.limit
        limit += work.limit
        print(f"{name:24} {work.calls:5} {work.grid:>14} {kernel.registers if kernel else '':>4} "
              f"{kernel.spilled if kernel else '':>5} {1e3 * work.limit:8.3f}m "
              + (f"{1e3 * work.seconds:8.3f}m {work.seconds / work.limit:6.2f}  {work.why}" if known else ""))
    print(f"all: limit {1e3 * limit:.2f} ms, estimate {1e3 * total:.2f} ms (products at their limit)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--gpu", choices=sorted(GPUS), default="h100")
    args, options = parser.parse_known_args()
    gpu = GPUS[args.gpu]
    with tempfile.TemporaryDirectory() as folder:
        plan, program, ptx = (Path(folder) / name for name in ("plan.mlir", "train", "kernels.ptx"))
        run(BUILD / "bin/zeroc", args.model, *options, "--emit=memory", "-o", plan)
        run(BUILD / "bin/zeroc", args.model, *options, "-o", program)
        ptx.write_text(run(BUILD / "bin/zero-kernels", plan, f"--ptx={gpu.arch}"))
        report = run(find_ptxas(), "-v", f"-arch={gpu.arch}", ptx, "-o", "/dev/null")
        kernels = read_kernels(ptx.read_text(), report)
        print_table(add_all(gpu, run(program, "--plan"), kernels), kernels)


if __name__ == "__main__":
    main()
