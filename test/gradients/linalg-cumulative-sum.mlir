// RUN: zero-gradcheck %s

// As JAX prints it: a window over zeros and all elements so far.
func.func @loss(%x: tensor<3x5xf64> {zero.param = "x"}) -> tensor<3x5xf64> {
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
  return %y : tensor<3x5xf64>
}
