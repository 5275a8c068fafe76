// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Each element of a row depends on all of them.
func.func @loss(%x: tensor<2x3x5xf64> {zero.param = "x"}) -> tensor<2x3x5xf64> {
  %y = nn.softmax %x : tensor<2x3x5xf64>
  return %y : tensor<2x3x5xf64>
}
