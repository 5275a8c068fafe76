// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (0, d1)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map10 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2) -> (d2)>
#map13 = affine_map<(d0, d1, d2) -> ()>
#map14 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<24x8xf32> {zero.param = "qkv.weight"}, %arg1: tensor<24xf32> {zero.param = "qkv.bias"}, %arg2: tensor<8x8xf32> {zero.param = "o.weight"}, %arg3: tensor<8xf32> {zero.param = "o.bias"}, %arg4: tensor<2x5x8xf32> {zero.input = "x"}, %arg5: tensor<2x5x8xf32> {zero.input = "y"}) -> tensor<f32> {
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<2x2x5x5xf32>
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_4 = arith.constant dense<true> : tensor<5x5xi1>
    %cst_5 = arith.constant 0xFFF0000000000000 : f64
    %cst_6 = arith.constant 0.70710678118654757 : f64
    %cst_7 = arith.constant 8.000000e+01 : f32
    %collapsed = tensor.collapse_shape %arg4 [[0, 1], [2]] : tensor<2x5x8xf32> into tensor<10x8xf32>
    %0 = tensor.empty() : tensor<8x24xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<24x8xf32>) outs(%0 : tensor<8x24xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<10x24xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<10x24xf32>) -> tensor<10x24xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<10x8xf32>, tensor<8x24xf32>) outs(%2 : tensor<10x24xf32>) -> tensor<10x24xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<24xf32>) outs(%1 : tensor<10x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<10x24xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<10x24xf32>, tensor<10x24xf32>) outs(%1 : tensor<10x24xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %58 = arith.addf %in, %in_28 : f32
      linalg.yield %58 : f32
    } -> tensor<10x24xf32>
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 5, 24] : tensor<10x24xf32> into tensor<2x5x24xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 5, 8] [1, 1, 1] : tensor<2x5x24xf32> to tensor<2x5x8xf32>
    %extracted_slice_8 = tensor.extract_slice %expanded[0, 0, 8] [2, 5, 8] [1, 1, 1] : tensor<2x5x24xf32> to tensor<2x5x8xf32>
    %extracted_slice_9 = tensor.extract_slice %expanded[0, 0, 16] [2, 5, 8] [1, 1, 1] : tensor<2x5x24xf32> to tensor<2x5x8xf32>
    %expanded_10 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
    %6 = tensor.empty() : tensor<2x2x5x4xf32>
    %transposed_11 = linalg.transpose ins(%expanded_10 : tensor<2x5x2x4xf32>) outs(%6 : tensor<2x2x5x4xf32>) permutation = [0, 2, 1, 3] 
    %expanded_12 = tensor.expand_shape %extracted_slice_8 [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
    %expanded_13 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<2x5x8xf32> into tensor<2x5x2x4xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<2x5x2x4xf32>) outs(%6 : tensor<2x2x5x4xf32>) permutation = [0, 2, 1, 3] 
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_11 : tensor<2x2x5x4xf32>) outs(%6 : tensor<2x2x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = arith.truncf %cst_6 : f64 to f32
      %59 = arith.mulf %in, %58 : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5x4xf32>
    %8 = tensor.empty() : tensor<5xi64>
    %9 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%8 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %58 = linalg.index 0 : index
      %59 = arith.index_cast %58 : index to i64
      linalg.yield %59 : i64
    } -> tensor<5xi64>
    %expanded_15 = tensor.expand_shape %9 [[0, 1]] output_shape [1, 5] : tensor<5xi64> into tensor<1x5xi64>
    %expanded_16 = tensor.expand_shape %9 [[0, 1]] output_shape [5, 1] : tensor<5xi64> into tensor<5x1xi64>
    %10 = tensor.empty() : tensor<5x5xi64>
    %11 = linalg.generic {indexing_maps = [#map4, #map5, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_15, %expanded_16 : tensor<1x5xi64>, tensor<5x1xi64>) outs(%10 : tensor<5x5xi64>) {
    ^bb0(%in: i64, %in_28: i64, %out: i64):
      %58 = arith.subi %in, %in_28 : i64
      linalg.yield %58 : i64
    } -> tensor<5x5xi64>
    %12 = tensor.empty() : tensor<5x5xi1>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<5x5xi64>) outs(%12 : tensor<5x5xi1>) {
    ^bb0(%in: i64, %out: i1):
      %58 = arith.cmpi sle, %in, %c0_i64 : i64
      linalg.yield %58 : i1
    } -> tensor<5x5xi1>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_4 : tensor<5x5xi1>, tensor<5x5xi1>) outs(%12 : tensor<5x5xi1>) {
    ^bb0(%in: i1, %in_28: i1, %out: i1):
      %58 = arith.andi %in, %in_28 : i1
      linalg.yield %58 : i1
    } -> tensor<5x5xi1>
    %15 = tensor.empty() : tensor<5x5xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map6, #map6, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %cst_2, %cst_3 : tensor<5x5xi1>, tensor<f32>, tensor<f32>) outs(%15 : tensor<5x5xf32>) {
    ^bb0(%in: i1, %in_28: f32, %in_29: f32, %out: f32):
      %58 = arith.select %in, %in_28, %in_29 : f32
      linalg.yield %58 : f32
    } -> tensor<5x5xf32>
    %17 = tensor.empty() : tensor<2x2x4x5xf32>
    %transposed_17 = linalg.transpose ins(%expanded_12 : tensor<2x5x2x4xf32>) outs(%17 : tensor<2x2x4x5xf32>) permutation = [0, 2, 3, 1] 
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_17 : tensor<2x2x4x5xf32>) outs(%17 : tensor<2x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = arith.truncf %cst_6 : f64 to f32
      %59 = arith.mulf %in, %58 : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x4x5xf32>
    %collapsed_18 = tensor.collapse_shape %7 [[0, 1], [2], [3]] : tensor<2x2x5x4xf32> into tensor<4x5x4xf32>
    %collapsed_19 = tensor.collapse_shape %18 [[0, 1], [2], [3]] : tensor<2x2x4x5xf32> into tensor<4x4x5xf32>
    %19 = tensor.empty() : tensor<4x5x5xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %21 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<4x5x4xf32>, tensor<4x4x5xf32>) outs(%20 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %expanded_20 = tensor.expand_shape %21 [[0, 1], [2], [3]] output_shape [2, 2, 5, 5] : tensor<4x5x5xf32> into tensor<2x2x5x5xf32>
    %22 = tensor.empty() : tensor<2x2x5x5xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20, %16 : tensor<2x2x5x5xf32>, tensor<5x5xf32>) outs(%22 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %58 = arith.addf %in, %in_28 : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x5x5xf32>
    %24 = tensor.empty() : tensor<2x2x5xi64>
    %25 = linalg.fill ins(%c0_i64 : i64) outs(%24 : tensor<2x2x5xi64>) -> tensor<2x2x5xi64>
    %26 = tensor.empty() : tensor<2x2x5xf32>
    %27 = linalg.fill ins(%cst_0 : f32) outs(%26 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %28:2 = linalg.generic {indexing_maps = [#map2, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<2x2x5x5xf32>) outs(%27, %25 : tensor<2x2x5xf32>, tensor<2x2x5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_28: i64):
      %58 = linalg.index 3 : index
      %59 = arith.index_cast %58 : index to i64
      %60 = arith.maximumf %in, %out : f32
      %61 = arith.cmpf ogt, %in, %out : f32
      %62 = arith.select %61, %59, %out_28 : i64
      linalg.yield %60, %62 : f32, i64
    } -> (tensor<2x2x5xf32>, tensor<2x2x5xi64>)
    %expanded_21 = tensor.expand_shape %28#0 [[0], [1], [2, 3]] output_shape [2, 2, 5, 1] : tensor<2x2x5xf32> into tensor<2x2x5x1xf32>
    %29 = linalg.generic {indexing_maps = [#map2, #map9, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %expanded_21 : tensor<2x2x5x5xf32>, tensor<2x2x5x1xf32>) outs(%22 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %58 = arith.subf %in, %in_28 : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x5x5xf32>
    %30 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x2x5x5xf32>) outs(%22 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = math.exp %in : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x5x5xf32>
    %31 = tensor.empty() : tensor<2x2x5x1xf32>
    %32 = linalg.fill ins(%cst : f32) outs(%31 : tensor<2x2x5x1xf32>) -> tensor<2x2x5x1xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<2x2x5x5xf32>) outs(%32 : tensor<2x2x5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = arith.addf %in, %out : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x5x1xf32>
    %34 = linalg.generic {indexing_maps = [#map2, #map9, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %33 : tensor<2x2x5x5xf32>, tensor<2x2x5x1xf32>) outs(%22 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %58 = arith.divf %in, %in_28 : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x5x5xf32>
    %35 = tensor.empty() : tensor<2x2x5x5xi1>
    %36 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23 : tensor<2x2x5x5xf32>) outs(%35 : tensor<2x2x5x5xi1>) {
    ^bb0(%in: f32, %out: i1):
      %58 = arith.extf %in : f32 to f64
      %59 = arith.cmpf oeq, %58, %cst_5 : f64
      linalg.yield %59 : i1
    } -> tensor<2x2x5x5xi1>
    %37 = tensor.empty() : tensor<2x2x5x1xi1>
    %38 = linalg.fill ins(%true : i1) outs(%37 : tensor<2x2x5x1xi1>) -> tensor<2x2x5x1xi1>
    %39 = linalg.generic {indexing_maps = [#map2, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%36 : tensor<2x2x5x5xi1>) outs(%38 : tensor<2x2x5x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %58 = arith.andi %in, %out : i1
      linalg.yield %58 : i1
    } -> tensor<2x2x5x1xi1>
    %40 = linalg.generic {indexing_maps = [#map9, #map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %cst_1, %34 : tensor<2x2x5x1xi1>, tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%22 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: i1, %in_28: f32, %in_29: f32, %out: f32):
      %58 = arith.select %in, %in_28, %in_29 : f32
      linalg.yield %58 : f32
    } -> tensor<2x2x5x5xf32>
    %collapsed_22 = tensor.collapse_shape %40 [[0, 1], [2], [3]] : tensor<2x2x5x5xf32> into tensor<4x5x5xf32>
    %collapsed_23 = tensor.collapse_shape %transposed_14 [[0, 1], [2], [3]] : tensor<2x2x5x4xf32> into tensor<4x5x4xf32>
    %41 = tensor.empty() : tensor<4x5x4xf32>
    %42 = linalg.fill ins(%cst : f32) outs(%41 : tensor<4x5x4xf32>) -> tensor<4x5x4xf32>
    %43 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<4x5x5xf32>, tensor<4x5x4xf32>) outs(%42 : tensor<4x5x4xf32>) -> tensor<4x5x4xf32>
    %expanded_24 = tensor.expand_shape %43 [[0, 1], [2], [3]] output_shape [2, 2, 5, 4] : tensor<4x5x4xf32> into tensor<2x2x5x4xf32>
    %44 = tensor.empty() : tensor<2x5x2x4xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<2x2x5x4xf32>) outs(%44 : tensor<2x5x2x4xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_26 = tensor.collapse_shape %transposed_25 [[0], [1], [2, 3]] : tensor<2x5x2x4xf32> into tensor<2x5x8xf32>
    %45 = tensor.empty() : tensor<8x8xf32>
    %transposed_27 = linalg.transpose ins(%arg2 : tensor<8x8xf32>) outs(%45 : tensor<8x8xf32>) permutation = [1, 0] 
    %46 = tensor.empty() : tensor<2x8x8xf32>
    %47 = linalg.generic {indexing_maps = [#map10, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_27 : tensor<8x8xf32>) outs(%46 : tensor<2x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x8x8xf32>
    %48 = tensor.empty() : tensor<2x5x8xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %50 = linalg.batch_matmul ins(%collapsed_26, %47 : tensor<2x5x8xf32>, tensor<2x8x8xf32>) outs(%49 : tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    %51 = linalg.generic {indexing_maps = [#map11, #map12, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50, %arg3 : tensor<2x5x8xf32>, tensor<8xf32>) outs(%48 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %58 = arith.addf %in, %in_28 : f32
      linalg.yield %58 : f32
    } -> tensor<2x5x8xf32>
    %52 = linalg.generic {indexing_maps = [#map11, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %arg5 : tensor<2x5x8xf32>, tensor<2x5x8xf32>) outs(%48 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %in_28: f32, %out: f32):
      %58 = arith.subf %in, %in_28 : f32
      linalg.yield %58 : f32
    } -> tensor<2x5x8xf32>
    %53 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<2x5x8xf32>) outs(%48 : tensor<2x5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %58 : f32
    } -> tensor<2x5x8xf32>
    %54 = tensor.empty() : tensor<f32>
    %55 = linalg.fill ins(%cst : f32) outs(%54 : tensor<f32>) -> tensor<f32>
    %56 = linalg.generic {indexing_maps = [#map11, #map13], iterator_types = ["reduction", "reduction", "reduction"]} ins(%53 : tensor<2x5x8xf32>) outs(%55 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = arith.addf %in, %out : f32
      linalg.yield %58 : f32
    } -> tensor<f32>
    %57 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = []} ins(%56 : tensor<f32>) outs(%54 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %58 = arith.divf %in, %cst_7 : f32
      linalg.yield %58 : f32
    } -> tensor<f32>
    return %57 : tensor<f32>
  }
}
