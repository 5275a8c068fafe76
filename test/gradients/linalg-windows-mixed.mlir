// RUN: zero-gradcheck %s

// Positions of three loops, one of them backwards, and a loop in two positions.
func.func @loss(
    %x: tensor<12x8xf64> {zero.param = "x"},
    %f: tensor<3x2xf64> {zero.param = "f"},
    %c: tensor<4xf64> {zero.input = "c"}) -> tensor<f64> {
  %cst_i = arith.constant 0.0 : f64
  %e_i = tensor.empty() : tensor<4xf64>
  %i = linalg.fill ins(%cst_i : f64) outs(%e_i : tensor<4xf64>) -> tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(o, k, l) -> (o * 2 - k + l + 3, o + l * 3)>, affine_map<(o, k, l) -> (k, l)>, affine_map<(o, k, l) -> (o)>],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %f : tensor<12x8xf64>, tensor<3x2xf64>) outs(%i : tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64, %out: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.mulf %p, %a : f64
    %s = arith.addf %out, %q : f64
    linalg.yield %s : f64
  } -> tensor<4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%y, %c : tensor<4xf64>, tensor<4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
