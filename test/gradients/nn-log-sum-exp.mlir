// RUN: zero-gradcheck %s

func.func @loss(%x: tensor<3x4x5xf64> {zero.param = "x"}) -> tensor<3x4xf64> {
  %y = nn.log_sum_exp %x : tensor<3x4x5xf64> -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}
