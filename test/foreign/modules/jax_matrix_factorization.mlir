// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<() -> ()>
#map7 = affine_map<(d0, d1) -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<9x5xf32> {zero.param = "users"}, %arg1: tensor<12x5xf32> {zero.param = "items"}, %arg2: tensor<9xf32> {zero.param = "bu"}, %arg3: tensor<12xf32> {zero.param = "bi"}, %arg4: tensor<8xi32> {zero.input = "u"}, %arg5: tensor<8xi32> {zero.input = "i"}, %arg6: tensor<8xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 0.00999999977 : f32
    %cst_0 = arith.constant 8.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %c12_i32 = arith.constant 12 : i32
    %c9_i32 = arith.constant 9 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<8xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<8xi32>) outs(%0 : tensor<8xi1>) {
    ^bb0(%in: i32, %out: i1):
      %66 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %66 : i1
    } -> tensor<8xi1>
    %2 = tensor.empty() : tensor<8xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<8xi32>) outs(%2 : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %66 = arith.addi %in, %c9_i32 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %4 = tensor.empty() : tensor<8xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%1, %3, %arg4 : tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) outs(%4 : tensor<8xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %66 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
    %6 = tensor.empty() : tensor<8x1x5xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<8x1xi32>) outs(%6 : tensor<8x1x5xf32>) {
    ^bb0(%in: i32, %out: f32):
      %66 = arith.index_cast %in : i32 to index
      %67 = linalg.index 2 : index
      %extracted = tensor.extract %arg0[%66, %67] : tensor<9x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1x5xf32>
    %collapsed = tensor.collapse_shape %7 [[0], [1, 2]] : tensor<8x1x5xf32> into tensor<8x5xf32>
    %8 = tensor.empty() : tensor<8xi1>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg5 : tensor<8xi32>) outs(%8 : tensor<8xi1>) {
    ^bb0(%in: i32, %out: i1):
      %66 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %66 : i1
    } -> tensor<8xi1>
    %10 = tensor.empty() : tensor<8xi32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg5 : tensor<8xi32>) outs(%10 : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %66 = arith.addi %in, %c12_i32 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %12 = tensor.empty() : tensor<8xi32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%9, %11, %arg5 : tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) outs(%12 : tensor<8xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %66 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %expanded_2 = tensor.expand_shape %13 [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
    %14 = tensor.empty() : tensor<8x1x5xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_2 : tensor<8x1xi32>) outs(%14 : tensor<8x1x5xf32>) {
    ^bb0(%in: i32, %out: f32):
      %66 = arith.index_cast %in : i32 to index
      %67 = linalg.index 2 : index
      %extracted = tensor.extract %arg1[%66, %67] : tensor<12x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1x5xf32>
    %collapsed_3 = tensor.collapse_shape %15 [[0], [1, 2]] : tensor<8x1x5xf32> into tensor<8x5xf32>
    %16 = tensor.empty() : tensor<8x5xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%collapsed, %collapsed_3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%16 : tensor<8x5xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %66 = arith.mulf %in, %in_8 : f32
      linalg.yield %66 : f32
    } -> tensor<8x5xf32>
    %18 = tensor.empty() : tensor<8xf32>
    %19 = linalg.fill ins(%cst_1 : f32) outs(%18 : tensor<8xf32>) -> tensor<8xf32>
    %20 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%17 : tensor<8x5xf32>) outs(%19 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %out, %in : f32
      linalg.yield %66 : f32
    } -> tensor<8xf32>
    %21 = tensor.empty() : tensor<8xi1>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<8xi32>) outs(%21 : tensor<8xi1>) {
    ^bb0(%in: i32, %out: i1):
      %66 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %66 : i1
    } -> tensor<8xi1>
    %23 = tensor.empty() : tensor<8xi32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<8xi32>) outs(%23 : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %66 = arith.addi %in, %c9_i32 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %25 = tensor.empty() : tensor<8xi32>
    %26 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%22, %24, %arg4 : tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) outs(%25 : tensor<8xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %66 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %expanded_4 = tensor.expand_shape %26 [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
    %27 = tensor.empty() : tensor<8x1xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_4 : tensor<8x1xi32>) outs(%27 : tensor<8x1xf32>) {
    ^bb0(%in: i32, %out: f32):
      %66 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %arg2[%66] : tensor<9xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1xf32>
    %collapsed_5 = tensor.collapse_shape %28 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %29 = tensor.empty() : tensor<8xf32>
    %30 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%20, %collapsed_5 : tensor<8xf32>, tensor<8xf32>) outs(%29 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %66 = arith.addf %in, %in_8 : f32
      linalg.yield %66 : f32
    } -> tensor<8xf32>
    %31 = tensor.empty() : tensor<8xi1>
    %32 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg5 : tensor<8xi32>) outs(%31 : tensor<8xi1>) {
    ^bb0(%in: i32, %out: i1):
      %66 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %66 : i1
    } -> tensor<8xi1>
    %33 = tensor.empty() : tensor<8xi32>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg5 : tensor<8xi32>) outs(%33 : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %66 = arith.addi %in, %c12_i32 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %35 = tensor.empty() : tensor<8xi32>
    %36 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%32, %34, %arg5 : tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) outs(%35 : tensor<8xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %66 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %66 : i32
    } -> tensor<8xi32>
    %expanded_6 = tensor.expand_shape %36 [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
    %37 = tensor.empty() : tensor<8x1xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_6 : tensor<8x1xi32>) outs(%37 : tensor<8x1xf32>) {
    ^bb0(%in: i32, %out: f32):
      %66 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %arg3[%66] : tensor<12xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1xf32>
    %collapsed_7 = tensor.collapse_shape %38 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %39 = tensor.empty() : tensor<8xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%30, %collapsed_7 : tensor<8xf32>, tensor<8xf32>) outs(%39 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %66 = arith.addf %in, %in_8 : f32
      linalg.yield %66 : f32
    } -> tensor<8xf32>
    %41 = tensor.empty() : tensor<8xf32>
    %42 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%40, %arg6 : tensor<8xf32>, tensor<8xf32>) outs(%41 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %66 = arith.subf %in, %in_8 : f32
      linalg.yield %66 : f32
    } -> tensor<8xf32>
    %43 = tensor.empty() : tensor<8xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%42 : tensor<8xf32>) outs(%43 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.mulf %in, %in : f32
      linalg.yield %66 : f32
    } -> tensor<8xf32>
    %45 = tensor.empty() : tensor<f32>
    %46 = linalg.fill ins(%cst_1 : f32) outs(%45 : tensor<f32>) -> tensor<f32>
    %47 = linalg.generic {indexing_maps = [#map, #map5], iterator_types = ["reduction"]} ins(%44 : tensor<8xf32>) outs(%46 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %out, %in : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %48 = tensor.empty() : tensor<f32>
    %49 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%47 : tensor<f32>) outs(%48 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.divf %in, %cst_0 : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %50 = tensor.empty() : tensor<9x5xf32>
    %51 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<9x5xf32>) outs(%50 : tensor<9x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.mulf %in, %in : f32
      linalg.yield %66 : f32
    } -> tensor<9x5xf32>
    %52 = tensor.empty() : tensor<f32>
    %53 = linalg.fill ins(%cst_1 : f32) outs(%52 : tensor<f32>) -> tensor<f32>
    %54 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["reduction", "reduction"]} ins(%51 : tensor<9x5xf32>) outs(%53 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %out, %in : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %55 = tensor.empty() : tensor<12x5xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<12x5xf32>) outs(%55 : tensor<12x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.mulf %in, %in : f32
      linalg.yield %66 : f32
    } -> tensor<12x5xf32>
    %57 = tensor.empty() : tensor<f32>
    %58 = linalg.fill ins(%cst_1 : f32) outs(%57 : tensor<f32>) -> tensor<f32>
    %59 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["reduction", "reduction"]} ins(%56 : tensor<12x5xf32>) outs(%58 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.addf %out, %in : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %60 = tensor.empty() : tensor<f32>
    %61 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%54, %59 : tensor<f32>, tensor<f32>) outs(%60 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %66 = arith.addf %in, %in_8 : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %62 = tensor.empty() : tensor<f32>
    %63 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%61 : tensor<f32>) outs(%62 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %66 = arith.mulf %in, %cst : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    %64 = tensor.empty() : tensor<f32>
    %65 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%49, %63 : tensor<f32>, tensor<f32>) outs(%64 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %66 = arith.addf %in, %in_8 : f32
      linalg.yield %66 : f32
    } -> tensor<f32>
    return %65 : tensor<f32>
  }
}
