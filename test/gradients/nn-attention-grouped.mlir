// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Two query heads read each head of keys.
func.func @loss(
    %q: tensor<2x7x4x3xf64> {zero.param = "q"},
    %k: tensor<2x7x2x3xf64> {zero.param = "k"},
    %v: tensor<2x7x2x3xf64> {zero.param = "v"}) -> tensor<2x7x4x3xf64> {
  %o = nn.attention %q, %k, %v {scale = 0.7 : f64} : tensor<2x7x4x3xf64>, tensor<2x7x2x3xf64>
  return %o : tensor<2x7x4x3xf64>
}
