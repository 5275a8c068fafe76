// RUN: zero-gradcheck %s

func.func @loss(
    %x: tensor<3x4x5xf64> {zero.param = "x"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %y = nn.log_sum_exp %x : tensor<3x4x5xf64> -> tensor<3x4xf64>
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
