// RUN: zero-gradcheck %s

// Each operation of math on tensors that is smooth everywhere.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %0 = math.exp %a : tensor<3x4xf64>
  %1 = math.tanh %a : tensor<3x4xf64>
  %2 = math.erf %a : tensor<3x4xf64>
  %3 = math.sin %a : tensor<3x4xf64>
  %4 = math.cos %a : tensor<3x4xf64>
  %5 = math.exp2 %a : tensor<3x4xf64>
  %6 = math.expm1 %a : tensor<3x4xf64>
  %7 = math.absf %a : tensor<3x4xf64>
  %8 = arith.mulf %0, %1 : tensor<3x4xf64>
  %9 = arith.addf %8, %2 : tensor<3x4xf64>
  %10 = math.fma %3, %4, %9 : tensor<3x4xf64>
  %11 = arith.divf %6, %5 : tensor<3x4xf64>
  %12 = arith.mulf %11, %7 : tensor<3x4xf64>
  %y = arith.addf %10, %12 : tensor<3x4xf64>
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
