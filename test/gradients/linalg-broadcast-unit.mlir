// RUN: zero-gradcheck %s

// A dimension of one that is read at a constant 0.
func.func @loss(
    %a: tensor<3x1xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"}) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3x1xf64>, tensor<3x4xf64>) outs(%e : tensor<3x4xf64>) {
  ^bb0(%s: f64, %t: f64, %out: f64):
    %p = arith.mulf %s, %t : f64
    linalg.yield %p : f64
  } -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
