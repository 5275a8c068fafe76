// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Of tokens 0 to 2, 1 ends a document.
func.func @loss(
    %q: tensor<2x7x4x3xf64> {zero.param = "q"},
    %k: tensor<2x7x2x3xf64> {zero.param = "k"},
    %v: tensor<2x7x2x3xf64> {zero.param = "v"},
    %tokens: tensor<2x7xi32> {zero.input = "tokens", zero.vocab = 3 : i64},
    %c: tensor<2x7x4x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %starts = nn.document_starts %tokens {separator = 1 : i64} : tensor<2x7xi32> -> tensor<2x7xi32>
  %o = nn.attention %q, %k, %v from %starts {causal, scale = 0.7 : f64, window = 5 : i64, soft_cap = 2.0 : f64} : tensor<2x7x4x3xf64>, tensor<2x7x2x3xf64>, tensor<2x7xi32>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%o, %c : tensor<2x7x4x3xf64>, tensor<2x7x4x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
