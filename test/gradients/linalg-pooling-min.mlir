// RUN: zero-gradcheck %s

// The initial value is the minimum of some windows.
func.func @loss(
    %x: tensor<1x6x6x2xf64> {zero.param = "x"},
    %c: tensor<1x5x5x2xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.1 : f64
  %e_i = tensor.empty() : tensor<1x5x5x2xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<1x5x5x2xf64>) -> tensor<1x5x5x2xf64>
  %w = tensor.empty() : tensor<2x2xf64>
  %y = linalg.pooling_nhwc_min ins(%x, %w : tensor<1x6x6x2xf64>, tensor<2x2xf64>) outs(%i : tensor<1x5x5x2xf64>) -> tensor<1x5x5x2xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<1x5x5x2xf64>, tensor<1x5x5x2xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
