// RUN: zero-gradcheck %s

// A filter for each channel: no product of matrices.
func.func @loss(
    %x: tensor<2x6x5x3xf64> {zero.param = "x"},
    %f: tensor<3x2x3xf64> {zero.param = "f"},
    %c: tensor<2x2x4x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x2x4x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x2x4x3xf64>) -> tensor<2x2x4x3xf64>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<2x6x5x3xf64>, tensor<3x2x3xf64>) outs(%i : tensor<2x2x4x3xf64>) -> tensor<2x2x4x3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<2x2x4x3xf64>, tensor<2x2x4x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
