// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// One square weight, used plain and transposed, and its square beside.
func.func @loss(
    %w: tensor<4x4xf64> {zero.param = "w"},
    %x: tensor<3x4xf64> {zero.param = "x"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %0 = nn.linear %x, %w : tensor<3x4xf64>, tensor<4x4xf64> -> tensor<3x4xf64>
  %1 = math.tanh %0 : tensor<3x4xf64>
  %2 = nn.linear %1, %w {transposed} : tensor<3x4xf64>, tensor<4x4xf64> -> tensor<3x4xf64>
  %s = arith.mulf %w, %w : tensor<4x4xf64>
  %3 = nn.linear %2, %s : tensor<3x4xf64>, tensor<4x4xf64> -> tensor<3x4xf64>
  %y = arith.addf %3, %0 : tensor<3x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<3x4xf64>, tensor<3x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
