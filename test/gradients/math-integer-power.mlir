// RUN: zero-gradcheck %s

// Constant integer exponents, also of negative numbers, and a call.
func.func @loss(
    %x: tensor<3x4xf64> {zero.param = "x"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %minus = arith.constant dense<-3> : tensor<3x4xi32>
  %seven = arith.constant dense<7> : tensor<3x4xi32>
  %zero = arith.constant dense<0> : tensor<3x4xi32>
  %a = math.fpowi %x, %minus : tensor<3x4xf64>, tensor<3x4xi32>
  %b = call @cube(%x) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  %d = math.fpowi %x, %seven : tensor<3x4xf64>, tensor<3x4xi32>
  %e = math.fpowi %x, %zero : tensor<3x4xf64>, tensor<3x4xi32>
  %f = arith.addf %b, %d : tensor<3x4xf64>
  %g = arith.addf %f, %e : tensor<3x4xf64>
  %h = arith.addf %a, %g : tensor<3x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%h, %c : tensor<3x4xf64>, tensor<3x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %s_ = arith.addf %acc_, %p_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
func.func private @cube(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %three = arith.constant dense<3> : tensor<3x4xi32>
  %y = math.fpowi %x, %three : tensor<3x4xf64>, tensor<3x4xi32>
  return %y : tensor<3x4xf64>
}
