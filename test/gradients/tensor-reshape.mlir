// RUN: zero-gradcheck %s

// Expanded and collapsed.
func.func @loss(%a: tensor<3x8xf64> {zero.param = "a"}) -> tensor<6x2x2xf64> {
  %0 = tensor.expand_shape %a [[0], [1, 2, 3]] output_shape [3, 2, 2, 2] : tensor<3x8xf64> into tensor<3x2x2x2xf64>
  %y = tensor.collapse_shape %0 [[0, 1], [2], [3]] : tensor<3x2x2x2xf64> into tensor<6x2x2xf64>
  return %y : tensor<6x2x2xf64>
}
