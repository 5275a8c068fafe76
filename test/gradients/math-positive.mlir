// RUN: zero-gradcheck %s

// Operations that need positive arguments: these are exp(a) and exp(b).
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"}) -> tensor<3x4xf64> {
  %p = math.exp %a : tensor<3x4xf64>
  %q = math.exp %b : tensor<3x4xf64>
  %0 = math.log %p : tensor<3x4xf64>
  %1 = math.sqrt %q : tensor<3x4xf64>
  %2 = math.rsqrt %p : tensor<3x4xf64>
  %3 = math.log1p %q : tensor<3x4xf64>
  %4 = math.powf %p, %b : tensor<3x4xf64>
  %5 = arith.mulf %0, %1 : tensor<3x4xf64>
  %6 = arith.mulf %2, %3 : tensor<3x4xf64>
  %7 = arith.addf %4, %5 : tensor<3x4xf64>
  %y = arith.addf %6, %7 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
