// RUN: zero-gradcheck %s

// Expanded and collapsed.
func.func @loss(
    %a: tensor<3x8xf64> {zero.param = "a"},
    %c: tensor<6x2x2xf64> {zero.input = "c"}) -> tensor<f64> {
  %0 = tensor.expand_shape %a [[0], [1, 2, 3]] output_shape [3, 2, 2, 2] : tensor<3x8xf64> into tensor<3x2x2x2xf64>
  %y = tensor.collapse_shape %0 [[0, 1], [2], [3]] : tensor<3x2x2x2xf64> into tensor<6x2x2xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<6x2x2xf64>, tensor<6x2x2xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
