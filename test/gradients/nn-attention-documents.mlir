// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Of tokens 0 to 2, 1 ends a document.
func.func @loss(
    %q: tensor<2x7x4x3xf64> {zero.param = "q"},
    %k: tensor<2x7x2x3xf64> {zero.param = "k"},
    %v: tensor<2x7x2x3xf64> {zero.param = "v"},
    %tokens: tensor<2x7xi32> {zero.input = "tokens", zero.vocab = 3 : i64}) -> tensor<2x7x4x3xf64> {
  %starts = nn.document_starts %tokens {separator = 1 : i64} : tensor<2x7xi32> -> tensor<2x7xi32>
  %o = nn.attention %q, %k, %v from %starts {causal, scale = 0.7 : f64, window = 5 : i64, soft_cap = 2.0 : f64} : tensor<2x7x4x3xf64>, tensor<2x7x2x3xf64>, tensor<2x7xi32>
  return %o : tensor<2x7x4x3xf64>
}
