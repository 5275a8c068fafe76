// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// 3 queries see 5 keys.
func.func @loss(
    %q: tensor<2x3x3x4xf64> {zero.param = "q"},
    %k: tensor<2x5x3x4xf64> {zero.param = "k"},
    %v: tensor<2x5x3x4xf64> {zero.param = "v"}) -> tensor<2x3x3x4xf64> {
  %o = nn.attention %q, %k, %v {causal, scale = 0.7 : f64} : tensor<2x3x3x4xf64>, tensor<2x5x3x4xf64>
  return %o : tensor<2x3x3x4xf64>
}
