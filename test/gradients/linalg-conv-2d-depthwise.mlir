// RUN: zero-gradcheck %s

// A filter for each channel: no product of matrices.
func.func @loss(
    %x: tensor<2x6x5x3xf64> {zero.param = "x"},
    %f: tensor<3x2x3xf64> {zero.param = "f"}) -> tensor<2x2x4x3xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x2x4x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x2x4x3xf64>) -> tensor<2x2x4x3xf64>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<2x6x5x3xf64>, tensor<3x2x3xf64>) outs(%i : tensor<2x2x4x3xf64>) -> tensor<2x2x4x3xf64>
  return %y : tensor<2x2x4x3xf64>
}
