// RUN: zero-gradcheck %s

// Slices that leave gaps, one that is strided, and one that overlaps another.
func.func @loss(
    %a: tensor<4x6xf64> {zero.param = "a"},
    %c: tensor<2x2xf64> {zero.input = "c"}) -> tensor<f64> {
  %0 = tensor.extract_slice %a[0, 0] [2, 2] [1, 1] : tensor<4x6xf64> to tensor<2x2xf64>
  %1 = tensor.extract_slice %a[2, 2] [2, 2] [1, 1] : tensor<4x6xf64> to tensor<2x2xf64>
  %2 = tensor.extract_slice %a[1, 1] [2, 2] [2, 3] : tensor<4x6xf64> to tensor<2x2xf64>
  %3 = tensor.extract_slice %a[2, 3] [2, 2] [1, 1] : tensor<4x6xf64> to tensor<2x2xf64>
  %4 = arith.mulf %0, %1 : tensor<2x2xf64>
  %5 = arith.mulf %2, %3 : tensor<2x2xf64>
  %y = arith.addf %4, %5 : tensor<2x2xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<2x2xf64>, tensor<2x2xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
