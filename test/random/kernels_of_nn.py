"""Random kernels of attention and scatter, which have handwritten code.

A kernel is one operation of nn between views of operands and concatenated results.  As in
kernel_generator.py, some break a rule.
"""
import itertools


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class NNKernel:
    def __init__(self, rng):
        self.rng, self.names = rng, itertools.count()
        self.operands, self.lines, self.results = [], [], []

    def oddly(self):
        return self.rng.random() < 0.04

    def define(self, text, shape, element="f32"):
        name = f"%v{next(self.names)}"
        self.lines.append(f"    {name} = {text.replace('$T', tensor(shape, element))}")
        return name

    def operand(self, shape, element="f32"):
        name = f"%x{next(self.names)}"
        self.operands.append(f"{name}: {tensor(shape, element)}")
        return name

    def seen(self, shape, element="f32"):
        """Returns an operand of `shape`, or a view of one."""
        rng = self.rng
        way = rng.randrange(4)
        if way == 0:
            more = [rng.randrange(2) for _ in shape[:-1]] + [rng.choice((0, 3))]
            wide = [size + rest for size, rest in zip(shape, more)]
            at = [rng.randint(0, rest) for rest in more]
            step = 2 if self.oddly() and shape[-1] * 2 <= wide[-1] else 1
            x = self.operand(wide, element)
            return self.define(f"tensor.extract_slice {x}{at} {list(shape)} {[1] * (len(shape) - 1) + [step]} : "
                               f"{tensor(wide, element)} to $T", shape, element)
        if way == 1 and len(shape) > 1:
            flat = [shape[0] * shape[1], *shape[2:]]
            groups = [[0, 1], *([i] for i in range(2, len(shape)))]
            x = self.operand(flat, element)
            return self.define(f"tensor.expand_shape {x} {groups} output_shape {list(shape)} : "
                               f"{tensor(flat, element)} into $T", shape, element)
        if way == 2 and len(shape) > 1 and self.rng.random() < 0.4:  # with gaps, or none
            twice = list(shape)
            twice[rng.choice((1, 1, len(shape) - 1))] *= 2
            x = self.operand(twice, element)
            part = self.define(f"tensor.extract_slice {x}{[0] * len(shape)} {list(shape)} {[1] * len(shape)} : "
                               f"{tensor(twice, element)} to $T", shape, element)
            flat = [shape[0] * shape[1], *shape[2:]]
            groups = [[0, 1], *([i] for i in range(2, len(shape)))]
            flat_part = self.define(f"tensor.collapse_shape {part} {groups} : {tensor(shape, element)} into $T",
                                    flat, element)
            return self.define(f"tensor.expand_shape {flat_part} {groups} output_shape {list(shape)} : "
                               f"{tensor(flat, element)} into $T", shape, element)
        return self.operand(shape, element)

    def text(self, kind, space):
        if self.oddly():
            space = space[::-1] if len(space) > 1 else [space[0] + 1]
        body = "\n".join(self.lines)
        types = ", ".join(t for _, t, _ in self.results)
        declared = ", ".join(t + attribute for _, t, attribute in self.results)
        return (f"module attributes {{zero.arena = array<i64: 0, 0, 0>}} {{\n"
                f"  zero.kernel @k({', '.join(self.operands)}) -> ({declared})\n"
                f"      units {kind} {list(space)} {{\n{body}\n"
                f"    zero.return {', '.join(name for name, _, _ in self.results)} : {types}\n  }}\n"
                f"  zero.program @step() {{\n    zero.return\n  }}\n}}\n")


def random_scatter(rng):
    k = NNKernel(rng)
    rows, width = rng.choice((3, 4, 9)), rng.choice((1, 3, 8, 16, 17, 33, 130))
    tokens = rng.choice(([5], [1], [2, 7], [3, 1], [37]))
    ids, grad = k.seen(tokens, "i32"), k.seen([*tokens, width])
    attribute = ""
    if rng.random() < 0.5:
        init = k.operand([rows, width])
        number = len(k.operands) - 1
        if not k.oddly():
            attribute = f" {{zero.must_alias = {number if not k.oddly() else 0} : i64}}"
    else:
        value = k.define(f"arith.constant {'1.0' if k.oddly() else '0.0'} : f32", [])
        empty = k.define("tensor.empty() : $T", [rows, width])
        init = k.define(f"linalg.fill ins({value} : f32) outs({empty} : $T) -> $T", [rows, width])
        if k.oddly():
            attribute = " {zero.must_alias = 0 : i64}"
    table = tensor([rows, width])
    out = k.define(f"nn.embedding_backward {ids}, {grad} into {init} : {tensor(tokens, 'i32')}, "
                   f"{tensor([*tokens, width])}, {table}", [rows, width])
    k.results.append((out, table, attribute))
    return k.text("scatter", [width])


def put_together(k, parts, batch, element):
    """Writes the [B, S, H, D] `parts`, each of (name, sizes), side by side in rows of one tensor."""
    rng = k.rng
    rows = parts[0][1][1]
    widths = [heads * width for _, (_, _, heads, width) in parts]
    wide = [batch, rows, sum(widths) + (4 if k.oddly() else 0)]
    into = k.define("tensor.empty() : $T", wide, element)
    order = list(range(len(parts)))
    at, places = 0, {}
    for i in order:
        places[i], at = at, at + widths[i]
    if k.oddly():
        places[0] = places[1]
    rng.shuffle(order)
    for i in order:
        name, sizes = parts[i]
        flat = [batch, rows, widths[i]]
        row = k.define(f"tensor.collapse_shape {name} [[0], [1], [2, 3]] : {tensor(sizes, element)} into $T", flat,
                       element)
        into = k.define(f"tensor.insert_slice {row} into {into}[0, 0, {places[i]}] {flat} [1, 1, 1] : "
                        f"{tensor(flat, element)} into $T", wide, element)
    k.results.append((into, tensor(wide, element), ""))


def random_attention(rng):
    k = NNKernel(rng)
    element = rng.choice(("f32", "f32", "bf16", "f16"))
    batch, heads = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
    width, queries = rng.choice((1, 3, 4, 8, 16, 17)), rng.choice((1, 2, 5, 9, 17, 33))
    if element != "f32":
        width = max(width, 2)  # a GPU has no kernel for 1
    keys = queries if rng.random() < 0.6 else rng.choice((1, 4, 7, 16, 40))
    if rng.random() < 0.06:  # more than one panel, block and part
        batch, heads = 1, rng.choice((1, 2))
        width, queries = rng.choice((4, 16, 24, 64, 72)), rng.choice((48, 50, 64, 67, 97))
        keys = queries + rng.choice((0, 0, 1, 20, 49))
    elif element != "f32" and rng.random() < 0.1:  # heads whose columns two warps share
        batch, heads = 1, 1
        width = rng.choice((129, 136, 144, 192, 201, 256))
    causal = "causal, " if keys >= queries and rng.random() < 0.5 else ""
    window = f", window = {rng.choice((1, 3, 8, 30))} : i64" if causal and rng.random() < 0.3 else ""
    cap = ", soft_cap = 0.5 : f64" if rng.random() < 0.2 else ""
    drops = rng.random() < 0.25
    dropout = f", rate = 0.25 : f64, place = {rng.randrange(3)} : i64" if drops else ""
    attributes = f"{{{causal}scale = 0.015625 : f64{window}{cap}{dropout}}}"
    per_group = rng.choice((1, 1, 2, 3))
    groups, heads = heads, heads * per_group
    q, kv = [batch, queries, heads, width], [batch, keys, groups, width]
    packed = keys == queries and rng.random() < 0.5 and per_group == 1
    if packed:
        row = heads * width
        source = k.operand([batch, queries, 3 * row], element)
        views = []
        for i in range(3):
            part = k.define(f"tensor.extract_slice {source}[0, 0, {i * row}] {[batch, queries, row]} [1, 1, 1] : "
                            f"{tensor([batch, queries, 3 * row], element)} to $T", [batch, queries, row], element)
            views.append(k.define(f"tensor.expand_shape {part} [[0], [1], [2, 3]] output_shape {q} : "
                                  f"{tensor([batch, queries, row], element)} into $T", q, element))
    else:
        views = [k.seen(q, element), k.seen(kv, element), k.seen(kv, element)]
    lse = [batch, heads, queries]
    starts, of_starts = "", ""
    if causal and rng.random() < 0.3:
        starts = f" from {k.seen([batch, queries], 'i32')}"
        of_starts = ", " + tensor([batch, queries], "i32")
    keys, of_keys = "", ""
    if drops:
        keys, of_keys = f" by {k.seen([batch], 'i64')}", f" by {tensor([batch], 'i64')}"
    is_forward = rng.random() < 0.5
    if is_forward:
        name = f"%v{next(k.names)}"
        stats = rng.random() < 0.5
        names = f"{name}, {name}s" if stats else name
        k.lines.append(f"    {names} = nn.attention {', '.join(views)}{starts}{keys} {attributes} : {tensor(q, element)}, {tensor(kv, element)}{of_starts}{of_keys}"
                       + (f" stats {tensor(lse)}" if stats else ""))
        k.results.append((name, tensor(q, element), " {zero.in_place = array<i64: 0>}" if k.oddly() else ""))
        if stats and rng.random() < 0.8:
            k.results.append((name + "s", tensor(lse), ""))
        rng.shuffle(k.results)
    else:
        grad, sums, delta = k.seen(q, element), k.operand(lse), k.operand(lse)
        names = [f"%v{next(k.names)}" for _ in range(3)]
        k.lines.append(f"    {', '.join(names)} = nn.attention_backward {grad}, {', '.join(views)}, {sums}, {delta}{starts}{keys} "
                       f"{attributes} : {tensor(q, element)}, {tensor(kv, element)}, {tensor(lse)}{of_starts}{of_keys}")
        parts = list(zip(names, (q, kv, kv)))
        if rng.random() < 0.6 and (queries == keys or k.oddly()):
            put_together(k, parts, batch, element)
        elif rng.random() < 0.3:
            put_together(k, parts[1:], batch, element)
            k.results.append((names[0], tensor(q, element), ""))
        else:
            k.results += [(name, tensor(sizes, element), "") for name, sizes in parts]
            rng.shuffle(k.results)
    return k.text("attention", [batch, heads if is_forward else groups])
