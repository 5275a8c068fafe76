// RUN: zero-gradcheck %s

// 1 / (1 + exp(-a)), used twice.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %one = arith.constant dense<1.0> : tensor<3x4xf64>
  %0 = arith.negf %a : tensor<3x4xf64>
  %1 = math.exp %0 : tensor<3x4xf64>
  %2 = arith.addf %1, %one : tensor<3x4xf64>
  %3 = arith.divf %one, %2 : tensor<3x4xf64>
  %y = arith.mulf %3, %a : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
