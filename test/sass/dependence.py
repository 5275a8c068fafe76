"""Which registers and branches of a kernel depend on the thread's index, and on which of its bits (values.py).

* An instruction's results depend on all that it reads, and on its guard.
* A load depends on its address; a load of local memory, on all that is stored there.
* A shuffle's result depends on the lane that it names, and on the value's bits above a warp's.
* `x | shuffle(x, lane ^ n)` is equal in both threads, so it does not depend on the lane's bit n: after such steps for
  n = 8, 4, 2, 1, all threads of a half-warp have the same.
* What is written where only some threads come also depends on the branches that decide it.  Such branches are control
  dependences: a block depends on a branch if it is between the branch and the branch's immediate post-dominator.
"""
import functools
import re

import values
from flow import callee, is_call
from numbering import Numbering
from values import LANE, decided, either, flat


@functools.lru_cache(maxsize=None)
def number(operand):
    """The value of an immediate, or None."""
    if operand in ("RZ", "URZ"):
        return 0
    try:
        return int(operand, 0) & 0xffffffff
    except ValueError:
        return None


@functools.lru_cache(maxsize=None)
def register(operand):
    """Its name, if the operand is a register as it is."""
    found = re.fullmatch(r"(U?R\d+)(\.reuse)?", operand)
    return found[1] if found else None


def places(instruction):
    """The words of local memory that this loads or stores: offsets of spilled registers, None for all else."""
    if not instruction.is_spill:
        return [None]
    address = next(word for word in instruction.operands if word.startswith("["))
    offset = re.fullmatch(r"\[R1\+?(-?0x[0-9a-f]+)?\]", address)
    if not offset:
        return [None]
    width = re.search(r"\.(64|128)", instruction.opcode)
    first = int(offset[1] or "0", 16)
    return range(first, first + int(width[1] if width else 32) // 8, 4)


class Dependence:
    """The analysis of one graph: `branches` is {block: bits of its branch}, `control` {block: bits of all branches
    that decide whether a thread comes there}."""

    def __init__(self, graph):
        self.graph = graph
        self.all = (1 << (graph.kernel.threads - 1).bit_length()) - 1
        self.local = {}  # of local memory: {the place of a spilled word, or None for all else: bits}
        self.callees = {}
        self.numbering = Numbering()
        self.flips = {}  # {a value: (a value, n)}: the second in the thread whose lane's bit n is flipped
        self.control = {block: 0 for block in graph.blocks}
        self.branches = {}
        self.before = {}  # {block: {register: value}}
        last = None
        while last != (self.control, self.local):
            last = dict(self.control), dict(self.local)
            self.solve()
            self.find_control()

    def solve(self):
        self.before = {self.graph.blocks[0]: {}}
        work = {self.graph.blocks[0]}
        while work:
            block = min(work, key=lambda each: each.number)
            work.remove(block)
            state = self.enter(block)
            for instruction in block.code:
                self.step(instruction, state, self.control[block])
            self.branches[block] = self.reads(block.last, state) if block.region else 0
            work.update(each for each in block.next if self.merge(each, state))

    def enter(self, block):
        self.numbering.clear()
        self.flips.clear()
        return dict(self.before[block])

    def merge(self, block, state):
        """Returns whether `block` has learnt something."""
        if block not in self.before:
            self.before[block] = dict(state)
            return True
        old, changed = self.before[block], False
        for name, value in state.items():
            new = either(old.get(name, value), value)
            if name not in old or new != old[name]:
                old[name], changed = new, True
        return changed

    def find_control(self):
        for block in self.graph.blocks:
            for each in block.region or ():
                self.control[each] |= self.branches[block] | self.control[block]

    def guards(self, block):
        """Returns {instruction: bits on which its guard depends}."""
        state, found = self.enter(block), {}
        for instruction in block.code:
            found[instruction] = flat(state.get(instruction.guard, 0))
            self.step(instruction, state, self.control[block])
        return found

    def reads(self, instruction, state, besides=None):
        result = flat(state.get(instruction.guard, 0))
        for name in instruction.reads - {besides}:
            result |= flat(state.get(name, 0))
        return result

    def step(self, instruction, state, control):
        """Updates `state` by what `instruction` writes."""
        if is_call(instruction):
            return self.call(instruction, state, control)
        if instruction.name == "STL":
            for place in places(instruction):
                self.local[place] = self.local.get(place, 0) | self.reads(instruction, state) | control
        flip = self.find_flip(instruction, state)
        value = self.result(instruction, state)
        words = [name for name in instruction.writes if "P" not in name]
        for name in instruction.writes:
            new = value if [name] == words else flat(value)
            if instruction.guard:
                new = decided(either(new, state.get(name, new)), flat(state.get(instruction.guard, 0)))
            state[name] = decided(new, control)
        self.numbering.write(instruction)
        if flip and words and not instruction.guard:
            self.flips[self.numbering.of(words[0])] = flip

    def call(self, instruction, state, control):
        """A callee's registers are not told apart: each that it writes depends on all that it reads."""
        if instruction.target not in self.callees:
            self.callees[instruction.target] = callee(self.graph.kernel, instruction)
        code = self.callees[instruction.target]
        value = self.reads(instruction, state) | control
        for each in code:
            value |= self.reads(each, state)
        for name in {name for each in code for name in each.writes}:
            state[name] = either(state.get(name, value), value)
        self.numbering.clear()
        self.flips.clear()

    def find_flip(self, instruction, state):
        """(value, n) if this shuffles the value between threads whose lanes differ in bit n."""
        if instruction.name != "SHFL" or number(instruction.operands[4]) != 31:
            return None
        _, _, value, lane, _ = instruction.operands
        if not register(value):
            return None
        n = None
        if ".BFLY" in instruction.opcode and number(lane) in (1, 2, 4, 8, 16):
            n = number(lane).bit_length() - 1
        elif ".IDX" in instruction.opcode:
            n = values.flipped_bit(state.get(register(lane), 0))
        return None if n is None else (self.numbering.of(register(value)), n)

    def result(self, instruction, state):
        name, operands = instruction.name, instruction.operands
        if name in ("S2R", "S2UR", "CS2R"):
            return self.special(operands[1])
        if name in ("VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX"):
            return self.reads(instruction, state) | self.all & ~LANE
        if name == "SHFL":
            return self.shuffle(instruction, state)
        if name == "LDL":
            return self.reads(instruction, state) | flat(tuple(self.local.get(place, 0)
                                                               for place in places(instruction)))
        if name in ("ATOM", "ATOMG", "ATOMS"):
            return self.all
        exact = self.exact(instruction, state)
        return self.reads(instruction, state) if exact is None else exact

    def special(self, name):
        if name == "SR_TID.X":
            return values.thread_index(self.all)
        if name == "SR_LANEID":
            return values.thread_index(self.all & LANE)
        if name.startswith(("SRZ", "SR_CTAID", "SR_NCTAID", "SR_NTID", "SR_CgaCtaId")):
            return 0
        return self.all

    def shuffle(self, instruction, state):
        _, _, value, lane, clamp = instruction.operands
        depends = flat(state.get(register(value), 0))
        if not depends & LANE or self.find_flip(instruction, state):
            return depends
        lanes = flat(state.get(register(lane), 0))
        if ".IDX" in instruction.opcode and number(clamp) == 31:
            return depends & ~LANE | lanes
        return depends | lanes | LANE & self.all

    def exact(self, instruction, state):
        """The value of each bit, where more is known than what it reads; None if not."""
        opcode, name, operands = instruction.opcode, instruction.name.removeprefix("U"), instruction.operands
        if name == "ISETP":
            return self.compare(instruction, state)
        if opcode.endswith("LOP3.LUT") and operands[-1] in ("!PT", "!UPT"):
            words, table = operands[-5:-2], number(operands[-2])
            known = [self.word(word, state) for word in words]
            if None in known:
                return None
            n = self.symmetric_in(words, table)
            result = values.logic(known, table)
            return result if n is None else flat(result) & ~(1 << n)
        known = [self.word(word, state) for word in operands[1:4]]
        if None in known:
            return None
        if (name == "MOV" or opcode == "R2UR") and len(operands) == 2:
            return known[0]
        if opcode.startswith("IMAD.MOV"):
            return known[2]
        count = number(operands[2]) if len(operands) == 4 else None
        if count is None:
            return None
        if opcode.startswith("IMAD.SHL"):
            return values.shift(known[0], count.bit_length() - 1)
        if name == "SHF" and count < 32:
            return values.funnel(opcode, known[0], count, known[2])
        return values.permute(known[0], count, known[2]) if opcode in ("PRMT", "UPRMT") else None

    def word(self, operand, state):
        """The value of a plain operand, or None."""
        if (known := number(operand)) is not None:
            return values.constant(known)
        if register(operand):
            return state.get(register(operand), 0)
        return 0 if re.fullmatch(r"c\[0x\d+\]\[0x[0-9a-f]+\]", operand) else None

    def compare(self, instruction, state):
        """The set of `x < 64` and the like, which depends only on bits of x from 64 on."""
        _, _, word, limit, *_ = instruction.operands
        word, limit = register(word), number(limit)
        if word is None or limit is None or not re.search(r"\.(GT|LE|LT|GE)\b(?!.*\.EX)", instruction.opcode):
            return None
        ordered = values.comparison(instruction.opcode, state.get(word, 0), limit)
        return ordered | self.reads(instruction, state, besides=word)

    def symmetric_in(self, words, table):
        """The bit n of the lane if this is f(x, y) = f(y, x), and y is x of the thread whose bit n is flipped."""
        numbers = [self.numbering.of(register(word)) if register(word) else None for word in words]
        for y in numbers:
            x, n = self.flips.get(y, (None, None))
            others = [word for word, each in zip(words, numbers) if each not in (x, y)]
            if x in numbers and len(others) == 1 and number(others[0]) is not None:
                if values.is_symmetric(table, 4 >> numbers.index(x), 4 >> numbers.index(y)):
                    return n
        return None
