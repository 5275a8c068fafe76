// RUN: zero-gradcheck %s

// The padding is a constant, so its adjoint is dropped.
func.func @loss(
    %a: tensor<2x3xf64> {zero.param = "a"},
    %c: tensor<4x6xf64> {zero.input = "c"}) -> tensor<f64> {
  %one = arith.constant 1.0 : f64
  %y = tensor.pad %a low[1, 0] high[1, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f64
  } : tensor<2x3xf64> to tensor<4x6xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<4x6xf64>, tensor<4x6xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
