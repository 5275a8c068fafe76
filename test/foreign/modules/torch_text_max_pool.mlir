// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2) -> ()>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0, d1) -> (d0, 0)>
#map9 = affine_map<(d0) -> (d0)>
#map10 = affine_map<(d0) -> ()>
#map11 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<9x6xf32> {zero.param = "table.weight"}, %arg1: tensor<8x6xf32> {zero.param = "mix.weight"}, %arg2: tensor<8xf32> {zero.param = "mix.bias"}, %arg3: tensor<3x8xf32> {zero.param = "out.weight"}, %arg4: tensor<3xf32> {zero.param = "out.bias"}, %arg5: tensor<4x6xi64> {zero.input = "tokens"}, %arg6: tensor<4xi64> {zero.input = "y"}) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %c9 = arith.constant 9 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %c3 = arith.constant 3 : index
    %cst_1 = arith.constant dense<-1.000000e+01> : tensor<f32>
    %cst_2 = arith.constant dense<6.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32>
    %c5 = arith.constant 5 : index
    %cst_4 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<4x6x6xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg5 : tensor<4x6xi64>) outs(%0 : tensor<4x6x6xf32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = arith.index_cast %in : i64 to index
      %55 = linalg.index 2 : index
      %56 = arith.cmpi slt, %54, %c9 : index
      cf.assert %56, "index must be smaller than dim size"
      %57 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %57, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg0[%54, %55] : tensor<9x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x6x6xf32>
    %collapsed = tensor.collapse_shape %1 [[0, 1], [2]] : tensor<4x6x6xf32> into tensor<24x6xf32>
    %2 = tensor.empty() : tensor<6x8xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<8x6xf32>) outs(%2 : tensor<6x8xf32>) permutation = [1, 0] 
    %3 = tensor.empty() : tensor<24x8xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<24x8xf32>) -> tensor<24x8xf32>
    %5 = linalg.matmul ins(%collapsed, %transposed : tensor<24x6xf32>, tensor<6x8xf32>) outs(%4 : tensor<24x8xf32>) -> tensor<24x8xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<8xf32>) outs(%3 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x8xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5, %6 : tensor<24x8xf32>, tensor<24x8xf32>) outs(%3 : tensor<24x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.addf %in, %in_11 : f32
      linalg.yield %54 : f32
    } -> tensor<24x8xf32>
    %expanded = tensor.expand_shape %7 [[0, 1], [2]] output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
    %8 = tensor.empty() : tensor<4x6x8xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %cst_3 : tensor<4x6x8xf32>, tensor<f32>) outs(%8 : tensor<4x6x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.cmpf ogt, %in, %in_11 : f32
      %55 = arith.select %54, %in, %in_11 : f32
      linalg.yield %55 : f32
    } -> tensor<4x6x8xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_2, %9 : tensor<f32>, tensor<4x6x8xf32>) outs(%8 : tensor<4x6x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.cmpf olt, %in, %in_11 : f32
      %55 = arith.select %54, %in, %in_11 : f32
      linalg.yield %55 : f32
    } -> tensor<4x6x8xf32>
    %11 = tensor.empty() : tensor<4x6xi1>
    %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<4x6xi64>) outs(%11 : tensor<4x6xi1>) {
    ^bb0(%in: i64, %out: i1):
      %54 = arith.cmpi eq, %in, %c0_i64 : i64
      linalg.yield %54 : i1
    } -> tensor<4x6xi1>
    %expanded_5 = tensor.expand_shape %12 [[0], [1, 2]] output_shape [4, 6, 1] : tensor<4x6xi1> into tensor<4x6x1xi1>
    %13 = linalg.generic {indexing_maps = [#map5, #map4, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_5, %cst_1, %10 : tensor<4x6x1xi1>, tensor<f32>, tensor<4x6x8xf32>) outs(%8 : tensor<4x6x8xf32>) {
    ^bb0(%in: i1, %in_11: f32, %in_12: f32, %out: f32):
      %54 = arith.select %in, %in_11, %in_12 : f32
      linalg.yield %54 : f32
    } -> tensor<4x6x8xf32>
    %14 = tensor.empty() : tensor<4x8xi64>
    %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<4x8xi64>) -> tensor<4x8xi64>
    %16 = tensor.empty() : tensor<4x8xf32>
    %17 = linalg.fill ins(%cst_0 : f32) outs(%16 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %18:2 = linalg.generic {indexing_maps = [#map1, #map6, #map6], iterator_types = ["parallel", "reduction", "parallel"]} ins(%13 : tensor<4x6x8xf32>) outs(%17, %15 : tensor<4x8xf32>, tensor<4x8xi64>) {
    ^bb0(%in: f32, %out: f32, %out_11: i64):
      %54 = linalg.index 1 : index
      %55 = arith.index_cast %54 : index to i64
      %56 = arith.maximumf %in, %out : f32
      %57 = arith.cmpf ogt, %in, %out : f32
      %58 = arith.select %57, %55, %out_11 : i64
      linalg.yield %56, %58 : f32, i64
    } -> (tensor<4x8xf32>, tensor<4x8xi64>)
    %19 = linalg.fill ins(%cst : f32) outs(%8 : tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<4x6x8xf32>) outs(%19 : tensor<4x6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = linalg.index 0 : index
      %55 = linalg.index 1 : index
      %56 = linalg.index 2 : index
      %57 = arith.subi %c5, %55 : index
      %extracted = tensor.extract %13[%54, %57, %56] : tensor<4x6x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x6x8xf32>
    %extracted_slice = tensor.extract_slice %20[0, 0, 0] [4, 1, 8] [1, 1, 1] : tensor<4x6x8xf32> to tensor<4x1x8xf32>
    %collapsed_6 = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<4x1x8xf32> into tensor<4x8xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%18#0, %collapsed_6 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%16 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.addf %in, %in_11 : f32
      linalg.yield %54 : f32
    } -> tensor<4x8xf32>
    %22 = tensor.empty() : tensor<8x3xf32>
    %transposed_7 = linalg.transpose ins(%arg3 : tensor<3x8xf32>) outs(%22 : tensor<8x3xf32>) permutation = [1, 0] 
    %23 = tensor.empty() : tensor<4x3xf32>
    %24 = linalg.fill ins(%cst : f32) outs(%23 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %25 = linalg.matmul ins(%21, %transposed_7 : tensor<4x8xf32>, tensor<8x3xf32>) outs(%24 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<3xf32>) outs(%23 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%25, %26 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%23 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.addf %in, %in_11 : f32
      linalg.yield %54 : f32
    } -> tensor<4x3xf32>
    %28 = tensor.empty() : tensor<4xi64>
    %29 = linalg.fill ins(%c0_i64 : i64) outs(%28 : tensor<4xi64>) -> tensor<4xi64>
    %30 = tensor.empty() : tensor<4xf32>
    %31 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<4xf32>) -> tensor<4xf32>
    %32:2 = linalg.generic {indexing_maps = [#map3, #map7, #map7], iterator_types = ["parallel", "reduction"]} ins(%27 : tensor<4x3xf32>) outs(%31, %29 : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_11: i64):
      %54 = linalg.index 1 : index
      %55 = arith.index_cast %54 : index to i64
      %56 = arith.maximumf %in, %out : f32
      %57 = arith.cmpf ogt, %in, %out : f32
      %58 = arith.select %57, %55, %out_11 : i64
      linalg.yield %56, %58 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded_8 = tensor.expand_shape %32#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel"]} ins(%27, %expanded_8 : tensor<4x3xf32>, tensor<4x1xf32>) outs(%23 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.subf %in, %in_11 : f32
      linalg.yield %54 : f32
    } -> tensor<4x3xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<4x3xf32>) outs(%23 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.exp %in : f32
      linalg.yield %54 : f32
    } -> tensor<4x3xf32>
    %35 = tensor.empty() : tensor<4x1xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map8], iterator_types = ["parallel", "reduction"]} ins(%34 : tensor<4x3xf32>) outs(%36 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %in, %out : f32
      linalg.yield %54 : f32
    } -> tensor<4x1xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<4x1xf32>) outs(%35 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = math.log %in : f32
      linalg.yield %54 : f32
    } -> tensor<4x1xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map8, #map3], iterator_types = ["parallel", "parallel"]} ins(%33, %38 : tensor<4x3xf32>, tensor<4x1xf32>) outs(%23 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.subf %in, %in_11 : f32
      linalg.yield %54 : f32
    } -> tensor<4x3xf32>
    %40 = tensor.empty() : tensor<4xi1>
    %41 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel"]} ins(%arg6 : tensor<4xi64>) outs(%40 : tensor<4xi1>) {
    ^bb0(%in: i64, %out: i1):
      %54 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %54 : i1
    } -> tensor<4xi1>
    %42 = linalg.generic {indexing_maps = [#map9, #map9, #map10, #map9], iterator_types = ["parallel"]} ins(%41, %arg6, %cst_4 : tensor<4xi1>, tensor<4xi64>, tensor<i64>) outs(%28 : tensor<4xi64>) {
    ^bb0(%in: i1, %in_11: i64, %in_12: i64, %out: i64):
      %54 = arith.select %in, %in_11, %in_12 : i64
      linalg.yield %54 : i64
    } -> tensor<4xi64>
    %expanded_9 = tensor.expand_shape %42 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %43 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_9 : tensor<4x1xi64>) outs(%36 : tensor<4x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = linalg.index 0 : index
      %55 = arith.index_cast %in : i64 to index
      %56 = arith.cmpi slt, %55, %c3 : index
      cf.assert %56, "index must be smaller than dim size"
      %57 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %57, "index must be larger or equal to 0"
      %extracted = tensor.extract %39[%54, %55] : tensor<4x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x1xf32>
    %collapsed_10 = tensor.collapse_shape %43 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %44 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = ["parallel"]} ins(%collapsed_10 : tensor<4xf32>) outs(%30 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.negf %in : f32
      linalg.yield %54 : f32
    } -> tensor<4xf32>
    %45 = linalg.generic {indexing_maps = [#map9, #map9, #map10, #map9], iterator_types = ["parallel"]} ins(%41, %44, %cst_3 : tensor<4xi1>, tensor<4xf32>, tensor<f32>) outs(%30 : tensor<4xf32>) {
    ^bb0(%in: i1, %in_11: f32, %in_12: f32, %out: f32):
      %54 = arith.select %in, %in_11, %in_12 : f32
      linalg.yield %54 : f32
    } -> tensor<4xf32>
    %46 = tensor.empty() : tensor<i64>
    %47 = linalg.fill ins(%c0_i64 : i64) outs(%46 : tensor<i64>) -> tensor<i64>
    %48 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["reduction"]} ins(%41 : tensor<4xi1>) outs(%47 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %54 = arith.extui %in : i1 to i64
      %55 = arith.addi %54, %out : i64
      linalg.yield %55 : i64
    } -> tensor<i64>
    %49 = tensor.empty() : tensor<f32>
    %50 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%48 : tensor<i64>) outs(%49 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %54 = arith.sitofp %in : i64 to f32
      linalg.yield %54 : f32
    } -> tensor<f32>
    %51 = linalg.fill ins(%cst : f32) outs(%49 : tensor<f32>) -> tensor<f32>
    %52 = linalg.generic {indexing_maps = [#map9, #map10], iterator_types = ["reduction"]} ins(%45 : tensor<4xf32>) outs(%51 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %54 = arith.addf %in, %out : f32
      linalg.yield %54 : f32
    } -> tensor<f32>
    %53 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = []} ins(%52, %50 : tensor<f32>, tensor<f32>) outs(%49 : tensor<f32>) {
    ^bb0(%in: f32, %in_11: f32, %out: f32):
      %54 = arith.divf %in, %in_11 : f32
      linalg.yield %54 : f32
    } -> tensor<f32>
    return %53 : tensor<f32>
  }
}
