// RUN: zero-gradcheck %s

// Maxima and minima of two tensors.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %d: tensor<3x4xf64> {zero.param = "d"}) -> tensor<3x4xf64> {
  %0 = arith.maximumf %a, %b : tensor<3x4xf64>
  %1 = arith.minimumf %a, %d : tensor<3x4xf64>
  %2 = arith.maxnumf %0, %d : tensor<3x4xf64>
  %3 = arith.minnumf %1, %b : tensor<3x4xf64>
  %4 = arith.mulf %2, %3 : tensor<3x4xf64>
  %y = arith.addf %4, %0 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
