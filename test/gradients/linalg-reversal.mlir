// RUN: zero-gradcheck %s

// Read backwards, and every other element from the second on.
func.func @loss(%x: tensor<4x7xf64> {zero.param = "x"}) -> tensor<4x3xf64> {
  %e = tensor.empty() : tensor<4x3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (-i + 3, j * 2 + 1)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x7xf64>) outs(%e : tensor<4x3xf64>) {
  ^bb0(%a: f64, %out: f64):
    %b = arith.mulf %a, %a : f64
    linalg.yield %b : f64
  } -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}
