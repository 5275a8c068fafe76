// RUN: zero-gradcheck %s

// Functions that round have slope zero wherever they have one.
func.func @loss(%a: tensor<3x4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %v0 = math.ceil %a : tensor<3x4xf64>
  %v1 = math.floor %a : tensor<3x4xf64>
  %v2 = math.round %a : tensor<3x4xf64>
  %v3 = math.roundeven %a : tensor<3x4xf64>
  %v4 = math.trunc %a : tensor<3x4xf64>
  %s1 = arith.addf %v0, %v1 : tensor<3x4xf64>
  %s2 = arith.addf %s1, %v2 : tensor<3x4xf64>
  %s3 = arith.addf %s2, %v3 : tensor<3x4xf64>
  %steps = arith.addf %s3, %v4 : tensor<3x4xf64>
  %y = arith.addf %a, %steps : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
