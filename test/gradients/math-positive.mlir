// RUN: zero-gradcheck %s

// Operations that need positive arguments: these are exp(a) and exp(b).
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %p = math.exp %a : tensor<3x4xf64>
  %q = math.exp %b : tensor<3x4xf64>
  %0 = math.log %p : tensor<3x4xf64>
  %1 = math.sqrt %q : tensor<3x4xf64>
  %2 = math.rsqrt %p : tensor<3x4xf64>
  %3 = math.log1p %q : tensor<3x4xf64>
  %4 = math.powf %p, %b : tensor<3x4xf64>
  %5 = arith.mulf %0, %1 : tensor<3x4xf64>
  %6 = arith.mulf %2, %3 : tensor<3x4xf64>
  %7 = arith.addf %4, %5 : tensor<3x4xf64>
  %y = arith.addf %6, %7 : tensor<3x4xf64>
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
