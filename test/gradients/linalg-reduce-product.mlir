// RUN: zero-gradcheck %s

// Products of rows, which begin at a number and at a parameter.  (What factors of
// zero do is in test/e2e/test_products.py.)
func.func @loss(
    %a: tensor<3x5xf64> {zero.param = "a"},
    %b: tensor<3xf64> {zero.param = "b"}) -> tensor<3xf64> {
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
  return %y : tensor<3xf64>
}
