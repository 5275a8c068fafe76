// RUN: zero-gradcheck %s

// A convolution with strides and dilations of its image and of its filter: windows that
// overlap, and elements that none reads.
func.func @loss(
    %x: tensor<2x3x9x8xf64> {zero.param = "x"},
    %f: tensor<4x3x3x2xf64> {zero.param = "f"},
    %c: tensor<2x4x3x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x4x3x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x4x3x3xf64>) -> tensor<2x4x3x3xf64>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<[1, 2]> : tensor<2xi64>, strides = dense<[3, 2]> : tensor<2xi64>}
      ins(%x, %f : tensor<2x3x9x8xf64>, tensor<4x3x3x2xf64>) outs(%i : tensor<2x4x3x3xf64>) -> tensor<2x4x3x3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<2x4x3x3xf64>, tensor<2x4x3x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
