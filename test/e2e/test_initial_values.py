"""Results initialized from a parameter, a constant or a fill, written in the same or the transposed
order of the initial value; such copies are also split among threads."""
import support

MODEL = """
func.func @loss(
    %w: tensor<16x512xf32> {{zero.param = "w", zero.init = #zero.normal<std = 0.5>}},
    %p: tensor<512x16xf32> {{zero.param = "p", zero.init = #zero.normal<std = 0.5>}},
    %tokens: tensor<2x8xi32> {{zero.input = "tokens", zero.vocab = 16 : i64}},
    %targets: tensor<2x8xi32> {{zero.input = "targets", zero.vocab = 16 : i64}}) -> tensor<f32> {{
  %x3 = nn.embedding %tokens, %w : tensor<2x8xi32>, tensor<16x512xf32> -> tensor<2x8x512xf32>
  %x = tensor.collapse_shape %x3 [[0, 1], [2]] : tensor<2x8x512xf32> into tensor<16x512xf32>
{body}
  %c = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}} ins(%y : tensor<{shape}>) outs(%c : tensor<f32>) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    %q = arith.addf %s, %o : f32
    linalg.yield %q : f32
  }} -> tensor<f32>
  return %loss : tensor<f32>
}}
"""

#: x is added to {init}, which is transposed.
ACROSS = """  %init = {init}
  %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
      iterator_types = ["parallel", "parallel"]}} ins(%x : tensor<16x512xf32>) outs({outs} : tensor<512x16xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %o : f32
    linalg.yield %q : f32
  }} -> tensor<512x16xf32>"""

#: A sum of columns that keeps its dimension.
KEPT = """  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<512x1xf32>) -> tensor<512x1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, 0)>],
      iterator_types = ["reduction", "parallel"]} ins(%x : tensor<16x512xf32>) outs(%z : tensor<512x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.mulf %a, %a : f32
    %q = arith.addf %b, %o : f32
    linalg.yield %q : f32
  } -> tensor<512x1xf32>"""


class InitialValues(support.Case):
    def check(self, body, shape):
        model = MODEL.format(body=body, shape=shape)
        self.assert_weights_close(self.trained_weights(model, 16, "fast"),
                                  self.trained_weights(model, 16, "slow", "--reference"), 1e-5)

    def test_parameter_across(self):
        self.check(ACROSS.format(init="arith.constant 0 : i32", outs="%p"), "512x16xf32")

    def test_constant_across(self):
        self.check(ACROSS.format(init="arith.constant dense<0.25> : tensor<512x16xf32>", outs="%init"),
                   "512x16xf32")

    def test_kept_dimension(self):
        self.check(KEPT, "512x1xf32")
