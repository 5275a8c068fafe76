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
      %36 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %36 : i1
    } -> tensor<8xi1>
    %2 = tensor.empty() : tensor<8xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<8xi32>) outs(%2 : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %36 = arith.addi %in, %c9_i32 : i32
      linalg.yield %36 : i32
    } -> tensor<8xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%1, %3, %arg4 : tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) outs(%2 : tensor<8xi32>) {
    ^bb0(%in: i1, %in_6: i32, %in_7: i32, %out: i32):
      %36 = arith.select %in, %in_6, %in_7 : i32
      linalg.yield %36 : i32
    } -> tensor<8xi32>
    %expanded = tensor.expand_shape %4 [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
    %5 = tensor.empty() : tensor<8x1x5xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<8x1xi32>) outs(%5 : tensor<8x1x5xf32>) {
    ^bb0(%in: i32, %out: f32):
      %36 = arith.index_cast %in : i32 to index
      %37 = linalg.index 2 : index
      %extracted = tensor.extract %arg0[%36, %37] : tensor<9x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1x5xf32>
    %collapsed = tensor.collapse_shape %6 [[0], [1, 2]] : tensor<8x1x5xf32> into tensor<8x5xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg5 : tensor<8xi32>) outs(%0 : tensor<8xi1>) {
    ^bb0(%in: i32, %out: i1):
      %36 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %36 : i1
    } -> tensor<8xi1>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg5 : tensor<8xi32>) outs(%2 : tensor<8xi32>) {
    ^bb0(%in: i32, %out: i32):
      %36 = arith.addi %in, %c12_i32 : i32
      linalg.yield %36 : i32
    } -> tensor<8xi32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]} ins(%7, %8, %arg5 : tensor<8xi1>, tensor<8xi32>, tensor<8xi32>) outs(%2 : tensor<8xi32>) {
    ^bb0(%in: i1, %in_6: i32, %in_7: i32, %out: i32):
      %36 = arith.select %in, %in_6, %in_7 : i32
      linalg.yield %36 : i32
    } -> tensor<8xi32>
    %expanded_2 = tensor.expand_shape %9 [[0, 1]] output_shape [8, 1] : tensor<8xi32> into tensor<8x1xi32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_2 : tensor<8x1xi32>) outs(%5 : tensor<8x1x5xf32>) {
    ^bb0(%in: i32, %out: f32):
      %36 = arith.index_cast %in : i32 to index
      %37 = linalg.index 2 : index
      %extracted = tensor.extract %arg1[%36, %37] : tensor<12x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1x5xf32>
    %collapsed_3 = tensor.collapse_shape %10 [[0], [1, 2]] : tensor<8x1x5xf32> into tensor<8x5xf32>
    %11 = tensor.empty() : tensor<8x5xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%collapsed, %collapsed_3 : tensor<8x5xf32>, tensor<8x5xf32>) outs(%11 : tensor<8x5xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %36 = arith.mulf %in, %in_6 : f32
      linalg.yield %36 : f32
    } -> tensor<8x5xf32>
    %13 = tensor.empty() : tensor<8xf32>
    %14 = linalg.fill ins(%cst_1 : f32) outs(%13 : tensor<8xf32>) -> tensor<8xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<8x5xf32>) outs(%14 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %16 = tensor.empty() : tensor<8x1xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<8x1xi32>) outs(%16 : tensor<8x1xf32>) {
    ^bb0(%in: i32, %out: f32):
      %36 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %arg2[%36] : tensor<9xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1xf32>
    %collapsed_4 = tensor.collapse_shape %17 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%15, %collapsed_4 : tensor<8xf32>, tensor<8xf32>) outs(%13 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %36 = arith.addf %in, %in_6 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded_2 : tensor<8x1xi32>) outs(%16 : tensor<8x1xf32>) {
    ^bb0(%in: i32, %out: f32):
      %36 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %arg3[%36] : tensor<12xf32>
      linalg.yield %extracted : f32
    } -> tensor<8x1xf32>
    %collapsed_5 = tensor.collapse_shape %19 [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%18, %collapsed_5 : tensor<8xf32>, tensor<8xf32>) outs(%13 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %36 = arith.addf %in, %in_6 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%20, %arg6 : tensor<8xf32>, tensor<8xf32>) outs(%13 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %36 = arith.subf %in, %in_6 : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%21 : tensor<8xf32>) outs(%13 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %in : f32
      linalg.yield %36 : f32
    } -> tensor<8xf32>
    %23 = tensor.empty() : tensor<f32>
    %24 = linalg.fill ins(%cst_1 : f32) outs(%23 : tensor<f32>) -> tensor<f32>
    %25 = linalg.generic {indexing_maps = [#map, #map5], iterator_types = ["reduction"]} ins(%22 : tensor<8xf32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %26 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%25 : tensor<f32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.divf %in, %cst_0 : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %27 = tensor.empty() : tensor<9x5xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<9x5xf32>) outs(%27 : tensor<9x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %in : f32
      linalg.yield %36 : f32
    } -> tensor<9x5xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["reduction", "reduction"]} ins(%28 : tensor<9x5xf32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %30 = tensor.empty() : tensor<12x5xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<12x5xf32>) outs(%30 : tensor<12x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %in : f32
      linalg.yield %36 : f32
    } -> tensor<12x5xf32>
    %32 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["reduction", "reduction"]} ins(%31 : tensor<12x5xf32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%29, %32 : tensor<f32>, tensor<f32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %36 = arith.addf %in, %in_6 : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %34 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%33 : tensor<f32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.mulf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %35 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%26, %34 : tensor<f32>, tensor<f32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %36 = arith.addf %in, %in_6 : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    return %35 : tensor<f32>
  }
}
