// RUN: zero-gradcheck %s

// A B.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<4x5xf64> {zero.param = "b"}) -> tensor<3x5xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<3x5xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<3x5xf64>) -> tensor<3x5xf64>
  %y = linalg.matmul ins(%a, %b : tensor<3x4xf64>, tensor<4x5xf64>) outs(%i : tensor<3x5xf64>) -> tensor<3x5xf64>
  return %y : tensor<3x5xf64>
}
