// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first
// RUN: zero-gradcheck %s --ignored=0.34

// Smoothing, z-loss and weights; weights of a batch may have any sum.

func.func @loss(
    %x: tensor<3x4x6xf64> {zero.param = "x"},
    %weights: tensor<3x4xf64> {zero.input = "weights"},
    %targets: tensor<3x4xi32> {zero.input = "targets"}) -> tensor<f64> {
  %a = nn.cross_entropy %x, %targets weights(%weights : tensor<3x4xf64>) {label_smoothing = 0.2 : f64, z_loss = 0.1 : f64}
    : tensor<3x4x6xf64>, tensor<3x4xi32> -> tensor<f64>
  %b = nn.cross_entropy %x, %targets {label_smoothing = 0.3 : f64} : tensor<3x4x6xf64>, tensor<3x4xi32> -> tensor<f64>
  %loss = arith.addf %a, %b : tensor<f64>
  return %loss : tensor<f64>
}
