// RUN: zero-gradcheck %s

// Three loops, a body with an inactive factor, an index and a constant, and the
// result transposed.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<4x2xf64> {zero.param = "b"},
    %x: tensor<2xf64> {zero.input = "x"},
    %c: tensor<2x3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %e = tensor.empty() : tensor<2x3x4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>,
      affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (k, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b, %x : tensor<3x4xf64>, tensor<4x2xf64>, tensor<2xf64>) outs(%e : tensor<2x3x4xf64>) {
  ^bb0(%s: f64, %t: f64, %u: f64, %out: f64):
    %j = linalg.index 1 : index
    %j64 = arith.index_cast %j : index to i64
    %f = arith.sitofp %j64 : i64 to f64
    %half = arith.constant 0.5 : f64
    %0 = arith.addf %f, %half : f64
    %1 = arith.mulf %s, %0 : f64
    %2 = math.sin %1 : f64
    %3 = arith.mulf %t, %u : f64
    %4 = math.exp %3 : f64
    %5 = arith.mulf %2, %4 : f64
    linalg.yield %5 : f64
  } -> tensor<2x3x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<2x3x4xf64>, tensor<2x3x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
