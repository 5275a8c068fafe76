// RUN: zero-gradcheck %s

// Each operation of math on tensors that is smooth everywhere.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %0 = math.exp %a : tensor<3x4xf64>
  %1 = math.tanh %a : tensor<3x4xf64>
  %2 = math.erf %a : tensor<3x4xf64>
  %3 = math.sin %a : tensor<3x4xf64>
  %4 = math.cos %a : tensor<3x4xf64>
  %5 = math.exp2 %a : tensor<3x4xf64>
  %6 = math.expm1 %a : tensor<3x4xf64>
  %7 = math.absf %a : tensor<3x4xf64>
  %8 = arith.mulf %0, %1 : tensor<3x4xf64>
  %9 = arith.addf %8, %2 : tensor<3x4xf64>
  %10 = math.fma %3, %4, %9 : tensor<3x4xf64>
  %11 = arith.divf %6, %5 : tensor<3x4xf64>
  %12 = arith.mulf %11, %7 : tensor<3x4xf64>
  %y = arith.addf %10, %12 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
