"""Kernels that cannot run in whole vectors: 1-bit elements, divisions beyond the end of a row, sums
that read each other, functions without vectors; and operations between kernels: reshapes of a fused
kernel's earlier result, scalars."""
import support

MODEL = """
#id = affine_map<(a, b) -> (a, b)>
#row = affine_map<(a, b) -> (a)>
func.func @loss(
    %p: tensor<18x33xf32> {{zero.param = "p", zero.init = #zero.normal<std = 1.0>}},
    %tokens: tensor<2x9xi32> {{zero.input = "tokens", zero.vocab = 40 : i64}},
    %targets: tensor<2x9xi32> {{zero.input = "targets", zero.vocab = 40 : i64}}) -> tensor<f32> {{
  %t = tensor.collapse_shape %tokens [[0, 1]] : tensor<2x9xi32> into tensor<18xi32>
  %e = tensor.empty() : tensor<18x33xf32>
  %x = linalg.generic {{indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%t : tensor<18xi32>) outs(%e : tensor<18x33xf32>) {{
  ^bb0(%a: i32, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %s = arith.addi %a, %j : i32
    %f = arith.sitofp %s : i32 to f32
    %unit = arith.constant 0.015625 : f32
    %u = arith.mulf %f, %unit : f32
    linalg.yield %u : f32
  }} -> tensor<18x33xf32>
{body}
  %out = arith.mulf %p, %y : tensor<18x33xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {{indexing_maps = [#id, affine_map<(a, b) -> ()>],
      iterator_types = ["reduction", "reduction"]}} ins(%out : tensor<18x33xf32>) outs(%zero : tensor<f32>) {{
  ^bb0(%a: f32, %sum: f32):
    %small = arith.constant 0.0009765625 : f32
    %s = arith.mulf %a, %a : f32
    %part = arith.mulf %s, %small : f32
    %next = arith.addf %part, %sum : f32
    linalg.yield %next : f32
  }} -> tensor<f32>
  return %loss : tensor<f32>
}}
"""

class OddKernels(support.Case):
    def check(self, body):
        model = MODEL.format(body=body)
        self.assert_weights_close(self.trained_weights(model, 40, "fast"),
                                  self.trained_weights(model, 40, "slow", "--reference"), 1e-5)

    def test_elements_of_a_bit(self):
        rows = ", ".join("[" + ", ".join(["false", "true"][(r * c + r) % 3 > 0] for c in range(33)) + "]"
                         for r in range(18))
        self.check(f"""  %c = arith.constant dense<[{rows}]> : tensor<18x33xi1>
  %y = arith.select %c, %x, %p : tensor<18x33xi1>, tensor<18x33xf32>""")

    def test_division_of_integers(self):
        """A row of nine has seven lanes beyond its end."""
        rows = ", ".join("[" + ", ".join(str((r + c) % 5 + 1) for c in range(9)) + "]" for r in range(2))
        for operation in ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi"):
            with self.subTest(operation):
                self.check(f"""  %d = arith.constant dense<[{rows}]> : tensor<2x9xi32>
  %n = arith.{operation} %tokens, %d : tensor<2x9xi32>
  %f = arith.sitofp %n : tensor<2x9xi32> to tensor<2x9xf32>
  %r = tensor.collapse_shape %f [[0, 1]] : tensor<2x9xf32> into tensor<18xf32>
  %w = linalg.broadcast ins(%r : tensor<18xf32>) outs(%e : tensor<18x33xf32>) dimensions = [1]
  %y = arith.addf %x, %w : tensor<18x33xf32>""")

    def test_a_sum_of_sums(self):
        """The second result sums the first one's partial sums."""
        self.check("""  %z = arith.constant dense<0.0> : tensor<18xf32>
  %first, %q = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<18x33xf32>) outs(%z, %z : tensor<18xf32>, tensor<18xf32>) {
  ^bb0(%a: f32, %one: f32, %two: f32):
    %b = arith.addf %a, %one : f32
    %c = arith.addf %b, %two : f32
    linalg.yield %b, %c : f32, f32
  } -> (tensor<18xf32>, tensor<18xf32>)
  %w = linalg.broadcast ins(%q : tensor<18xf32>) outs(%e : tensor<18x33xf32>) dimensions = [1]
  %k = arith.constant dense<0.001> : tensor<18x33xf32>
  %y = arith.mulf %w, %k : tensor<18x33xf32>""")

    def test_functions_without_vectors(self):
        for body in ("%y = math.asinh %x : tensor<18x33xf32>",
                     "%n = arith.fptosi %x : tensor<18x33xf32> to tensor<18x33xi32>\n"
                     "  %y = math.fpowi %x, %n : tensor<18x33xf32>, tensor<18x33xi32>"):
            with self.subTest(body):
                self.check("  " + body)

    def test_reshapes_between_members(self):
        """The sum of squares is fused with the sum, whose result was reshaped before."""
        for rows, places in (("18x1", "(a, 0)"), ("3x6", None)):
            with self.subTest(rows):
                groups = "[[0, 1]]"
                shape = f"[{rows.replace('x', ', ')}]"
                read = f"""  %mean = linalg.generic {{indexing_maps = [affine_map<(a, b) -> {places}>, #id],
      iterator_types = ["parallel", "parallel"]}} ins(%view : tensor<18x1xf32>) outs(%e : tensor<18x33xf32>) {{
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }} -> tensor<18x33xf32>""" if places else f"""  %t2 = math.tanh %view : tensor<{rows}xf32>
  %flat = tensor.collapse_shape %t2 {groups} : tensor<{rows}xf32> into tensor<18xf32>
  %mean = linalg.broadcast ins(%flat : tensor<18xf32>) outs(%e : tensor<18x33xf32>) dimensions = [1]"""
                self.check(f"""  %z = arith.constant dense<0.0> : tensor<18xf32>
  %sums = linalg.reduce {{ arith.addf }} ins(%p : tensor<18x33xf32>) outs(%z : tensor<18xf32>) dimensions = [1]
  %view = tensor.expand_shape %sums {groups} output_shape {shape} : tensor<18xf32> into tensor<{rows}xf32>
  %pp = arith.mulf %p, %x : tensor<18x33xf32>
  %q = linalg.reduce {{ arith.addf }} ins(%pp : tensor<18x33xf32>) outs(%z : tensor<18xf32>) dimensions = [1]
  %w = linalg.broadcast ins(%q : tensor<18xf32>) outs(%e : tensor<18x33xf32>) dimensions = [1]
{read}
  %m = arith.subf %x, %mean : tensor<18x33xf32>
  %k = arith.constant dense<0.01> : tensor<18x33xf32>
  %wk = arith.mulf %w, %k : tensor<18x33xf32>
  %y = arith.addf %m, %wk : tensor<18x33xf32>""")

    def test_scalars(self):
        """A bit, a number and a tensor of it, from elements of the tokens."""
        self.check("""  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.extract %tokens[%c0, %c1] : tensor<2x9xi32>
  %second = tensor.extract %tokens[%c1, %c0] : tensor<2x9xi32>
  %less = arith.cmpi slt, %first, %second : i32
  %both = arith.addi %first, %second : i32
  %number = arith.sitofp %both : i32 to f32
  %filled = linalg.fill ins(%number : f32) outs(%e : tensor<18x33xf32>) -> tensor<18x33xf32>
  %one = tensor.from_elements %number : tensor<f32>
  %spread = linalg.broadcast ins(%one : tensor<f32>) outs(%e : tensor<18x33xf32>) dimensions = [0, 1]
  %splat = tensor.splat %number : tensor<18x33xf32>
  %g = linalg.generic {indexing_maps = [#id, affine_map<(a, b) -> ()>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %number : tensor<18x33xf32>, f32) outs(%e : tensor<18x33xf32>) {
  ^bb0(%a: f32, %n: f32, %o: f32):
    %chosen = arith.select %less, %a, %number : f32
    %r = arith.addf %chosen, %n : f32
    linalg.yield %r : f32
  } -> tensor<18x33xf32>
  %all = arith.addf %filled, %spread : tensor<18x33xf32>
  %more = arith.subf %all, %splat : tensor<18x33xf32>
  %k = arith.constant dense<0.01> : tensor<18x33xf32>
  %little = arith.mulf %more, %k : tensor<18x33xf32>
  %y = arith.addf %g, %little : tensor<18x33xf32>""")
