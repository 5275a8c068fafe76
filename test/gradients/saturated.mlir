// RUN: zero-gradcheck %s --scale=100
// RUN: zero-gradcheck %s --scale=1000

// Far out, where exp is infinite and what it divides is zero.  Nothing depends on
// the exponential there, and 0 x infinity is not its derivative.
func.func @loss(
    %a: tensor<4x8xf64> {zero.param = "a"},
    %b: tensor<4x8xf64> {zero.param = "b"}) -> tensor<4x8xf64> {
  %one = arith.constant dense<1.0> : tensor<4x8xf64>
  %zero = arith.constant dense<0.0> : tensor<4x8xf64>
  %n = arith.negf %a : tensor<4x8xf64>
  %e = math.exp %n : tensor<4x8xf64>
  %e1 = arith.addf %one, %e : tensor<4x8xf64>
  %silu = arith.divf %a, %e1 : tensor<4x8xf64>
  %m = arith.negf %b : tensor<4x8xf64>
  %p = math.exp2 %m : tensor<4x8xf64>
  %p1 = arith.addf %one, %p : tensor<4x8xf64>
  %sigmoid = arith.divf %one, %p1 : tensor<4x8xf64>
  %below = arith.cmpf olt, %a, %one : tensor<4x8xf64>
  %em = math.expm1 %a : tensor<4x8xf64>
  %elu = arith.select %below, %em, %a : tensor<4x8xi1>, tensor<4x8xf64>
  %above = arith.cmpf ogt, %b, %zero : tensor<4x8xf64>
  %r = math.sqrt %b : tensor<4x8xf64>
  %root = arith.select %above, %r, %zero : tensor<4x8xi1>, tensor<4x8xf64>
  %l = math.log1p %b : tensor<4x8xf64>
  %log = arith.select %above, %l, %zero : tensor<4x8xi1>, tensor<4x8xf64>
  %0 = arith.addf %silu, %sigmoid : tensor<4x8xf64>
  %1 = arith.addf %elu, %root : tensor<4x8xf64>
  %2 = arith.addf %0, %log : tensor<4x8xf64>
  %y = arith.addf %1, %2 : tensor<4x8xf64>
  return %y : tensor<4x8xf64>
}
