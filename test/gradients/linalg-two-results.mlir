// RUN: zero-gradcheck %s

// Two results of one generic, one of them a sum, both active; the first also reads
// its own old value.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %d: tensor<3x4xf64> {zero.param = "d"},
    %z: tensor<3xf64> {zero.input = "z"}) -> tensor<3x4xf64> {
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
  return %q : tensor<3x4xf64>
}
