// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// GPT-2's form, by tanh.
func.func @loss(%x: tensor<4x7xf64> {zero.param = "x"}) -> tensor<4x7xf64> {
  %y = nn.gelu %x {tanh} : tensor<4x7xf64>
  return %y : tensor<4x7xf64>
}
