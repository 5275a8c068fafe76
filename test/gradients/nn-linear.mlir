// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// x W^T + b: the gradients of x, W and b.
func.func @loss(
    %x: tensor<2x3x5xf64> {zero.param = "x"},
    %w: tensor<3x5xf64> {zero.param = "w"},
    %b: tensor<3xf64> {zero.param = "b"}) -> tensor<2x3x3xf64> {
  %y = nn.linear %x, %w, %b : tensor<2x3x5xf64>, tensor<3x5xf64>, tensor<3xf64> -> tensor<2x3x3xf64>
  return %y : tensor<2x3x3xf64>
}
