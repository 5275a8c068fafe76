// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0) -> ()>
#map4 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<9x5xf32> {zero.param = "users.weight"}, %arg1: tensor<12x5xf32> {zero.param = "items.weight"}, %arg2: tensor<12x1xf32> {zero.param = "bias.weight"}, %arg3: tensor<8xi64> {zero.input = "u"}, %arg4: tensor<8xi64> {zero.input = "i"}, %arg5: tensor<8xf32> {zero.input = "y"}) -> tensor<f32> {
    %c9 = arith.constant 9 : index
    %c0_i64 = arith.constant 0 : i64
    %c12 = arith.constant 12 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 8.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<8xi64>) outs(%0 : tensor<8x5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %16 = arith.index_cast %in : i64 to index
      %17 = linalg.index 1 : index
      %18 = arith.cmpi slt, %16, %c9 : index
      cf.assert %18, "index must be smaller than dim size"
      %19 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %19, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%16, %17] : tensor<9x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x5xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<8xi64>) outs(%0 : tensor<8x5xf32>) {
    ^bb0(%in: i64, %out: f32):
      %16 = arith.index_cast %in : i64 to index
      %17 = linalg.index 1 : index
      %18 = arith.cmpi slt, %16, %c12 : index
      cf.assert %18, "index must be smaller than dim size"
      %19 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %19, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%16, %17] : tensor<12x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x5xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%0 : tensor<8x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %16 = arith.mulf %in, %in_1 : f32
      linalg.yield %16 : f32
    } -> tensor<8x5xf32>
    %4 = tensor.empty() : tensor<8xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<8xf32>) -> tensor<8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "reduction"]} ins(%3 : tensor<8x5xf32>) outs(%5 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<8xf32>
    %7 = tensor.empty() : tensor<8x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<8xi64>) outs(%7 : tensor<8x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %16 = arith.index_cast %in : i64 to index
      %17 = arith.cmpi slt, %16, %c12 : index
      cf.assert %17, "index must be smaller than dim size"
      %18 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %18, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg2[%16, %c0] : tensor<12x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1xf32>
    %collapsed = tensor.collapse_shape %8 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%6, %collapsed : tensor<8xf32>, tensor<8xf32>) outs(%4 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %16 = arith.addf %in, %in_1 : f32
      linalg.yield %16 : f32
    } -> tensor<8xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%9, %arg5 : tensor<8xf32>, tensor<8xf32>) outs(%4 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %16 = arith.subf %in, %in_1 : f32
      linalg.yield %16 : f32
    } -> tensor<8xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%10 : tensor<8xf32>) outs(%4 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.absf %in : f32
      linalg.yield %16 : f32
    } -> tensor<8xf32>
    %12 = tensor.empty() : tensor<f32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<f32>) -> tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["reduction"]} ins(%11 : tensor<8xf32>) outs(%13 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<f32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%14 : tensor<f32>) outs(%12 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.divf %in, %cst_0 : f32
      linalg.yield %16 : f32
    } -> tensor<f32>
    return %15 : tensor<f32>
  }
}
