"""The control flow graph of a kernel: blocks, immediate post-dominators, loops.

* A call continues after itself.  Callees (divisions' rare cases) are not blocks of the graph; `callee` has their code.
* ptxas writes a shuffle of threads that may not have converged twice: once for converged threads, and once behind
  BRA.DIV, or after BRA.CONV, for others.  Both mean the same, so only the first is in the graph.
* BSSY, BREAK and BSYNC say which threads wait for each other, and do not jump.
"""
import dataclasses

from machine_code import Failure


@dataclasses.dataclass(eq=False)
class Block:
    number: int
    code: list
    next: list = dataclasses.field(default_factory=list)
    after: list = ()  # indices of the instructions that begin these
    region: set = None  # of a branch: the blocks that depend on where it goes

    @property
    def last(self):
        return self.code[-1]


@dataclasses.dataclass(eq=False)
class Loop:
    header: Block
    blocks: set

    def code(self):
        return (instruction for block in self.blocks for instruction in block.code)


ENDS = {"EXIT", "RET", "KILL"}
UNKNOWN = {"BRX", "BRXU", "JMP", "JMX", "JMXU"}


def is_conditional(instruction):
    """Also `BRA P2, L` and `BRA.U UP0, L`, which are conditional without a guard."""
    return bool(instruction.guard) or any(word.lstrip("!")[:1] in ("P", "U") and "PT" not in word
                                          for word in instruction.operands)


def is_call(instruction):
    """ptxas also jumps by CALL, to labels that are no functions."""
    return instruction.name == "CALL" and not instruction.target.startswith(".L")


def follow(kernel, at):
    """Returns the indices of the instructions that may follow that of index `at`."""
    jump, next_ = kernel.code[at], [at + 1]
    if jump.name in ENDS:
        return next_ if jump.guard else []
    if jump.name in UNKNOWN or jump.name == "BSYNC" and at + 1 not in (
            kernel.labels[each.target] for each in kernel.code
            if each.name == "BSSY" and each.operands[0] == jump.operands[0]):
        raise Failure(f"{kernel.name}: cannot follow {jump}")
    if not jump.target or jump.name not in ("BRA", "CALL") or ".DIV" in jump.opcode or is_call(jump):
        return next_
    target = [kernel.labels[jump.target]]
    return target + next_ if is_conditional(jump) and ".CONV" not in jump.opcode else target


class Graph:
    def __init__(self, kernel, entry=0):
        self.kernel = kernel
        self.blocks = []  # reachable, in the order of their addresses
        self.build(entry)
        self.find_regions()

    def build(self, entry):
        code = self.kernel.code
        after, starts, work = {}, {entry}, [entry]
        while work:
            at = work.pop()
            if at in after:
                continue
            if at >= len(code):
                raise Failure(f"{self.kernel.name}: code runs past its end")
            after[at] = follow(self.kernel, at)
            work += after[at]
            if after[at] != [at + 1] or code[at].name in ENDS:
                starts.update(after[at])
        blocks = {}
        for at in sorted(after):
            if at in starts or at - 1 not in after:
                block = blocks[at] = Block(len(blocks), [])
            block.code.append(code[at])
            block.after = after[at]
        for block in blocks.values():
            block.next = [blocks[at] for at in dict.fromkeys(block.after)]
        self.blocks = list(blocks.values())

    def find_regions(self):
        """Sets `region` of each block that branches: all blocks from it to its immediate post-dominator."""
        after = post_dominators(self.blocks)
        for block in self.blocks:
            if len(block.next) < 2 and not (block.next and block.last.name in ENDS):
                continue
            block.region = reach(block.next, lambda each: each.next, stop=after[block])

    def loops(self):
        """Returns natural loops, one for each header."""
        dominators = find_dominators(self.blocks, lambda each: each.next, self.blocks[0])
        before = {block: [] for block in self.blocks}
        for block in self.blocks:
            for each in block.next:
                before[each].append(block)
        found = {}
        for block in self.blocks:
            for header in block.next:
                if header in dominators[block]:
                    found.setdefault(header, {header}).update(
                        reach([block], lambda each: before[each], stop=header))
        return [Loop(header, blocks) for header, blocks in found.items()]


def reach(starts, edges, stop):
    found, work = set(), [start for start in starts if start is not stop]
    while work:
        block = work.pop()
        if block not in found:
            found.add(block)
            work += [each for each in edges(block) if each is not stop]
    return found


def find_dominators(blocks, edges, entry):
    """Returns {block: the set of blocks that dominate it}, as bits of integers during the search."""
    place = {block: 1 << i for i, block in enumerate(blocks)}
    everything = (1 << len(blocks)) - 1
    sets = {block: everything for block in blocks}
    before = {block: [] for block in blocks}
    for block in blocks:
        for each in edges(block):
            before[each].append(block)
    sets[entry] = place[entry]
    changed = True
    while changed:
        changed = False
        for block in blocks:
            if block is entry:
                continue
            meet = everything
            for each in before[block]:
                meet &= sets[each]
            meet |= place[block]
            if meet != sets[block]:
                sets[block], changed = meet, True
    return {block: {each for each in blocks if sets[block] & place[each]} for block in blocks}


def post_dominators(blocks):
    """Returns {block: its immediate post-dominator}; `None` is the end of the kernel."""
    before = {block: [] for block in [*blocks, None]}
    for block in blocks:
        for each in block.next:
            before[each].append(block)
        if block.last.name in ENDS:
            before[None].append(block)
    nodes = [None, *reversed(blocks)]
    sets = find_dominators(nodes, lambda each: before[each], None)
    # The nearest has the most post-dominators itself.
    return {block: max(sets[block] - {block}, key=lambda each: len(sets[each])) for block in blocks}


def callee(kernel, call):
    """The instructions of the function that `call` calls."""
    return [each for block in Graph(kernel, kernel.labels[call.target]).blocks for each in block.code]
