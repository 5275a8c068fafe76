// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Gemma's factor 1 + weight, over heads.
func.func @loss(
    %x: tensor<2x3x2x5xf64> {zero.param = "x"},
    %w: tensor<5xf64> {zero.param = "w"}) -> tensor<2x3x2x5xf64> {
  %o = nn.rms_norm %x, %w {eps = 1.0e-5 : f64, unit_offset} : tensor<2x3x2x5xf64>, tensor<5xf64>
  return %o : tensor<2x3x2x5xf64>
}
