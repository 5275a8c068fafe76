// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Scores up to 1.2.
func.func @loss(
    %q: tensor<2x7x4x3xf64> {zero.param = "q"},
    %k: tensor<2x7x2x3xf64> {zero.param = "k"},
    %v: tensor<2x7x2x3xf64> {zero.param = "v"}) -> tensor<2x7x4x3xf64> {
  %o = nn.attention %q, %k, %v {causal, scale = 0.9 : f64, soft_cap = 1.2 : f64} : tensor<2x7x4x3xf64>, tensor<2x7x2x3xf64>
  return %o : tensor<2x7x4x3xf64>
}
