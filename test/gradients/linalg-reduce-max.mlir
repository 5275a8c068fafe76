// RUN: zero-gradcheck %s

// The largest of each row.
func.func @loss(%a: tensor<3x6xf64> {zero.param = "a"}) -> tensor<3xf64> {
  %cst_i = arith.constant 0xFFF0000000000000 : f64
  %e_i = tensor.empty() : tensor<3xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<3xf64>) -> tensor<3xf64>
  %y = linalg.reduce ins(%a : tensor<3x6xf64>) outs(%i : tensor<3xf64>) dimensions = [1]
    (%s: f64, %acc: f64) {
      %r = arith.maximumf %s, %acc : f64
      linalg.yield %r : f64
    }
  return %y : tensor<3xf64>
}
