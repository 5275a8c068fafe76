// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Both sides of 0.
func.func @loss(%x: tensor<4x7xf64> {zero.param = "x"}) -> tensor<4x7xf64> {
  %o = nn.silu %x : tensor<4x7xf64>
  return %o : tensor<4x7xf64>
}
