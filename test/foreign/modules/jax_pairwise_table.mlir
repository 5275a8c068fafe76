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
      %63 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %63 : i1
    } -> tensor<6x4xi1>
    %2 = tensor.empty() : tensor<6x4xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<6x4xi32>) outs(%2 : tensor<6x4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.addi %in, %c5_i32 : i32
      linalg.yield %63 : i32
    } -> tensor<6x4xi32>
    %4 = tensor.empty() : tensor<6x4xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg4 : tensor<6x4xi1>, tensor<6x4xi32>, tensor<6x4xi32>) outs(%4 : tensor<6x4xi32>) {
    ^bb0(%in: i1, %in_9: i32, %in_10: i32, %out: i32):
      %63 = arith.select %in, %in_9, %in_10 : i32
      linalg.yield %63 : i32
    } -> tensor<6x4xi32>
    %6 = tensor.empty() : tensor<6x4xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<6x4xi32>) outs(%6 : tensor<6x4xi1>) {
    ^bb0(%in: i32, %out: i1):
      %63 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %63 : i1
    } -> tensor<6x4xi1>
    %8 = tensor.empty() : tensor<6x4xi32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<6x4xi32>) outs(%8 : tensor<6x4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.addi %in, %c5_i32 : i32
      linalg.yield %63 : i32
    } -> tensor<6x4xi32>
    %10 = tensor.empty() : tensor<6x4xi32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %9, %arg5 : tensor<6x4xi1>, tensor<6x4xi32>, tensor<6x4xi32>) outs(%10 : tensor<6x4xi32>) {
    ^bb0(%in: i1, %in_9: i32, %in_10: i32, %out: i32):
      %63 = arith.select %in, %in_9, %in_10 : i32
      linalg.yield %63 : i32
    } -> tensor<6x4xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xi32> into tensor<6x4x1xi32>
    %expanded_4 = tensor.expand_shape %11 [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xi32> into tensor<6x4x1xi32>
    %12 = tensor.empty() : tensor<6x4x2xi32>
    %inserted_slice = tensor.insert_slice %expanded into %12[0, 0, 0] [6, 4, 1] [1, 1, 1] : tensor<6x4x1xi32> into tensor<6x4x2xi32>
    %inserted_slice_5 = tensor.insert_slice %expanded_4 into %inserted_slice[0, 0, %c1] [6, 4, 1] [1, 1, 1] : tensor<6x4x1xi32> into tensor<6x4x2xi32>
    %13 = tensor.empty() : tensor<6x4xf32>
    %14 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%13 : tensor<6x4xf32>) {
    ^bb0(%out: f32):
      %63 = linalg.index 0 : index
      %64 = linalg.index 1 : index
      %extracted = tensor.extract %inserted_slice_5[%63, %64, %c0] : tensor<6x4x2xi32>
      %65 = arith.index_cast %extracted : i32 to index
      %extracted_9 = tensor.extract %inserted_slice_5[%63, %64, %c1] : tensor<6x4x2xi32>
      %66 = arith.index_cast %extracted_9 : i32 to index
      %67 = arith.maxsi %65, %c0 : index
      %68 = arith.minsi %67, %c4 : index
      %69 = arith.maxsi %66, %c0 : index
      %70 = arith.minsi %69, %c4 : index
      %extracted_10 = tensor.extract %arg0[%68, %70] : tensor<5x5xf32>
      linalg.yield %extracted_10 : f32
    } -> tensor<6x4xf32>
    %15 = tensor.empty() : tensor<6x4xi1>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<6x4xi32>) outs(%15 : tensor<6x4xi1>) {
    ^bb0(%in: i32, %out: i1):
      %63 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %63 : i1
    } -> tensor<6x4xi1>
    %17 = tensor.empty() : tensor<6x4xi32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<6x4xi32>) outs(%17 : tensor<6x4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %63 = arith.addi %in, %c5_i32 : i32
      linalg.yield %63 : i32
    } -> tensor<6x4xi32>
    %19 = tensor.empty() : tensor<6x4xi32>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%16, %18, %arg4 : tensor<6x4xi1>, tensor<6x4xi32>, tensor<6x4xi32>) outs(%19 : tensor<6x4xi32>) {
    ^bb0(%in: i1, %in_9: i32, %in_10: i32, %out: i32):
      %63 = arith.select %in, %in_9, %in_10 : i32
      linalg.yield %63 : i32
    } -> tensor<6x4xi32>
    %expanded_6 = tensor.expand_shape %20 [[0], [1, 2]] output_shape [6, 4, 1] : tensor<6x4xi32> into tensor<6x4x1xi32>
    %21 = tensor.empty() : tensor<6x4x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_6 : tensor<6x4x1xi32>) outs(%21 : tensor<6x4x1xf32>) {
    ^bb0(%in: i32, %out: f32):
      %63 = arith.index_cast %in : i32 to index
      %extracted = tensor.extract %arg1[%63] : tensor<5xf32>
      linalg.yield %extracted : f32
    } -> tensor<6x4x1xf32>
    %collapsed = tensor.collapse_shape %22 [[0], [1, 2]] : tensor<6x4x1xf32> into tensor<6x4xf32>
    %23 = tensor.empty() : tensor<6x4xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%14, %collapsed : tensor<6x4xf32>, tensor<6x4xf32>) outs(%23 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %63 = arith.addf %in, %in_9 : f32
      linalg.yield %63 : f32
    } -> tensor<6x4xf32>
    %25 = tensor.empty() : tensor<6x4xi1>
    %26 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg4, %arg5 : tensor<6x4xi32>, tensor<6x4xi32>) outs(%25 : tensor<6x4xi1>) {
    ^bb0(%in: i32, %in_9: i32, %out: i1):
      %63 = arith.cmpi sgt, %in, %in_9 : i32
      linalg.yield %63 : i1
    } -> tensor<6x4xi1>
    %27 = tensor.empty() : tensor<6x4xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<6x4xf32>) outs(%27 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.expm1 %in : f32
      linalg.yield %63 : f32
    } -> tensor<6x4xf32>
    %29 = call @_where(%26, %24, %28) : (tensor<6x4xi1>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
    %30 = call @_one_hot(%arg5) : (tensor<6x4xi32>) -> tensor<6x4x5xf32>
    %31 = tensor.empty() : tensor<6x5xf32>
    %32 = linalg.fill ins(%cst_3 : f32) outs(%31 : tensor<6x5xf32>) -> tensor<6x5xf32>
    %33 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%30 : tensor<6x4x5xf32>) outs(%32 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.addf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<6x5xf32>
    %34 = tensor.empty() : tensor<6x5xf32>
    %35 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%33 : tensor<6x5xf32>) outs(%34 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.divf %in, %cst_2 : f32
      linalg.yield %63 : f32
    } -> tensor<6x5xf32>
    %36 = tensor.empty() : tensor<6x4xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<6x4xf32>) outs(%36 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.mulf %in, %in : f32
      linalg.yield %63 : f32
    } -> tensor<6x4xf32>
    %38 = tensor.empty() : tensor<6x4xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<6x4xf32>) outs(%38 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.log1p %in : f32
      linalg.yield %63 : f32
    } -> tensor<6x4xf32>
    %40 = tensor.empty() : tensor<f32>
    %41 = linalg.fill ins(%cst_3 : f32) outs(%40 : tensor<f32>) -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "reduction"]} ins(%39 : tensor<6x4xf32>) outs(%41 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.addf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %43 = tensor.empty() : tensor<f32>
    %44 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%42 : tensor<f32>) outs(%43 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.divf %in, %cst_1 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %collapsed_7 = tensor.collapse_shape %arg2 [[0, 1]] : tensor<5x1xf32> into tensor<5xf32>
    %45 = tensor.empty() : tensor<6xf32>
    %46 = linalg.fill ins(%cst_3 : f32) outs(%45 : tensor<6xf32>) -> tensor<6xf32>
    %47 = linalg.matvec ins(%35, %collapsed_7 : tensor<6x5xf32>, tensor<5xf32>) outs(%46 : tensor<6xf32>) -> tensor<6xf32>
    %expanded_8 = tensor.expand_shape %47 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
    %48 = tensor.empty() : tensor<6x1xf32>
    %49 = linalg.generic {indexing_maps = [#map6, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<1xf32>) outs(%48 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x1xf32>
    %50 = tensor.empty() : tensor<6x1xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_8, %49 : tensor<6x1xf32>, tensor<6x1xf32>) outs(%50 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %63 = arith.addf %in, %in_9 : f32
      linalg.yield %63 : f32
    } -> tensor<6x1xf32>
    %52 = tensor.empty() : tensor<6x1xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%51 : tensor<6x1xf32>) outs(%52 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.absf %in : f32
      linalg.yield %63 : f32
    } -> tensor<6x1xf32>
    %54 = tensor.empty() : tensor<6x1xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%53 : tensor<6x1xf32>) outs(%54 : tensor<6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = math.powf %in, %cst_0 : f32
      linalg.yield %63 : f32
    } -> tensor<6x1xf32>
    %56 = tensor.empty() : tensor<f32>
    %57 = linalg.fill ins(%cst_3 : f32) outs(%56 : tensor<f32>) -> tensor<f32>
    %58 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["reduction", "reduction"]} ins(%55 : tensor<6x1xf32>) outs(%57 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.addf %out, %in : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %59 = tensor.empty() : tensor<f32>
    %60 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%58 : tensor<f32>) outs(%59 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %63 = arith.divf %in, %cst : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    %61 = tensor.empty() : tensor<f32>
    %62 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = []} ins(%44, %60 : tensor<f32>, tensor<f32>) outs(%61 : tensor<f32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %63 = arith.addf %in, %in_9 : f32
      linalg.yield %63 : f32
    } -> tensor<f32>
    return %62 : tensor<f32>
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
      %10 = linalg.index 1 : index
      %11 = arith.index_cast %10 : index to i32
      linalg.yield %11 : i32
    } -> tensor<1x5xi32>
    %2 = tensor.empty() : tensor<6x4x5xi32>
    %3 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<6x4xi32>) outs(%2 : tensor<6x4x5xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<6x4x5xi32>
    %4 = tensor.empty() : tensor<6x4x5xi32>
    %5 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<1x5xi32>) outs(%4 : tensor<6x4x5xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<6x4x5xi32>
    %6 = tensor.empty() : tensor<6x4x5xi1>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %5 : tensor<6x4x5xi32>, tensor<6x4x5xi32>) outs(%6 : tensor<6x4x5xi1>) {
    ^bb0(%in: i32, %in_0: i32, %out: i1):
      %10 = arith.cmpi eq, %in, %in_0 : i32
      linalg.yield %10 : i1
    } -> tensor<6x4x5xi1>
    %8 = tensor.empty() : tensor<6x4x5xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<6x4x5xi1>) outs(%8 : tensor<6x4x5xf32>) {
    ^bb0(%in: i1, %out: f32):
      %10 = arith.uitofp %in : i1 to f32
      linalg.yield %10 : f32
    } -> tensor<6x4x5xf32>
    return %9 : tensor<6x4x5xf32>
  }
}
