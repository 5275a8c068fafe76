// RUN: zero-gradcheck %s

// Inverses, inside of their domains: |t| < 1 and u > 1.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"}) -> tensor<3x4xf64> {
  %t = math.tanh %a : tensor<3x4xf64>
  %t2 = math.tanh %b : tensor<3x4xf64>
  %one = arith.constant dense<1.0> : tensor<3x4xf64>
  %e = math.exp %b : tensor<3x4xf64>
  %u = arith.addf %one, %e : tensor<3x4xf64>
  %v0 = math.asin %t : tensor<3x4xf64>
  %v1 = math.acos %t2 : tensor<3x4xf64>
  %v2 = math.atan %a : tensor<3x4xf64>
  %v3 = math.atanh %t : tensor<3x4xf64>
  %v4 = math.asinh %b : tensor<3x4xf64>
  %v5 = math.acosh %u : tensor<3x4xf64>
  %s1 = arith.addf %v0, %v1 : tensor<3x4xf64>
  %s2 = arith.addf %s1, %v2 : tensor<3x4xf64>
  %s3 = arith.addf %s2, %v3 : tensor<3x4xf64>
  %s4 = arith.addf %s3, %v4 : tensor<3x4xf64>
  %y = arith.addf %s4, %v5 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
