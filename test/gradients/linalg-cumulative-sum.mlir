// RUN: zero-gradcheck %s

// As JAX prints it: a window over zeros and all elements so far.
func.func @loss(
    %x: tensor<3x5xf64> {zero.param = "x"},
    %c: tensor<3x5xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<3x5xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<3x5xf64>) -> tensor<3x5xf64>
  %border = arith.constant 0.0 : f64
  %wide = tensor.pad %x low[0, 4] high[0, 0] {
  ^bb0(%0: index, %1: index):
    tensor.yield %border : f64
  } : tensor<3x5xf64> to tensor<3x9xf64>
  %w = tensor.empty() : tensor<5xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%wide, %w : tensor<3x9xf64>, tensor<5xf64>) outs(%i : tensor<3x5xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %s = arith.addf %out, %a : f64
    linalg.yield %s : f64
  } -> tensor<3x5xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<3x5xf64>, tensor<3x5xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
