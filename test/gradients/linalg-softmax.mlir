// RUN: zero-gradcheck %s

// An aggregate: differentiated through its parts.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %y = linalg.softmax dimension(1) ins(%a : tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
