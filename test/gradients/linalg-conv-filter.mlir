// RUN: zero-gradcheck %s

// The window of a convolution is no permutation, but its filter is: with a constant
// image there is a derivative.
func.func @loss(
    %f: tensor<3xf64> {zero.param = "f"},
    %x: tensor<8xf64> {zero.input = "x"}) -> tensor<6xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<6xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<6xf64>) -> tensor<6xf64>
  %y = linalg.conv_1d ins(%x, %f : tensor<8xf64>, tensor<3xf64>) outs(%i : tensor<6xf64>) -> tensor<6xf64>
  return %y : tensor<6xf64>
}
