// RUN: zero-gradcheck %s

// Products of rows, which begin at a number and at a parameter.  (What factors of
// zero do is in test/e2e/test_products.py.)
func.func @loss(
    %a: tensor<3x5xf64> {zero.param = "a"},
    %b: tensor<3xf64> {zero.param = "b"},
    %c: tensor<3xf64> {zero.input = "c"}) -> tensor<f64> {
  %begin = arith.constant dense<2.0> : tensor<3xf64>
  %0 = linalg.reduce {arith.mulf} ins(%a : tensor<3x5xf64>) outs(%begin : tensor<3xf64>) dimensions = [1]
  %1 = linalg.reduce ins(%a : tensor<3x5xf64>) outs(%b : tensor<3xf64>) dimensions = [1]
    (%s: f64, %acc: f64) {
      %k = arith.constant 0.5 : f64
      %t = arith.addf %s, %k : f64
      %r = arith.mulf %acc, %t : f64
      linalg.yield %r : f64
    }
  %y = arith.addf %0, %1 : tensor<3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%y, %c : tensor<3xf64>, tensor<3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
