// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// One square weight, used plain and transposed, and its square beside.
func.func @loss(
    %w: tensor<4x4xf64> {zero.param = "w"},
    %x: tensor<3x4xf64> {zero.param = "x"}) -> tensor<3x4xf64> {
  %0 = nn.linear %x, %w : tensor<3x4xf64>, tensor<4x4xf64> -> tensor<3x4xf64>
  %1 = math.tanh %0 : tensor<3x4xf64>
  %2 = nn.linear %1, %w {transposed} : tensor<3x4xf64>, tensor<4x4xf64> -> tensor<3x4xf64>
  %s = arith.mulf %w, %w : tensor<4x4xf64>
  %3 = nn.linear %2, %s : tensor<3x4xf64>, tensor<4x4xf64> -> tensor<3x4xf64>
  %y = arith.addf %3, %0 : tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
