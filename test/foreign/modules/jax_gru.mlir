// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<() -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<4x18xf32> {zero.param = "wx"}, %arg1: tensor<6x18xf32> {zero.param = "wh"}, %arg2: tensor<18xf32> {zero.param = "b"}, %arg3: tensor<6x1xf32> {zero.param = "o"}, %arg4: tensor<3x5x4xf32> {zero.input = "x"}, %arg5: tensor<3x1xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 3.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<3x6xf32>
    %extracted_slice = tensor.extract_slice %arg4[0, 0, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed = tensor.collapse_shape %extracted_slice [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %0 = tensor.empty() : tensor<3x18xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %2 = linalg.matmul ins(%collapsed, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<18xf32>) outs(%0 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%0 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x18xf32>
    %5 = linalg.matmul ins(%cst_2, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_3 = tensor.extract_slice %4[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_4 = tensor.extract_slice %5[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %6 = tensor.empty() : tensor<3x6xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_3, %extracted_slice_4 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_5 = tensor.extract_slice %4[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_6 = tensor.extract_slice %5[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5, %extracted_slice_6 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_7 = tensor.extract_slice %4[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_8 = tensor.extract_slice %5[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11, %extracted_slice_8 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7, %17 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.tanh %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.subf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20, %19 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.mulf %in, %cst_1 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21, %22 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_9 = tensor.extract_slice %arg4[0, 1, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice_9 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %24 = linalg.matmul ins(%collapsed_10, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24, %3 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%0 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x18xf32>
    %26 = linalg.matmul ins(%23, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_11 = tensor.extract_slice %25[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_12 = tensor.extract_slice %26[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_11, %extracted_slice_12 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_13 = tensor.extract_slice %25[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_14 = tensor.extract_slice %26[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_13, %extracted_slice_14 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_15 = tensor.extract_slice %25[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_16 = tensor.extract_slice %26[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%31, %extracted_slice_16 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_15, %37 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%38 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.tanh %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.subf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%40, %39 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36, %23 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%41, %42 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_17 = tensor.extract_slice %arg4[0, 2, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_18 = tensor.collapse_shape %extracted_slice_17 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %44 = linalg.matmul ins(%collapsed_18, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%44, %3 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%0 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x18xf32>
    %46 = linalg.matmul ins(%43, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_19 = tensor.extract_slice %45[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_20 = tensor.extract_slice %46[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_19, %extracted_slice_20 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%48 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%49 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %51 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%50 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_21 = tensor.extract_slice %45[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_22 = tensor.extract_slice %46[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %52 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_21, %extracted_slice_22 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %53 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %54 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%53 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%54 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %56 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%55 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_23 = tensor.extract_slice %45[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_24 = tensor.extract_slice %46[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %57 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%51, %extracted_slice_24 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %58 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_23, %57 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.tanh %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.subf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%60, %59 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%56, %43 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%61, %62 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_25 = tensor.extract_slice %arg4[0, 3, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_26 = tensor.collapse_shape %extracted_slice_25 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %64 = linalg.matmul ins(%collapsed_26, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%64, %3 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%0 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x18xf32>
    %66 = linalg.matmul ins(%63, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_27 = tensor.extract_slice %65[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_28 = tensor.extract_slice %66[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_27, %extracted_slice_28 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%68 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%69 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%70 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_29 = tensor.extract_slice %65[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_30 = tensor.extract_slice %66[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %72 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_29, %extracted_slice_30 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%72 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%73 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%74 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%75 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_31 = tensor.extract_slice %65[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_32 = tensor.extract_slice %66[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%71, %extracted_slice_32 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %78 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_31, %77 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%78 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.tanh %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%76 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.subf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%80, %79 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%76, %63 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%81, %82 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_33 = tensor.extract_slice %arg4[0, 4, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_34 = tensor.collapse_shape %extracted_slice_33 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %84 = linalg.matmul ins(%collapsed_34, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%84, %3 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%0 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x18xf32>
    %86 = linalg.matmul ins(%83, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%1 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_35 = tensor.extract_slice %85[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_36 = tensor.extract_slice %86[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_35, %extracted_slice_36 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%87 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%88 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %90 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%89 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%90 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_37 = tensor.extract_slice %85[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_38 = tensor.extract_slice %86[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %92 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_37, %extracted_slice_38 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %93 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%92 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.negf %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%93 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.exp %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %95 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%94 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %in, %cst_0 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%95 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_39 = tensor.extract_slice %85[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_40 = tensor.extract_slice %86[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%91, %extracted_slice_40 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_39, %97 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%98 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = math.tanh %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %100 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%96 : tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.subf %cst_0, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%100, %99 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %102 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%96, %83 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.mulf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%101, %102 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%6 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.addf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x6xf32>
    %collapsed_41 = tensor.collapse_shape %arg3 [[0, 1]] : tensor<6x1xf32> into tensor<6xf32>
    %104 = tensor.empty() : tensor<3xf32>
    %105 = linalg.fill ins(%cst_1 : f32) outs(%104 : tensor<3xf32>) -> tensor<3xf32>
    %106 = linalg.matvec ins(%103, %collapsed_41 : tensor<3x6xf32>, tensor<6xf32>) outs(%105 : tensor<3xf32>) -> tensor<3xf32>
    %expanded = tensor.expand_shape %106 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
    %107 = tensor.empty() : tensor<3x1xf32>
    %108 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %arg5 : tensor<3x1xf32>, tensor<3x1xf32>) outs(%107 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %114 = arith.subf %in, %in_42 : f32
      linalg.yield %114 : f32
    } -> tensor<3x1xf32>
    %109 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%108 : tensor<3x1xf32>) outs(%107 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.mulf %in, %in : f32
      linalg.yield %114 : f32
    } -> tensor<3x1xf32>
    %110 = tensor.empty() : tensor<f32>
    %111 = linalg.fill ins(%cst_1 : f32) outs(%110 : tensor<f32>) -> tensor<f32>
    %112 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%109 : tensor<3x1xf32>) outs(%111 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.addf %out, %in : f32
      linalg.yield %114 : f32
    } -> tensor<f32>
    %113 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%112 : tensor<f32>) outs(%110 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %114 = arith.divf %in, %cst : f32
      linalg.yield %114 : f32
    } -> tensor<f32>
    return %113 : tensor<f32>
  }
}
