// RUN: zero-gradcheck %s

// A tensor is read whole and in slices that cover it, one of them without its unit
// dimension.
func.func @loss(
    %a: tensor<2x3xf64> {zero.param = "a"},
    %c: tensor<3xf64> {zero.input = "c"}) -> tensor<f64> {
  %0 = tensor.extract_slice %a[0, 0] [1, 3] [1, 1] : tensor<2x3xf64> to tensor<3xf64>
  %w = arith.mulf %a, %a : tensor<2x3xf64>
  %1 = tensor.extract_slice %a[1, 0] [1, 3] [1, 1] : tensor<2x3xf64> to tensor<3xf64>
  %2 = tensor.extract_slice %w[1, 0] [1, 3] [1, 1] : tensor<2x3xf64> to tensor<3xf64>
  %3 = arith.mulf %0, %1 : tensor<3xf64>
  %y = arith.addf %3, %2 : tensor<3xf64>
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
