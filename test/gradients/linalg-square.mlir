// Products of square matrices, where a lost transpose keeps every shape: A B^T,
// A^T B, A^T B^T and (A B)^T.
// RUN: sed 's/OF_A/m, k/; s/OF_B/n, k/; s/OF_Y/m, n/' %s | zero-gradcheck -
// RUN: sed 's/OF_A/k, m/; s/OF_B/k, n/; s/OF_Y/m, n/' %s | zero-gradcheck -
// RUN: sed 's/OF_A/k, m/; s/OF_B/n, k/; s/OF_Y/m, n/' %s | zero-gradcheck -
// RUN: sed 's/OF_A/m, k/; s/OF_B/k, n/; s/OF_Y/n, m/' %s | zero-gradcheck -

func.func @loss(
    %a: tensor<4x4xf64> {zero.param = "a"},
    %b: tensor<4x4xf64> {zero.param = "b"}) -> tensor<4x4xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<4x4xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<4x4xf64>) -> tensor<4x4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (OF_A)>, affine_map<(m, n, k) -> (OF_B)>, affine_map<(m, n, k) -> (OF_Y)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x4xf64>, tensor<4x4xf64>) outs(%i : tensor<4x4xf64>) {
  ^bb0(%s: f64, %t: f64, %acc: f64):
    %p = arith.mulf %s, %t : f64
    %sum = arith.addf %p, %acc : f64
    linalg.yield %sum : f64
  } -> tensor<4x4xf64>
  return %y : tensor<4x4xf64>
}
