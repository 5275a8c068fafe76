// RUN: zero-gradcheck %s

// The start of a maximum is a parameter too; the term is a product.
func.func @loss(
    %a: tensor<3x6xf64> {zero.param = "a"},
    %b: tensor<3x6xf64> {zero.param = "b"},
    %d: tensor<3xf64> {zero.param = "d"}) -> tensor<3xf64> {
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<3x6xf64>, tensor<3x6xf64>) outs(%d : tensor<3xf64>) {
  ^bb0(%s: f64, %t: f64, %acc: f64):
    %p = arith.mulf %s, %t : f64
    %r = arith.maximumf %acc, %p : f64
    linalg.yield %r : f64
  } -> tensor<3xf64>
  return %y : tensor<3xf64>
}
