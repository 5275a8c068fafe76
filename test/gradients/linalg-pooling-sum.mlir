// RUN: zero-gradcheck %s

// Windows that do not overlap, and a last row that none reads.
func.func @loss(
    %x: tensor<2x3x7x6xf64> {zero.param = "x"},
    %c: tensor<2x3x3x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x3x3x3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x3x3x3xf64>) -> tensor<2x3x3x3xf64>
  %w = tensor.empty() : tensor<2x2xf64>
  %y = linalg.pooling_nchw_sum {strides = dense<2> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x7x6xf64>, tensor<2x2xf64>) outs(%i : tensor<2x3x3x3xf64>) -> tensor<2x3x3x3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<2x3x3x3xf64>, tensor<2x3x3x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
