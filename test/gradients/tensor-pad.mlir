// RUN: zero-gradcheck %s

// The padding is a constant, so its adjoint is dropped.
func.func @loss(%a: tensor<2x3xf64> {zero.param = "a"}) -> tensor<4x6xf64> {
  %one = arith.constant 1.0 : f64
  %y = tensor.pad %a low[1, 0] high[1, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f64
  } : tensor<2x3xf64> to tensor<4x6xf64>
  return %y : tensor<4x6xf64>
}
