#!/usr/bin/env python3
"""Estimates the time of a plan's kernels on a GPU from their machine code.

    benchmark/gpu_limits.py MODEL.mlir [options of zeroc] [--gpu=h100]

Needs no GPU, but zeroc, zero-kernels and ptxas (of the CUDA toolkit).  For each kernel of the program `step`:

    limit      the longer of bytes / bandwidth and flops / peak, by published numbers
    estimate   the longer of bytes / the bytes that its threads can have in flight, and its instructions, of
               which an exact division is several, / the issue rate of the processors; and a launch

A kernel reads and writes each operand once.  In flight are the bytes that a thread loads in one basic block,
times the threads that are resident given registers, shared memory and the number of blocks; or, of rows and
gradients that cp.async copies, the resident blocks' shared memory, which loops then read.  cuBLASLt computes
products, whose estimate is a rate that was measured, lower if n or k is no multiple of 8; grouped products are
estimated by their instructions.  Attention's limit is that of tensor cores.  Its estimate follows the kernels of
docs/cuda.md: in f32, reads of shared memory; on tensor cores, for each tile of the loop, its multiplications,
instructions, exponentials and reads of shared memory one after another, or its reads of L2 if these take longer.
cuDNN's attention is estimated by the rates of machines/h100.json.  docs/cuda.md compares the estimates with times
of an H100.
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
LAUNCH_SECONDS = 2e-6  # one kernel after another in a graph


@dataclasses.dataclass(frozen=True)
class Gpu:
    """Published numbers of a GPU; load latencies come from published microbenchmarks."""
    arch: str
    processors: int
    clock: float
    bandwidth: float
    flops: dict
    threads: int = 2048  # per processor, as all below
    blocks: int = 32
    registers: int = 65536
    shared: int = 227 << 10
    lanes: int = 128
    latency: float = 0.7e-6
    # Per processor and clock: 16-bit FMAs of tensor cores, exponentials, bytes of shared memory.
    fmas: int = 2048
    exponentials: int = 16
    shared_bytes: int = 128
    # The share of the tensor cores' peak that mma.sync reaches at most; only wgmma reaches the peak.  An
    # assumption, after Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (2024).
    mma_share: float = 0.62
    l2: float = 5.5e12
    # Rates that code reaches: bytes/s of kernels that stream (published copies and norms), flops/s of cuBLAS for K
    # of 768 and more (published: 550 to 650e12; an H100 with this project's plans: 540 to 815e12), and of its
    # kernels for n or k that is no multiple of 8 (measured, whatever the distance of rows).
    streamed: float = 3.0e12
    multiplied: float = 600e12
    multiplied_odd: float = 95e12
    multiplied_f32: float = 50e12
    # cuDNN's attention: seconds of a flop, and of a pair of query and key, forward and backward (machines/h100.json).
    library_flop: float = 1.011e-15
    library_score: tuple = (4.24e-13, 2.40e-12)


#: NVIDIA H100 SXM5 80 GB: dense flops/s, bytes/s.
GPUS = {"h100": Gpu("sm_90", 132, 1.83e9, 3.35e12, {"bf16": 989e12, "f16": 989e12, "f32": 67e12, "f64": 67e12})}


@dataclasses.dataclass
class Kernel:
    """Resources and code of a kernel."""
    units: int  # per block; 0: several blocks share a unit
    threads: int
    shared: int
    registers: int = 0
    spilled: int = 0
    loaded: int = 0       # bytes of global memory, by a thread in the block of code that loads most
    stored: int = 0       # by this block
    instructions: int = 0  # in all blocks of code that load
    parts: int = 0         # blocks that share a unit
    copies: bool = False   # shared memory is filled by cp.async
    from_shared: float = 0  # instructions for each byte of it, in the loops that read it
    # Per warp, in the blocks of code that multiply on tensor cores.
    multiplications: int = 0
    exponentials: int = 0
    fragments: int = 0
    issued: int = 0
    fmas: int = 0  # in the block of code with the most FMAs
    step: int = 0  # instructions of that block


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gpu_limits.py: error: {command[0]} failed\n{done.stderr}")
    return done.stdout + done.stderr


def entry_of(name):
    if name.startswith("zrt_"):
        return name
    return "zk_" + "".join(c if c.isalnum() or c == "_" else f"${ord(c):x}" for c in name)


def plain(entry):
    """The kernel's name for entry_of: entries of kernels that round to 16 bits begin with zr_."""
    return "zk_" + entry[3:] if entry.startswith("zr_") else entry


def find_ptxas():
    for folder in (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"):
        path = Path(folder) / "bin" / "ptxas"
        if folder and path.exists():
            return path
    return "ptxas"


# What ptxas makes of an exact division or root where no number is at the end of its range.
DIVISION = 9


def bytes_moved(code, access):
    """Bytes that a thread moves by `access`, ld or st."""
    return sum(int(count or 1) * int(kind[1:]) // 8
               for count, kind in re.findall(access + r"\.global\.(?:nc\.)?(?:v(\d)\.)?([bfsu]\d+)", code))


def count_instructions(code):
    divisions = len(re.findall(r"\b(?:div|rcp|sqrt)\.rn\.", code))
    return len(re.findall(r";$", code, re.MULTILINE)) + (DIVISION - 1) * divisions


def read_code(ptx, kernels):
    """Counts loads and instructions in each entry's blocks of code that load."""
    names = {entry_of(name): kernel for name, kernel in kernels.items()}
    for entry in re.finditer(r"\.visible \.entry (\S+)\((.*?)\n\}", ptx, re.DOTALL):
        kernel = names.get(plain(entry[1]))
        if not kernel:
            continue
        for block in re.split(r"^\$L__BB\S+:|^\s*@?%?\S*\s*bra\b.*", entry[2], flags=re.MULTILINE):
            count = block.count("mma.sync")
            if count:
                kernel.multiplications += count
                kernel.exponentials += block.count("ex2.approx")
                kernel.fragments += block.count("ldmatrix")
                kernel.issued += len(re.findall(r";$", block, re.MULTILINE)) - block.count("mov.b32")
        kernel.copies = "cp.async" in entry[2] and not kernel.multiplications
        loops = set()  # a row's last part may have a loop of its own, which is the same
        for _, loop in re.findall(r"^(\$L__BB\S+):((?:(?!^\$L__BB)[\s\S])*?)\bbra\s+\1;", entry[2], re.MULTILINE):
            read = sum(int(count or 1) * int(kind[1:]) // 8
                       for count, kind in re.findall(r"ld\.shared\.(?:v(\d)\.)?([bfsu]\d+)", loop))
            if kernel.copies and read >= 32:
                loops.add((read, len(re.findall(r";$", loop, re.MULTILINE))))
        kernel.from_shared = sum(issued / read for read, issued in loops)
        for block in re.split(r"^\$L__BB\S+:|\bbra\b.*", entry[2], flags=re.MULTILINE):
            loaded = bytes_moved(block, "ld")
            fmas = len(re.findall(r"\bfma\.", block))
            if fmas > kernel.fmas:
                kernel.fmas, kernel.step = fmas, len(re.findall(r";$", block, re.MULTILINE))
            if loaded:
                kernel.loaded, kernel.stored = max((kernel.loaded, kernel.stored), (loaded, bytes_moved(block, "st")))
                kernel.instructions += count_instructions(block)


def read_kernels(ptx, report):
    """Returns {name: Kernel} from the output of zero-kernels and ptxas."""
    kernels = {name: Kernel(int(units), int(threads), int(shared)) for name, units, threads, shared in re.findall(
        r"^// @(\S+): (\d+) units by (\d+) threads, (\d+) bytes shared", ptx, re.MULTILINE)}
    for name, parts, threads, shared in re.findall(
            r"^// @(\S+): a unit by (\d+) blocks of (\d+) threads, (\d+) bytes shared", ptx, re.MULTILINE):
        kernels[name] = Kernel(0, int(threads), int(shared), parts=int(parts))
    read_code(ptx, kernels)
    names = {entry_of(name): kernel for name, kernel in kernels.items()}
    for entry, text in re.findall(r"entry function '(\S+)' for(.*?)Compile time", report, re.DOTALL):
        if kernel := names.get(plain(entry)):
            kernel.registers = int(re.search(r"Used (\d+) registers", text)[1])
            kernel.spilled = sum(map(int, re.findall(r"(\d+) bytes spill", text)))
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
    """Returns (seconds, bottleneck, blocks) of a launch that moves `moved` bytes."""
    blocks = math.ceil(units / kernel.units)
    warps = kernel.threads / 32
    registers = math.ceil(kernel.registers * 32 / 256) * 256 * warps
    resident = min(gpu.blocks, gpu.threads // kernel.threads, int(gpu.registers // max(registers, 1)),
                   gpu.shared // kernel.shared if kernel.shared else gpu.blocks)
    at_once = min(blocks, resident * gpu.processors)
    in_flight = at_once * (kernel.shared if kernel.copies else kernel.threads * max(kernel.loaded, 4))
    reach = min(1.0, in_flight / (gpu.streamed * gpu.latency))
    busy = min(1.0, at_once / gpu.processors)
    by_bytes = moved / (gpu.streamed * reach)
    steps = moved / max(kernel.loaded + kernel.stored, 4)
    # A block of one unit has a row, or a part of it, in shared memory, and writes another; others pass all bytes
    # through a ring.
    copied = max(units * kernel.shared, moved / 2) if kernel.units == 1 else moved
    issued = copied * kernel.from_shared if kernel.copies else steps * kernel.instructions
    by_issue = issued / (gpu.processors * gpu.lanes * gpu.clock * busy)
    why = "instructions" if by_issue > by_bytes else "bandwidth" if reach == 1 else (
        "few blocks" if at_once < resident * gpu.processors else "few bytes in flight")
    return max(by_bytes, by_issue) + LAUNCH_SECONDS, why, blocks


def estimate_matmul(gpu, flops, n, k, moved, element):
    """Seconds of a product by cuBLASLt, and its bottleneck."""
    odd = element != "f32" and (n % 8 or k % 8)
    rate = gpu.multiplied_f32 if element == "f32" else gpu.multiplied_odd if odd else gpu.multiplied
    by_flops, by_bytes = flops / rate, moved / gpu.streamed
    why = "bandwidth" if by_bytes > by_flops else "odd sizes" if odd else "flops"
    return max(by_flops, by_bytes) + LAUNCH_SECONDS, why


def attention_shape(name, operands, units, lengths):
    """Returns (is backward, T, D, heads of queries of all sequences).  `lengths` collects those of forward launches, by
    the number of logarithms of sums: T for each of these heads."""
    sizes = [int(size) for size in re.findall(r"device \d+ \+ (\d+) ", operands)]
    if "library" in name:  # its room is the last
        sizes.pop()
    backward = "backward" in name
    if not backward:
        lengths[sizes[-1] // 4] = sizes[-1] // 4 // units
    sums = next(size // 4 for size in (sizes if backward else sizes[-1:]) if size // 4 in lengths)
    width = sizes[0 if backward else -2] // (2 if "bf16" in operands or "f16" in operands else 4) // sums
    return backward, lengths[sums], width, sums // lengths[sums]


def attention_flops(backward, length, width, units):
    """For the causal half: flops of a product of T x T x D, and the number of such products, the minimum and
    in f32, where blocks with 128 columns of the sums compute all columns of the scores."""
    parts = math.ceil(width / 128)
    return units * length * length * width, *((5, 4 * parts + 3) if backward else (2, 2 * parts + 1))


def estimate_attention(gpu, flops):
    """Seconds of f32 products whose threads read 4 and 6 numbers of shared memory for 24 FMAs."""
    return flops / 2 * (4 * (4 + 6) / 24) / (gpu.processors * gpu.lanes * gpu.clock)


#: The number of products in each launch on tensor cores, and whether its blocks are of keys.
LAUNCHES = {False: (("", 2, False),), True: (("", 4, True), (".queries", 3, False))}


def estimate_on_tensor_cores(gpu, kernel, products, backward, is_keys, length, width, units):
    """Seconds of a launch of causal attention: the sum over the tiles that its blocks process."""
    sharers = 2 if width > 128 and backward else 1  # warps that have the same rows, and a part of the columns each
    columns = math.ceil(width / (16 * sharers)) * 16 * sharers
    tile = 64 if columns <= 64 else 32 if columns <= 128 else 16
    rows = 128 if columns <= 64 and not is_keys else 64 // sharers
    warps = kernel.threads // 32
    if kernel.multiplications * warps * 2048 != products * rows * tile * columns:
        sys.exit("gpu_limits.py: error: the loop has other products than codegen/gpu/MmaAttention.h says")
    blocks = math.ceil(length / rows)
    tiles = units * sum(math.ceil((length - i * rows if is_keys else min(length, (i + 1) * rows)) / tile)
                        for i in range(blocks))
    # Sharers write and read sums of S and dP, 16 x 16 each.
    exchanged = 2 * 2 * warps * 16 * 16 * 4 if sharers > 1 else 0
    # Clocks of a processor for one block's tile.
    parts = {"tensor cores": kernel.multiplications * warps * 2048 / (gpu.fmas * gpu.mma_share),
             "instructions": kernel.issued * kernel.threads / gpu.lanes,
             "exponentials": kernel.exponentials * kernel.threads / gpu.exponentials,
             "shared memory": (kernel.fragments * warps * 512 + 2 * tile * columns * 2 + exchanged) / gpu.shared_bytes,
             "L2": 2 * tile * width * 2 / (gpu.l2 / gpu.processors / gpu.clock)}
    # On an H100 the parts hardly overlap, though two or three blocks share a processor.
    clocks = max(parts["L2"], sum(parts.values()) - parts["L2"])
    why = max(parts, key=parts.get)
    # The last blocks have the fewest tiles, so the last wave is not counted as full.
    return tiles / gpu.processors * clocks / gpu.clock + LAUNCH_SECONDS, why


def estimate_launches(gpu, kernels, name, backward, length, width, units):
    """Seconds of all launches, and the bottleneck of the longest."""
    found = []
    for suffix, products, is_keys in LAUNCHES[backward]:
        seconds, why = estimate_on_tensor_cores(gpu, kernels[name + suffix], products, backward, is_keys, length, width,
                                                units)
        found.append((seconds, why))
    return sum(seconds for seconds, _ in found), ", ".join(f"{why} {1e3 * s:.3f}m" for s, why in found)


def estimate_library(gpu, flops, backward, width):
    """Seconds of cuDNN's attention with `flops` of its products, and the bottleneck."""
    scores = flops / ((10 if backward else 4) * width)
    return flops * gpu.library_flop + scores * gpu.library_score[backward] + LAUNCH_SECONDS, "cuDNN"


def estimate_grouped(gpu, kernel, rows, groups, sums, flops):
    """Seconds of tiles of 128 rows, and the bottleneck; the last tile of a group is half full."""
    tiles = 1 if sums else (rows / 128 + groups / 2) / (rows / 128)
    if not kernel.multiplications:
        issued = flops / 2 * (kernel.step / kernel.fmas) / (gpu.processors * gpu.lanes * gpu.clock)
        return tiles * issued, "f32 FMA"
    # Clocks of a processor for the loop's body, which multiplies 16 depths of a tile; two blocks share it.
    warps = kernel.threads // 32
    parts = {"tensor cores": kernel.multiplications * warps * 2048 / (gpu.fmas * gpu.mma_share),
             "instructions": kernel.issued * kernel.threads / gpu.lanes,
             "shared memory": (kernel.fragments * warps * 512 + 2 * 128 * 16 * 2) / gpu.shared_bytes}
    why = max(parts, key=parts.get)
    bodies = flops / 2 / (kernel.multiplications * warps * 2048)
    return tiles * bodies * parts[why] / (gpu.processors * gpu.clock), why


def add_all(gpu, plan, kernels):
    """{name: Work} of the program `step`."""
    works, lengths = defaultdict(Work), {}
    text = plan[plan.index("\nprogram step:"):]
    end = text.find("\nprogram ", 1)
    for line in text[:end if end > 0 else None].splitlines():
        match = re.match(r"\s+\d+\s+\S+\s+(launch|matmul|grouped|update|squares|unpack)\s+(\S+) (?:of )?(.*)", line)
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
            seconds, why = estimate_matmul(gpu, flops, n, k, moved, element)
        elif kind == "grouped":
            rows, n, k, groups = map(int, re.search(r"(\d+) x (\d+) x (\d+) \(groups (\d+)\)", rest).groups())
            flops, sums = 2 * rows * n * k, " sums:" in rest
            result = re.search(r"W0 device \d+ \+ \d+ (\w+)" if sums else r"y device \d+ \+ \d+ (\w+)", rest)[1]
            form = "sums" if sums else "xwt" if " trans_w:" in rest else "xw"
            name = f"zrt_grouped_{element}_{result}_{form}_{groups}x{n}x{k}"
            seconds, why = estimate_grouped(gpu, kernels[name], rows, groups, sums, flops)
        elif "attention" in name:
            units = int(re.search(r"(\d+) by \d+:", rest)[1])
            shape = attention_shape(name, rest, units, lengths)
            one, least, count = attention_flops(*shape)
            flops = least * one
            if "library" in name:
                seconds, why = estimate_library(gpu, flops, shape[0], shape[2])
            elif kernels[name].multiplications:
                seconds, why = estimate_launches(gpu, kernels, name, *shape)
            else:
                seconds, why = estimate_attention(gpu, count * one), "shared memory"
        limit = max(moved / gpu.bandwidth, flops / gpu.flops[element])
        kernel = kernels.get(name)
        if kind == "update":
            # A block updates 8192 elements (ZRT_UPDATE_BLOCK), by one of the codes with and without decay.
            found = [(one, kernels[one]) for one in kernels if one.startswith(name)]
            kernel = found[0][1] if found else None
            codes = 1 if found and re.fullmatch(re.escape(name) + "_decay0(_.*)?", found[0][0]) else 2
            kernel = kernel and dataclasses.replace(kernel, units=8192, instructions=kernel.instructions // codes)
        elif kind == "squares":
            kernel = kernels.get(f"zrt_squares_{element}")
        elif kind == "unpack":
            elements, packing = re.search(r"(\d+) elements of (\w+)", rest).groups()
            name = f"zrt_unpack_{packing}_{element}"
            # A thread moves 8 bytes of codes and the numbers they decode to; its table reads hit caches.
            run = 8 + (16 if packing == "nf4" else 8) * (4 if element == "f32" else 2)
            kernel, count = dataclasses.replace(kernels[name], loaded=run, stored=0), math.ceil(int(elements) / 16384)
        if kernel and kernel.units and kind != "grouped":
            units = re.search(r"(\d+) by \d+:", rest)
            if kind == "squares":  # ZRT_SQUARES_BLOCK elements per unit
                count = moved / (4 if element == "f32" else 2) / 16384
            elif kind != "unpack":
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
    print(f"{'kernel':42} {'calls':>5} {'grid':>14} {'regs':>4} {'spill':>5} {'limit':>9} {'estimate':>9} {'ratio':>6}")
    total = limit = 0
    for name, work in sorted(works.items(), key=lambda item: -item[1].limit):
        kernel = kernels.get(name)
        known = work.seconds > 0
        total += work.seconds if known else work.limit
        limit += work.limit
        print(f"{name:42} {work.calls:5} {work.grid:>14} {kernel.registers if kernel else '':>4} "
              f"{kernel.spilled if kernel else '':>5} {1e3 * work.limit:8.3f}m "
              + (f"{1e3 * work.seconds:8.3f}m {work.seconds / work.limit:6.2f}  {work.why}" if known else ""))
    print(f"all: limit {1e3 * limit:.2f} ms, estimate {1e3 * total:.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--gpu", choices=sorted(GPUS), default="h100")
    args, options = parser.parse_known_args()
    gpu = GPUS[args.gpu]
    with tempfile.TemporaryDirectory() as folder:
        plan, program, ptx = (Path(folder) / name for name in ("plan.mlir", "train", "kernels.ptx"))
        options += ["--target=cuda", f"--cuda-arch={gpu.arch}"]
        run(BUILD / "bin/zeroc", args.model, *options, "--emit=memory", "-o", plan)
        run(BUILD / "bin/zeroc", args.model, *options, "-o", program)
        ptx.write_text(run(BUILD / "bin/zero-kernels", plan, f"--ptx={gpu.arch}"))
        report = run(find_ptxas(), "-v", f"-arch={gpu.arch}", ptx, "-o", "/dev/null")
        kernels = read_kernels(ptx.read_text(), report)
        print_table(add_all(gpu, run(program, "--plan"), kernels), kernels)


if __name__ == "__main__":
    main()
