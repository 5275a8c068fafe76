"""The scalar operations of random kernels (kernel_generator.py).

All numbers are small integers, and computations with them stay exact in any order of additions:
each value has a bound, and values beyond LIMIT are clamped.  Kernels with functions of math are the
exception.
"""
from dataclasses import dataclass

LIMIT = 2 ** 20


def is_float(element):
    return element[0] == "f"


@dataclass
class Scalar:
    name: str
    element: str
    bound: float
    inexact: bool = False


class Body:
    """The scalar operations of one structured operation."""

    def __init__(self, kernel):
        self.kernel, self.rng, self.lines = kernel, kernel.rng, []

    def emit(self, text, element, bound, inexact=False):
        name = self.kernel.fresh("s")
        self.lines.append(f"      {name} = {text}")
        return Scalar(name, element, bound, inexact)

    def constant(self, value, element="f32"):
        if self.rng.random() < 0.2:  # captured
            return self.kernel.scalar_constant(value, element)
        text = f"{float(value)}" if is_float(element) else f"{value}"
        text = {"0": "false", "1": "true"}[text] if element == "i1" else text
        suffix = "" if element == "i1" else f" : {element}"
        return self.emit(f"arith.constant {text}{suffix}", element, abs(value))

    def clamp(self, x, most=8):
        if x.bound <= most:
            return x
        high, low = self.constant(most), self.constant(-most)
        x = self.emit(f"arith.minimumf {x.name}, {high.name} : f32", "f32", x.bound, x.inexact)
        return self.emit(f"arith.maximumf {x.name}, {low.name} : f32", "f32", most, x.inexact)

    def limited(self, x):
        return self.clamp(x) if x.bound > (64 if self.kernel.inexact else LIMIT) else x

    def to_f32(self, x):
        """`x` as f32, exactly."""
        if x.element == "f32":
            return x
        if x.element == "f64":
            return self.emit(f"arith.truncf {x.name} : f64 to f32", "f32", x.bound, x.inexact)
        if x.element == "index":
            x = self.emit(f"arith.index_cast {x.name} : index to i32", "i32", x.bound)
        if x.element == "i1":
            return self.emit(f"arith.uitofp {x.name} : i1 to f32", "f32", 1)
        if x.bound > 2 ** 22:
            seven = self.constant(7, x.element)
            x = self.emit(f"arith.andi {x.name}, {seven.name} : {x.element}", x.element, 7)
        return self.emit(f"arith.sitofp {x.name} : {x.element} to f32", "f32", x.bound)

    def convert(self, x, element):
        """Converts the f32 `x` to another type."""
        if element == "f32":
            return x
        if element == "f64":
            return self.emit(f"arith.extf {x.name} : f32 to f64", "f64", x.bound, x.inexact)
        if element == "i1":
            zero = self.constant(0)
            return self.emit(f"arith.cmpf ogt, {x.name}, {zero.name} : f32", "i1", 1)
        x = self.clamp(x, 100) if element == "i8" else x
        return self.emit(f"arith.fptosi {x.name} : f32 to {element}", element, x.bound)

    def integers(self, x, y):
        """Writes an operation on two values of one type."""
        op = self.rng.choice(("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi"))
        bound = {"addi": x.bound + y.bound, "subi": x.bound + y.bound,
                 "muli": x.bound * y.bound}.get(op, 2 * max(x.bound, y.bound) + 1)
        return self.emit(f"arith.{op} {x.name}, {y.name} : {x.element}", x.element, bound)

    def step(self, pool):
        """Writes one more f32 from existing values."""
        rng = self.rng
        ints = [x for x in pool if x.element == "i32"]
        if ints and rng.random() < 0.3:
            x, y = rng.choice(ints), rng.choice(ints)
            if rng.random() < 0.25:
                y = self.constant(rng.choice((2, 3, 5)), "i32")
                op = rng.choice(("divsi", "remsi", "floordivsi"))
                return self.to_f32(self.emit(f"arith.{op} {x.name}, {y.name} : i32", "i32", x.bound + 5))
            return self.to_f32(self.integers(x, y))
        x, y = self.to_f32(rng.choice(pool)), self.to_f32(rng.choice(pool))
        inexact = x.inexact or y.inexact
        choice = rng.random()
        if choice < 0.3:
            op = rng.choice(("addf", "subf"))
            return self.limited(self.emit(f"arith.{op} {x.name}, {y.name} : f32", "f32",
                                          x.bound + y.bound, inexact))
        if choice < 0.5:
            x, y = self.clamp(x, 64), self.clamp(y, 64)
            return self.limited(self.emit(f"arith.mulf {x.name}, {y.name} : f32", "f32",
                                          x.bound * y.bound, inexact))
        if choice < 0.65:
            op = rng.choice(("maximumf", "minimumf", "maxnumf", "minnumf"))
            return self.emit(f"arith.{op} {x.name}, {y.name} : f32", "f32",
                             max(x.bound, y.bound), inexact)
        if choice < 0.75:
            return self.emit(f"arith.negf {x.name} : f32", "f32", x.bound, x.inexact)
        if choice < 0.85 or self.kernel.inexact:
            if not self.kernel.inexact:
                return self.limited(self.emit(
                    f"arith.addf {x.name}, {self.constant(rng.randint(-3, 3)).name} : f32",
                    "f32", x.bound + 3))
            op = rng.choice(("tanh", "exp", "sin", "erf", "absf"))
            x = self.clamp(x, 3)
            return self.emit(f"math.{op} {x.name} : f32", "f32", 21, True)
        condition = self.emit(f"arith.cmpf {rng.choice(('olt', 'oge', 'oeq', 'une'))}, "
                              f"{x.name}, {y.name} : f32", "i1", 1)
        flags = [s for s in pool if s.element == "i1"]
        if flags and rng.random() < 0.5:
            condition = rng.choice(flags)
        return self.emit(f"arith.select {condition.name}, {x.name}, {y.name} : f32", "f32",
                         max(x.bound, y.bound))

    def expression(self, pool):
        pool = list(pool)
        if not pool:
            pool.append(self.constant(self.rng.randint(-3, 3)))
        for _ in range(self.rng.randint(0, 3)):
            pool.append(self.step(pool))
        return self.to_f32(pool[-1] if self.rng.random() < 0.8 else self.rng.choice(pool))

    def update(self, acc, e):
        """Combines `acc`, the initial value, and `e`, in the type of `acc`."""
        was = self.to_f32(acc)
        x, y = self.rng.sample((was, e), 2)
        op = self.rng.choice(("addf", "subf", "maximumf", "minimumf"))
        x = self.emit(f"arith.{op} {x.name}, {y.name} : f32", "f32", x.bound + y.bound,
                      x.inexact or y.inexact)
        return self.convert(self.limited(x), acc.element)

    def accumulate(self, acc, e, times):
        """Adds `e` to `acc`, one of `times` times."""
        rng = self.rng
        if not is_float(acc.element):
            if acc.element == "i1":
                op = rng.choice(("andi", "ori", "xori"))
                e = self.convert(e, "i1")
            else:
                op = rng.choice(("addi", "maxsi", "minsi", "xori", "subi"))
                e = self.convert(self.clamp(e, 7), acc.element)
            return self.emit(f"arith.{op} {acc.name}, {e.name} : {acc.element}", acc.element, 2 ** 31)
        kind = rng.choice(("addf", "addf", "addf", "subf", "from", "maximumf", "minimumf", "maxnumf",
                           "mulf", "select", "twice"))
        if self.kernel.inexact and kind in ("select", "mulf", "twice"):
            kind = "addf"
        t = acc.element
        if kind == "mulf":
            zero, one, other = self.constant(0), self.constant(1), self.constant(-1)
            condition = self.emit(f"arith.cmpf olt, {e.name}, {zero.name} : f32", "i1", 1)
            e = self.emit(f"arith.select {condition.name}, {other.name}, {one.name} : f32", "f32", 1)
        e = self.clamp(e, 4)
        e = self.convert(e, t)
        if kind == "select":
            flag = self.emit(f"arith.cmpf olt, {acc.name}, {e.name} : {t}", "i1", 1)
            return self.emit(f"arith.select {flag.name}, {e.name}, {acc.name} : {t}", t,
                             max(acc.bound, 4))
        if kind == "twice":
            low = self.constant(16, t)
            x = self.emit(f"arith.addf {acc.name}, {e.name} : {t}", t, acc.bound + 4)
            y = self.emit(f"arith.addf {x.name}, {acc.name} : {t}", t, 2 * acc.bound + 4)
            return self.emit(f"arith.remf {y.name}, {low.name} : {t}", t, 16)
        x, y = (acc, e) if kind != "from" else (e, acc)
        if kind in ("addf", "mulf") and rng.random() < 0.5:
            x, y = y, x
        op = "subf" if kind == "from" else kind
        bound = acc.bound + 4 * times if op in ("addf", "subf") else max(acc.bound, 4)
        return self.emit(f"arith.{op} {x.name}, {y.name} : {t}", t, bound, e.inexact or acc.inexact)
