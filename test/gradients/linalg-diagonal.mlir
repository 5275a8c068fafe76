// RUN: zero-gradcheck %s

// One loop in two positions, and a row that is read alone.
func.func @loss(%x: tensor<4x4x3xf64> {zero.param = "x"}) -> tensor<4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i, 2)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<4x4x3xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %out: f64):
    %b = arith.mulf %a, %a : f64
    linalg.yield %b : f64
  } -> tensor<4xf64>
  return %y : tensor<4xf64>
}
