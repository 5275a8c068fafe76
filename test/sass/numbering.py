"""Numbers the values in the registers of one block of code: equal numbers are equal values.

ptxas computes some values twice, in different registers.  Only the few instructions that decide branches are compared.
"""
import re

REGISTER = re.compile(r"\bU?[RP]\d+\b")


class Numbering:
    def __init__(self):
        self.clear()

    def clear(self):
        self.now = {}  # {register: number}
        self.known = {}  # {what computes a value: number}
        self.last = 0

    def new(self):
        self.last += 1
        return self.last

    def of(self, name):
        if name not in self.now:
            self.now[name] = self.new()
        return self.now[name]

    def write(self, instruction):
        """Numbers what `instruction` writes."""
        opcode, operands, results = instruction.opcode, instruction.operands, 0
        if instruction.name in ("SEL", "ISETP", "LOP3") and not instruction.guard:
            results = 2 if instruction.name == "ISETP" or operands[0].startswith("P") else 1
            text = [REGISTER.sub(lambda name: f"#{self.of(name[0])}", word.removesuffix(".reuse"))
                    for word in operands[results:]]
        numbers = {}
        for name in instruction.writes:
            numbers[name] = self.new()
            if name in operands[:results]:
                numbers[name] = self.known.setdefault((opcode, operands.index(name), *text), numbers[name])
        self.now.update(numbers)
