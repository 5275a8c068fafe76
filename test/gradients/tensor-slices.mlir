// RUN: zero-gradcheck %s

// Slices that leave gaps, one that is strided, and one that overlaps another.
func.func @loss(%a: tensor<4x6xf64> {zero.param = "a"}) -> tensor<2x2xf64> {
  %0 = tensor.extract_slice %a[0, 0] [2, 2] [1, 1] : tensor<4x6xf64> to tensor<2x2xf64>
  %1 = tensor.extract_slice %a[2, 2] [2, 2] [1, 1] : tensor<4x6xf64> to tensor<2x2xf64>
  %2 = tensor.extract_slice %a[1, 1] [2, 2] [2, 3] : tensor<4x6xf64> to tensor<2x2xf64>
  %3 = tensor.extract_slice %a[2, 3] [2, 2] [1, 1] : tensor<4x6xf64> to tensor<2x2xf64>
  %4 = arith.mulf %0, %1 : tensor<2x2xf64>
  %5 = arith.mulf %2, %3 : tensor<2x2xf64>
  %y = arith.addf %4, %5 : tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
