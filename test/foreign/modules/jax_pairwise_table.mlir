// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
#map6 = affine_map<(d0, d1) -> (d1)>
#map7 = affine_map<(d0, d1, d2) -> (0, d2)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<5x5xf32> {zero.param = "pair"}, %arg1: tensor<5xf32> {zero.param = "first"}, %arg2: tensor<5x1xf32> {zero.param = "l0.w"}, %arg3: tensor<1xf32> {zero.param = "l0.b"}, %arg4: tensor<6x4xi32> {zero.input = "i"}, %arg5: tensor<6x4xi32> {zero.input = "j"}) -> tensor<f32> {
    %cst = arith.constant 6.000000e+00 : f32
    %cst_0 = arith.constant 1.500000e+00 : f32
    %cst_1 = arith.constant 2.400000e+01 : f32
    %cst_2 = arith.constant 4.000000e+00 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c5_i32 = arith.constant 5 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<6x4xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<6x4xi32>) outs(%0 : tensor<6x4xi1>) {
    ^bb0(%in: i32, %out: i1):
      %39 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %39 : i1
    } -> tensor<6x4xi1>
    %2 = tensor.empty() : tensor<6x4xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<6x4xi32>) outs(%2 : tensor<6x4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %39 = arith.addi %in, %c5_i32 : i32
      linalg.yield %39 : i32
    } -> tensor<6x4xi32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg4 : tensor<6x4xi1>, tensor<6x4xi32>, tensor<6x4xi32>) outs(%2 : tensor<6x4xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %39 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %39 : i32
    } -> tensor<6x4xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<6x4xi32>) outs(%0 : tensor<6x4xi1>) {
    ^bb0(%in: i32, %out: i1):
      %39 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %39 : i1
    } -> tensor<6x4xi1>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<6x4xi32>) outs(%2 : tensor<6x4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %39 = arith.addi %in, %c5_i32 : i32
      linalg.yield %39 : i32
    } -> tensor<6x4xi32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %6, %arg5 : tensor<6x4xi1>, tensor<6x4xi32>, tensor<6x4xi32>) outs(%2 : tensor<6x4xi32>) {
    ^bb0(%in: i1, %in_8: i32, %in_9: i32, %out: i32):
      %39 = arith.select %in, %in_8, %in_9 : i32
      linalg.yield %39 : i32
    } -> tensor<6x4xi32>
    %expanded = tensor.expand_shape %4 [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xi32> into tensor<6x4x1xi32>
    %expanded_4 = tensor.expand_shape %7 [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xi32> into tensor<6x4x1xi32>
    %8 = tensor.empty() : tensor<6x4x2xi32>
    %inserted_slice = tensor.insert_slice %expanded into %8[0, 0, 0] [6, 4, 1] [1, 1, 1] : tensor<6x4x1xi32> into tensor<6x4x2xi32>
    %inserted_slice_5 = tensor.insert_slice %expanded_4 into %inserted_slice[0, 0, %c1] [6, 4, 1] [1, 1, 1] : tensor<6x4x1xi32> into tensor<6x4x2xi32>
    %9 = tensor.empty() : tensor<6x4xf32>
    %10 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%9 : tensor<6x4xf32>) {
    ^bb0(%out: f32):
      %39 = linalg.index 0 : index
      %40 = linalg.index 1 : index
      %extracted = tensor.extract %inserted_slice_5[%39, %40, %c0] : tensor<6x4x2xi32>
      %41 = arith.index_cast %extracted : i32 to index
      %extracted_8 = tensor.extract %inserted_slice_5[%39, %40, %c1] : tensor<6x4x2xi32>
      %42 = arith.index_cast %extracted_8 : i32 to index
      %43 = arith.maxsi %41, %c0 : index
      %44 = arith.minsi %43, %c4 : index
      %45 = arith.maxsi %42, %c0 : index
      %46 = arith.minsi %45, %c4 : index
      %extracted_9 = tensor.extract %arg0[%44, %46] : tensor<5x5xf32>
      linalg.yield %extracted_9 : f32
    } -> tensor<6x4xf32>
    %11 = tensor.empty() : tensor<6x4x1xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<6x4x1xi32>) outs(%11 : tensor<6x4x1xf32>) {
    ^bb0(%in: i32, %out: f32):
      %39 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %arg1[%39] : tensor<5xf32>
      linalg.yield %extracted : f32
    } -> tensor<6x4x1xf32>
    %collapsed = tensor.collapse_shape %12 [[0], [1, 2]] : tensor<6x4x1xf32> into tensor<6x4xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %collapsed : tensor<6x4xf32>, tensor<6x4xf32>) outs(%9 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %39 = arith.addf %in, %in_8 : f32
      linalg.yield %39 : f32
    } -> tensor<6x4xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4, %arg5 : tensor<6x4xi32>, tensor<6x4xi32>) outs(%0 : tensor<6x4xi1>) {
    ^bb0(%in: i32, %in_8: i32, %out: i1):
      %39 = arith.cmpi sgt, %in, %in_8 : i32
      linalg.yield %39 : i1
    } -> tensor<6x4xi1>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<6x4xf32>) outs(%9 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.expm1 %in : f32
      linalg.yield %39 : f32
    } -> tensor<6x4xf32>
    %16 = call @_where(%14, %13, %15) : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %17 = call @_one_hot(%arg5) : (tensor<6x4xi32>) -> tensor<6x4x5xf32>
    %18 = tensor.empty() : tensor<6x5xf32>
    %19 = linalg.fill ins(%cst_3 : f32) outs(%18 : tensor<6x5xf32>) -> tensor<6x5xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<6x4x5xf32>) outs(%19 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %out, %in : f32
      linalg.yield %39 : f32
    } -> tensor<6x5xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<6x5xf32>) outs(%18 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst_2 : f32
      linalg.yield %39 : f32
    } -> tensor<6x5xf32>
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<6x4xf32>) outs(%9 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.mulf %in, %in : f32
      linalg.yield %39 : f32
    } -> tensor<6x4xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<6x4xf32>) outs(%9 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.log1p %in : f32
      linalg.yield %39 : f32
    } -> tensor<6x4xf32>
    %24 = tensor.empty() : tensor<f32>
    %25 = linalg.fill ins(%cst_3 : f32) outs(%24 : tensor<f32>) -> tensor<f32>
    %26 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "reduction"]} ins(%23 : tensor<6x4xf32>) outs(%25 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %out, %in : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    %27 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%26 : tensor<f32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst_1 : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    %collapsed_6 = tensor.collapse_shape %arg2 [[0, 1]] : tensor<5x1xf32> into tensor<5xf32>
    %28 = tensor.empty() : tensor<6xf32>
    %29 = linalg.fill ins(%cst_3 : f32) outs(%28 : tensor<6xf32>) -> tensor<6xf32>
    %30 = linalg.matvec ins(%21, %collapsed_6 : tensor<6x5xf32>, tensor<5xf32>) outs(%29 : tensor<6xf32>) -> tensor<6xf32>
    %expanded_7 = tensor.expand_shape %30 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
    %31 = tensor.empty() : tensor<6x1xf32>
    %32 = linalg.generic {indexing_maps = [#map6, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<1xf32>) outs(%31 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x1xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_7, %32 : tensor<6x1xf32>, tensor<6x1xf32>) outs(%31 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %39 = arith.addf %in, %in_8 : f32
      linalg.yield %39 : f32
    } -> tensor<6x1xf32>
    %34 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<6x1xf32>) outs(%31 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.absf %in : f32
      linalg.yield %39 : f32
    } -> tensor<6x1xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%34 : tensor<6x1xf32>) outs(%31 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = math.powf %in, %cst_0 : f32
      linalg.yield %39 : f32
    } -> tensor<6x1xf32>
    %36 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "reduction"]} ins(%35 : tensor<6x1xf32>) outs(%25 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.addf %out, %in : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%36 : tensor<f32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %39 = arith.divf %in, %cst : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    %38 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%27, %37 : tensor<f32>, tensor<f32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %39 = arith.addf %in, %in_8 : f32
      linalg.yield %39 : f32
    } -> tensor<f32>
    return %38 : tensor<f32>
  }
  func.func private @_where(%arg0: tensor<6x4xi1>, %arg1: tensor<6x4xf32>, %arg2: tensor<6x4xf32>) -> tensor<6x4xf32> {
    %0 = tensor.empty() : tensor<6x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %arg2 : tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) outs(%0 : tensor<6x4xf32>) {
    ^bb0(%in: i1, %in_0: f32, %in_1: f32, %out: f32):
      %2 = arith.select %in, %in_0, %in_1 : f32
      linalg.yield %2 : f32
    } -> tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
  func.func private @_one_hot(%arg0: tensor<6x4xi32>) -> tensor<6x4x5xf32> {
    %0 = tensor.empty() : tensor<1x5xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<1x5xi32>) {
    ^bb0(%out: i32):
      %9 = linalg.index 1 : index
      %10 = arith.index_cast %9 : index to i32
      linalg.yield %10 : i32
    } -> tensor<1x5xi32>
    %2 = tensor.empty() : tensor<6x4x5xi32>
    %3 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<6x4xi32>) outs(%2 : tensor<6x4x5xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<6x4x5xi32>
    %4 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x5xi32>) outs(%2 : tensor<6x4x5xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<6x4x5xi32>
    %5 = tensor.empty() : tensor<6x4x5xi1>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %4 : tensor<6x4x5xi32>, tensor<6x4x5xi32>) outs(%5 : tensor<6x4x5xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %9 = arith.cmpi eq, %in, %in_0 : i32
      linalg.yield %9 : i1
    } -> tensor<6x4x5xi1>
    %7 = tensor.empty() : tensor<6x4x5xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<6x4x5xi1>) outs(%7 : tensor<6x4x5xf32>) {
    ^bb0(%in: i1, %out: f32):
      %9 = arith.uitofp %in : i1 to f32
      linalg.yield %9 : f32
    } -> tensor<6x4x5xf32>
    return %8 : tensor<6x4x5xf32>
  }
}
