// RUN: zero-gradcheck %s

// A^T B of square matrices, where a lost transpose keeps every shape.
func.func @loss(
    %a: tensor<4x4xf64> {zero.param = "a"},
    %b: tensor<4x4xf64> {zero.param = "b"},
    %c: tensor<4x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<4x4xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<4x4xf64>) -> tensor<4x4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x4xf64>, tensor<4x4xf64>) outs(%i : tensor<4x4xf64>) {
  ^bb0(%s: f64, %t: f64, %acc: f64):
    %p = arith.mulf %s, %t : f64
    %sum = arith.addf %p, %acc : f64
    linalg.yield %sum : f64
  } -> tensor<4x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<4x4xf64>, tensor<4x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
