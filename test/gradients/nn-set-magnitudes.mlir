// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Norms are an input: their derivative is zero by definition.

func.func @f(
    %x: tensor<3x4x6xf64> {zero.param = "x"}, %m: tensor<6xf64> {zero.param = "m"},
    %n: tensor<6xf64> {zero.input = "n"}, %b: tensor<6xf64> {zero.param = "b"}) -> tensor<3x4x6xf64> {
  %y = nn.set_magnitudes %x, %m, %n, %b : tensor<3x4x6xf64>, tensor<6xf64>, tensor<6xf64>
  %z = nn.set_magnitudes %y, %m, %n : tensor<3x4x6xf64>, tensor<6xf64>
  return %z : tensor<3x4x6xf64>
}
