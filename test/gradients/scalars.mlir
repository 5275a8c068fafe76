// RUN: zero-gradcheck %s

// Parameters that are scalars on the way: captured by a body, an operand of one,
// what a tensor is filled with and what it is made of.
func.func @loss(
    %a: tensor<3x4xf64> {zero.param = "a"},
    %b: tensor<f64> {zero.param = "b"},
    %d: tensor<f64> {zero.param = "d"},
    %c: tensor<3x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %half = arith.constant 0.5 : f64
  %s = tensor.extract %b[] : tensor<f64>
  %m = arith.mulf %s, %half : f64
  %t = tensor.extract %d[] : tensor<f64>
  %u = math.sin %t : f64
  %e = tensor.empty() : tensor<3x4xf64>
  %filled = linalg.fill ins(%u : f64) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %filled, %m : tensor<3x4xf64>, tensor<3x4xf64>, f64) outs(%e : tensor<3x4xf64>) {
  ^bb0(%x: f64, %f: f64, %n: f64, %o: f64):
    %0 = arith.mulf %x, %m : f64
    %1 = arith.mulf %f, %n : f64
    %2 = arith.addf %0, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<3x4xf64>
  %zero = tensor.from_elements %u : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<3x4xf64>, tensor<3x4xf64>) outs(%zero : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
