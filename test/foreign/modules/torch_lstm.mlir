// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<20x4xf32> {zero.param = "cell.weight_ih"}, %arg1: tensor<20x5xf32> {zero.param = "cell.weight_hh"}, %arg2: tensor<20xf32> {zero.param = "cell.bias_ih"}, %arg3: tensor<20xf32> {zero.param = "cell.bias_hh"}, %arg4: tensor<3x5xf32> {zero.param = "out.weight"}, %arg5: tensor<3xf32> {zero.param = "out.bias"}, %arg6: tensor<3x3x4xf32> {zero.input = "x"}, %arg7: tensor<3xi64> {zero.input = "y"}) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %c3 = arith.constant 3 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<3x5xf32>
    %cst_4 = arith.constant dense<0> : tensor<i64>
    %extracted_slice = tensor.extract_slice %arg6[0, 0, 0] [3, 1, 4] [1, 1, 1] : tensor<3x3x4xf32> to tensor<3x1x4xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %0 = tensor.empty() : tensor<5x20xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<20x5xf32>) outs(%0 : tensor<5x20xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x20xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %3 = linalg.matmul ins(%cst_3, %transposed : tensor<3x5xf32>, tensor<5x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %6 = tensor.empty() : tensor<4x20xf32>
    %transposed_5 = linalg.transpose ins(%arg0 : tensor<20x4xf32>) outs(%6 : tensor<4x20xf32>) permutation = [1, 0] 
    %7 = linalg.matmul ins(%collapsed, %transposed_5 : tensor<3x4xf32>, tensor<4x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %9 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %extracted_slice_6 = tensor.extract_slice %10[0, 0] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_7 = tensor.extract_slice %10[0, 5] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_8 = tensor.extract_slice %10[0, 10] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_9 = tensor.extract_slice %10[0, 15] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %11 = tensor.empty() : tensor<3x5xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_6 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_8 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.tanh %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_9 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %cst_3 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %14 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %17 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.tanh %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %19 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %extracted_slice_10 = tensor.extract_slice %arg6[0, 1, 0] [3, 1, 4] [1, 1, 1] : tensor<3x3x4xf32> to tensor<3x1x4xf32>
    %collapsed_11 = tensor.collapse_shape %extracted_slice_10 [[0, 1], [2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %21 = linalg.matmul ins(%20, %transposed : tensor<3x5xf32>, tensor<5x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21, %4 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %23 = linalg.matmul ins(%collapsed_11, %transposed_5 : tensor<3x4xf32>, tensor<4x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23, %8 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %24 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %extracted_slice_12 = tensor.extract_slice %25[0, 0] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_13 = tensor.extract_slice %25[0, 5] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_14 = tensor.extract_slice %25[0, 10] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_15 = tensor.extract_slice %25[0, 15] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_12 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_13 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_14 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.tanh %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_15 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27, %18 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%26, %28 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30, %31 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.tanh %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29, %33 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %extracted_slice_16 = tensor.extract_slice %arg6[0, 2, 0] [3, 1, 4] [1, 1, 1] : tensor<3x3x4xf32> to tensor<3x1x4xf32>
    %collapsed_17 = tensor.collapse_shape %extracted_slice_16 [[0, 1], [2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %35 = linalg.matmul ins(%34, %transposed : tensor<3x5xf32>, tensor<5x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%35, %4 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %37 = linalg.matmul ins(%collapsed_17, %transposed_5 : tensor<3x4xf32>, tensor<4x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%37, %8 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36, %38 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x20xf32>
    %extracted_slice_18 = tensor.extract_slice %39[0, 0] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_19 = tensor.extract_slice %39[0, 5] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_20 = tensor.extract_slice %39[0, 10] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_21 = tensor.extract_slice %39[0, 15] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_18 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_19 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_20 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.tanh %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_21 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      %82 = math.exp %81 : f32
      %83 = arith.addf %82, %cst_0 : f32
      %84 = arith.divf %cst_0, %83 : f32
      linalg.yield %84 : f32
    } -> tensor<3x5xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%41, %32 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%40, %42 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%44, %45 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%46 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.tanh %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%43, %47 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.mulf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x5xf32>
    %49 = tensor.empty() : tensor<5x3xf32>
    %transposed_22 = linalg.transpose ins(%arg4 : tensor<3x5xf32>) outs(%49 : tensor<5x3xf32>) permutation = [1, 0] 
    %50 = tensor.empty() : tensor<3x3xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %52 = linalg.matmul ins(%48, %transposed_22 : tensor<3x5xf32>, tensor<5x3xf32>) outs(%51 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<3xf32>) outs(%50 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%52, %53 : tensor<3x3xf32>, tensor<3x3xf32>) outs(%50 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.addf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x3xf32>
    %55 = tensor.empty() : tensor<3xi64>
    %56 = linalg.fill ins(%c0_i64 : i64) outs(%55 : tensor<3xi64>) -> tensor<3xi64>
    %57 = tensor.empty() : tensor<3xf32>
    %58 = linalg.fill ins(%cst_1 : f32) outs(%57 : tensor<3xf32>) -> tensor<3xf32>
    %59:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%54 : tensor<3x3xf32>) outs(%58, %56 : tensor<3xf32>, tensor<3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_25: i64):
      %81 = linalg.index 1 : index
      %82 = arith.index_cast %81 : index to i64
      %83 = arith.maximumf %in, %out : f32
      %84 = arith.cmpf ogt, %in, %out : f32
      %85 = arith.select %84, %82, %out_25 : i64
      linalg.yield %83, %85 : f32, i64
    } -> (tensor<3xf32>, tensor<3xi64>)
    %expanded = tensor.expand_shape %59#0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%54, %expanded : tensor<3x3xf32>, tensor<3x1xf32>) outs(%50 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.subf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x3xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%60 : tensor<3x3xf32>) outs(%50 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.exp %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x3xf32>
    %62 = tensor.empty() : tensor<3x1xf32>
    %63 = linalg.fill ins(%cst : f32) outs(%62 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%61 : tensor<3x3xf32>) outs(%63 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.addf %in, %out : f32
      linalg.yield %81 : f32
    } -> tensor<3x1xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%64 : tensor<3x1xf32>) outs(%62 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = math.log %in : f32
      linalg.yield %81 : f32
    } -> tensor<3x1xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%60, %65 : tensor<3x3xf32>, tensor<3x1xf32>) outs(%50 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.subf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<3x3xf32>
    %67 = tensor.empty() : tensor<3xi1>
    %68 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%arg7 : tensor<3xi64>) outs(%67 : tensor<3xi1>) {
    ^bb0(%in: i64, %out: i1):
      %81 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %81 : i1
    } -> tensor<3xi1>
    %69 = linalg.generic {indexing_maps = [#map4, #map4, #map5, #map4], iterator_types = ["parallel"]} ins(%68, %arg7, %cst_4 : tensor<3xi1>, tensor<3xi64>, tensor<i64>) outs(%55 : tensor<3xi64>) {
    ^bb0(%in: i1, %in_25: i64, %in_26: i64, %out: i64):
      %81 = arith.select %in, %in_25, %in_26 : i64
      linalg.yield %81 : i64
    } -> tensor<3xi64>
    %expanded_23 = tensor.expand_shape %69 [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
    %70 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_23 : tensor<3x1xi64>) outs(%63 : tensor<3x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %81 = linalg.index 0 : index
      %82 = arith.index_cast %in : i64 to index
      %83 = arith.cmpi slt, %82, %c3 : index
      cf.assert %83, "index must be smaller than dim size"
      %84 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %84, "index must be larger or equal to 0"
      %extracted = tensor.extract %66[%81, %82] : tensor<3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x1xf32>
    %collapsed_24 = tensor.collapse_shape %70 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %71 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%collapsed_24 : tensor<3xf32>) outs(%57 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.negf %in : f32
      linalg.yield %81 : f32
    } -> tensor<3xf32>
    %72 = linalg.generic {indexing_maps = [#map4, #map4, #map5, #map4], iterator_types = ["parallel"]} ins(%68, %71, %cst_2 : tensor<3xi1>, tensor<3xf32>, tensor<f32>) outs(%57 : tensor<3xf32>) {
    ^bb0(%in: i1, %in_25: f32, %in_26: f32, %out: f32):
      %81 = arith.select %in, %in_25, %in_26 : f32
      linalg.yield %81 : f32
    } -> tensor<3xf32>
    %73 = tensor.empty() : tensor<i64>
    %74 = linalg.fill ins(%c0_i64 : i64) outs(%73 : tensor<i64>) -> tensor<i64>
    %75 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%68 : tensor<3xi1>) outs(%74 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %81 = arith.extui %in : i1 to i64
      %82 = arith.addi %81, %out : i64
      linalg.yield %82 : i64
    } -> tensor<i64>
    %76 = tensor.empty() : tensor<f32>
    %77 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%75 : tensor<i64>) outs(%76 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %81 = arith.sitofp %in : i64 to f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    %78 = linalg.fill ins(%cst : f32) outs(%76 : tensor<f32>) -> tensor<f32>
    %79 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%72 : tensor<3xf32>) outs(%78 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %81 = arith.addf %in, %out : f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    %80 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%79, %77 : tensor<f32>, tensor<f32>) outs(%76 : tensor<f32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %81 = arith.divf %in, %in_25 : f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    return %80 : tensor<f32>
  }
}
