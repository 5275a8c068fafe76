// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first
// RUN: zero-gradcheck %s --ignored=0.34

// The loss of each row, of which the loss of the model is no mean.

func.func @loss(
    %x: tensor<3x4x6xf64> {zero.param = "x"},
    %y: tensor<3x4xf64> {zero.param = "y"},
    %weights: tensor<3x4xf64> {zero.input = "weights"},
    %targets: tensor<3x4xi32> {zero.input = "targets"}) -> tensor<f64> {
  %a = nn.cross_entropy %x, %targets weights(%weights : tensor<3x4xf64>) {label_smoothing = 0.2 : f64, z_loss = 0.1 : f64}
    : tensor<3x4x6xf64>, tensor<3x4xi32> -> tensor<3x4xf64>
  %b = nn.cross_entropy %x, %targets : tensor<3x4x6xf64>, tensor<3x4xi32> -> tensor<3x4xf64>
  %both = arith.mulf %a, %b : tensor<3x4xf64>
  %scaled = arith.mulf %both, %y : tensor<3x4xf64>
  %zero = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.reduce { arith.addf } ins(%scaled : tensor<3x4xf64>) outs(%zero : tensor<f64>) dimensions = [0, 1]
  return %loss : tensor<f64>
}
