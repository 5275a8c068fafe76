// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// Gemma's factor 1 + weight, over heads.
func.func @loss(
    %x: tensor<2x3x2x5xf64> {zero.param = "x"},
    %w: tensor<5xf64> {zero.param = "w"},
    %c: tensor<2x3x2x5xf64> {zero.input = "c"}) -> tensor<f64> {
  %o = nn.rms_norm %x, %w {eps = 1.0e-5 : f64, unit_offset} : tensor<2x3x2x5xf64>, tensor<5xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction", "reduction"]}
      ins(%o, %c : tensor<2x3x2x5xf64>, tensor<2x3x2x5xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
