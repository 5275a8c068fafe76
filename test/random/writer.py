"""Writes a model's text: values, parameters, and the operations' syntax.

    w = Writer(batch=2)
    x = w.param("x", (3, 4), "#zero.normal<std = 0.5>")
    y = w.unary("math.tanh", x)
    text = w.module(loss)

Every method writes one operation, or a few for one idea, and returns the result.  Shapes follow
from the operands; the compiler reports a misfit.
"""
import math
from collections import namedtuple

Value = namedtuple("Value", "name shape")


def tensor(shape, element="f32"):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def dims(count):
    return [f"d{i}" for i in range(count)]


def affine(inputs, outputs):
    return f"affine_map<({', '.join(inputs)}) -> ({', '.join(outputs)})>"


class Writer:
    def __init__(self, batch):
        self.batch = batch
        self.arguments, self.lines, self.names = [], [], set()
        self.count = self.places = 0

    # Arguments.

    def param(self, name, shape, init=None):
        """Names are unique: a second `w` is called `w.2`."""
        unique, number = name, 2
        while unique in self.names:
            unique, number = f"{name}.{number}", number + 1
        self.names.add(unique)
        value = Value(f"%p{len(self.names)}", tuple(shape))
        init = f", zero.init = {init}" if init else ""
        self.arguments.append(
            f'{value.name}: {tensor(shape)} {{zero.param = "{unique}"{init}}}')
        return value

    def keys(self):
        """The keys of dropout."""
        if "dropout" not in self.names:
            self.names.add("dropout")
            self.arguments.append(f'%dropout: {tensor((self.batch,), "i64")} {{zero.input = "dropout"}}')
        return "%dropout"

    def dropout_attributes(self, rate):
        self.places += 1
        return f"rate = {rate} : f64, place = {self.places} : i64"

    def input(self, name, shape, vocab):
        vocab = f", zero.vocab = {vocab} : i64" if vocab else ""
        self.arguments.append(f'%{name}: {tensor(shape, "i32")} {{zero.input = "{name}"{vocab}}}')
        return Value(f"%{name}", tuple(shape))

    def module(self, loss):
        arguments = ",\n    ".join(self.arguments)
        body = "\n".join("  " + line for line in self.lines)
        return (f"func.func @loss(\n    {arguments}) -> tensor<f32> {{\n{body}\n"
                f"  return {loss.name} : tensor<f32>\n}}\n")

    # One operation.

    def op(self, text, shape):
        self.count += 1
        self.lines.append(f"%{self.count} = {text}")
        return Value(f"%{self.count}", tuple(shape))

    def constant(self, value, shape):
        return self.op(f"arith.constant dense<{value}> : {tensor(shape)}", shape)

    def empty(self, shape):
        return self.op(f"tensor.empty() : {tensor(shape)}", shape)

    def fill(self, value, shape):
        scalar = self.op(f"arith.constant {value} : f32", ())
        into = self.empty(shape)
        return self.op(f"linalg.fill ins({scalar.name} : f32) outs({into.name} : {tensor(shape)}) "
                       f"-> {tensor(shape)}", shape)

    def unary(self, name, x, element="f32"):
        return self.op(f"{name} {x.name} : {tensor(x.shape, element)}", x.shape)

    def convert(self, name, x, old, new):
        return self.op(f"{name} {x.name} : {tensor(x.shape, old)} to {tensor(x.shape, new)}", x.shape)

    def binary(self, name, x, y):
        return self.op(f"{name} {x.name}, {y.name} : {tensor(x.shape)}", x.shape)

    def add(self, x, y):
        return self.binary("arith.addf", x, y)

    def mul(self, x, y):
        return self.binary("arith.mulf", x, y)

    def scale(self, x, factor):
        return self.mul(x, self.constant(f"{factor:.6e}", x.shape))

    def select_greater(self, x, y, a, b):
        """Returns a where x > y, else b."""
        bits = self.op(f"arith.cmpf ogt, {x.name}, {y.name} : {tensor(x.shape)}", x.shape)
        return self.op(f"arith.select {bits.name}, {a.name}, {b.name} : "
                       f"{tensor(x.shape, 'i1')}, {tensor(x.shape)}", x.shape)

    # nn.

    def embedding(self, tokens, table, padding=None):
        shape = tokens.shape + table.shape[1:]
        attribute = "" if padding is None else f" {{padding = {padding} : i64}}"
        return self.op(f"nn.embedding {tokens.name}, {table.name}{attribute} : {tensor(tokens.shape, 'i32')}, "
                       f"{tensor(table.shape)} -> {tensor(shape)}", shape)

    def linear(self, x, weight, bias=None, transposed=False):
        shape = x.shape[:-1] + (weight.shape[1 if transposed else 0],)
        third = (f", {bias.name}", f", {tensor(bias.shape)}") if bias else ("", "")
        return self.op(f"nn.linear {x.name}, {weight.name}{third[0]}"
                       f"{' {transposed}' if transposed else ''} : {tensor(x.shape)}, "
                       f"{tensor(weight.shape)}{third[1]} -> {tensor(shape)}", shape)

    def layer_norm(self, x, weight, bias, eps):
        return self.op(f"nn.layer_norm {x.name}, {weight.name}, {bias.name} {{eps = {eps} : f64}} : "
                       f"{tensor(x.shape)}, {tensor(weight.shape)}", x.shape)

    def gelu(self, x, tanh):
        return self.op(f"nn.gelu {x.name}{' {tanh}' if tanh else ''} : {tensor(x.shape)}", x.shape)

    def rms_norm(self, x, weight, eps, offset):
        return self.op(f"nn.rms_norm {x.name}, {weight.name} {{eps = {eps} : f64{', unit_offset' if offset else ''}}} : "
                       f"{tensor(x.shape)}, {tensor(weight.shape)}", x.shape)

    def silu(self, x):
        return self.op(f"nn.silu {x.name} : {tensor(x.shape)}", x.shape)

    def rope(self, x, frequencies, interleaved):
        return self.op(f"nn.rope {x.name} {{frequencies = array<f64: {', '.join(f'{f:.6e}' for f in frequencies)}>"
                       f"{', interleaved' if interleaved else ''}}} : {tensor(x.shape)}", x.shape)

    def dropout(self, x, rate):
        return self.op(f"nn.dropout {x.name} by {self.keys()} {{{self.dropout_attributes(rate)}}} : "
                       f"{tensor(x.shape)}, {tensor((self.batch,), 'i64')}", x.shape)

    def document_starts(self, tokens, separator):
        return self.op(f"nn.document_starts {tokens.name} {{separator = {separator} : i64}} : "
                       f"{tensor(tokens.shape, 'i32')} -> {tensor(tokens.shape, 'i32')}", tokens.shape)

    def attention(self, q, k, v, scale, causal, window=None, cap=None, starts=None, dropout=None):
        attributes = ["causal"] * causal + [f"scale = {scale:.6e} : f64"]
        attributes += [f"window = {window} : i64"] * bool(window) + [f"soft_cap = {cap} : f64"] * bool(cap)
        origin = (f" from {starts.name}", f", {tensor(starts.shape, 'i32')}") if starts else ("", "")
        attributes += [self.dropout_attributes(dropout)] if dropout else []
        by = (f" by {self.keys()}", f" by {tensor((self.batch,), 'i64')}") if dropout else ("", "")
        return self.op(f"nn.attention {q.name}, {k.name}, {v.name}{origin[0]}{by[0]} {{{', '.join(attributes)}}} : "
                       f"{tensor(q.shape)}, {tensor(k.shape)}{origin[1]}{by[1]}", q.shape)

    def causal_conv(self, x, weight, starts=None):
        origin = (f" from {starts.name}", f" from {tensor(starts.shape, 'i32')}") if starts else ("", "")
        return self.op(f"nn.causal_conv {x.name}, {weight.name}{origin[0]} : {tensor(x.shape)}, {tensor(weight.shape)}{origin[1]}",
                       x.shape)

    def gated_delta_rule(self, q, k, v, gates, beta=None, starts=None):
        by = (f" beta {beta.name}", f", {tensor(beta.shape)}") if beta else ("", "")
        origin = (f" from {starts.name}", f" from {tensor(starts.shape, 'i32')}") if starts else ("", "")
        return self.op(f"nn.gated_delta_rule {q.name}, {k.name}, {v.name} gates {gates.name}{by[0]}{origin[0]} : "
                       f"{tensor(q.shape)}, {tensor(v.shape)}, {tensor(gates.shape)}{by[1]}{origin[1]}", v.shape)

    def cross_entropy(self, logits, targets, ignore=None, count=None, weights=None, smoothing=0, z=0):
        by = (f" by {count.name}", ", tensor<f32>") if count else ("", "")
        weigh = f" weights({weights.name} : {tensor(weights.shape)})" if weights else ""
        attributes = [] if ignore is None else [f"ignore_index = {ignore} : i32"]
        attributes += [f"label_smoothing = {smoothing} : f64"] * bool(smoothing) + [f"z_loss = {z} : f64"] * bool(z)
        return self.op(f"nn.cross_entropy {logits.name}, {targets.name}{weigh}{by[0]} {{{', '.join(attributes)}}} : "
                       f"{tensor(logits.shape)}, {tensor(targets.shape, 'i32')}{by[1]} -> tensor<f32>", ())

    # linalg.

    def broadcast(self, x, shape, dimensions):
        into = self.empty(shape)
        return self.op(f"linalg.broadcast ins({x.name} : {tensor(x.shape)}) "
                       f"outs({into.name} : {tensor(shape)}) dimensions = {list(dimensions)}", shape)

    def spread(self, x, shape):
        """x repeated along the leading dimensions of `shape`."""
        return self.broadcast(x, shape, range(len(shape) - len(x.shape)))

    def transpose(self, x, permutation):
        shape = tuple(x.shape[i] for i in permutation)
        into = self.empty(shape)
        return self.op(f"linalg.transpose ins({x.name} : {tensor(x.shape)}) "
                       f"outs({into.name} : {tensor(shape)}) permutation = {list(permutation)}", shape)

    def contract(self, name, a, b, shape, init=None):
        """Writes linalg.`name`, a product of `a` and `b` that is added to `init`, or to zeros."""
        into = init or self.fill("0.0", shape)
        return self.op(f"linalg.{name} ins({a.name}, {b.name} : {tensor(a.shape)}, {tensor(b.shape)}) "
                       f"outs({into.name} : {tensor(shape)}) -> {tensor(shape)}", shape)

    def matmul(self, a, b, init=None):
        return self.contract("matmul", a, b, (a.shape[0], b.shape[1]), init)

    def batch_matmul(self, a, b):
        return self.contract("batch_matmul", a, b, a.shape[:2] + b.shape[2:])

    def softmax(self, x, linalg):
        if not linalg:
            return self.unary("nn.softmax", x)
        into = self.empty(x.shape)
        return self.op(f"linalg.softmax dimension({len(x.shape) - 1}) ins({x.name} : {tensor(x.shape)}) "
                       f"outs({into.name} : {tensor(x.shape)}) -> {tensor(x.shape)}", x.shape)

    def reduce(self, x, dimension, largest=False):
        """The sums, or the largest values, along one dimension."""
        shape = x.shape[:dimension] + x.shape[dimension + 1:]
        into = self.fill("0xFF800000" if largest else "0.0", shape)
        name = "arith.maximumf" if largest else "arith.addf"
        return self.op(f"linalg.reduce ins({x.name} : {tensor(x.shape)}) outs({into.name} : {tensor(shape)}) "
                       f"dimensions = [{dimension}]\n    (%s: f32, %acc: f32) {{\n"
                       f"      %r = {name} %s, %acc : f32\n      linalg.yield %r : f32\n    }}", shape)

    def row_sums(self, x):
        """Sums along the last dimension, which is kept with size one."""
        loops, shape = dims(len(x.shape)), x.shape[:-1] + (1,)
        iterators = ", ".join(['"parallel"'] * (len(shape) - 1) + ['"reduction"'])
        into = self.fill("0.0", shape)
        return self.op(
            f"linalg.generic {{indexing_maps = [{affine(loops, loops)}, {affine(loops, loops[:-1] + ['0'])}], "
            f"iterator_types = [{iterators}]}}\n"
            f"    ins({x.name} : {tensor(x.shape)}) outs({into.name} : {tensor(shape)}) {{\n"
            f"  ^bb0(%a: f32, %sum: f32):\n    %next = arith.addf %a, %sum : f32\n"
            f"    linalg.yield %next : f32\n  }} -> {tensor(shape)}", shape)

    def map(self, name, inputs):
        shape = inputs[0].shape
        into = self.empty(shape)
        return self.op(f"linalg.map {{ {name} }} ins({', '.join(x.name for x in inputs)} : "
                       f"{', '.join(tensor(x.shape) for x in inputs)}) outs({into.name} : {tensor(shape)})", shape)

    def generic(self, inputs, shape, body, reads=None):
        """Writes one parallel generic over `shape`.  `body` lists operations on %x0, %x1, ...; the
        last is the result.  `reads` are the dimensions that index each input; None is the index of
        a dimension of size one."""
        loops = dims(len(shape))
        reads = reads or [range(len(shape))] * len(inputs)
        maps = [affine(loops, ["0" if i is None else loops[i] for i in read]) for read in reads]
        maps.append(affine(loops, loops))
        iterators = ", ".join(['"parallel"'] * len(shape))
        into = self.empty(shape)
        lines = "".join(f"\n    %r{i} = {line}" for i, line in enumerate(body))
        arguments = "".join(f"%x{i}: f32, " for i in range(len(inputs)))
        return self.op(
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}}\n"
            f"    ins({', '.join(x.name for x in inputs)} : {', '.join(tensor(x.shape) for x in inputs)}) "
            f"outs({into.name} : {tensor(shape)}) {{\n  ^bb0({arguments}%old: f32):{lines}\n"
            f"    linalg.yield %r{len(body) - 1} : f32\n  }} -> {tensor(shape)}", shape)

    def windows(self, inputs, shape, result, iterators, reads, largest=False):
        """Sums of products of two inputs, or the maxima of the first, over the loops that
        `iterators` calls "r", not "p".  All positions are expressions of loops."""
        loops = dims(len(iterators))
        maps = ", ".join(affine(loops, read) for read in [*reads, result])
        kinds = ", ".join('"parallel"' if kind == "p" else '"reduction"' for kind in iterators)
        into = self.fill("0xFF800000" if largest else "0.0", shape)
        body = ["%ab = arith.mulf %a, %b : f32", "%next = arith.addf %ab, %sum : f32"]
        if largest:
            body = ["%next = arith.maximumf %a, %sum : f32"]
        return self.op(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}\n"
            f"    ins({', '.join(x.name for x in inputs)} : {', '.join(tensor(x.shape) for x in inputs)}) "
            f"outs({into.name} : {tensor(shape)}) {{\n  ^bb0(%a: f32, %b: f32, %sum: f32):\n    "
            + "\n    ".join(body) + f"\n    linalg.yield %next : f32\n  }} -> {tensor(shape)}", shape)

    def reverse(self, x, dimension):
        loops = dims(len(x.shape))
        read = [f"-{loop} + {x.shape[i] - 1}" if i == dimension else loop for i, loop in enumerate(loops)]
        kinds = ", ".join(['"parallel"'] * len(loops))
        into = self.empty(x.shape)
        return self.op(
            f"linalg.generic {{indexing_maps = [{affine(loops, read)}, {affine(loops, loops)}], "
            f"iterator_types = [{kinds}]}}\n"
            f"    ins({x.name} : {tensor(x.shape)}) outs({into.name} : {tensor(x.shape)}) {{\n"
            f"  ^bb0(%a: f32, %old: f32):\n    linalg.yield %a : f32\n  }} -> {tensor(x.shape)}", x.shape)

    def sum_of_products(self, x, y):
        """The sum over all elements of x times y."""
        loops = dims(len(x.shape))
        same = affine(loops, loops)
        iterators = ", ".join(['"reduction"'] * len(loops))
        into = self.constant("0.0", ())
        return self.op(
            f"linalg.generic {{indexing_maps = [{same}, {same}, {affine(loops, [])}], "
            f"iterator_types = [{iterators}]}}\n"
            f"    ins({x.name}, {y.name} : {tensor(x.shape)}, {tensor(y.shape)}) outs({into.name} : tensor<f32>) {{\n"
            f"  ^bb0(%a: f32, %b: f32, %sum: f32):\n    %ab = arith.mulf %a, %b : f32\n"
            f"    %next = arith.addf %ab, %sum : f32\n    linalg.yield %next : f32\n  }} -> tensor<f32>", ())

    # tensor.

    def slice(self, x, dimension, offset, size, stride=1, element="f32"):
        offsets = [offset if i == dimension else 0 for i in range(len(x.shape))]
        strides = [stride if i == dimension else 1 for i in range(len(x.shape))]
        shape = x.shape[:dimension] + (size,) + x.shape[dimension + 1:]
        return self.op(f"tensor.extract_slice {x.name}{offsets} {list(shape)} {strides} : "
                       f"{tensor(x.shape, element)} to {tensor(shape, element)}", shape)

    def insert(self, x, into, dimension, offset):
        offsets = [offset if i == dimension else 0 for i in range(len(x.shape))]
        return self.op(f"tensor.insert_slice {x.name} into {into.name}{offsets} {list(x.shape)} "
                       f"{[1] * len(x.shape)} : {tensor(x.shape)} into {tensor(into.shape)}", into.shape)

    def concat(self, parts, dimension):
        shape = list(parts[0].shape)
        shape[dimension] = sum(part.shape[dimension] for part in parts)
        return self.op(f"tensor.concat dim({dimension}) {', '.join(part.name for part in parts)} : "
                       f"({', '.join(tensor(part.shape) for part in parts)}) -> {tensor(shape)}", shape)

    def pad(self, x, dimension, low):
        """`low` zeros in front, along one dimension."""
        zero = self.op("arith.constant 0.0 : f32", ())
        lows = [low if i == dimension else 0 for i in range(len(x.shape))]
        shape = tuple(size + more for size, more in zip(x.shape, lows))
        indices = ", ".join(f"%i{i}: index" for i in range(len(shape)))
        return self.op(f"tensor.pad {x.name} low{lows} high{[0] * len(shape)} {{\n  ^bb0({indices}):\n"
                       f"    tensor.yield {zero.name} : f32\n  }} : {tensor(x.shape)} to {tensor(shape)}", shape)

    def collapse(self, x):
        """Collapses all dimensions but the last into one."""
        shape = (math.prod(x.shape[:-1]), x.shape[-1])
        groups = [list(range(len(x.shape) - 1)), [len(x.shape) - 1]]
        return self.op(f"tensor.collapse_shape {x.name} {groups} : {tensor(x.shape)} into {tensor(shape)}", shape)

    def reshape(self, x, shape):
        """Reshapes x to any shape with as many elements, by one operation if possible."""
        if x.shape == tuple(shape):
            return x
        few, many = sorted((x.shape, tuple(shape)), key=len)
        groups, at = [], 0
        for number, size in enumerate(few):
            last = number == len(few) - 1
            end = at + 1
            while end < len(many) and (last or math.prod(many[at:end]) < size):
                end += 1
            groups.append(list(range(at, end)))
            at = end
        if len(few) < len(many) and all(
                group[-1] < len(many) and math.prod(many[i] for i in group) == size
                for group, size in zip(groups, few)):
            return self.regroup(x, groups, tuple(shape))
        flat = self.regroup(x, [list(range(len(x.shape)))], (math.prod(shape),))
        return self.regroup(flat, [list(range(len(shape)))], tuple(shape))

    def regroup(self, x, groups, shape):
        """Expands dimensions (if `shape` has more than x) or collapses them."""
        if len(shape) > len(x.shape):
            return self.op(f"tensor.expand_shape {x.name} {groups} output_shape {list(shape)} : "
                           f"{tensor(x.shape)} into {tensor(shape)}", shape)
        return self.op(f"tensor.collapse_shape {x.name} {groups} : {tensor(x.shape)} into {tensor(shape)}", shape)
