// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// x and weight through the statistic of the row.
func.func @loss(
    %x: tensor<2x3x6xf64> {zero.param = "x"},
    %w: tensor<6xf64> {zero.param = "w"}) -> tensor<2x3x6xf64> {
  %o = nn.rms_norm %x, %w {eps = 1.0e-5 : f64} : tensor<2x3x6xf64>, tensor<6xf64>
  return %o : tensor<2x3x6xf64>
}
