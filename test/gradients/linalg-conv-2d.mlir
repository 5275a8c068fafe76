// RUN: zero-gradcheck %s

// A convolution with strides and dilations of its image and of its filter: windows that
// overlap, and elements that none reads.
func.func @loss(
    %x: tensor<2x3x9x8xf64> {zero.param = "x"},
    %f: tensor<4x3x3x2xf64> {zero.param = "f"}) -> tensor<2x4x3x3xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x4x3x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x4x3x3xf64>) -> tensor<2x4x3x3xf64>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[3, 2]> : tensor<2xi64>}
      ins(%x, %f : tensor<2x3x9x8xf64>, tensor<4x3x3x2xf64>) outs(%i : tensor<2x4x3x3xf64>) -> tensor<2x4x3x3xf64>
  return %y : tensor<2x4x3x3xf64>
}
