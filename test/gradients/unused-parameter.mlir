// RUN: zero-gradcheck %s

// A parameter that does not reach the loss: its gradient is zero.
func.func @loss(
    %a: tensor<3xf64> {zero.param = "a"},
    %b: tensor<2xf64> {zero.param = "b"},
    %c: tensor<3xf64> {zero.input = "c"}) -> tensor<3xf64> {
  %y = arith.addf %a, %c : tensor<3xf64>
  return %y : tensor<3xf64>
}
