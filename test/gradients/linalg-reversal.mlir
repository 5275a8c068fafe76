// RUN: zero-gradcheck %s

// Read backwards, and every other element from the second on.
func.func @loss(
    %x: tensor<4x7xf64> {zero.param = "x"},
    %c: tensor<4x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %e = tensor.empty() : tensor<4x3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (-i + 3, j * 2 + 1)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x7xf64>) outs(%e : tensor<4x3xf64>) {
  ^bb0(%a: f64, %out: f64):
    %b = arith.mulf %a, %a : f64
    linalg.yield %b : f64
  } -> tensor<4x3xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<4x3xf64>, tensor<4x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
