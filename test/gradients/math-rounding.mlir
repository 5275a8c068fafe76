// RUN: zero-gradcheck %s

// Functions that round have slope zero wherever they have one.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %v0 = math.ceil %a : tensor<3x4xf64>
  %v1 = math.floor %a : tensor<3x4xf64>
  %v2 = math.round %a : tensor<3x4xf64>
  %v3 = math.roundeven %a : tensor<3x4xf64>
  %v4 = math.trunc %a : tensor<3x4xf64>
  %s1 = arith.addf %v0, %v1 : tensor<3x4xf64>
  %s2 = arith.addf %s1, %v2 : tensor<3x4xf64>
  %s3 = arith.addf %s2, %v3 : tensor<3x4xf64>
  %steps = arith.addf %s3, %v4 : tensor<3x4xf64>
  %y = arith.addf %a, %steps : tensor<3x4xf64>
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
