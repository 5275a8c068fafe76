// RUN: zero-gradcheck %s

// A B for each batch index.
func.func @loss(
    %a: tensor<2x3x4xf64> {zero.param = "a"},
    %b: tensor<2x4x5xf64> {zero.param = "b"}) -> tensor<2x3x5xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<2x3x5xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  %y = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf64>, tensor<2x4x5xf64>) outs(%i : tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  return %y : tensor<2x3x5xf64>
}
