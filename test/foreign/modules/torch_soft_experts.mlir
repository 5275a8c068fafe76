// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map7 = affine_map<(d0, d1) -> ()>
#map8 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<3x6xf32> {zero.param = "gate.weight"}, %arg1: tensor<3xf32> {zero.param = "gate.bias"}, %arg2: tensor<4x6xf32> {zero.param = "experts.0.weight"}, %arg3: tensor<4xf32> {zero.param = "experts.0.bias"}, %arg4: tensor<4x6xf32> {zero.param = "experts.1.weight"}, %arg5: tensor<4xf32> {zero.param = "experts.1.bias"}, %arg6: tensor<4x6xf32> {zero.param = "experts.2.weight"}, %arg7: tensor<4xf32> {zero.param = "experts.2.bias"}, %arg8: tensor<5x6xf32> {zero.input = "x"}, %arg9: tensor<5x4xf32> {zero.input = "y"}) -> tensor<f32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.000000e+01 : f32
    %0 = tensor.empty() : tensor<6x3xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<3x6xf32>) outs(%0 : tensor<6x3xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<5x3xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5x3xf32>) -> tensor<5x3xf32>
    %3 = linalg.matmul ins(%arg8, %transposed : tensor<5x6xf32>, tensor<6x3xf32>) outs(%2 : tensor<5x3xf32>) -> tensor<5x3xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<3xf32>) outs(%1 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x3xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%1 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.addf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x3xf32>
    %6 = tensor.empty() : tensor<5xi64>
    %7 = linalg.fill ins(%c0_i64 : i64) outs(%6 : tensor<5xi64>) -> tensor<5xi64>
    %8 = tensor.empty() : tensor<5xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<5xf32>) -> tensor<5xf32>
    %10:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<5x3xf32>) outs(%9, %7 : tensor<5xf32>, tensor<5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_7: i64):
      %39 = linalg.index 1 : index
      %40 = arith.index_cast %39 : index to i64
      %41 = arith.maximumf %in, %out : f32
      %42 = arith.cmpf ogt, %in, %out : f32
      %43 = arith.select %42, %40, %out_7 : i64
      linalg.yield %41, %43 : f32, i64
    } -> (tensor<5xf32>, tensor<5xi64>)
    %expanded = tensor.expand_shape %10#0 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %expanded : tensor<5x3xf32>, tensor<5x1xf32>) outs(%1 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.subf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x3xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<5x3xf32>) outs(%1 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.exp %in : f32
      linalg.yield %39 : f32
    } -> tensor<5x3xf32>
    %13 = tensor.empty() : tensor<5x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%13 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<5x3xf32>) outs(%14 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<5x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %15 : tensor<5x3xf32>, tensor<5x1xf32>) outs(%1 : tensor<5x3xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.divf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x3xf32>
    %17 = tensor.empty() : tensor<6x4xf32>
    %transposed_2 = linalg.transpose ins(%arg2 : tensor<4x6xf32>) outs(%17 : tensor<6x4xf32>) permutation = [1, 0] 
    %18 = tensor.empty() : tensor<5x4xf32>
    %19 = linalg.fill ins(%cst : f32) outs(%18 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %20 = linalg.matmul ins(%arg8, %transposed_2 : tensor<5x6xf32>, tensor<6x4xf32>) outs(%19 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20, %21 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.addf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x4xf32>
    %transposed_3 = linalg.transpose ins(%arg4 : tensor<4x6xf32>) outs(%17 : tensor<6x4xf32>) permutation = [1, 0] 
    %23 = linalg.matmul ins(%arg8, %transposed_3 : tensor<5x6xf32>, tensor<6x4xf32>) outs(%19 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23, %24 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.addf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x4xf32>
    %transposed_4 = linalg.transpose ins(%arg6 : tensor<4x6xf32>) outs(%17 : tensor<6x4xf32>) permutation = [1, 0] 
    %26 = linalg.matmul ins(%arg8, %transposed_4 : tensor<5x6xf32>, tensor<6x4xf32>) outs(%19 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%26, %27 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.addf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x4xf32>
    %concat = tensor.concat dim(1) %22, %25, %28 : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x12xf32>
    %expanded_5 = tensor.expand_shape %concat [[0], [1, 2]] output_shape [5, 3, 4] : tensor<5x12xf32> into tensor<5x3x4xf32>
    %expanded_6 = tensor.expand_shape %16 [[0], [1, 2]] output_shape [5, 3, 1] : tensor<5x3xf32> into tensor<5x3x1xf32>
    %29 = tensor.empty() : tensor<5x3x4xf32>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<5x3x4xf32>) outs(%29 : tensor<5x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.tanh %in : f32
      linalg.yield %39 : f32
    } -> tensor<5x3x4xf32>
    %31 = linalg.generic {indexing_maps = [#map5, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_6, %30 : tensor<5x3x1xf32>, tensor<5x3x4xf32>) outs(%29 : tensor<5x3x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.mulf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x3x4xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map6], iterator_types = ["parallel", "reduction", "parallel"]} ins(%31 : tensor<5x3x4xf32>) outs(%19 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<5x4xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%32, %arg9 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %39 = arith.subf %in, %in_7 : f32
      linalg.yield %39 : f32
    } -> tensor<5x4xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<5x4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %39 : f32
    } -> tensor<5x4xf32>
    %35 = tensor.empty() : tensor<f32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<f32>) -> tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map1, #map7], iterator_types = ["reduction", "reduction"]} ins(%34 : tensor<5x4xf32>) outs(%36 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %in, %out : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    %38 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = []} ins(%37 : tensor<f32>) outs(%35 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst_1 : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    return %38 : tensor<f32>
  }
}
