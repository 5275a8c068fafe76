// RUN: zero-gradcheck %s

// Each operation of arith on tensors that has a derivative.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %d: tensor<3x4xf64> {zero.param = "d"}) -> tensor<3x4xf64> {
  %0 = arith.addf %a, %b : tensor<3x4xf64>
  %1 = arith.subf %0, %d : tensor<3x4xf64>
  %2 = arith.mulf %1, %a : tensor<3x4xf64>
  %3 = arith.negf %b : tensor<3x4xf64>
  %e = math.exp %3 : tensor<3x4xf64>
  %4 = arith.divf %2, %e : tensor<3x4xf64>
  %5 = arith.cmpf ogt, %d, %a : tensor<3x4xf64>
  %6 = arith.select %5, %4, %b : tensor<3x4xi1>, tensor<3x4xf64>
  %y = arith.addf %6, %b : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
