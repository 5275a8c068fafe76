// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// x W^T: the gradients of x and W.
func.func @loss(
    %x: tensor<2x3x5xf64> {zero.param = "x"},
    %w: tensor<3x5xf64> {zero.param = "w"}) -> tensor<2x3x3xf64> {
  %y = nn.linear %x, %w : tensor<2x3x5xf64>, tensor<3x5xf64> -> tensor<2x3x3xf64>
  return %y : tensor<2x3x3xf64>
}
