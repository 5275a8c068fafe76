// RUN: zero-gradcheck %s

// A maximum with a constant.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %zero = arith.constant dense<0.0> : tensor<3x4xf64>
  %y = arith.maximumf %a, %zero : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
