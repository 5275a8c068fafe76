"""Random kernels: every seed is one, as a module that the judge can be asked about.

    print(random_kernel(7))

A kernel is drawn from what (S6) allows: structured operations with scalar bodies, fills, views,
inserts, results that replace operands, returned in any order.  Most of them obey its rules;
sometimes one is broken, to test the judge.
"""
import itertools
import math
import random
from dataclasses import dataclass

from kernel_bodies import LIMIT, Body, Scalar, is_float
from kernels_of_nn import random_attention, random_scatter

WIDTHS = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 47, 64, 65, 130)
ROWS = (1, 2, 3, 4, 5, 7, 9, 16, 17)
#: The largest absolute value of inputs of each type.
DRAWN = {"f32": 4, "f64": 4, "i32": 2, "i64": 2, "i8": 2, "i1": 1}


@dataclass(eq=False)
class Tensor:
    name: str
    shape: tuple
    element: str
    bound: float
    origin: str  # operand, constant, view, empty, fill or computed

    @property
    def type(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.element + ">"


class Kernel:
    def __init__(self, seed):
        self.rng = rng = random.Random(f"kernel {seed}")
        self.names = itertools.count()
        self.kind = rng.choice(("rows",) * 5 + ("columns",) * 3 + ("serial",) * 4)
        self.inexact = rng.random() < 0.12
        self.strange = 0.012  # probability of ignoring a rule
        self.lines, self.values, self.constants = [], [], {}
        width = rng.choice(WIDTHS)
        if self.kind == "rows":
            self.space = [rng.choice(ROWS) for _ in range(rng.choice((1, 1, 1, 2)))]
            if rng.random() < 0.1:
                self.space = [rng.choice(WIDTHS)]
        elif self.kind == "columns":
            self.space = [width]
        else:
            self.space = []
        self.inner = [width, rng.choice(WIDTHS[:8])]
        self.others = [rng.choice(ROWS), rng.choice((3, 4, 8))]
        self.operands = []
        for _ in range(rng.randint(1, 4)):
            self.add_operand()
        for _ in range(rng.choice((1, 2, 3, 3, 4, 5, 6, 8))):
            self.add_operation()

    # Names and plain values

    def fresh(self, prefix):
        return f"%{prefix}{next(self.names)}"

    def oddly(self, times=1):
        return self.rng.random() < self.strange * times

    def scalar_constant(self, value, element):
        if (value, element) not in self.constants:
            name = self.fresh("c")
            text = f"{float(value)}" if is_float(element) else f"{value}"
            text = ("true" if value else "false") if element == "i1" else f"{text} : {element}"
            self.lines.insert(0, f"    {name} = arith.constant {text}")
            self.constants[value, element] = Scalar(name, element, abs(value))
        return self.constants[value, element]

    def define(self, text, shape, element, bound, origin):
        value = Tensor(self.fresh("v"), tuple(shape), element, bound, origin)
        self.lines.append(f"    {value.name} = {text.replace('$T', value.type)}")
        self.values.append(value)
        return value

    def shape(self):
        rng = self.rng
        if self.kind == "rows":
            tail = rng.choice(([], [self.inner[0]], [self.inner[0]], self.inner, self.inner[1:]))
            return [*self.space, *tail]
        if self.kind == "columns":
            return rng.choice((self.space, self.space, [self.others[0], *self.space]))
        return rng.choice(([self.inner[0]], self.inner, self.inner[::-1], [self.others[0], self.inner[0]],
                           [self.others[0], *self.inner], []))

    def element(self):
        return self.rng.choice(("f32",) * 14 + ("i32", "i32", "i1", "f64", "i64", "i8"))

    def add_operand(self):
        rng = self.rng
        shape = self.shape()
        if rng.random() < 0.25:
            shape = rng.choice((shape[1:], shape[:1], [1, *shape], shape[::-1], [*shape[:-1], 1], []))
        if self.operands and rng.random() < 0.3:
            shape = self.operands[-1].shape
        element = self.element()
        value = Tensor(self.fresh("x"), tuple(shape), element, DRAWN[element], "operand")
        self.operands.append(value)
        self.values.append(value)

    # Operations

    def add_operation(self):
        choice = self.rng.random()
        if choice < 0.15:
            self.add_view()
        elif choice < 0.22 and (self.kind == "serial" or self.oddly(5)):
            self.add_insert()
        elif choice < 0.25:
            self.fill(self.shape(), "f32")
        else:
            self.add_generic()

    def empty(self, shape, element):
        known = [v for v in self.values if v.origin == "empty" and v.shape == tuple(shape)
                 and v.element == element]
        if known and self.rng.random() < 0.4:
            return self.rng.choice(known)
        return self.define("tensor.empty() : $T", shape, element, 0, "empty")

    def fill(self, shape, element):
        value = self.rng.choice((0, 0, 0, 1, -2)) if element != "i1" else 0
        scalar = self.scalar_constant(value, element)
        empty = self.empty(shape, element)
        return self.define(f"linalg.fill ins({scalar.name} : {element}) outs({empty.name} : $T) -> $T",
                           shape, element, abs(value), "fill")

    def readable(self):
        """Returns values that a generic may read; sometimes also others, against a rule."""
        hidden = {"empty"} if self.kind != "columns" else {"empty", "fill", "computed"}
        return [v for v in self.values if v.origin not in hidden or self.oddly()]

    def add_view_of_shape(self):
        """Adds a view that has one of the kernel's shapes, of an operand of another shape."""
        rng = self.rng
        shape = self.shape()
        if not shape:
            return
        element = self.element()

        def operand(size):
            value = Tensor(self.fresh("x"), tuple(size), element, DRAWN[element], "operand")
            self.operands.append(value)
            return value

        way = rng.randrange(3)
        if way == 0 and len(shape) > 1:
            x = operand([math.prod(shape)])
            text = f"tensor.expand_shape {x.name} {[list(range(len(shape)))]} output_shape {shape}"
            text += f" : {x.type} into $T"
        elif way == 1:
            x = operand([1, *shape])
            groups = [[0, 1], *([i] for i in range(2, len(shape) + 1))]
            text = f"tensor.collapse_shape {x.name} {groups} : {x.type} into $T"
        else:
            more = [rng.randrange(3) for _ in shape]
            x = operand([size + rest for size, rest in zip(shape, more)])
            at = [rng.randint(0, rest) for rest in more]
            text = f"tensor.extract_slice {x.name}{at} {shape} {[1] * len(shape)} : {x.type} to $T"
        self.define(text, shape, element, x.bound, "view")

    def add_view(self):
        rng = self.rng
        if rng.random() < 0.6:
            return self.add_view_of_shape()
        of = [v for v in self.readable() if v.shape and (v.origin in ("operand", "view") or self.oddly(8))]
        if not of:
            return
        v = rng.choice(of)
        if len(v.shape) >= 2 and rng.random() < 0.4:
            groups = [[0, 1], *([i] for i in range(2, len(v.shape)))]
            shape = [v.shape[0] * v.shape[1], *v.shape[2:]]
            text = f"tensor.collapse_shape {v.name} {groups} : {v.type} into $T"
        elif rng.random() < 0.4:
            size = v.shape[-1]
            part = rng.choice([d for d in range(1, size + 1) if size % d == 0])
            shape = [*v.shape[:-1], part, size // part]
            groups = [*([i] for i in range(len(v.shape) - 1)), [len(v.shape) - 1, len(v.shape)]]
            text = f"tensor.expand_shape {v.name} {groups} output_shape {shape} : {v.type} into $T"
        else:
            sizes = [rng.randint(1, size) if rng.random() < 0.4 else size for size in v.shape]
            at = [rng.randint(0, size - part) for size, part in zip(v.shape, sizes)]
            shape = sizes
            if sizes[0] == 1 and len(sizes) > 1 and rng.random() < 0.5:
                shape = sizes[1:]
            text = f"tensor.extract_slice {v.name}{at} {sizes} {[1] * len(sizes)} : {v.type} to $T"
        self.define(text, shape, v.element, v.bound, "view")

    def add_insert(self):
        """Adds parts side by side, or one part over any value."""
        rng = self.rng
        parts = [v for v in self.readable() if v.shape and math.prod(v.shape) < 20000]
        if not parts:
            return
        first = rng.choice(parts)
        twin = [v for v in parts if v.shape == first.shape and v.element == first.element]
        if rng.random() < 0.6:
            chosen = [first, rng.choice(twin)]
            rng.shuffle(chosen)
            shape = (2 * first.shape[0], *first.shape[1:])
            into, offsets = self.empty(shape, first.element), [0, first.shape[0]]
            if rng.random() < 0.5:
                offsets.reverse()
        else:
            shape = tuple(size + rng.randint(0, 2) for size in first.shape)
            known = [v for v in self.readable() if v.element == first.element
                     and len(v.shape) == len(shape)
                     and all(a >= b for a, b in zip(v.shape, first.shape))]
            into = rng.choice(known) if known else self.fill(shape, first.element)
            shape, chosen = into.shape, [first]
            offsets = [rng.randint(0, shape[0] - first.shape[0])]
        for part, offset in zip(chosen, offsets):
            at = [offset, *([0] * (len(shape) - 1))]
            into = self.define(
                f"tensor.insert_slice {part.name} into {into.name}{at} {list(part.shape)} "
                f"{[1] * len(shape)} : {part.type} into $T", shape, part.element,
                max(part.bound, into.bound), "computed")

    def loops(self):
        """Returns (size, is a reduction) of each loop."""
        rng = self.rng
        if self.kind == "columns":
            loops = [(self.space[0], False)]
            if rng.random() < 0.5:
                loops.insert(rng.choice((0, 0, 1)), (self.others[0], rng.random() < 0.7))
            return loops
        loops = [(size, self.oddly()) for size in self.space]
        for size in rng.choice(([], self.inner[:1], self.inner[:1], self.inner, self.inner[1:])
                               if self.kind == "rows" else (self.inner[:1], self.inner, self.inner[::-1],
                                                            [self.others[0], *self.inner])):
            loops.append((size, rng.random() < 0.35))
        if self.oddly():
            rng.shuffle(loops)
        return loops

    def map_onto(self, shape, loops):
        """Returns loops that index a tensor of `shape`, one for each dimension, or None."""
        rng, used, positions = self.rng, set(), []
        for i, size in enumerate(shape):
            able = [d for d, (extent, _) in enumerate(loops) if extent == size]
            fresh = [d for d in able if d not in used]
            able = fresh or (able if rng.random() < 0.3 else [])
            if size == 1 and (not able or rng.random() < 0.3):
                positions.append("0")
            elif able:
                loop = able[0] if rng.random() < 0.85 else rng.choice(able)
                used.add(loop)
                positions.append(f"d{loop}")
            else:
                return None
        return positions

    def initial(self, shape, element):
        """Returns the initial value of a result."""
        rng = self.rng
        known = [v for v in self.values if v.shape == tuple(shape) and v.element == element
                 and (v.origin != "empty" or self.oddly())]
        computed = [v for v in known if v.origin in ("computed", "fill")]
        if self.kind == "columns":
            computed = [v for v in computed if v.origin == "fill" or self.oddly(5)]
        choice = rng.random()
        if computed and choice < 0.5:
            return rng.choice(computed)
        if known and choice < 0.7:
            return rng.choice(known)
        if choice < 0.8 and element != "i1":
            value = rng.choice((0, 1, 3))
            text = f"{float(value)}" if is_float(element) else value
            return self.define(f"arith.constant dense<{text}> : $T", shape, element, value, "constant")
        return self.fill(shape, element)

    def looked_up(self, body, loops, indices):
        """Returns an element of a captured tensor, indexed by loops and by read numbers."""
        rng = self.rng
        able = []
        for v in self.readable():
            if not v.shape or v.element not in ("f32", "i32"):
                continue
            positions = []
            for size in v.shape:
                fitting = [d for d, (extent, _) in enumerate(loops) if extent <= size]
                if indices and size >= 3 and rng.random() < 0.5:
                    positions.append(rng.choice(indices))
                elif fitting:
                    positions.append(rng.choice(fitting))
                else:
                    break
            else:
                able.append((v, positions))
        if not able:
            return None
        v, positions = rng.choice(able)
        names = []
        for position in positions:
            if isinstance(position, int):
                names.append(body.emit(f"linalg.index {position} : index", "index",
                                       loops[position][0]).name)
            else:
                names.append(body.emit(f"arith.index_cast {position.name} : i32 to index", "index", 2).name)
        return body.emit(f"tensor.extract {v.name}[{', '.join(names)}] : {v.type}", v.element, v.bound)

    def add_generic(self):
        rng = self.rng
        loops = self.loops()
        times = math.prod(size for size, reduction in loops if reduction)
        reduces = any(reduction for _, reduction in loops)
        inputs = []
        readable = self.readable()
        for v in rng.sample(readable, k=min(len(readable), 6)):
            positions = self.map_onto(v.shape, loops)
            if positions is not None and (rng.random() < 0.6 or not inputs):
                inputs.append((v, positions))
        parallel = [d for d, (_, reduction) in enumerate(loops) if not reduction]
        covered = {p for _, positions in inputs for p in positions}
        if any(f"d{d}" not in covered and d not in parallel for d in range(len(loops))):
            return  # the size of a loop is undetermined
        results = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            order = list(parallel)
            if rng.random() < 0.06:
                rng.shuffle(order)
            if self.oddly():
                order = order[:-1]
            element = self.element() if rng.random() < 0.3 else "f32"
            shape = [loops[d][0] for d in order]
            reads = reduces != self.oddly() or rng.random() < 0.3
            init = self.initial(shape, element) if reads or self.oddly() else self.empty(shape, element)
            results.append((init, [f"d{d}" for d in order], reads))
        body = Body(self)
        pool, header = [], []
        for v, _ in inputs:
            pool.append(Scalar(self.fresh("a"), v.element, v.bound, self.inexact))
            header.append(f"{pool[-1].name}: {v.element}")
        inits = []
        for init, _, _ in results:
            # The partial result of a reduction: a clamp keeps it from growing.
            inits.append(Scalar(self.fresh("o"), init.element, init.bound, self.inexact))
            header.append(f"{inits[-1].name}: {init.element}")
        small = [s for (v, _), s in zip(inputs, pool) if s.element == "i32" and v.origin == "operand"]
        if rng.random() < 0.25:
            looked = self.looked_up(body, loops, small)
            pool += [looked] if looked else []
        if rng.random() < 0.15:
            loop = rng.randrange(len(loops)) if loops else None
            if loop is not None:
                pool.append(body.emit(f"linalg.index {loop} : index", "index", loops[loop][0]))
        yielded = []
        for (init, _, reads), acc in zip(results, inits):
            e = body.expression(pool)
            if not reads:
                yielded.append(body.convert(body.limited(e), init.element))
            elif reduces:
                yielded.append(body.accumulate(acc, e, times))
                if yielded[-1].bound > LIMIT and is_float(init.element):
                    return
                if rng.random() < 0.1 and not self.inexact:
                    other = body.clamp(body.to_f32(yielded[-1]), 4)
                    pool.append(other)  # a sum that others read
            else:
                yielded.append(body.update(acc, e))
        self.write_generic(loops, inputs, results, header, body, yielded)

    def write_generic(self, loops, inputs, results, header, body, yielded):
        dims = ", ".join(f"d{d}" for d in range(len(loops)))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(positions)})>"
                         for positions in [p for _, p in inputs] + [p for _, p, _ in results])
        kinds = ", ".join('"reduction"' if reduction else '"parallel"' for _, reduction in loops)
        made = [Tensor(self.fresh("v"), init.shape, init.element, s.bound, "computed")
                for (init, _, _), s in zip(results, yielded)]
        names = ", ".join(v.name for v in made)
        text = f"    {names} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}"
        if inputs:
            text += (f" ins({', '.join(v.name for v, _ in inputs)} : "
                     f"{', '.join(v.type for v, _ in inputs)})")
        text += (f" outs({', '.join(v.name for v, _, _ in results)} : "
                 f"{', '.join(v.type for v, _, _ in results)}) {{")
        types = ", ".join(v.type for v in made)
        self.lines += [text, f"    ^bb0({', '.join(header)}):", *body.lines,
                       f"      linalg.yield {', '.join(s.name for s in yielded)} : "
                       f"{', '.join(s.element for s in yielded)}",
                       f"    }} -> {types if len(made) == 1 else f'({types})'}"]
        self.values += made

    # The function

    def results(self):
        rng = self.rng
        able = [v for v in self.values if v.origin in ("computed", "fill")]
        # A value may be the last of its chain of initial values, or not; both are useful.
        chosen = [v for v in able if rng.random() < 0.7] or able[-1:]
        if self.oddly() and self.values:
            chosen.append(rng.choice(self.values))
        rng.shuffle(chosen)
        return chosen[:5]

    def claim(self, value):
        """Adds zero.in_place to a result, sometimes."""
        rng = self.rng
        same = [i for i, v in enumerate(self.operands) if v.type == value.type]
        if self.oddly(2):
            same.append(rng.randrange(-1, len(self.operands) + 1))
        if not same or rng.random() < 0.5:
            return ""
        claimed = rng.sample(same, k=min(len(same), rng.choice((1, 1, 1, 2))))
        return f" {{zero.in_place = array<i64: {', '.join(map(str, claimed))}>}}"

    def text(self):
        returned = self.results()
        operands = ", ".join(f"{v.name}: {v.type}" for v in self.operands)
        types = ", ".join(v.type + self.claim(v) for v in returned)
        space = list(self.space)
        if self.oddly(3):
            space = self.rng.choice(([size + 1 for size in space], space[:-1], [*space, 1], [4]))
        kind = self.rng.choice(("rows", "columns", "serial")) if self.oddly(3) else self.kind
        units = f"{kind} {space}" if space else kind
        body = "\n".join(self.lines)
        values = ", ".join(v.name for v in returned)
        result_types = ", ".join(v.type for v in returned)
        return (f"module attributes {{zero.arena = array<i64: 0, 0, 0>}} {{\n"
                f"  zero.kernel @k({operands}) -> ({types}) units {units} {{\n"
                f"{body}\n    zero.return {values} : {result_types}\n  }}\n"
                f"  zero.program @step() {{\n    zero.return\n  }}\n}}\n")


def random_kernel(seed):
    """The text of a module with one kernel, which returns something."""
    rng = random.Random(f"kind of kernel {seed}")
    kind = rng.random()
    if kind < 0.06:
        return random_scatter(rng)
    if kind < 0.16:
        return random_attention(rng)
    for attempt in itertools.count():
        kernel = Kernel(f"{seed}.{attempt}")
        text = kernel.text()
        if "    return  : " not in text:
            return text
