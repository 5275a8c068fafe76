// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Four of seven elements, by neighbours, and longer.
func.func @loss(%x: tensor<2x5x3x7xf64> {zero.param = "x"}) -> tensor<2x5x3x7xf64> {
  %o = nn.rope %x {factor = 1.5 : f64, frequencies = array<f64: 1.0, 0.3>, interleaved} : tensor<2x5x3x7xf64>
  return %o : tensor<2x5x3x7xf64>
}
