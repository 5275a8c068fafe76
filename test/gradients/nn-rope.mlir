// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// All of a head, by halves.
func.func @loss(%x: tensor<2x5x3x6xf64> {zero.param = "x"}) -> tensor<2x5x3x6xf64> {
  %o = nn.rope %x {frequencies = array<f64: 1.0, 0.3, 0.01>} : tensor<2x5x3x6xf64>
  return %o : tensor<2x5x3x6xf64>
}
