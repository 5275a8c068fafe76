// RUN: zero-gradcheck %s

// a . b, squared.
func.func @loss(
    %a: tensor<5xf64> {zero.param = "a"},
    %b: tensor<5xf64> {zero.param = "b"},
    %c: tensor<f64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<f64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<f64>) -> tensor<f64>
  %y = linalg.dot ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%i : tensor<f64>) -> tensor<f64>
  %z = arith.mulf %y, %c : tensor<f64>
  %loss = arith.mulf %z, %y : tensor<f64>
  return %loss : tensor<f64>
}
