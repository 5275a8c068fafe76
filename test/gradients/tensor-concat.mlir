// RUN: zero-gradcheck %s

// One operand twice, one inactive between.
func.func @loss(
    %a: tensor<2x3xf64> {zero.param = "a"},
    %x: tensor<2x1xf64> {zero.input = "x"},
    %b: tensor<2x2xf64> {zero.param = "b"}) -> tensor<2x9xf64> {
  %y = tensor.concat dim(1) %a, %x, %b, %a : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>) -> tensor<2x9xf64>
  return %y : tensor<2x9xf64>
}
