// RUN: zero-gradcheck %s

// An inserted slice hides what was there.
func.func @loss(
    %a: tensor<2x2xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"}) -> tensor<3x4xf64> {
  %y = tensor.insert_slice %a into %b[1, 1] [2, 2] [1, 2] : tensor<2x2xf64> into tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
