#!/usr/bin/env python3
"""Checks the machine code of a plan's kernels for NVIDIA's GPUs, and prints a table of it.

    test/sass/lint.py MODEL.mlir [options of zeroc] [--arch=sm_90,sm_100] [--rules=threads,frame]
    test/sass/lint.py KERNELS.ptx [--arch=sm_90]

Needs no GPU, but zeroc, zero-kernels, ptxas and nvdisasm.  The status is 1 if there are findings.  The rules
(docs/cuda.md tells why):

threads    Threads come together to what needs them together: all of a block to BAR, all of a warp to matmuls,
           to LDSM and to shuffles whose mask is a warp, all of a half-warp to other shuffles.
local      A loop with products or loads of global memory loads no arrays of local memory, and at most one spilled
           register for 100 instructions.
frame      A frame has at most 1,024 bytes.
"""
import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

import machine_code
import rules

BUILD = Path(os.environ.get("ZERO_BUILD_DIR", Path(__file__).resolve().parents[2] / "build" / "release"))
ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
RULES = ("threads", "local", "frame")


def compile_kernels(model, options, arch, folder):
    """Returns the path of the PTX of the plan's kernels."""
    plan, ptx = Path(folder) / f"{arch}.mlir", Path(folder) / f"{arch}.ptx"
    # The plan does not say what multiplies in attention.
    attention = [option for option in options if option.startswith("--attention=")]
    machine_code.run(BUILD / "bin/zeroc", model, *(option for option in options if option not in attention),
                     "--target=cuda", f"--cuda-arch={arch}", "--emit=memory", "-o", plan)
    ptx.write_text(machine_code.run(BUILD / "bin/zero-kernels", plan, f"--ptx={arch}", *attention))
    return ptx


def read_shared(ptx):
    """Returns {entry: bytes of shared memory that its launch adds} from what zero-kernels prints."""
    def entries(name):
        text = "".join(c if c.isalnum() or c == "_" else f"${ord(c):x}" for c in name)
        return name, f"zk_{text}", f"zr_{text}"
    return {entry: int(size) for name, size in re.findall(r"^// @(\S+): .*, (\d+) bytes shared", ptx, re.MULTILINE)
            for entry in entries(name)}


def readable(entry):
    return re.sub(r"\$([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), re.sub("^z[kr]_", "", entry))


COLUMNS = ("regs", "frame", "spill", "shared", "fp64", "mma", "shfl", "bar", "loads 128/64/32/16/8", "stores",
           "branches b/w/h/t")


def row(summary):
    kernel = summary.kernel
    return (kernel.registers, kernel.frame, kernel.spilled, kernel.shared, summary.fp64, summary.products,
            summary.shuffles, summary.barriers, *("/".join(str(counts[width]) for width in rules.WIDTHS)
                                                  for counts in (summary.loads, summary.stores)),
            "/".join(str(summary.branches[scope]) for scope in ("block", "warp", "half", "thread")))


def print_table(arch, summaries):
    rows = [(f"kernels of {arch}", *COLUMNS)]
    rows += [(readable(summary.kernel.name), *map(str, row(summary))) for summary in summaries]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for first, *rest in rows:
        print(first.ljust(widths[0]), *(word.rjust(width) for word, width in zip(rest, widths[1:])))
    for summary in summaries:
        for finding in summary.findings:
            print(f"{arch} {readable(summary.kernel.name)}: finding: {finding}")


def lint(args, options, arch, folder):
    """Returns the number of findings."""
    ptx = args.model if args.model.suffix == ".ptx" else compile_kernels(args.model, options, arch, folder)
    kernels = machine_code.assemble(ptx, arch, folder)
    added = read_shared(Path(ptx).read_text())
    for kernel in kernels:
        kernel.shared += added.get(kernel.name, 0)
    summaries = [rules.check(kernel, args.rules.split(",")) for kernel in kernels]
    print_table(arch, summaries)
    return sum(len(summary.findings) for summary in summaries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--arch", default="sm_90", help="GPUs, separated by commas, or `all` that ptxas knows")
    parser.add_argument("--rules", default=",".join(RULES), help="those that are checked, separated by commas")
    parser.add_argument("--tools", action="store_true", help="only print where ptxas and nvdisasm are")
    args, options = parser.parse_known_args()
    if unknown := set(args.rules.split(",")) - set(RULES):
        parser.error(f"--rules has {', '.join(sorted(unknown))}; use {', '.join(RULES)}")
    try:
        if args.tools:
            return print(machine_code.need_tool("ptxas"), machine_code.need_tool("nvdisasm"), sep="\n")
        if not args.model:
            parser.error("which model?")
        archs = machine_code.supported(ARCHS) if args.arch == "all" else args.arch.split(",")
        with tempfile.TemporaryDirectory() as folder:
            found = sum(lint(args, options, arch, folder) for arch in archs)
    except machine_code.Failure as failure:
        sys.exit(f"lint.py: error: {failure}")
    print(f"{found} finding{'' if found == 1 else 's'}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
