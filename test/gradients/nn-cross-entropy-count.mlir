// RUN: zero-gradcheck %s

// The number of targets is given, and not differentiated.
func.func @loss(
    %x: tensor<3x4x6xf64> {zero.param = "x"},
    %targets: tensor<3x4xi32> {zero.input = "targets"},
    %n: tensor<f64> {zero.input = "n"}) -> tensor<f64> {
  %loss = nn.cross_entropy %x, %targets by %n : tensor<3x4x6xf64>, tensor<3x4xi32>, tensor<f64> -> tensor<f64>
  return %loss : tensor<f64>
}
