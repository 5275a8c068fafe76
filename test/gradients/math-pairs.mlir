// RUN: zero-gradcheck %s

// Functions of two and three numbers.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %d: tensor<3x4xf64> {zero.param = "d"},
    %i: tensor<3x4xi32> {zero.input = "i"}) -> tensor<3x4xf64> {
  %v0 = math.atan2 %a, %b : tensor<3x4xf64>
  %v1 = math.copysign %a, %d : tensor<3x4xf64>
  %v2 = arith.remf %a, %b : tensor<3x4xf64>
  %v3 = math.fma %a, %b, %d : tensor<3x4xf64>
  %s1 = arith.addf %v0, %v1 : tensor<3x4xf64>
  %s2 = arith.addf %s1, %v2 : tensor<3x4xf64>
  %z = arith.addf %s2, %v3 : tensor<3x4xf64>
  %sine, %cosine = math.sincos %a : tensor<3x4xf64>
  %twice = arith.mulf %cosine, %b : tensor<3x4xf64>
  %turn = arith.addf %sine, %twice : tensor<3x4xf64>
  %only, %unread = math.sincos %d : tensor<3x4xf64>
  %power = math.fpowi %a, %i : tensor<3x4xf64>, tensor<3x4xi32>
  %z1 = arith.addf %z, %turn : tensor<3x4xf64>
  %z2 = arith.addf %z1, %only : tensor<3x4xf64>
  %y = arith.addf %z2, %power : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
