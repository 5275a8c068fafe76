// RUN: zero-gradcheck %s

// Two results of one generic, one of them a sum, both active; the first also reads
// its own old value.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %d: tensor<3x4xf64> {zero.param = "d"},
    %c: tensor<3x4xf64> {zero.input = "c"},
    %z: tensor<3xf64> {zero.input = "z"}) -> tensor<f64> {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%d, %z : tensor<3x4xf64>, tensor<3xf64>) {
  ^bb0(%s: f64, %old: f64, %acc: f64):
    %e = math.exp %s : f64
    %p = arith.mulf %e, %old : f64
    %r = arith.addf %acc, %e : f64
    linalg.yield %p, %r : f64, f64
  } -> (tensor<3x4xf64>, tensor<3xf64>)
  %e0 = tensor.empty() : tensor<3x4xf64>
  %b = linalg.broadcast ins(%y#1 : tensor<3xf64>) outs(%e0 : tensor<3x4xf64>) dimensions = [1]
  %q = arith.divf %y#0, %b : tensor<3x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%q, %c : tensor<3x4xf64>, tensor<3x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
