// RUN: zero-gradcheck %s

// A B on top of an active C, which gets the adjoint as it is.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<4x5xf64> {zero.param = "b"},
    %d: tensor<3x5xf64> {zero.param = "d"}) -> tensor<3x5xf64> {
  %y = linalg.matmul ins(%a, %b : tensor<3x4xf64>, tensor<4x5xf64>) outs(%d : tensor<3x5xf64>) -> tensor<3x5xf64>
  return %y : tensor<3x5xf64>
}
