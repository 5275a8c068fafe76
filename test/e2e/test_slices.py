"""Slices with unequal distances between rows, used where contiguous values are needed."""
import support

#: A product reads the slice of 19 of 20 positions; after a reshape, a kernel and another slice read
#: it.
MODEL = """
func.func @loss(
    %wte: tensor<16x8xf32> {zero.param = "wte", zero.init = #zero.normal<std = 0.5>},
    %w: tensor<8x8xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.5>},
    %head: tensor<16x8xf32> {zero.param = "head", zero.init = #zero.normal<std = 0.5>},
    %tokens: tensor<2x20xi32> {zero.input = "tokens", zero.vocab = 16 : i64},
    %targets: tensor<2x20xi32> {zero.input = "targets", zero.vocab = 16 : i64}) -> tensor<f32> {
  %h = nn.embedding %tokens, %wte : tensor<2x20xi32>, tensor<16x8xf32> -> tensor<2x20x8xf32>
  %s = tensor.extract_slice %h[0, 0, 0] [2, 19, 8] [1, 1, 1]
      : tensor<2x20x8xf32> to tensor<2x19x8xf32>
  %y = nn.linear %s, %w : tensor<2x19x8xf32>, tensor<8x8xf32> -> tensor<2x19x8xf32>
  %rows = tensor.collapse_shape %s [[0, 1], [2]] : tensor<2x19x8xf32> into tensor<38x8xf32>
  %some = tensor.extract_slice %rows[1, 0] [37, 8] [1, 1] : tensor<38x8xf32> to tensor<37x8xf32>
  %g = nn.gelu %rows : tensor<38x8xf32>
  %z = nn.linear %some, %w : tensor<37x8xf32>, tensor<8x8xf32> -> tensor<37x8xf32>
  %zero = arith.constant dense<0.0> : tensor<38x8xf32>
  %into = tensor.insert_slice %z into %zero[1, 0] [37, 8] [1, 1]
      : tensor<37x8xf32> into tensor<38x8xf32>
  %both = arith.addf %into, %g : tensor<38x8xf32>
  %back = tensor.expand_shape %both [[0, 1], [2]] output_shape [2, 19, 8]
      : tensor<38x8xf32> into tensor<2x19x8xf32>
  %sum = arith.addf %y, %back : tensor<2x19x8xf32>
  %logits = nn.linear %sum, %head : tensor<2x19x8xf32>, tensor<16x8xf32> -> tensor<2x19x16xf32>
  %t = tensor.extract_slice %targets[0, 0] [2, 19] [1, 1] : tensor<2x20xi32> to tensor<2x19xi32>
  %loss = nn.cross_entropy %logits, %t : tensor<2x19x16xf32>, tensor<2x19xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
"""


class Slices(support.Case):
    def test_against_reference(self):
        self.assert_weights_close(self.trained_weights(MODEL, 16, "fast"),
                                  self.trained_weights(MODEL, 16, "slow", "--reference"), 1e-5)
