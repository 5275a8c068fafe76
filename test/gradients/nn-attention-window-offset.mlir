// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// 3 queries, the last of 7 positions.
func.func @loss(
    %q: tensor<2x3x4x3xf64> {zero.param = "q"},
    %k: tensor<2x7x2x3xf64> {zero.param = "k"},
    %v: tensor<2x7x2x3xf64> {zero.param = "v"}) -> tensor<2x3x4x3xf64> {
  %o = nn.attention %q, %k, %v {causal, scale = 0.7 : f64, window = 4 : i64} : tensor<2x3x4x3xf64>, tensor<2x7x2x3xf64>
  return %o : tensor<2x3x4x3xf64>
}
