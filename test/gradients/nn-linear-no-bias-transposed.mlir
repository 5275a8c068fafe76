// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// x W^T: the gradients of x and W.
func.func @loss(
    %x: tensor<2x3x4xf64> {zero.param = "x"},
    %w: tensor<4x4xf64> {zero.param = "w"}) -> tensor<2x3x4xf64> {
  %y = nn.linear %x, %w {transposed} : tensor<2x3x4xf64>, tensor<4x4xf64> -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
}
