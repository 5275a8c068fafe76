// RUN: zero-gradcheck %s

// The sum runs over a loop that only an unused input has: the gradient is that many
// times the adjoint.
func.func @loss(
    %a: tensor<3xf64> {zero.param = "a"},
    %x: tensor<3x4xf64> {zero.input = "x"},
    %c: tensor<3xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<3xf64>) -> tensor<3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %x : tensor<3xf64>, tensor<3x4xf64>) outs(%i : tensor<3xf64>) {
  ^bb0(%s: f64, %t: f64, %acc: f64):
    %q = arith.mulf %s, %s : f64
    %r = arith.addf %acc, %q : f64
    linalg.yield %r : f64
  } -> tensor<3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%y, %c : tensor<3xf64>, tensor<3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
