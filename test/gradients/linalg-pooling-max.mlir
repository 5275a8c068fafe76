// RUN: zero-gradcheck %s

// Windows that overlap: one element is the maximum of several.
func.func @loss(%x: tensor<2x3x7x5xf64> {zero.param = "x"}) -> tensor<2x3x3x3xf64> {
  %cst_i = arith.constant 0xFFF0000000000000 : f64
  %e_i = tensor.empty() : tensor<2x3x3x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x3x3x3xf64>) -> tensor<2x3x3x3xf64>
  %w = tensor.empty() : tensor<3x1xf64>
  %y = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x7x5xf64>, tensor<3x1xf64>) outs(%i : tensor<2x3x3x3xf64>) -> tensor<2x3x3x3xf64>
  return %y : tensor<2x3x3x3xf64>
}
