// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map7 = affine_map<(d0, d1, d2) -> ()>
#map8 = affine_map<() -> ()>
#map9 = affine_map<(d0, d1) -> (d0, d1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<8x8xf32> {zero.param = "q"}, %arg1: tensor<8x8xf32> {zero.param = "k"}, %arg2: tensor<8x8xf32> {zero.param = "v"}, %arg3: tensor<8x3xf32> {zero.param = "o"}, %arg4: tensor<2x5x8xf32> {zero.input = "x"}, %arg5: tensor<2x5x3xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 3.000000e+01 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 2.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant dense<true> : tensor<5x5xi1>
    %cst_4 = arith.constant dense<-1.000000e+09> : tensor<f32>
    %collapsed = tensor.collapse_shape %arg4 [[0, 1], [2]] : tensor<2x5x8xf32> into tensor<10x8xf32>
    %0 = tensor.empty() : tensor<10x8xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %2 = linalg.matmul ins(%collapsed, %arg0 : tensor<10x8xf32>, tensor<8x8xf32>) outs(%1 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %expanded = tensor.expand_shape %2 [[0, 1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<10x8xf32> into tensor<2x5x2x4xf32>
    %3 = linalg.matmul ins(%collapsed, %arg1 : tensor<10x8xf32>, tensor<8x8xf32>) outs(%1 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %expanded_5 = tensor.expand_shape %3 [[0, 1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<10x8xf32> into tensor<2x5x2x4xf32>
    %4 = linalg.matmul ins(%collapsed, %arg2 : tensor<10x8xf32>, tensor<8x8xf32>) outs(%1 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %expanded_6 = tensor.expand_shape %4 [[0, 1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<10x8xf32> into tensor<2x5x2x4xf32>
    %5 = tensor.empty() : tensor<2x2x5x4xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x5x2x4xf32>) outs(%5 : tensor<2x2x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x4xf32>
    %7 = tensor.empty() : tensor<2x2x4x5xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5 : tensor<2x5x2x4xf32>) outs(%7 : tensor<2x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x4x5xf32>
    %collapsed_7 = tensor.collapse_shape %6 [[0, 1], [2], [3]] : tensor<2x2x5x4xf32> into tensor<4x5x4xf32>
    %collapsed_8 = tensor.collapse_shape %8 [[0, 1], [2], [3]] : tensor<2x2x4x5xf32> into tensor<4x4x5xf32>
    %9 = tensor.empty() : tensor<4x5x5xf32>
    %10 = linalg.fill ins(%cst_2 : f32) outs(%9 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %11 = linalg.batch_matmul ins(%collapsed_7, %collapsed_8 : tensor<4x5x4xf32>, tensor<4x4x5xf32>) outs(%10 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %expanded_9 = tensor.expand_shape %11 [[0, 1], [2], [3]] output_shape [2, 2, 5, 5] : tensor<4x5x5xf32> into tensor<2x2x5x5xf32>
    %12 = tensor.empty() : tensor<2x2x5x5xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<2x2x5x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.divf %in, %cst_1 : f32
      linalg.yield %44 : f32
    } -> tensor<2x2x5x5xf32>
    %14 = call @tril(%cst_3) : (tensor<5x5xi1>) -> tensor<5x5xi1>
    %15 = call @_where(%14, %13, %cst_4) : (tensor<5x5xi1>, tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5x5xf32>
    %16 = tensor.empty() : tensor<2x2x5xf32>
    %17 = linalg.fill ins(%cst_0 : f32) outs(%16 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%15 : tensor<2x2x5x5xf32>) outs(%17 : tensor<2x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.maximumf %out, %in : f32
      linalg.yield %44 : f32
    } -> tensor<2x2x5xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<2x2x5xf32>) outs(%16 : tensor<2x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19 : tensor<2x2x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %20 : tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %44 = arith.subf %in, %in_15 : f32
      linalg.yield %44 : f32
    } -> tensor<2x2x5x5xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21 : tensor<2x2x5x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = math.exp %in : f32
      linalg.yield %44 : f32
    } -> tensor<2x2x5x5xf32>
    %23 = linalg.fill ins(%cst_2 : f32) outs(%16 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%22 : tensor<2x2x5x5xf32>) outs(%23 : tensor<2x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.addf %out, %in : f32
      linalg.yield %44 : f32
    } -> tensor<2x2x5xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x2x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %25 : tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %44 = arith.divf %in, %in_15 : f32
      linalg.yield %44 : f32
    } -> tensor<2x2x5x5xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x5x2x4xf32>) outs(%7 : tensor<2x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x4x5xf32>
    %28 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x2x5x5xf32>) outs(%12 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %collapsed_10 = tensor.collapse_shape %27 [[0, 1], [2], [3]] : tensor<2x2x4x5xf32> into tensor<4x4x5xf32>
    %collapsed_11 = tensor.collapse_shape %28 [[0, 1], [2], [3]] : tensor<2x2x5x5xf32> into tensor<4x5x5xf32>
    %29 = tensor.empty() : tensor<4x4x5xf32>
    %30 = linalg.fill ins(%cst_2 : f32) outs(%29 : tensor<4x4x5xf32>) -> tensor<4x4x5xf32>
    %31 = linalg.batch_matmul ins(%collapsed_10, %collapsed_11 : tensor<4x4x5xf32>, tensor<4x5x5xf32>) outs(%30 : tensor<4x4x5xf32>) -> tensor<4x4x5xf32>
    %expanded_12 = tensor.expand_shape %31 [[0, 1], [2], [3]] output_shape [2, 2, 4, 5] : tensor<4x4x5xf32> into tensor<2x2x4x5xf32>
    %32 = tensor.empty() : tensor<2x5x2x4xf32>
    %33 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_12 : tensor<2x2x4x5xf32>) outs(%32 : tensor<2x5x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5x2x4xf32>
    %collapsed_13 = tensor.collapse_shape %33 [[0, 1], [2, 3]] : tensor<2x5x2x4xf32> into tensor<10x8xf32>
    %34 = tensor.empty() : tensor<10x3xf32>
    %35 = linalg.fill ins(%cst_2 : f32) outs(%34 : tensor<10x3xf32>) -> tensor<10x3xf32>
    %36 = linalg.matmul ins(%collapsed_13, %arg3 : tensor<10x8xf32>, tensor<8x3xf32>) outs(%35 : tensor<10x3xf32>) -> tensor<10x3xf32>
    %expanded_14 = tensor.expand_shape %36 [[0, 1], [2]] output_shape [2, 5, 3] : tensor<10x3xf32> into tensor<2x5x3xf32>
    %37 = tensor.empty() : tensor<2x5x3xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_14, %arg5 : tensor<2x5x3xf32>, tensor<2x5x3xf32>) outs(%37 : tensor<2x5x3xf32>) {
    ^bb0(%in: f32, %in_15: f32, %out: f32):
      %44 = arith.subf %in, %in_15 : f32
      linalg.yield %44 : f32
    } -> tensor<2x5x3xf32>
    %39 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x5x3xf32>) outs(%37 : tensor<2x5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.mulf %in, %in : f32
      linalg.yield %44 : f32
    } -> tensor<2x5x3xf32>
    %40 = tensor.empty() : tensor<f32>
    %41 = linalg.fill ins(%cst_2 : f32) outs(%40 : tensor<f32>) -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["reduction", "reduction", "reduction"]} ins(%39 : tensor<2x5x3xf32>) outs(%41 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.addf %out, %in : f32
      linalg.yield %44 : f32
    } -> tensor<f32>
    %43 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = []} ins(%42 : tensor<f32>) outs(%40 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %44 = arith.divf %in, %cst : f32
      linalg.yield %44 : f32
    } -> tensor<f32>
    return %43 : tensor<f32>
  }
  func.func private @tril(%arg0: tensor<5x5xi1>) -> tensor<5x5xi1> {
    %false = arith.constant false
    %0 = tensor.empty() : tensor<5x5xi32>
    %1 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %6 = linalg.index 0 : index
      %7 = arith.index_cast %6 : index to i32
      linalg.yield %7 : i32
    } -> tensor<5x5xi32>
    %2 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %6 = linalg.index 1 : index
      %7 = arith.index_cast %6 : index to i32
      linalg.yield %7 : i32
    } -> tensor<5x5xi32>
    %3 = tensor.empty() : tensor<5x5xi1>
    %4 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%1, %2 : tensor<5x5xi32>, tensor<5x5xi32>) outs(%3 : tensor<5x5xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %6 = arith.cmpi sge, %in, %in_0 : i32
      linalg.yield %6 : i1
    } -> tensor<5x5xi1>
    %5 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%4, %arg0 : tensor<5x5xi1>, tensor<5x5xi1>) outs(%3 : tensor<5x5xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %6 = arith.select %in, %in_0, %false : i1
      linalg.yield %6 : i1
    } -> tensor<5x5xi1>
    return %5 : tensor<5x5xi1>
  }
  func.func private @_where(%arg0: tensor<5x5xi1>, %arg1: tensor<2x2x5x5xf32>, %arg2: tensor<f32>) -> tensor<2x2x5x5xf32> {
    %0 = tensor.empty() : tensor<2x2x5x5xi1>
    %1 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<5x5xi1>) outs(%0 : tensor<2x2x5x5xi1>) {
    ^bb0(%in: i1, %out: i1):
      linalg.yield %in : i1
    } -> tensor<2x2x5x5xi1>
    %2 = tensor.empty() : tensor<2x2x5x5xf32>
    %3 = linalg.generic {indexing_maps = [#map11, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%2 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%2 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %5 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %5 : f32
    } -> tensor<2x2x5x5xf32>
    return %4 : tensor<2x2x5x5xf32>
  }
}
