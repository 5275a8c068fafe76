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
    %collapsed_5 = tensor.collapse_shape %arg4 [[0, 1], [2]] : tensor<2x5x8xf32> into tensor<10x8xf32>
    %3 = tensor.empty() : tensor<10x8xf32>
    %4 = linalg.fill ins(%cst_2 : f32) outs(%3 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %5 = linalg.matmul ins(%collapsed_5, %arg1 : tensor<10x8xf32>, tensor<8x8xf32>) outs(%4 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %expanded_6 = tensor.expand_shape %5 [[0, 1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<10x8xf32> into tensor<2x5x2x4xf32>
    %collapsed_7 = tensor.collapse_shape %arg4 [[0, 1], [2]] : tensor<2x5x8xf32> into tensor<10x8xf32>
    %6 = tensor.empty() : tensor<10x8xf32>
    %7 = linalg.fill ins(%cst_2 : f32) outs(%6 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %8 = linalg.matmul ins(%collapsed_7, %arg2 : tensor<10x8xf32>, tensor<8x8xf32>) outs(%7 : tensor<10x8xf32>) -> tensor<10x8xf32>
    %expanded_8 = tensor.expand_shape %8 [[0, 1], [2, 3]] output_shape [2, 5, 2, 4] : tensor<10x8xf32> into tensor<2x5x2x4xf32>
    %9 = tensor.empty() : tensor<2x2x5x4xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x5x2x4xf32>) outs(%9 : tensor<2x2x5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x4xf32>
    %11 = tensor.empty() : tensor<2x2x4x5xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<2x5x2x4xf32>) outs(%11 : tensor<2x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x4x5xf32>
    %collapsed_9 = tensor.collapse_shape %10 [[0, 1], [2], [3]] : tensor<2x2x5x4xf32> into tensor<4x5x4xf32>
    %collapsed_10 = tensor.collapse_shape %12 [[0, 1], [2], [3]] : tensor<2x2x4x5xf32> into tensor<4x4x5xf32>
    %13 = tensor.empty() : tensor<4x5x5xf32>
    %14 = linalg.fill ins(%cst_2 : f32) outs(%13 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %15 = linalg.batch_matmul ins(%collapsed_9, %collapsed_10 : tensor<4x5x4xf32>, tensor<4x4x5xf32>) outs(%14 : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
    %expanded_11 = tensor.expand_shape %15 [[0, 1], [2], [3]] output_shape [2, 2, 5, 5] : tensor<4x5x5xf32> into tensor<2x2x5x5xf32>
    %16 = tensor.empty() : tensor<2x2x5x5xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_11 : tensor<2x2x5x5xf32>) outs(%16 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.divf %in, %cst_1 : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5x5xf32>
    %18 = call @tril(%cst_3) : (tensor<5x5xi1>) -> tensor<5x5xi1>
    %19 = call @_where(%18, %17, %cst_4) : (tensor<5x5xi1>, tensor<2x2x5x5xf32>, tensor<f32>) -> tensor<2x2x5x5xf32>
    %20 = tensor.empty() : tensor<2x2x5xf32>
    %21 = linalg.fill ins(%cst_0 : f32) outs(%20 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%19 : tensor<2x2x5x5xf32>) outs(%21 : tensor<2x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.maximumf %out, %in : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5xf32>
    %23 = tensor.empty() : tensor<2x2x5xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x2x5xf32>) outs(%23 : tensor<2x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5xf32>
    %25 = tensor.empty() : tensor<2x2x5x5xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<2x2x5xf32>) outs(%25 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %27 = tensor.empty() : tensor<2x2x5x5xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %26 : tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%27 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %59 = arith.subf %in, %in_17 : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5x5xf32>
    %29 = tensor.empty() : tensor<2x2x5x5xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<2x2x5x5xf32>) outs(%29 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = math.exp %in : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5x5xf32>
    %31 = tensor.empty() : tensor<2x2x5xf32>
    %32 = linalg.fill ins(%cst_2 : f32) outs(%31 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<2x2x5x5xf32>) outs(%32 : tensor<2x2x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.addf %out, %in : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5xf32>
    %34 = tensor.empty() : tensor<2x2x5x5xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33 : tensor<2x2x5xf32>) outs(%34 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %36 = tensor.empty() : tensor<2x2x5x5xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %35 : tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%36 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %59 = arith.divf %in, %in_17 : f32
      linalg.yield %59 : f32
    } -> tensor<2x2x5x5xf32>
    %38 = tensor.empty() : tensor<2x2x4x5xf32>
    %39 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_8 : tensor<2x5x2x4xf32>) outs(%38 : tensor<2x2x4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x4x5xf32>
    %40 = tensor.empty() : tensor<2x2x5x5xf32>
    %41 = linalg.generic {indexing_maps = [#map5, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37 : tensor<2x2x5x5xf32>) outs(%40 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x5x5xf32>
    %collapsed_12 = tensor.collapse_shape %39 [[0, 1], [2], [3]] : tensor<2x2x4x5xf32> into tensor<4x4x5xf32>
    %collapsed_13 = tensor.collapse_shape %41 [[0, 1], [2], [3]] : tensor<2x2x5x5xf32> into tensor<4x5x5xf32>
    %42 = tensor.empty() : tensor<4x4x5xf32>
    %43 = linalg.fill ins(%cst_2 : f32) outs(%42 : tensor<4x4x5xf32>) -> tensor<4x4x5xf32>
    %44 = linalg.batch_matmul ins(%collapsed_12, %collapsed_13 : tensor<4x4x5xf32>, tensor<4x5x5xf32>) outs(%43 : tensor<4x4x5xf32>) -> tensor<4x4x5xf32>
    %expanded_14 = tensor.expand_shape %44 [[0, 1], [2], [3]] output_shape [2, 2, 4, 5] : tensor<4x4x5xf32> into tensor<2x2x4x5xf32>
    %45 = tensor.empty() : tensor<2x5x2x4xf32>
    %46 = linalg.generic {indexing_maps = [#map6, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_14 : tensor<2x2x4x5xf32>) outs(%45 : tensor<2x5x2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x5x2x4xf32>
    %collapsed_15 = tensor.collapse_shape %46 [[0, 1], [2, 3]] : tensor<2x5x2x4xf32> into tensor<10x8xf32>
    %47 = tensor.empty() : tensor<10x3xf32>
    %48 = linalg.fill ins(%cst_2 : f32) outs(%47 : tensor<10x3xf32>) -> tensor<10x3xf32>
    %49 = linalg.matmul ins(%collapsed_15, %arg3 : tensor<10x8xf32>, tensor<8x3xf32>) outs(%48 : tensor<10x3xf32>) -> tensor<10x3xf32>
    %expanded_16 = tensor.expand_shape %49 [[0, 1], [2]] output_shape [2, 5, 3] : tensor<10x3xf32> into tensor<2x5x3xf32>
    %50 = tensor.empty() : tensor<2x5x3xf32>
    %51 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_16, %arg5 : tensor<2x5x3xf32>, tensor<2x5x3xf32>) outs(%50 : tensor<2x5x3xf32>) {
    ^bb0(%in: f32, %in_17: f32, %out: f32):
      %59 = arith.subf %in, %in_17 : f32
      linalg.yield %59 : f32
    } -> tensor<2x5x3xf32>
    %52 = tensor.empty() : tensor<2x5x3xf32>
    %53 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51 : tensor<2x5x3xf32>) outs(%52 : tensor<2x5x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.mulf %in, %in : f32
      linalg.yield %59 : f32
    } -> tensor<2x5x3xf32>
    %54 = tensor.empty() : tensor<f32>
    %55 = linalg.fill ins(%cst_2 : f32) outs(%54 : tensor<f32>) -> tensor<f32>
    %56 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["reduction", "reduction", "reduction"]} ins(%53 : tensor<2x5x3xf32>) outs(%55 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.addf %out, %in : f32
      linalg.yield %59 : f32
    } -> tensor<f32>
    %57 = tensor.empty() : tensor<f32>
    %58 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = []} ins(%56 : tensor<f32>) outs(%57 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %59 = arith.divf %in, %cst : f32
      linalg.yield %59 : f32
    } -> tensor<f32>
    return %58 : tensor<f32>
  }
  func.func private @tril(%arg0: tensor<5x5xi1>) -> tensor<5x5xi1> {
    %false = arith.constant false
    %0 = tensor.empty() : tensor<5x5xi32>
    %1 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %8 = linalg.index 0 : index
      %9 = arith.index_cast %8 : index to i32
      linalg.yield %9 : i32
    } -> tensor<5x5xi32>
    %2 = tensor.empty() : tensor<5x5xi32>
    %3 = linalg.generic {indexing_maps = [#map9], iterator_types = ["parallel", "parallel"]} outs(%2 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %8 = linalg.index 1 : index
      %9 = arith.index_cast %8 : index to i32
      linalg.yield %9 : i32
    } -> tensor<5x5xi32>
    %4 = tensor.empty() : tensor<5x5xi1>
    %5 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%1, %3 : tensor<5x5xi32>, tensor<5x5xi32>) outs(%4 : tensor<5x5xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %8 = arith.cmpi sge, %in, %in_0 : i32
      linalg.yield %8 : i1
    } -> tensor<5x5xi1>
    %6 = tensor.empty() : tensor<5x5xi1>
    %7 = linalg.generic {indexing_maps = [#map9, #map9, #map9], iterator_types = ["parallel", "parallel"]} ins(%5, %arg0 : tensor<5x5xi1>, tensor<5x5xi1>) outs(%6 : tensor<5x5xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %8 = arith.select %in, %in_0, %false : i1
      linalg.yield %8 : i1
    } -> tensor<5x5xi1>
    return %7 : tensor<5x5xi1>
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
    %4 = tensor.empty() : tensor<2x2x5x5xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %arg1, %3 : tensor<2x2x5x5xi1>, tensor<2x2x5x5xf32>, tensor<2x2x5x5xf32>) outs(%4 : tensor<2x2x5x5xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %6 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %6 : f32
    } -> tensor<2x2x5x5xf32>
    return %5 : tensor<2x2x5x5xf32>
  }
}
