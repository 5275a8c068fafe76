// RUN: zero-gradcheck %s

// acc - a and fma(a, b, acc) are sums too, over the outer loop here.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"},
    %d: tensor<4xf64> {zero.param = "d"}) -> tensor<4xf64> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<3x4xf64>) outs(%d : tensor<4xf64>) {
  ^bb0(%s: f64, %acc: f64):
    %r = arith.subf %acc, %s : f64
    linalg.yield %r : f64
  } -> tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%a, %b : tensor<3x4xf64>, tensor<3x4xf64>) outs(%0 : tensor<4xf64>) {
  ^bb0(%s: f64, %t: f64, %acc: f64):
    %r = math.fma %s, %t, %acc : f64
    linalg.yield %r : f64
  } -> tensor<4xf64>
  return %y : tensor<4xf64>
}
