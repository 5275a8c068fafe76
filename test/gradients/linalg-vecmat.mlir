// RUN: zero-gradcheck %s

// a B.
func.func @loss(
    %a: tensor<3xf64> {zero.param = "a"},
    %b: tensor<3x4xf64> {zero.param = "b"}) -> tensor<4xf64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<4xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<4xf64>) -> tensor<4xf64>
  %y = linalg.vecmat ins(%a, %b : tensor<3xf64>, tensor<3x4xf64>) outs(%i : tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}
