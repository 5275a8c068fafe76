// RUN: zero-gradcheck %s

// Powers of values of both signs: the exponents 2, 1 and 0 are constants.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %two = arith.constant dense<2.0> : tensor<3x4xf64>
  %one = arith.constant dense<1.0> : tensor<3x4xf64>
  %none = arith.constant dense<0.0> : tensor<3x4xf64>
  %0 = math.powf %a, %two : tensor<3x4xf64>
  %1 = math.powf %a, %one : tensor<3x4xf64>
  %2 = math.powf %a, %none : tensor<3x4xf64>
  %3 = arith.addf %0, %1 : tensor<3x4xf64>
  %y = arith.addf %3, %2 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
