// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<8x6xf32> {zero.param = "net.0.weight"}, %arg1: tensor<8xf32> {zero.param = "net.0.bias"}, %arg2: tensor<4x8xf32> {zero.param = "net.2.weight"}, %arg3: tensor<4xf32> {zero.param = "net.2.bias"}, %arg4: tensor<7x6xf32> {zero.input = "x"}, %arg5: tensor<7xi64> {zero.input = "y"}) -> tensor<f32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %c4 = arith.constant 4 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 7.000000e+00 : f32
    %cst_2 = arith.constant dense<1> : tensor<i64>
    %0 = tensor.empty() : tensor<6x8xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<8x6xf32>) outs(%0 : tensor<6x8xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<7x8xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<7x8xf32>) -> tensor<7x8xf32>
    %3 = linalg.matmul ins(%arg4, %transposed : tensor<7x6xf32>, tensor<6x8xf32>) outs(%2 : tensor<7x8xf32>) -> tensor<7x8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%1 : tensor<7x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<7x8xf32>, tensor<7x8xf32>) outs(%1 : tensor<7x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %35 = arith.addf %in, %in_5 : f32
      linalg.yield %35 : f32
    } -> tensor<7x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<7x8xf32>) outs(%1 : tensor<7x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.cmpf ugt, %in, %cst : f32
      %36 = arith.select %35, %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<7x8xf32>
    %7 = tensor.empty() : tensor<8x4xf32>
    %transposed_3 = linalg.transpose ins(%arg2 : tensor<4x8xf32>) outs(%7 : tensor<8x4xf32>) permutation = [1, 0] 
    %8 = tensor.empty() : tensor<7x4xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<7x4xf32>) -> tensor<7x4xf32>
    %10 = linalg.matmul ins(%6, %transposed_3 : tensor<7x8xf32>, tensor<8x4xf32>) outs(%9 : tensor<7x4xf32>) -> tensor<7x4xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<4xf32>) outs(%8 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<7x4xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<7x4xf32>, tensor<7x4xf32>) outs(%8 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %35 = arith.addf %in, %in_5 : f32
      linalg.yield %35 : f32
    } -> tensor<7x4xf32>
    %13 = tensor.empty() : tensor<7xi64>
    %14 = linalg.fill ins(%c0_i64 : i64) outs(%13 : tensor<7xi64>) -> tensor<7xi64>
    %15 = tensor.empty() : tensor<7xf32>
    %16 = linalg.fill ins(%cst_0 : f32) outs(%15 : tensor<7xf32>) -> tensor<7xf32>
    %17:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<7x4xf32>) outs(%16, %14 : tensor<7xf32>, tensor<7xi64>) {
    ^bb0(%in: f32, %out: f32, %out_5: i64):
      %35 = linalg.index 1 : index
      %36 = arith.index_cast %35 : index to i64
      %37 = arith.maximumf %in, %out : f32
      %38 = arith.cmpf ogt, %in, %out : f32
      %39 = arith.select %38, %36, %out_5 : i64
      linalg.yield %37, %39 : f32, i64
    } -> (tensor<7xf32>, tensor<7xi64>)
    %expanded = tensor.expand_shape %17#0 [[0, 1]] output_shape [7, 1] : tensor<7xf32> into tensor<7x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %expanded : tensor<7x4xf32>, tensor<7x1xf32>) outs(%8 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %35 = arith.subf %in, %in_5 : f32
      linalg.yield %35 : f32
    } -> tensor<7x4xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<7x4xf32>) outs(%8 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.exp %in : f32
      linalg.yield %35 : f32
    } -> tensor<7x4xf32>
    %20 = tensor.empty() : tensor<7x1xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<7x1xf32>) -> tensor<7x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%19 : tensor<7x4xf32>) outs(%21 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %out : f32
      linalg.yield %35 : f32
    } -> tensor<7x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<7x1xf32>) outs(%20 : tensor<7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.log %in : f32
      linalg.yield %35 : f32
    } -> tensor<7x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%18, %23 : tensor<7x4xf32>, tensor<7x1xf32>) outs(%8 : tensor<7x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %35 = arith.subf %in, %in_5 : f32
      linalg.yield %35 : f32
    } -> tensor<7x4xf32>
    %expanded_4 = tensor.expand_shape %arg5 [[0, 1]] output_shape [7, 1] : tensor<7xi64> into tensor<7x1xi64>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_4 : tensor<7x1xi64>) outs(%21 : tensor<7x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %35 = linalg.index 0 : index
      %36 = arith.index_cast %in : i64 to index
      %37 = arith.cmpi slt, %36, %c4 : index
      cf.assert %37, "index must be smaller than dim size"
      %38 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %38, "index must be larger or equal to 0"
      %extracted = tensor.extract %24[%35, %36] : tensor<7x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<7x1xf32>
    %collapsed = tensor.collapse_shape %25 [[0, 1]] : tensor<7x1xf32> into tensor<7xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%collapsed : tensor<7xf32>) outs(%15 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.exp %in : f32
      linalg.yield %35 : f32
    } -> tensor<7xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map4, #map4], iterator_types = ["parallel"]} ins(%cst_2, %26 : tensor<i64>, tensor<7xf32>) outs(%15 : tensor<7xf32>) {
    ^bb0(%in: i64, %in_5: f32, %out: f32):
      %35 = arith.sitofp %in : i64 to f32
      %36 = arith.subf %35, %in_5 : f32
      linalg.yield %36 : f32
    } -> tensor<7xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%27 : tensor<7xf32>) outs(%15 : tensor<7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %35 : f32
    } -> tensor<7xf32>
    %29 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%28, %collapsed : tensor<7xf32>, tensor<7xf32>) outs(%15 : tensor<7xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %35 = arith.mulf %in, %in_5 : f32
      linalg.yield %35 : f32
    } -> tensor<7xf32>
    %30 = tensor.empty() : tensor<f32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<f32>) -> tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%29 : tensor<7xf32>) outs(%31 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %in, %out : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%32 : tensor<f32>) outs(%30 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.divf %in, %cst_1 : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    %34 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%33 : tensor<f32>) outs(%30 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.negf %in : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    return %34 : tensor<f32>
  }
}
