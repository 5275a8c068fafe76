// RUN: zero-gradcheck %s

// Functions whose derivatives are each other's, and logarithms of other bases.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %p = math.exp %b : tensor<3x4xf64>
  %t = math.tanh %a : tensor<3x4xf64>
  %v0 = math.sinh %a : tensor<3x4xf64>
  %v1 = math.cosh %b : tensor<3x4xf64>
  %v2 = math.tan %t : tensor<3x4xf64>
  %v3 = math.cbrt %p : tensor<3x4xf64>
  %v4 = math.log2 %p : tensor<3x4xf64>
  %v5 = math.log10 %p : tensor<3x4xf64>
  %v6 = math.erfc %a : tensor<3x4xf64>
  %s1 = arith.addf %v0, %v1 : tensor<3x4xf64>
  %s2 = arith.addf %s1, %v2 : tensor<3x4xf64>
  %s3 = arith.addf %s2, %v3 : tensor<3x4xf64>
  %s4 = arith.addf %s3, %v4 : tensor<3x4xf64>
  %s5 = arith.addf %s4, %v5 : tensor<3x4xf64>
  %y = arith.addf %s5, %v6 : tensor<3x4xf64>
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
