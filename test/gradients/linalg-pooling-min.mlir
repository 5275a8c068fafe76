// RUN: zero-gradcheck %s

// The initial value is the minimum of some windows.
func.func @loss(%x: tensor<1x6x6x2xf64> {zero.param = "x"}) -> tensor<1x5x5x2xf64> {
  %cst_i = arith.constant 0.1 : f64
  %e_i = tensor.empty() : tensor<1x5x5x2xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<1x5x5x2xf64>) -> tensor<1x5x5x2xf64>
  %w = tensor.empty() : tensor<2x2xf64>
  %y = linalg.pooling_nhwc_min ins(%x, %w : tensor<1x6x6x2xf64>, tensor<2x2xf64>) outs(%i : tensor<1x5x5x2xf64>) -> tensor<1x5x5x2xf64>
  return %y : tensor<1x5x5x2xf64>
}
