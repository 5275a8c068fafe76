// RUN: zero-gradcheck %s

// Square, so that only the values can tell.
func.func @loss(%a: tensor<4x4xf64> {zero.param = "a"}) -> tensor<4x4xf64> {
  %e = tensor.empty() : tensor<4x4xf64>
  %y = linalg.transpose ins(%a : tensor<4x4xf64>) outs(%e : tensor<4x4xf64>) permutation = [1, 0]
  return %y : tensor<4x4xf64>
}
