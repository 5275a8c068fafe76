// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// x, weight and bias through the statistics of the row.
func.func @loss(
    %x: tensor<2x3x6xf64> {zero.param = "x"},
    %w: tensor<6xf64> {zero.param = "w"},
    %b: tensor<6xf64> {zero.param = "b"}) -> tensor<2x3x6xf64> {
  %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : tensor<2x3x6xf64>, tensor<6xf64>
  return %y : tensor<2x3x6xf64>
}
