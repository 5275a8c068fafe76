// RUN: zero-gradcheck %s

// linalg.map, with one tensor for both operands.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %y = linalg.map { arith.mulf } ins(%a, %a : tensor<3x4xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>)
  return %y : tensor<3x4xf64>
}
