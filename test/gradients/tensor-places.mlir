// RUN: zero-gradcheck %s

// Elements at constant places, a border that depends on its place, and a tensor that
// is generated.
func.func @loss(
    %w: tensor<4x3xf64> {zero.param = "w"},
    %u: tensor<5xf64> {zero.param = "u"}) -> tensor<5xf64> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<3xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<3xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %a = tensor.extract %w[%c1, %c2] : tensor<4x3xf64>
    %b = tensor.extract %w[%c2, %i] : tensor<4x3xf64>
    %c = tensor.extract %u[%c1] : tensor<5xf64>
    %ab = arith.mulf %a, %b : f64
    %abc = arith.mulf %ab, %c : f64
    linalg.yield %abc : f64
  } -> tensor<3xf64>
  %padded = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f64
    %v = tensor.extract %u[%i] : tensor<5xf64>
    %g = arith.mulf %f, %v : f64
    tensor.yield %g : f64
  } : tensor<3xf64> to tensor<5xf64>
  %squares = tensor.generate {
  ^bb0(%i: index):
    %v = tensor.extract %u[%i] : tensor<5xf64>
    %s = arith.mulf %v, %v : f64
    tensor.yield %s : f64
  } : tensor<5xf64>
  %z = arith.addf %padded, %squares : tensor<5xf64>
  return %z : tensor<5xf64>
}
