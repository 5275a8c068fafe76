// RUN: zero-gradcheck %s

// Three loops, a body with an inactive factor, an index and a constant, and the
// result transposed.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<4x2xf64> {zero.param = "b"},
    %x: tensor<2xf64> {zero.input = "x"}) -> tensor<2x3x4xf64> {
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
  return %y : tensor<2x3x4xf64>
}
