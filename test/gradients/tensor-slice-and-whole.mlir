// RUN: zero-gradcheck %s

// A tensor is read whole and in slices that cover it, one of them without its unit
// dimension.
func.func @loss(%a: tensor<2x3xf64> {zero.param = "a"}) -> tensor<3xf64> {
  %0 = tensor.extract_slice %a[0, 0] [1, 3] [1, 1] : tensor<2x3xf64> to tensor<3xf64>
  %w = arith.mulf %a, %a : tensor<2x3xf64>
  %1 = tensor.extract_slice %a[1, 0] [1, 3] [1, 1] : tensor<2x3xf64> to tensor<3xf64>
  %2 = tensor.extract_slice %w[1, 0] [1, 3] [1, 1] : tensor<2x3xf64> to tensor<3xf64>
  %3 = arith.mulf %0, %1 : tensor<3xf64>
  %y = arith.addf %3, %2 : tensor<3xf64>
  return %y : tensor<3xf64>
}
