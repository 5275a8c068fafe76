// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, 0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d1)>
#map9 = affine_map<(d0, d1) -> (d0, 0)>
#map10 = affine_map<(d0, d1) -> ()>
#map11 = affine_map<(d0, d1) -> (d0)>
#map12 = affine_map<(d0) -> (d0)>
#map13 = affine_map<(d0) -> ()>
#map14 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<5x6x3xf32> {zero.param = "pair.weight"}, %arg1: tensor<5xf32> {zero.param = "pair.bias"}, %arg2: tensor<2x10xf32> {zero.param = "out.weight"}, %arg3: tensor<2xf32> {zero.param = "out.bias"}, %arg4: tensor<4x6xf32> {zero.input = "x"}, %arg5: tensor<4x3xf32> {zero.input = "z"}, %arg6: tensor<4x2xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<9.99999993E-9> : tensor<f32>
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 4.000000e+00 : f32
    %cst_3 = arith.constant 2.000000e+00 : f32
    %cst_4 = arith.constant dense<1> : tensor<i64>
    %expanded = tensor.expand_shape %arg4 [[0], [1, 2, 3]] output_shape [4, 1, 6, 1] : tensor<4x6xf32> into tensor<4x1x6x1xf32>
    %expanded_5 = tensor.expand_shape %arg0 [[0, 1], [2], [3]] output_shape [1, 5, 6, 3] : tensor<5x6x3xf32> into tensor<1x5x6x3xf32>
    %expanded_6 = tensor.expand_shape %arg5 [[0], [1, 2, 3]] output_shape [4, 1, 1, 3] : tensor<4x3xf32> into tensor<4x1x1x3xf32>
    %0 = tensor.empty() : tensor<4x5x6x3xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_5 : tensor<4x1x6x1xf32>, tensor<1x5x6x3xf32>) outs(%0 : tensor<4x5x6x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.mulf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x5x6x3xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %expanded_6 : tensor<4x5x6x3xf32>, tensor<4x1x1x3xf32>) outs(%0 : tensor<4x5x6x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.mulf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x5x6x3xf32>
    %3 = tensor.empty() : tensor<4x5x6xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<4x5x6xf32>) -> tensor<4x5x6xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2 : tensor<4x5x6x3xf32>) outs(%4 : tensor<4x5x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %in, %out : f32
      linalg.yield %37 : f32
    } -> tensor<4x5x6xf32>
    %6 = tensor.empty() : tensor<4x5xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<4x5xf32>) -> tensor<4x5xf32>
    %8 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<4x5x6xf32>) outs(%7 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %in, %out : f32
      linalg.yield %37 : f32
    } -> tensor<4x5xf32>
    %9 = linalg.generic {indexing_maps = [#map7, #map8, #map7], iterator_types = ["parallel", "parallel"]} ins(%8, %arg1 : tensor<4x5xf32>, tensor<5xf32>) outs(%6 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.addf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x5xf32>
    %extracted_slice = tensor.extract_slice %9[0, 4] [4, 1] [1, 1] : tensor<4x5xf32> to tensor<4x1xf32>
    %cast = tensor.cast %extracted_slice : tensor<4x1xf32> to tensor<4x?xf32>
    %extracted_slice_7 = tensor.extract_slice %9[0, 0] [4, 4] [1, 1] : tensor<4x5xf32> to tensor<4x4xf32>
    %cast_8 = tensor.cast %extracted_slice_7 : tensor<4x4xf32> to tensor<4x?xf32>
    %concat = tensor.concat dim(1) %cast, %cast_8 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x5xf32>
    %concat_9 = tensor.concat dim(1) %9, %concat : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x10xf32>
    %10 = tensor.empty() : tensor<4x10xf32>
    %11 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%concat_9 : tensor<4x10xf32>) outs(%10 : tensor<4x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.sin %in : f32
      linalg.yield %37 : f32
    } -> tensor<4x10xf32>
    %12 = tensor.empty() : tensor<10x2xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<2x10xf32>) outs(%12 : tensor<10x2xf32>) permutation = [1, 0] 
    %13 = tensor.empty() : tensor<4x2xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %15 = linalg.matmul ins(%11, %transposed : tensor<4x10xf32>, tensor<10x2xf32>) outs(%14 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %16 = linalg.generic {indexing_maps = [#map8, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<2xf32>) outs(%13 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x2xf32>
    %17 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%13 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.addf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x2xf32>
    %18 = tensor.empty() : tensor<4x1xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %20 = linalg.generic {indexing_maps = [#map7, #map9], iterator_types = ["parallel", "reduction"]} ins(%17 : tensor<4x2xf32>) outs(%19 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.absf %in : f32
      %38 = math.powf %37, %cst_3 : f32
      %39 = arith.addf %38, %out : f32
      linalg.yield %39 : f32
    } -> tensor<4x1xf32>
    %21 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<4x1xf32>) outs(%18 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.powf %in, %cst_1 : f32
      linalg.yield %37 : f32
    } -> tensor<4x1xf32>
    %22 = linalg.generic {indexing_maps = [#map7, #map9], iterator_types = ["parallel", "reduction"]} ins(%arg6 : tensor<4x2xf32>) outs(%19 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.absf %in : f32
      %38 = math.powf %37, %cst_3 : f32
      %39 = arith.addf %38, %out : f32
      linalg.yield %39 : f32
    } -> tensor<4x1xf32>
    %23 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<4x1xf32>) outs(%18 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = math.powf %in, %cst_1 : f32
      linalg.yield %37 : f32
    } -> tensor<4x1xf32>
    %24 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%21, %cst_0 : tensor<4x1xf32>, tensor<f32>) outs(%18 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.cmpf ult, %in, %in_10 : f32
      %38 = arith.select %37, %in_10, %in : f32
      linalg.yield %38 : f32
    } -> tensor<4x1xf32>
    %25 = linalg.generic {indexing_maps = [#map7, #map10, #map7], iterator_types = ["parallel", "parallel"]} ins(%23, %cst_0 : tensor<4x1xf32>, tensor<f32>) outs(%18 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.cmpf ult, %in, %in_10 : f32
      %38 = arith.select %37, %in_10, %in : f32
      linalg.yield %38 : f32
    } -> tensor<4x1xf32>
    %26 = linalg.generic {indexing_maps = [#map7, #map9, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg6, %25 : tensor<4x2xf32>, tensor<4x1xf32>) outs(%13 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.divf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x2xf32>
    %27 = linalg.generic {indexing_maps = [#map7, #map9, #map7], iterator_types = ["parallel", "parallel"]} ins(%17, %24 : tensor<4x2xf32>, tensor<4x1xf32>) outs(%13 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.divf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x2xf32>
    %28 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%27, %26 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%13 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %37 = arith.mulf %in, %in_10 : f32
      linalg.yield %37 : f32
    } -> tensor<4x2xf32>
    %29 = tensor.empty() : tensor<4xf32>
    %30 = linalg.fill ins(%cst : f32) outs(%29 : tensor<4xf32>) -> tensor<4xf32>
    %31 = linalg.generic {indexing_maps = [#map7, #map11], iterator_types = ["parallel", "reduction"]} ins(%28 : tensor<4x2xf32>) outs(%30 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %in, %out : f32
      linalg.yield %37 : f32
    } -> tensor<4xf32>
    %32 = tensor.empty() : tensor<f32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<f32>) -> tensor<f32>
    %34 = linalg.generic {indexing_maps = [#map12, #map13], iterator_types = ["reduction"]} ins(%31 : tensor<4xf32>) outs(%33 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %in, %out : f32
      linalg.yield %37 : f32
    } -> tensor<f32>
    %35 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = []} ins(%34 : tensor<f32>) outs(%32 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.divf %in, %cst_2 : f32
      linalg.yield %37 : f32
    } -> tensor<f32>
    %36 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = []} ins(%cst_4, %35 : tensor<i64>, tensor<f32>) outs(%32 : tensor<f32>) {
    ^bb0(%in: i64, %in_10: f32, %out: f32):
      %37 = arith.sitofp %in : i64 to f32
      %38 = arith.subf %37, %in_10 : f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    return %36 : tensor<f32>
  }
}
