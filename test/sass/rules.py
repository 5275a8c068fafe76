"""The rules of lint.py for one kernel, and the counts of its table."""
import dataclasses
from collections import Counter

from dependence import Dependence
from flow import Graph
from values import HALF_WARP, LANE

MOST_FRAME = 1024
#: Instructions of a hot loop for each spilled register that it loads.
MOST_SPILLS = 100
WIDTHS = ("128", "64", "32", "16", "8")


@dataclasses.dataclass
class Summary:
    kernel: object
    findings: list
    fp64: int
    products: int
    shuffles: int
    barriers: int
    loads: Counter  # by width in bits
    stores: Counter
    branches: Counter  # by the threads for which they are equal


def is_product(instruction):
    return instruction.name.endswith("MMA")


def check(kernel, rules):
    graph = Graph(kernel)
    dependence = Dependence(graph)
    code = [each for block in graph.blocks for each in block.code]
    findings = []
    if "threads" in rules:
        findings += check_threads(graph, dependence)
    if "local" in rules:
        findings += check_local(graph)
    if "frame" in rules and kernel.frame > MOST_FRAME:
        findings.append(f"the frame has {kernel.frame} bytes, more than {MOST_FRAME}")
    names = Counter(each.name for each in code)
    return Summary(
        kernel, findings, sum(names[name] for name in ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX")),
        sum(map(is_product, code)), names["SHFL"], names["BAR"],
        Counter(width_of(each) for each in code if each.name in ("LDG", "LDGSTS")),
        Counter(width_of(each) for each in code if each.name == "STG"),
        Counter(scope(dependence.branches[block]) for block in graph.blocks if block.region))


def width_of(instruction):
    parts = instruction.opcode.split(".")
    return next((part.lstrip("US") for part in parts if part in ("128", "64", "U16", "S16", "U8", "S8")), "32")


def scope(depends):
    return "thread" if depends & HALF_WARP else "half" if depends & LANE else "warp" if depends else "block"


#: Who must come together, and on which bits of tid.x it must not depend whether they come.
BLOCK, WARP, HALF = ("block", ~0), ("warp", LANE), ("half-warp", HALF_WARP)


def needs(instruction, kernel):
    name = instruction.name
    if name == "BAR":
        return BLOCK
    if is_product(instruction) or name in ("LDSM", "STSM", "MOVM"):
        return WARP
    if name == "SHFL":
        return WARP if instruction.opcode.split(".")[1] in kernel.whole_warp else HALF
    # ptxas adds WARPSYNC of all threads before barriers and products.
    return HALF if instruction.opcode == "WARPSYNC" and instruction.operands[0].startswith("R") else None


def check_threads(graph, dependence):
    """One finding for all instructions of a name that depend on the same branches."""
    found = {}
    for block in graph.blocks:
        guards = dependence.guards(block)
        for instruction in block.code:
            if not (together := needs(instruction, graph.kernel)):
                continue
            who, forbidden = together
            depends = forbidden & (dependence.control[block] | guards[instruction])
            if depends:
                causes = [f"{each.last}" for each in graph.blocks
                          if each.region and block in each.region and dependence.branches[each] & forbidden]
                causes += [f"its guard {instruction.guard}"] if guards[instruction] & forbidden else []
                found.setdefault((instruction.name, who, depends, ", ".join(causes)), []).append(instruction)
    for (_, who, depends, causes), instructions in found.items():
        more = f" and {len(instructions) - 1} more" if len(instructions) > 1 else ""
        bits = ", ".join(str(i) for i in range(10) if depends >> i & 1)
        yield (f"{instructions[0]}{more}: not all threads of a {who} come here together; "
               f"bits {bits} of tid.x decide {causes}")


def check_local(graph):
    """Arrays of local memory and spilled registers that hot loops load; each in its innermost hot loop."""
    hot = [loop for loop in graph.loops()
           if any(is_product(each) or each.name in ("FFMA", "LDG", "LDGSTS") for each in loop.code())]
    loads = {}
    for loop in sorted(hot, key=lambda loop: len(loop.blocks)):
        for each in loop.code():
            if each.name == "LDL":
                loads.setdefault(each, loop)
    arrays, spills = [], []
    for loop in sorted(hot, key=lambda loop: loop.header.number):
        size = sum(1 for _ in loop.code())
        mine = [each for each in loads if loads[each] is loop]
        count = sum(each.is_spill for each in mine)
        at = f"of {size} in the loop from 0x{loop.header.code[0].address:x}"
        arrays += [f"{len(mine) - count} {at}"] if count < len(mine) else []
        spills += [f"{count} {at}"] if count * MOST_SPILLS > size else []
    if arrays:
        yield f"instructions load arrays of local memory: {', '.join(arrays)}"
    if spills:
        yield f"instructions load spilled registers: {', '.join(spills)}"
