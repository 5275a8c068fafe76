// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<8x7xf32> {zero.param = "a.weight"}, %arg1: tensor<8xf32> {zero.param = "a.bias"}, %arg2: tensor<4x4xf32> {zero.param = "b.weight"}, %arg3: tensor<4xf32> {zero.param = "b.bias"}, %arg4: tensor<3x7xf32> {zero.input = "x"}, %arg5: tensor<3x4xf32> {zero.input = "y"}) -> tensor<f32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %cst_1 = arith.constant 4.000000e+00 : f32
    %cst_2 = arith.constant 1.200000e+01 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<7x8xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<8x7xf32>) outs(%0 : tensor<7x8xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x8xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %3 = linalg.matmul ins(%arg4, %transposed : tensor<3x7xf32>, tensor<7x8xf32>) outs(%2 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%1 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%1 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %23 = arith.addf %in, %in_5 : f32
      linalg.yield %23 : f32
    } -> tensor<3x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<3x8xf32>) outs(%1 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.tanh %in : f32
      linalg.yield %23 : f32
    } -> tensor<3x8xf32>
    %expanded = tensor.expand_shape %6 [[0], [1, 2, 3]] output_shape [3, 2, 2, 2] : tensor<3x8xf32> into tensor<3x2x2x2xf32>
    %7 = tensor.empty() : tensor<3x2x4x4xf32>
    %8 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%7 : tensor<3x2x4x4xf32>) {
    ^bb0(%out: f32):
      %23 = linalg.index 0 : index
      %24 = linalg.index 1 : index
      %25 = linalg.index 2 : index
      %26 = linalg.index 3 : index
      %27 = arith.index_cast %25 : index to i64
      %28 = arith.sitofp %27 : i64 to f32
      %29 = arith.divf %28, %cst_0 : f32
      %30 = math.floor %29 : f32
      %31 = arith.maximumf %30, %cst : f32
      %32 = arith.minimumf %31, %cst_3 : f32
      %33 = arith.fptosi %32 : f32 to i64
      %34 = arith.index_cast %33 : i64 to index
      %35 = arith.index_cast %26 : index to i64
      %36 = arith.sitofp %35 : i64 to f32
      %37 = arith.divf %36, %cst_0 : f32
      %38 = math.floor %37 : f32
      %39 = arith.maximumf %38, %cst : f32
      %40 = arith.minimumf %39, %cst_3 : f32
      %41 = arith.fptosi %40 : f32 to i64
      %42 = arith.index_cast %41 : i64 to index
      %extracted = tensor.extract %expanded[%23, %24, %34, %42] : tensor<3x2x2x2xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x2x4x4xf32>
    %extracted_slice = tensor.extract_slice %8[0, 0, 1, 0] [3, 2, 2, 4] [1, 1, 2, 1] : tensor<3x2x4x4xf32> to tensor<3x2x2x4xf32>
    %9 = tensor.empty() : tensor<3x4xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%extracted_slice : tensor<3x2x2x4xf32>) outs(%10 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.addf %in, %out : f32
      linalg.yield %23 : f32
    } -> tensor<3x4xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<3x4xf32>) outs(%9 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.divf %in, %cst_1 : f32
      linalg.yield %23 : f32
    } -> tensor<3x4xf32>
    %13 = tensor.empty() : tensor<4x4xf32>
    %transposed_4 = linalg.transpose ins(%arg2 : tensor<4x4xf32>) outs(%13 : tensor<4x4xf32>) permutation = [1, 0] 
    %14 = linalg.matmul ins(%12, %transposed_4 : tensor<3x4xf32>, tensor<4x4xf32>) outs(%10 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<4xf32>) outs(%9 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%9 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %23 = arith.addf %in, %in_5 : f32
      linalg.yield %23 : f32
    } -> tensor<3x4xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %arg5 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%9 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %23 = arith.subf %in, %in_5 : f32
      linalg.yield %23 : f32
    } -> tensor<3x4xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<3x4xf32>) outs(%9 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %23 : f32
    } -> tensor<3x4xf32>
    %19 = tensor.empty() : tensor<f32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<f32>) -> tensor<f32>
    %21 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["reduction", "reduction"]} ins(%18 : tensor<3x4xf32>) outs(%20 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.addf %in, %out : f32
      linalg.yield %23 : f32
    } -> tensor<f32>
    %22 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%21 : tensor<f32>) outs(%19 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %23 = arith.divf %in, %cst_2 : f32
      linalg.yield %23 : f32
    } -> tensor<f32>
    return %22 : tensor<f32>
  }
}
