// RUN: zero-gradcheck %s

// Positions of three loops, one of them backwards, and a loop in two positions.
func.func @loss(
    %x: tensor<12x8xf64> {zero.param = "x"},
    %f: tensor<3x2xf64> {zero.param = "f"}) -> tensor<4xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<4xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<4xf64>) -> tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(o, k, l) -> (o * 2 - k + l + 3, o + l * 3)>, affine_map<(o, k, l) -> (k, l)>, affine_map<(o, k, l) -> (o)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %f : tensor<12x8xf64>, tensor<3x2xf64>) outs(%i : tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.mulf %p, %a : f64
    %s = arith.addf %out, %q : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  return %y : tensor<4xf64>
}
