"""Gradients of functions, also where they saturate: at 1000, at a pole, outside the domain, behind
a mask; and of products of rows, with factors of zero.

Each function is written as front ends print it, for x + p with p = 0; after one step of plain SGD,
p is minus the slope.  The expected slopes are those of the function, in float64.
"""
import math

import support

#: Around the points where exp and exp2 of f32 overflow, poles and bounds, and far out.
POINTS = [s * x for x in (0.0, 1e-3, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 80.0, 87.0, 88.0, 88.3, 88.5,
                          88.7, 88.8, 89.0, 104.0, 127.0, 128.0, 129.0, 200.0, 700.0, 1000.0) for s in (1, -1)]
SCALE = 2.0 ** -10


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def silu_slope(x, k=1.0):
    s = sigmoid(k * x)
    return s + k * x * s * (1 - s)


def growth_slope(x):
    """The slope of 1 / (1 + t exp(-x)), where t is 1 + |x|."""
    t = 1 + abs(x)
    s = 1 / (1 + t * math.exp(-x)) if x > -700 else 0.0
    return s * (1 - s) * (t - (x > 0) + (x < 0)) / t


def gelu_tanh_slope(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)
    t = math.tanh(inner)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)


def gelu_slope(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2))) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


LOGISTIC = """  %{n}a = arith.mulf %{n}x, %{n}k : T
  %{n}b = arith.negf %{n}a : T
  %{n}e = {exp} %{n}b : T
  %{n}d = arith.addf %{n}e, %one : T
  %{n} = arith.divf %{over}, %{n}d : T"""
#: The function of x where `test` holds, elsewhere 0 or x.
MASKED = """  %{n}k = arith.constant dense<{bound}> : T
  %{n}c = arith.cmpf {test}, %{n}x, %{n}k : T
  %{n}v = {value} : T
  %{n} = arith.select %{n}c, %{n}v, %{other} : TB, T"""


def logistic(name, over="one", k="1.0", exp="math.exp"):
    over = f"{name}x" if over == "x" else over
    return (f"  %{name}k = arith.constant dense<{k}> : T\n" + LOGISTIC).replace("{exp}", exp).replace("{over}", over)


def masked(test, bound, value, other="zero"):
    return (MASKED.replace("{test}", test).replace("{bound}", bound).replace("{value}", value)
            .replace("{other}", other))


def within(bound, value):
    """The function of x where |x| is below `bound`, elsewhere 0."""
    return "  %{n}a = math.absf %{n}x : T\n" + masked("olt", bound, value).replace("olt, %{n}x", "olt, %{n}a")


FUNCTIONS = {
    "sigmoid": (logistic("sigmoid"), lambda x: sigmoid(x) * sigmoid(-x)),
    "silu": (logistic("silu", "x"), silu_slope),
    "quick_gelu": (logistic("quick_gelu", "x", "1.702"), lambda x: silu_slope(x, 1.702)),
    "exp2": (logistic("exp2", exp="math.exp2"), lambda x: math.log(2) * sigmoid(x * math.log(2)) *
             sigmoid(-x * math.log(2))),
    "softplus": ("""  %{n}a = math.absf %{n}x : T
  %{n}b = arith.negf %{n}a : T
  %{n}e = math.exp %{n}b : T
  %{n}l = math.log1p %{n}e : T
  %{n}m = arith.maximumf %{n}x, %zero : T
  %{n} = arith.addf %{n}l, %{n}m : T""", sigmoid),
    "elu": (masked("olt", "0.0", "math.expm1 %{n}x", "{n}x"), lambda x: math.exp(x) if x < 0 else 1.0),
    "exp": (masked("olt", "2.0", "math.exp %{n}x"), lambda x: math.exp(x) if x < 2 else 0.0),
    "cosh": (within("2.0", "math.cosh %{n}x"), lambda x: math.sinh(x) if abs(x) < 2 else 0.0),
    "log": (masked("ogt", "0.0", "math.log %{n}x"), lambda x: 1 / x if x > 0 else 0.0),
    "log1p": (masked("ogt", "-1.0", "math.log1p %{n}x"), lambda x: 1 / (1 + x) if x > -1 else 0.0),
    "sqrt": (masked("ogt", "0.0", "math.sqrt %{n}x"), lambda x: 0.5 / math.sqrt(x) if x > 0 else 0.0),
    "rsqrt": (masked("ogt", "0.0", "math.rsqrt %{n}x"), lambda x: -0.5 * x ** -1.5 if x > 0 else 0.0),
    "cbrt": (masked("ogt", "0.0", "math.cbrt %{n}x"), lambda x: x ** (-2 / 3) / 3 if x > 0 else 0.0),
    "reciprocal": (masked("one", "0.0", "arith.divf %one, %{n}x"), lambda x: -1 / x ** 2 if x else 0.0),
    "powf": (masked("ogt", "0.0", "math.powf %{n}x, %half"), lambda x: 0.5 / math.sqrt(x) if x > 0 else 0.0),
    "log2": (masked("ogt", "0.0", "math.log2 %{n}x"), lambda x: 1 / x / math.log(2) if x > 0 else 0.0),
    "log10": (masked("ogt", "0.0", "math.log10 %{n}x"), lambda x: 1 / x / math.log(10) if x > 0 else 0.0),
    "asin": (within("0.9", "math.asin %{n}x"), lambda x: (1 - x * x) ** -0.5 if abs(x) < 0.9 else 0.0),
    "acos": (within("0.9", "math.acos %{n}x"), lambda x: -(1 - x * x) ** -0.5 if abs(x) < 0.9 else 0.0),
    "atanh": (within("0.9", "math.atanh %{n}x"), lambda x: 1 / (1 - x * x) if abs(x) < 0.9 else 0.0),
    "acosh": (masked("ogt", "1.0", "math.acosh %{n}x"), lambda x: (x * x - 1) ** -0.5 if x > 1 else 0.0),
    "asinh": ("  %{n} = math.asinh %{n}x : T", lambda x: (x * x + 1) ** -0.5),
    "atan": ("  %{n} = math.atan %{n}x : T", lambda x: 1 / (x * x + 1)),
    "atan2_half": ("  %{n} = math.atan2 %{n}x, %half : T", lambda x: 0.5 / (x * x + 0.25)),
    "tan": (within("1.5", "math.tan %{n}x"), lambda x: 1 / math.cos(x) ** 2 if abs(x) < 1.5 else 0.0),
    "sinh": (within("2.0", "math.sinh %{n}x"), lambda x: math.cosh(x) if abs(x) < 2 else 0.0),
    "erfc": ("  %{n} = math.erfc %{n}x : T", lambda x: -2 / math.sqrt(math.pi) * math.exp(-x * x)),
    "sin": (within("10.0", "math.sin %{n}x"), lambda x: math.cos(x) if abs(x) < 10 else 0.0),
    "sincos": (within("10.0", "arith.addf %{n}s, %{n}t").replace("  %{n}v", "  %{n}s, %{n}t = math.sincos %{n}x : T\n"
                                                                "  %{n}v"),
               lambda x: math.cos(x) - math.sin(x) if abs(x) < 10 else 0.0),
    "copysign": ("  %{n} = math.copysign %{n}x, %one : T", lambda x: (x > 0) - (x < 0)),
    "remf": ("  %{n}t = arith.constant dense<0.3> : T\n  %{n} = arith.remf %{n}x, %{n}t : T", lambda x: 1.0),
    "floor": ("  %{n}f = math.floor %{n}x : T\n  %{n} = arith.subf %{n}x, %{n}f : T", lambda x: 1.0),
    "round": ("  %{n}f = math.roundeven %{n}x : T\n  %{n} = arith.addf %{n}x, %{n}f : T", lambda x: 1.0),
    "xlogx": (masked("ogt", "0.0", "arith.mulf %{n}x, %{n}l").replace("  %{n}v", "  %{n}l = math.log %{n}x : T\n  %{n}v"),
              lambda x: math.log(x) + 1 if x > 0 else 0.0),
    "growth": (logistic("growth").replace("  %{n}d = arith.addf %{n}e", """  %{n}m = math.absf %{n}x : T
  %{n}t = arith.addf %{n}m, %one : T
  %{n}g = arith.mulf %{n}e, %{n}t : T
  %{n}d = arith.addf %{n}g"""), growth_slope),
    "atan2": (masked("one", "0.0", "math.atan2 %{n}x, %{n}x"), lambda x: 0.0),
    "gelu": ("  %{n} = nn.gelu %{n}x : T", gelu_slope),
    "gelu_tanh": ("  %{n} = nn.gelu %{n}x {tanh} : T", gelu_tanh_slope),
    "tanh": ("  %{n} = math.tanh %{n}x : T", lambda x: 1 - math.tanh(x) ** 2),
    "erf": ("  %{n} = math.erf %{n}x : T", lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x)),
}


def model(functions):
    """Returns a model that sums all functions at all points."""
    count = len(POINTS)
    lines = [f"  %points = arith.constant dense<[{', '.join(map(repr, POINTS))}]> : T"]
    lines += [f"  %{name} = arith.constant dense<{value}> : T"
              for name, value in (("one", "1.0"), ("zero", "0.0"), ("half", "0.5"))]
    lines.append("  %loss0 = arith.constant dense<0.0> : tensor<f32>")
    for number, name in enumerate(functions):
        lines.append(f"  %{name}x = arith.addf %points, %{name}p : T")
        lines.append(FUNCTIONS[name][0].replace("{n}", name))
        lines.append(f"""  %loss{number + 1} = linalg.generic {{indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>],
      iterator_types = ["reduction"]}} ins(%{name} : T) outs(%loss{number} : tensor<f32>) {{
  ^bb0(%a: f32, %sum: f32):
    %k = arith.constant {SCALE!r} : f32
    %part = arith.mulf %a, %k : f32
    %next = arith.addf %part, %sum : f32
    linalg.yield %next : f32
  }} -> tensor<f32>""")
    parameters = ",\n    ".join(f'%{name}p: T {{zero.param = "{name}", zero.init = #zero.constant<0.0>}}'
                                for name in functions)
    body = "\n".join(lines)
    text = (f'func.func @loss(\n    {parameters},\n'
            f'    %tokens: tensor<1x4xi32> {{zero.input = "tokens", zero.vocab = 9 : i64}},\n'
            f'    %targets: tensor<1x4xi32> {{zero.input = "targets", zero.vocab = 9 : i64}}) -> tensor<f32> {{\n'
            f"{body}\n  return %loss{len(functions)} : tensor<f32>\n}}\n")
    return text.replace("TB", f"tensor<{count}xi1>").replace(" T", f" tensor<{count}xf32>")


class Slopes(support.Case):
    def slopes(self, *options):
        data, binary = self.write_tokens(100, 9), self.folder / "train"
        self.run_ok(support.ZEROC, self.write("model.mlir", model(FUNCTIONS)), *options, "--optimizer=sgd",
                    "--momentum=0", "--weight-decay=0", "--grad-clip=0", "-o", binary)
        lines, saved = self.train(binary, data, 1, 1 / SCALE)
        self.assertTrue(math.isfinite(lines[0]["loss"]))
        return {name: [-value for value in values]
                for name, (_, values) in support.read_safetensors(saved).items()}

    def check(self, *options):
        slopes = self.slopes(*options)
        self.assertEqual(set(slopes), set(FUNCTIONS))
        for name, (_, slope) in FUNCTIONS.items():
            with self.subTest(name):
                for x, value in zip(POINTS, slopes[name]):
                    x = support.array.array("f", [x])[0]
                    expected = slope(x)
                    self.assertTrue(math.isfinite(value), f"{name} at {x}: {value}, not {expected}")
                    self.assertLessEqual(abs(value - expected), 3e-6 * max(1, abs(expected)), f"{name} at {x}: "
                                         f"{value}, not {expected}")

    def test_kernels(self):
        self.check()

    def test_reference(self):
        self.check("--reference")


class Products(support.Case):
    """Each factor's slope is the product of the others."""
    ROWS = [(2.0, -3.0, 0.5, 4.0, 1.0), (2.0, 0.0, 0.5, 4.0, 1.0), (2.0, 0.0, 0.5, 0.0, 1.0), (0.0,) * 5,
            (-1.0, -2.0, 3.0, 0.0, 7.0), (1e-20, 1e20, 1e-3, 1e3, 2.0), (1.0, 1.0, 1.0, 1.0, 1.0)]

    def slopes(self, begin, *options):
        rows, columns = len(self.ROWS), len(self.ROWS[0])
        values = ", ".join("[" + ", ".join(f"{x:e}" for x in row) + "]" for row in self.ROWS)
        text = f"""func.func @loss(
    %p: tensor<{rows}x{columns}xf32> {{zero.param = "p", zero.init = #zero.constant<0.0>}},
    %b: tensor<{rows}xf32> {{zero.param = "b", zero.init = #zero.constant<{begin}>}},
    %tokens: tensor<1x4xi32> {{zero.input = "tokens", zero.vocab = 9 : i64}},
    %targets: tensor<1x4xi32> {{zero.input = "targets", zero.vocab = 9 : i64}}) -> tensor<f32> {{
  %values = arith.constant dense<[{values}]> : tensor<{rows}x{columns}xf32>
  %x = arith.addf %values, %p : tensor<{rows}x{columns}xf32>
  %y = linalg.reduce {{arith.mulf}} ins(%x : tensor<{rows}x{columns}xf32>) outs(%b : tensor<{rows}xf32>) dimensions = [1]
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.reduce {{arith.addf}} ins(%y : tensor<{rows}xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %k = arith.constant dense<{SCALE!r}> : tensor<f32>
  %loss = arith.mulf %sum, %k : tensor<f32>
  return %loss : tensor<f32>
}}
"""
        data, binary = self.write_tokens(100, 9), self.folder / "train"
        self.run_ok(support.ZEROC, self.write("model.mlir", text), *options, "--optimizer=sgd", "--momentum=0",
                    "--weight-decay=0", "--grad-clip=0", "-o", binary)
        weights = support.read_safetensors(self.train(binary, data, 1, 1 / SCALE)[1])
        return [-value for value in weights["p"][1]], [begin - value for value in weights["b"][1]]

    def test_products(self):
        for begin in (0.5, 0.0):
            for options in ((), ("--reference",)):
                with self.subTest(begin=begin, options=options):
                    slopes, first = self.slopes(begin, *options)
                    for number, row in enumerate(self.ROWS):
                        mine = slopes[number * len(row):(number + 1) * len(row)]
                        expected = [begin * math.prod(row[:i] + row[i + 1:]) for i in range(len(row))]
                        for value, slope in zip(mine + [first[number]], expected + [math.prod(row)]):
                            self.assertLessEqual(abs(value - slope), 1e-6 * abs(slope) + 1e-7, f"{row}: {mine}, "
                                                 f"not {expected}")
