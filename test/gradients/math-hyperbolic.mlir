// RUN: zero-gradcheck %s

// Functions whose derivatives are each other's, and logarithms of other bases.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"}) -> tensor<3x4xf64> {
  %p = math.exp %b : tensor<3x4xf64>
  %t = math.tanh %a : tensor<3x4xf64>
  %v0 = math.sinh %a : tensor<3x4xf64>
  %v1 = math.cosh %b : tensor<3x4xf64>
  %v2 = math.tan %t : tensor<3x4xf64>
  %v3 = math.cbrt %p : tensor<3x4xf64>
  %v4 = math.log2 %p : tensor<3x4xf64>
  %v5 = math.log10 %p : tensor<3x4xf64>
  %v6 = math.erfc %a : tensor<3x4xf64>
  %s1 = arith.addf %v0, %v1 : tensor<3x4xf64>
  %s2 = arith.addf %s1, %v2 : tensor<3x4xf64>
  %s3 = arith.addf %s2, %v3 : tensor<3x4xf64>
  %s4 = arith.addf %s3, %v4 : tensor<3x4xf64>
  %s5 = arith.addf %s4, %v5 : tensor<3x4xf64>
  %y = arith.addf %s5, %v6 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
