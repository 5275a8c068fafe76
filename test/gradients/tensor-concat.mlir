// RUN: zero-gradcheck %s

// One operand twice, one inactive between.
func.func @loss(
    %a: tensor<2x3xf64> {zero.param = "a"},
    %x: tensor<2x1xf64> {zero.input = "x"},
    %b: tensor<2x2xf64> {zero.param = "b"},
    %c: tensor<2x9xf64> {zero.input = "c"}) -> tensor<f64> {
  %y = tensor.concat dim(1) %a, %x, %b, %a : (tensor<2x3xf64>, tensor<2x1xf64>, tensor<2x2xf64>, tensor<2x3xf64>) -> tensor<2x9xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<2x9xf64>, tensor<2x9xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
