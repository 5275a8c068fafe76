// RUN: zero-gradcheck %s

// One row for all: its gradient is a sum of columns.
func.func @loss(%a: tensor<4xf64> {zero.param = "a"}) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %y = linalg.broadcast ins(%a : tensor<4xf64>) outs(%e : tensor<3x4xf64>) dimensions = [0]
  return %y : tensor<3x4xf64>
}
