// RUN: zero-gradcheck %s

// Channels last, as TensorFlow and JAX have them, and a border of zeros.
func.func @loss(
    %x: tensor<2x5x6x3xf64> {zero.param = "x"},
    %f: tensor<3x3x3x4xf64> {zero.param = "f"}) -> tensor<2x5x6x4xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x5x6x4xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x5x6x4xf64>) -> tensor<2x5x6x4xf64>
  %border = arith.constant 0.0 : f64
  %wide = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%0: index, %1: index, %2: index, %3: index):
    tensor.yield %border : f64
  } : tensor<2x5x6x3xf64> to tensor<2x7x8x3xf64>
  %y = linalg.conv_2d_nhwc_hwcf ins(%wide, %f : tensor<2x7x8x3xf64>, tensor<3x3x3x4xf64>) outs(%i : tensor<2x5x6x4xf64>) -> tensor<2x5x6x4xf64>
  return %y : tensor<2x5x6x4xf64>
}
