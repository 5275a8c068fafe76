// RUN: zero-gradcheck %s

// Maxima and minima of two tensors.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %d: tensor<3x4xf64> {zero.param = "d"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %0 = arith.maximumf %a, %b : tensor<3x4xf64>
  %1 = arith.minimumf %a, %d : tensor<3x4xf64>
  %2 = arith.maxnumf %0, %d : tensor<3x4xf64>
  %3 = arith.minnumf %1, %b : tensor<3x4xf64>
  %4 = arith.mulf %2, %3 : tensor<3x4xf64>
  %y = arith.addf %4, %0 : tensor<3x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<3x4xf64>, tensor<3x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
