"""Pooling: the choice among equal maxima."""
import array

import support

POOL = """
func.func @loss(
    %p: tensor<1x1x3x4xf32> {{zero.param = "p"}},
    %x: tensor<1x1x2x3xf32> {{zero.input = "x"}}) -> tensor<f32> {{
  %shape = tensor.empty() : tensor<2x2xf32>
  %low = arith.constant {low} : f32
  %empty = tensor.empty() : tensor<1x1x2x3xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %y = linalg.pooling_nchw_max ins(%p, %shape : tensor<1x1x3x4xf32>, tensor<2x2xf32>)
      outs(%start : tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {{indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>,
      affine_map<(a, b, c, d) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]}}
      ins(%y, %x : tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32>) outs(%zero : tensor<f32>) {{
  ^bb0(%v: f32, %c: f32, %sum: f32):
    %product = arith.mulf %v, %c : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }} -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


class Windows(support.Case):
    def gradient(self, begin, *options, low="0xFF800000"):
        """Returns the gradient of the pool's operand, where window i has weight 2^i."""
        model = self.write("pool.mlir", POOL.format(low=low))
        support.write_safetensors(self.folder / "begin.safetensors",
                                  {"p": ((1, 1, 3, 4), array.array("f", begin))})
        support.write_safetensors(self.folder / "x.safetensors",
                                  {"x": ((1, 1, 2, 3), array.array("f", (2**i for i in range(6))))})
        self.run_ok(support.ZEROC, model, "--optimizer=sgd", "--momentum=0", "--weight-decay=0",
                    "--grad-clip=0", *options, "-o", self.folder / "train")
        self.run_ok(self.folder / "train", f"--input=x={self.folder / 'x.safetensors'}:x",
                    "--init", self.folder / "begin.safetensors", "--steps", 1, "--lr", 1,
                    "--save", self.folder / "end.safetensors", "--quiet")
        end = support.read_safetensors(self.folder / "end.safetensors")["p"][1]
        return [before - after for before, after in zip(begin, end)]

    def test_the_first_of_equal_elements_is_the_maximum(self):
        """In the order of memory, as in PyTorch."""
        for options in ((), ("--reference",)):
            with self.subTest(options=options):
                self.assertEqual(self.gradient([1.0] * 12, *options),
                                 [1.0, 2.0, 4.0, 0.0, 8.0, 16.0, 32.0, 0.0, 0.0, 0.0, 0.0, 0.0])
                self.assertEqual(self.gradient([0, 5.0, 5.0, 0, 0, 0, 5.0, 0, 0, 0, 0, 0], *options),
                                 [0.0, 1.0 + 2.0, 4.0, 0.0, 8.0, 0.0, 16.0 + 32.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def test_no_element_is_the_maximum(self):
        """The initial value of the windows is larger."""
        self.assertEqual(self.gradient([1.0] * 12, low="2.0"), [0.0] * 12)
