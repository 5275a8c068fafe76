// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// All of a head, by halves.
func.func @loss(
    %x: tensor<2x5x3x6xf64> {zero.param = "x"},
    %c: tensor<2x5x3x6xf64> {zero.input = "c"}) -> tensor<f64> {
  %o = nn.rope %x {frequencies = array<f64: 1.0, 0.3, 0.01>} : tensor<2x5x3x6xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%o, %c : tensor<2x5x3x6xf64>, tensor<2x5x3x6xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
