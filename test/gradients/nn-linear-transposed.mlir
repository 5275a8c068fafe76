// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// x W^T + b: the gradients of x, W and b.
func.func @loss(
    %x: tensor<2x3x5xf64> {zero.param = "x"},
    %w: tensor<5x3xf64> {zero.param = "w"},
    %b: tensor<3xf64> {zero.param = "b"},
    %c: tensor<2x3x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %y = nn.linear %x, %w, %b {transposed} : tensor<2x3x5xf64>, tensor<5x3xf64>, tensor<3xf64> -> tensor<2x3x3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> ()>],
      iterator_types = ["reduction", "reduction", "reduction"]}
      ins(%y, %c : tensor<2x3x3xf64>, tensor<2x3x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
