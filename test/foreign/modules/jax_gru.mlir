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
    %3 = tensor.empty() : tensor<3x18xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<18xf32>) outs(%3 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18xf32>
    %5 = tensor.empty() : tensor<3x18xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%5 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x18xf32>
    %7 = tensor.empty() : tensor<3x18xf32>
    %8 = linalg.fill ins(%cst_1 : f32) outs(%7 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %9 = linalg.matmul ins(%cst_2, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%8 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_3 = tensor.extract_slice %6[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_4 = tensor.extract_slice %9[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %10 = tensor.empty() : tensor<3x6xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_3, %extracted_slice_4 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%10 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %12 = tensor.empty() : tensor<3x6xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<3x6xf32>) outs(%12 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %14 = tensor.empty() : tensor<3x6xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<3x6xf32>) outs(%14 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %16 = tensor.empty() : tensor<3x6xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<3x6xf32>) outs(%16 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %18 = tensor.empty() : tensor<3x6xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<3x6xf32>) outs(%18 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_5 = tensor.extract_slice %6[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_6 = tensor.extract_slice %9[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %20 = tensor.empty() : tensor<3x6xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5, %extracted_slice_6 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%20 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %22 = tensor.empty() : tensor<3x6xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<3x6xf32>) outs(%22 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %24 = tensor.empty() : tensor<3x6xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<3x6xf32>) outs(%24 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %26 = tensor.empty() : tensor<3x6xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<3x6xf32>) outs(%26 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %28 = tensor.empty() : tensor<3x6xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<3x6xf32>) outs(%28 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_7 = tensor.extract_slice %6[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_8 = tensor.extract_slice %9[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %30 = tensor.empty() : tensor<3x6xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %extracted_slice_8 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%30 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %32 = tensor.empty() : tensor<3x6xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_7, %31 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%32 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %34 = tensor.empty() : tensor<3x6xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<3x6xf32>) outs(%34 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.tanh %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %36 = tensor.empty() : tensor<3x6xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<3x6xf32>) outs(%36 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.subf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %38 = tensor.empty() : tensor<3x6xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%37, %35 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%38 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %40 = tensor.empty() : tensor<3x6xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<3x6xf32>) outs(%40 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.mulf %in, %cst_1 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %42 = tensor.empty() : tensor<3x6xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%39, %41 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%42 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_9 = tensor.extract_slice %arg4[0, 1, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_10 = tensor.collapse_shape %extracted_slice_9 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %44 = tensor.empty() : tensor<3x18xf32>
    %45 = linalg.fill ins(%cst_1 : f32) outs(%44 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %46 = linalg.matmul ins(%collapsed_10, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%45 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %47 = tensor.empty() : tensor<3x18xf32>
    %48 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<18xf32>) outs(%47 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18xf32>
    %49 = tensor.empty() : tensor<3x18xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%46, %48 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%49 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x18xf32>
    %51 = tensor.empty() : tensor<3x18xf32>
    %52 = linalg.fill ins(%cst_1 : f32) outs(%51 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %53 = linalg.matmul ins(%43, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%52 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_11 = tensor.extract_slice %50[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_12 = tensor.extract_slice %53[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %54 = tensor.empty() : tensor<3x6xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_11, %extracted_slice_12 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%54 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %56 = tensor.empty() : tensor<3x6xf32>
    %57 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%55 : tensor<3x6xf32>) outs(%56 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %58 = tensor.empty() : tensor<3x6xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%57 : tensor<3x6xf32>) outs(%58 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %60 = tensor.empty() : tensor<3x6xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%59 : tensor<3x6xf32>) outs(%60 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %62 = tensor.empty() : tensor<3x6xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%61 : tensor<3x6xf32>) outs(%62 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_13 = tensor.extract_slice %50[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_14 = tensor.extract_slice %53[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %64 = tensor.empty() : tensor<3x6xf32>
    %65 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_13, %extracted_slice_14 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%64 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %66 = tensor.empty() : tensor<3x6xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%65 : tensor<3x6xf32>) outs(%66 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %68 = tensor.empty() : tensor<3x6xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<3x6xf32>) outs(%68 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %70 = tensor.empty() : tensor<3x6xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%69 : tensor<3x6xf32>) outs(%70 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %72 = tensor.empty() : tensor<3x6xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%71 : tensor<3x6xf32>) outs(%72 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_15 = tensor.extract_slice %50[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_16 = tensor.extract_slice %53[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %74 = tensor.empty() : tensor<3x6xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%63, %extracted_slice_16 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%74 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %76 = tensor.empty() : tensor<3x6xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_15, %75 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%76 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %78 = tensor.empty() : tensor<3x6xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%77 : tensor<3x6xf32>) outs(%78 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.tanh %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %80 = tensor.empty() : tensor<3x6xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%73 : tensor<3x6xf32>) outs(%80 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.subf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %82 = tensor.empty() : tensor<3x6xf32>
    %83 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%81, %79 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%82 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %84 = tensor.empty() : tensor<3x6xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%73, %43 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%84 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %86 = tensor.empty() : tensor<3x6xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%83, %85 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%86 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_17 = tensor.extract_slice %arg4[0, 2, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_18 = tensor.collapse_shape %extracted_slice_17 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %88 = tensor.empty() : tensor<3x18xf32>
    %89 = linalg.fill ins(%cst_1 : f32) outs(%88 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %90 = linalg.matmul ins(%collapsed_18, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%89 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %91 = tensor.empty() : tensor<3x18xf32>
    %92 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<18xf32>) outs(%91 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18xf32>
    %93 = tensor.empty() : tensor<3x18xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%90, %92 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%93 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x18xf32>
    %95 = tensor.empty() : tensor<3x18xf32>
    %96 = linalg.fill ins(%cst_1 : f32) outs(%95 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %97 = linalg.matmul ins(%87, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%96 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_19 = tensor.extract_slice %94[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_20 = tensor.extract_slice %97[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %98 = tensor.empty() : tensor<3x6xf32>
    %99 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_19, %extracted_slice_20 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%98 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %100 = tensor.empty() : tensor<3x6xf32>
    %101 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%99 : tensor<3x6xf32>) outs(%100 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %102 = tensor.empty() : tensor<3x6xf32>
    %103 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%101 : tensor<3x6xf32>) outs(%102 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %104 = tensor.empty() : tensor<3x6xf32>
    %105 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%103 : tensor<3x6xf32>) outs(%104 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %106 = tensor.empty() : tensor<3x6xf32>
    %107 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%105 : tensor<3x6xf32>) outs(%106 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_21 = tensor.extract_slice %94[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_22 = tensor.extract_slice %97[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %108 = tensor.empty() : tensor<3x6xf32>
    %109 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_21, %extracted_slice_22 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%108 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %110 = tensor.empty() : tensor<3x6xf32>
    %111 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%109 : tensor<3x6xf32>) outs(%110 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %112 = tensor.empty() : tensor<3x6xf32>
    %113 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%111 : tensor<3x6xf32>) outs(%112 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %114 = tensor.empty() : tensor<3x6xf32>
    %115 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%113 : tensor<3x6xf32>) outs(%114 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %116 = tensor.empty() : tensor<3x6xf32>
    %117 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%115 : tensor<3x6xf32>) outs(%116 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_23 = tensor.extract_slice %94[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_24 = tensor.extract_slice %97[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %118 = tensor.empty() : tensor<3x6xf32>
    %119 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%107, %extracted_slice_24 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%118 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %120 = tensor.empty() : tensor<3x6xf32>
    %121 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_23, %119 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%120 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %122 = tensor.empty() : tensor<3x6xf32>
    %123 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%121 : tensor<3x6xf32>) outs(%122 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.tanh %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %124 = tensor.empty() : tensor<3x6xf32>
    %125 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%117 : tensor<3x6xf32>) outs(%124 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.subf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %126 = tensor.empty() : tensor<3x6xf32>
    %127 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%125, %123 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%126 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %128 = tensor.empty() : tensor<3x6xf32>
    %129 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%117, %87 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%128 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %130 = tensor.empty() : tensor<3x6xf32>
    %131 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%127, %129 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%130 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_25 = tensor.extract_slice %arg4[0, 3, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_26 = tensor.collapse_shape %extracted_slice_25 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %132 = tensor.empty() : tensor<3x18xf32>
    %133 = linalg.fill ins(%cst_1 : f32) outs(%132 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %134 = linalg.matmul ins(%collapsed_26, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%133 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %135 = tensor.empty() : tensor<3x18xf32>
    %136 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<18xf32>) outs(%135 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18xf32>
    %137 = tensor.empty() : tensor<3x18xf32>
    %138 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%134, %136 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%137 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x18xf32>
    %139 = tensor.empty() : tensor<3x18xf32>
    %140 = linalg.fill ins(%cst_1 : f32) outs(%139 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %141 = linalg.matmul ins(%131, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%140 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_27 = tensor.extract_slice %138[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_28 = tensor.extract_slice %141[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %142 = tensor.empty() : tensor<3x6xf32>
    %143 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_27, %extracted_slice_28 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%142 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %144 = tensor.empty() : tensor<3x6xf32>
    %145 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%143 : tensor<3x6xf32>) outs(%144 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %146 = tensor.empty() : tensor<3x6xf32>
    %147 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%145 : tensor<3x6xf32>) outs(%146 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %148 = tensor.empty() : tensor<3x6xf32>
    %149 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%147 : tensor<3x6xf32>) outs(%148 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %150 = tensor.empty() : tensor<3x6xf32>
    %151 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%149 : tensor<3x6xf32>) outs(%150 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_29 = tensor.extract_slice %138[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_30 = tensor.extract_slice %141[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %152 = tensor.empty() : tensor<3x6xf32>
    %153 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_29, %extracted_slice_30 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%152 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %154 = tensor.empty() : tensor<3x6xf32>
    %155 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%153 : tensor<3x6xf32>) outs(%154 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %156 = tensor.empty() : tensor<3x6xf32>
    %157 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%155 : tensor<3x6xf32>) outs(%156 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %158 = tensor.empty() : tensor<3x6xf32>
    %159 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%157 : tensor<3x6xf32>) outs(%158 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %160 = tensor.empty() : tensor<3x6xf32>
    %161 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%159 : tensor<3x6xf32>) outs(%160 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_31 = tensor.extract_slice %138[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_32 = tensor.extract_slice %141[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %162 = tensor.empty() : tensor<3x6xf32>
    %163 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%151, %extracted_slice_32 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%162 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %164 = tensor.empty() : tensor<3x6xf32>
    %165 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_31, %163 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%164 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %166 = tensor.empty() : tensor<3x6xf32>
    %167 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%165 : tensor<3x6xf32>) outs(%166 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.tanh %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %168 = tensor.empty() : tensor<3x6xf32>
    %169 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%161 : tensor<3x6xf32>) outs(%168 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.subf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %170 = tensor.empty() : tensor<3x6xf32>
    %171 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%169, %167 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%170 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %172 = tensor.empty() : tensor<3x6xf32>
    %173 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%161, %131 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%172 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %174 = tensor.empty() : tensor<3x6xf32>
    %175 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%171, %173 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%174 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_33 = tensor.extract_slice %arg4[0, 4, 0] [3, 1, 4] [1, 1, 1] : tensor<3x5x4xf32> to tensor<3x1x4xf32>
    %collapsed_34 = tensor.collapse_shape %extracted_slice_33 [[0], [1, 2]] : tensor<3x1x4xf32> into tensor<3x4xf32>
    %176 = tensor.empty() : tensor<3x18xf32>
    %177 = linalg.fill ins(%cst_1 : f32) outs(%176 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %178 = linalg.matmul ins(%collapsed_34, %arg0 : tensor<3x4xf32>, tensor<4x18xf32>) outs(%177 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %179 = tensor.empty() : tensor<3x18xf32>
    %180 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<18xf32>) outs(%179 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x18xf32>
    %181 = tensor.empty() : tensor<3x18xf32>
    %182 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%178, %180 : tensor<3x18xf32>, tensor<3x18xf32>) outs(%181 : tensor<3x18xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x18xf32>
    %183 = tensor.empty() : tensor<3x18xf32>
    %184 = linalg.fill ins(%cst_1 : f32) outs(%183 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %185 = linalg.matmul ins(%175, %arg1 : tensor<3x6xf32>, tensor<6x18xf32>) outs(%184 : tensor<3x18xf32>) -> tensor<3x18xf32>
    %extracted_slice_35 = tensor.extract_slice %182[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_36 = tensor.extract_slice %185[0, 0] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %186 = tensor.empty() : tensor<3x6xf32>
    %187 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_35, %extracted_slice_36 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%186 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %188 = tensor.empty() : tensor<3x6xf32>
    %189 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%187 : tensor<3x6xf32>) outs(%188 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %190 = tensor.empty() : tensor<3x6xf32>
    %191 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%189 : tensor<3x6xf32>) outs(%190 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %192 = tensor.empty() : tensor<3x6xf32>
    %193 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%191 : tensor<3x6xf32>) outs(%192 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %194 = tensor.empty() : tensor<3x6xf32>
    %195 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%193 : tensor<3x6xf32>) outs(%194 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_37 = tensor.extract_slice %182[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_38 = tensor.extract_slice %185[0, 6] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %196 = tensor.empty() : tensor<3x6xf32>
    %197 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_37, %extracted_slice_38 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%196 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %198 = tensor.empty() : tensor<3x6xf32>
    %199 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%197 : tensor<3x6xf32>) outs(%198 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.negf %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %200 = tensor.empty() : tensor<3x6xf32>
    %201 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%199 : tensor<3x6xf32>) outs(%200 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.exp %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %202 = tensor.empty() : tensor<3x6xf32>
    %203 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%201 : tensor<3x6xf32>) outs(%202 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %in, %cst_0 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %204 = tensor.empty() : tensor<3x6xf32>
    %205 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%203 : tensor<3x6xf32>) outs(%204 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %extracted_slice_39 = tensor.extract_slice %182[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %extracted_slice_40 = tensor.extract_slice %185[0, 12] [3, 6] [1, 1] : tensor<3x18xf32> to tensor<3x6xf32>
    %206 = tensor.empty() : tensor<3x6xf32>
    %207 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%195, %extracted_slice_40 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%206 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %208 = tensor.empty() : tensor<3x6xf32>
    %209 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_39, %207 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%208 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %210 = tensor.empty() : tensor<3x6xf32>
    %211 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%209 : tensor<3x6xf32>) outs(%210 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = math.tanh %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %212 = tensor.empty() : tensor<3x6xf32>
    %213 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%205 : tensor<3x6xf32>) outs(%212 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.subf %cst_0, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %214 = tensor.empty() : tensor<3x6xf32>
    %215 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%213, %211 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%214 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %216 = tensor.empty() : tensor<3x6xf32>
    %217 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%205, %175 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%216 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.mulf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %218 = tensor.empty() : tensor<3x6xf32>
    %219 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%215, %217 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%218 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.addf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x6xf32>
    %collapsed_41 = tensor.collapse_shape %arg3 [[0, 1]] : tensor<6x1xf32> into tensor<6xf32>
    %220 = tensor.empty() : tensor<3xf32>
    %221 = linalg.fill ins(%cst_1 : f32) outs(%220 : tensor<3xf32>) -> tensor<3xf32>
    %222 = linalg.matvec ins(%219, %collapsed_41 : tensor<3x6xf32>, tensor<6xf32>) outs(%221 : tensor<3xf32>) -> tensor<3xf32>
    %expanded = tensor.expand_shape %222 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
    %223 = tensor.empty() : tensor<3x1xf32>
    %224 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded, %arg5 : tensor<3x1xf32>, tensor<3x1xf32>) outs(%223 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %232 = arith.subf %in, %in_42 : f32
      linalg.yield %232 : f32
    } -> tensor<3x1xf32>
    %225 = tensor.empty() : tensor<3x1xf32>
    %226 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%224 : tensor<3x1xf32>) outs(%225 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.mulf %in, %in : f32
      linalg.yield %232 : f32
    } -> tensor<3x1xf32>
    %227 = tensor.empty() : tensor<f32>
    %228 = linalg.fill ins(%cst_1 : f32) outs(%227 : tensor<f32>) -> tensor<f32>
    %229 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%226 : tensor<3x1xf32>) outs(%228 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.addf %out, %in : f32
      linalg.yield %232 : f32
    } -> tensor<f32>
    %230 = tensor.empty() : tensor<f32>
    %231 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%229 : tensor<f32>) outs(%230 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %232 = arith.divf %in, %cst : f32
      linalg.yield %232 : f32
    } -> tensor<f32>
    return %231 : tensor<f32>
  }
}
