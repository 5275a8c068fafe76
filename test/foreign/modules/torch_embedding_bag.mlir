// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0) -> ()>
#map8 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<11x6xf32> {zero.param = "bag.weight"}, %arg1: tensor<3x6xf32> {zero.param = "out.weight"}, %arg2: tensor<3xf32> {zero.param = "out.bias"}, %arg3: tensor<4x5xi64> {zero.input = "tokens"}, %arg4: tensor<4x5xf32> {zero.input = "w"}, %arg5: tensor<4xi64> {zero.input = "y"}) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c11 = arith.constant 11 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<4x5x6xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3 : tensor<4x5xi64>) outs(%0 : tensor<4x5x6xf32>) {
    ^bb0(%in: i64, %out: f32):
      %38 = arith.index_cast %in : i64 to index
      %39 = linalg.index 2 : index
      %40 = arith.cmpi slt, %38, %c11 : index
      cf.assert %40, "index must be smaller than dim size"
      %41 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %41, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%38, %39] : tensor<11x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x5x6xf32>
    %expanded = tensor.expand_shape %arg4 [[0], [1, 2]] output_shape [4, 1, 5] : tensor<4x5xf32> into tensor<4x1x5xf32>
    %2 = tensor.empty() : tensor<4x1x6xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    %4 = linalg.batch_matmul ins(%expanded, %1 : tensor<4x1x5xf32>, tensor<4x5x6xf32>) outs(%3 : tensor<4x1x6xf32>) -> tensor<4x1x6xf32>
    %5 = tensor.empty() : tensor<4x6x1xf32>
    %transposed = linalg.transpose ins(%4 : tensor<4x1x6xf32>) outs(%5 : tensor<4x6x1xf32>) permutation = [0, 2, 1] 
    %collapsed = tensor.collapse_shape %transposed [[0], [1, 2]] : tensor<4x6x1xf32> into tensor<4x6xf32>
    %6 = tensor.empty() : tensor<6x3xf32>
    %transposed_3 = linalg.transpose ins(%arg1 : tensor<3x6xf32>) outs(%6 : tensor<6x3xf32>) permutation = [1, 0] 
    %7 = tensor.empty() : tensor<4x3xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %9 = linalg.matmul ins(%collapsed, %transposed_3 : tensor<4x6xf32>, tensor<6x3xf32>) outs(%8 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %10 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<3xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %38 = arith.addf %in, %in_7 : f32
      linalg.yield %38 : f32
    } -> tensor<4x3xf32>
    %12 = tensor.empty() : tensor<4xi64>
    %13 = linalg.fill ins(%c0_i64 : i64) outs(%12 : tensor<4xi64>) -> tensor<4xi64>
    %14 = tensor.empty() : tensor<4xf32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<4xf32>) -> tensor<4xf32>
    %16:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "reduction"]} ins(%11 : tensor<4x3xf32>) outs(%15, %13 : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_7: i64):
      %38 = linalg.index 1 : index
      %39 = arith.index_cast %38 : index to i64
      %40 = arith.maximumf %in, %out : f32
      %41 = arith.cmpf ogt, %in, %out : f32
      %42 = arith.select %41, %39, %out_7 : i64
      linalg.yield %40, %42 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded_4 = tensor.expand_shape %16#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%11, %expanded_4 : tensor<4x3xf32>, tensor<4x1xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %38 = arith.subf %in, %in_7 : f32
      linalg.yield %38 : f32
    } -> tensor<4x3xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<4x3xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = math.exp %in : f32
      linalg.yield %38 : f32
    } -> tensor<4x3xf32>
    %19 = tensor.empty() : tensor<4x1xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map5], iterator_types = ["parallel", "reduction"]} ins(%18 : tensor<4x3xf32>) outs(%20 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %in, %out : f32
      linalg.yield %38 : f32
    } -> tensor<4x1xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<4x1xf32>) outs(%19 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = math.log %in : f32
      linalg.yield %38 : f32
    } -> tensor<4x1xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%17, %22 : tensor<4x3xf32>, tensor<4x1xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %38 = arith.subf %in, %in_7 : f32
      linalg.yield %38 : f32
    } -> tensor<4x3xf32>
    %24 = tensor.empty() : tensor<4xi1>
    %25 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%arg5 : tensor<4xi64>) outs(%24 : tensor<4xi1>) {
    ^bb0(%in: i64, %out: i1):
      %38 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %38 : i1
    } -> tensor<4xi1>
    %26 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map6], iterator_types = ["parallel"]} ins(%25, %arg5, %cst_2 : tensor<4xi1>, tensor<4xi64>, tensor<i64>) outs(%12 : tensor<4xi64>) {
    ^bb0(%in: i1, %in_7: i64, %in_8: i64, %out: i64):
      %38 = arith.select %in, %in_7, %in_8 : i64
      linalg.yield %38 : i64
    } -> tensor<4xi64>
    %expanded_5 = tensor.expand_shape %26 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_5 : tensor<4x1xi64>) outs(%20 : tensor<4x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %38 = linalg.index 0 : index
      %39 = arith.index_cast %in : i64 to index
      %40 = arith.cmpi slt, %39, %c3 : index
      cf.assert %40, "index must be smaller than dim size"
      %41 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %41, "index must be larger or equal to 0"
      %extracted = tensor.extract %23[%38, %39] : tensor<4x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x1xf32>
    %collapsed_6 = tensor.collapse_shape %27 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %28 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%collapsed_6 : tensor<4xf32>) outs(%14 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.negf %in : f32
      linalg.yield %38 : f32
    } -> tensor<4xf32>
    %29 = linalg.generic {indexing_maps = [#map6, #map6, #map7, #map6], iterator_types = ["parallel"]} ins(%25, %28, %cst_1 : tensor<4xi1>, tensor<4xf32>, tensor<f32>) outs(%14 : tensor<4xf32>) {
    ^bb0(%in: i1, %in_7: f32, %in_8: f32, %out: f32):
      %38 = arith.select %in, %in_7, %in_8 : f32
      linalg.yield %38 : f32
    } -> tensor<4xf32>
    %30 = tensor.empty() : tensor<i64>
    %31 = linalg.fill ins(%c0_i64 : i64) outs(%30 : tensor<i64>) -> tensor<i64>
    %32 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["reduction"]} ins(%25 : tensor<4xi1>) outs(%31 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %38 = arith.extui %in : i1 to i64
      %39 = arith.addi %38, %out : i64
      linalg.yield %39 : i64
    } -> tensor<i64>
    %33 = tensor.empty() : tensor<f32>
    %34 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = []} ins(%32 : tensor<i64>) outs(%33 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %38 = arith.sitofp %in : i64 to f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    %35 = linalg.fill ins(%cst : f32) outs(%33 : tensor<f32>) -> tensor<f32>
    %36 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["reduction"]} ins(%29 : tensor<4xf32>) outs(%35 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %in, %out : f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = []} ins(%36, %34 : tensor<f32>, tensor<f32>) outs(%33 : tensor<f32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %38 = arith.divf %in, %in_7 : f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    return %37 : tensor<f32>
  }
}
