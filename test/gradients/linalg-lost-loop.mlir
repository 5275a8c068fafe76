// RUN: zero-gradcheck %s

// The sum runs over a loop that only an unused input has: the gradient is that many
// times the adjoint.
func.func @loss(
    %a: tensor<3xf64> {zero.param = "a"},
    %x: tensor<3x4xf64> {zero.input = "x"}) -> tensor<3xf64> {
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
  return %y : tensor<3xf64>
}
