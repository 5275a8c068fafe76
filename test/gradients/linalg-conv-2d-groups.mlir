// RUN: zero-gradcheck %s

// Groups of channels, each with filters of its own.
func.func @loss(
    %x: tensor<2x2x3x5x5xf64> {zero.param = "x"},
    %f: tensor<2x4x3x3x3xf64> {zero.param = "f"}) -> tensor<2x2x4x3x3xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x2x4x3x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x2x4x3x3xf64>) -> tensor<2x2x4x3x3xf64>
  %y = linalg.conv_2d_ngchw_gfchw ins(%x, %f : tensor<2x2x3x5x5xf64>, tensor<2x4x3x3x3xf64>)
      outs(%i : tensor<2x2x4x3x3xf64>) -> tensor<2x2x4x3x3xf64>
  return %y : tensor<2x2x4x3x3xf64>
}
