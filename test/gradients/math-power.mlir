// RUN: zero-gradcheck %s

// Powers of values of both signs: the exponents 2, 1 and 0 are constants.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %two = arith.constant dense<2.0> : tensor<3x4xf64>
  %one = arith.constant dense<1.0> : tensor<3x4xf64>
  %none = arith.constant dense<0.0> : tensor<3x4xf64>
  %0 = math.powf %a, %two : tensor<3x4xf64>
  %1 = math.powf %a, %one : tensor<3x4xf64>
  %2 = math.powf %a, %none : tensor<3x4xf64>
  %3 = arith.addf %0, %1 : tensor<3x4xf64>
  %y = arith.addf %3, %2 : tensor<3x4xf64>
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
