// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
#map6 = affine_map<(d0, d1, d2) -> (d0, -d1 + 6, d2)>
#map7 = affine_map<(d0, d1) -> (d0)>
#map8 = affine_map<(d0) -> (d0)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<3x6x5xf32> {zero.param = "w"}, %arg1: tensor<5x2xf32> {zero.param = "o"}, %arg2: tensor<4x7x6xf32> {zero.input = "x"}, %arg3: tensor<4xi32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 4.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %cst_2 = arith.constant dense<0> : tensor<i32>
    %0 = call @_pad(%arg2, %cst_2) : (tensor<4x7x6xf32>, tensor<i32>) -> tensor<4x9x6xf32>
    %extracted_slice = tensor.extract_slice %0[0, 0, 0] [4, 7, 6] [1, 1, 1] : tensor<4x9x6xf32> to tensor<4x7x6xf32>
    %extracted_slice_3 = tensor.extract_slice %arg0[0, 0, 0] [1, 6, 5] [1, 1, 1] : tensor<3x6x5xf32> to tensor<1x6x5xf32>
    %collapsed = tensor.collapse_shape %extracted_slice_3 [[0, 1], [2]] : tensor<1x6x5xf32> into tensor<6x5xf32>
    %collapsed_4 = tensor.collapse_shape %extracted_slice [[0, 1], [2]] : tensor<4x7x6xf32> into tensor<28x6xf32>
    %1 = tensor.empty() : tensor<28x5xf32>
    %2 = linalg.fill ins(%cst_1 : f32) outs(%1 : tensor<28x5xf32>) -> tensor<28x5xf32>
    %3 = linalg.matmul ins(%collapsed_4, %collapsed : tensor<28x6xf32>, tensor<6x5xf32>) outs(%2 : tensor<28x5xf32>) -> tensor<28x5xf32>
    %expanded = tensor.expand_shape %3 [[0, 1], [2]] output_shape [4, 7, 5] : tensor<28x5xf32> into tensor<4x7x5xf32>
    %4 = tensor.empty() : tensor<4x7x5xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x7x5xf32>) outs(%4 : tensor<4x7x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %in, %cst_1 : f32
      linalg.yield %36 : f32
    } -> tensor<4x7x5xf32>
    %extracted_slice_5 = tensor.extract_slice %0[0, 1, 0] [4, 7, 6] [1, 1, 1] : tensor<4x9x6xf32> to tensor<4x7x6xf32>
    %extracted_slice_6 = tensor.extract_slice %arg0[1, 0, 0] [1, 6, 5] [1, 1, 1] : tensor<3x6x5xf32> to tensor<1x6x5xf32>
    %collapsed_7 = tensor.collapse_shape %extracted_slice_6 [[0, 1], [2]] : tensor<1x6x5xf32> into tensor<6x5xf32>
    %collapsed_8 = tensor.collapse_shape %extracted_slice_5 [[0, 1], [2]] : tensor<4x7x6xf32> into tensor<28x6xf32>
    %6 = tensor.empty() : tensor<28x5xf32>
    %7 = linalg.fill ins(%cst_1 : f32) outs(%6 : tensor<28x5xf32>) -> tensor<28x5xf32>
    %8 = linalg.matmul ins(%collapsed_8, %collapsed_7 : tensor<28x6xf32>, tensor<6x5xf32>) outs(%7 : tensor<28x5xf32>) -> tensor<28x5xf32>
    %expanded_9 = tensor.expand_shape %8 [[0, 1], [2]] output_shape [4, 7, 5] : tensor<28x5xf32> into tensor<4x7x5xf32>
    %9 = tensor.empty() : tensor<4x7x5xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %expanded_9 : tensor<4x7x5xf32>, tensor<4x7x5xf32>) outs(%9 : tensor<4x7x5xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %36 = arith.addf %in, %in_16 : f32
      linalg.yield %36 : f32
    } -> tensor<4x7x5xf32>
    %extracted_slice_10 = tensor.extract_slice %0[0, 2, 0] [4, 7, 6] [1, 1, 1] : tensor<4x9x6xf32> to tensor<4x7x6xf32>
    %extracted_slice_11 = tensor.extract_slice %arg0[2, 0, 0] [1, 6, 5] [1, 1, 1] : tensor<3x6x5xf32> to tensor<1x6x5xf32>
    %collapsed_12 = tensor.collapse_shape %extracted_slice_11 [[0, 1], [2]] : tensor<1x6x5xf32> into tensor<6x5xf32>
    %collapsed_13 = tensor.collapse_shape %extracted_slice_10 [[0, 1], [2]] : tensor<4x7x6xf32> into tensor<28x6xf32>
    %11 = tensor.empty() : tensor<28x5xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<28x5xf32>) -> tensor<28x5xf32>
    %13 = linalg.matmul ins(%collapsed_13, %collapsed_12 : tensor<28x6xf32>, tensor<6x5xf32>) outs(%12 : tensor<28x5xf32>) -> tensor<28x5xf32>
    %expanded_14 = tensor.expand_shape %13 [[0, 1], [2]] output_shape [4, 7, 5] : tensor<28x5xf32> into tensor<4x7x5xf32>
    %14 = tensor.empty() : tensor<4x7x5xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %expanded_14 : tensor<4x7x5xf32>, tensor<4x7x5xf32>) outs(%14 : tensor<4x7x5xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %36 = arith.addf %in, %in_16 : f32
      linalg.yield %36 : f32
    } -> tensor<4x7x5xf32>
    %16 = call @relu(%15) : (tensor<4x7x5xf32>) -> tensor<4x7x5xf32>
    %17 = call @_roll_static(%16) : (tensor<4x7x5xf32>) -> tensor<4x7x5xf32>
    %18 = call @_flip(%15) : (tensor<4x7x5xf32>) -> tensor<4x7x5xf32>
    %19 = tensor.empty() : tensor<4x7x5xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %18 : tensor<4x7x5xf32>, tensor<4x7x5xf32>) outs(%19 : tensor<4x7x5xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %36 = arith.addf %in, %in_16 : f32
      linalg.yield %36 : f32
    } -> tensor<4x7x5xf32>
    %21 = tensor.empty() : tensor<4x5xf32>
    %22 = linalg.fill ins(%cst_0 : f32) outs(%21 : tensor<4x5xf32>) -> tensor<4x5xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%20 : tensor<4x7x5xf32>) outs(%22 : tensor<4x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.maximumf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<4x5xf32>
    %24 = tensor.empty() : tensor<4x2xf32>
    %25 = linalg.fill ins(%cst_1 : f32) outs(%24 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %26 = linalg.matmul ins(%23, %arg1 : tensor<4x5xf32>, tensor<5x2xf32>) outs(%25 : tensor<4x2xf32>) -> tensor<4x2xf32>
    %27 = call @log_softmax(%26) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %expanded_15 = tensor.expand_shape %arg3 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
    %28 = call @take_along_axis(%27, %expanded_15) : (tensor<4x2xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    %29 = tensor.empty() : tensor<f32>
    %30 = linalg.fill ins(%cst_1 : f32) outs(%29 : tensor<f32>) -> tensor<f32>
    %31 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction", "reduction"]} ins(%28 : tensor<4x1xf32>) outs(%30 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.addf %out, %in : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %32 = tensor.empty() : tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%31 : tensor<f32>) outs(%32 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.divf %in, %cst : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    %34 = tensor.empty() : tensor<f32>
    %35 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%33 : tensor<f32>) outs(%34 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %36 = arith.negf %in : f32
      linalg.yield %36 : f32
    } -> tensor<f32>
    return %35 : tensor<f32>
  }
  func.func private @_pad(%arg0: tensor<4x7x6xf32>, %arg1: tensor<i32>) -> tensor<4x9x6xf32> {
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %2 = arith.sitofp %in : i32 to f32
      linalg.yield %2 : f32
    } -> tensor<f32>
    %extracted = tensor.extract %1[] : tensor<f32>
    %padded = tensor.pad %arg0 low[0, 1, 0] high[0, 1, 0] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index):
      tensor.yield %extracted : f32
    } : tensor<4x7x6xf32> to tensor<4x9x6xf32>
    return %padded : tensor<4x9x6xf32>
  }
  func.func private @relu(%arg0: tensor<4x7x5xf32>) -> tensor<4x7x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x7x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x7x5xf32>) outs(%0 : tensor<4x7x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<4x7x5xf32>
    return %1 : tensor<4x7x5xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4x7x5xf32>) -> tensor<4x7x5xf32> {
    %c2 = arith.constant 2 : index
    %extracted_slice = tensor.extract_slice %arg0[0, 5, 0] [4, 2, 5] [1, 1, 1] : tensor<4x7x5xf32> to tensor<4x2x5xf32>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 0] [4, 5, 5] [1, 1, 1] : tensor<4x7x5xf32> to tensor<4x5x5xf32>
    %0 = tensor.empty() : tensor<4x7x5xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %0[0, 0, 0] [4, 2, 5] [1, 1, 1] : tensor<4x2x5xf32> into tensor<4x7x5xf32>
    %inserted_slice_1 = tensor.insert_slice %extracted_slice_0 into %inserted_slice[0, %c2, 0] [4, 5, 5] [1, 1, 1] : tensor<4x5x5xf32> into tensor<4x7x5xf32>
    return %inserted_slice_1 : tensor<4x7x5xf32>
  }
  func.func private @_flip(%arg0: tensor<4x7x5xf32>) -> tensor<4x7x5xf32> {
    %0 = tensor.empty() : tensor<4x7x5xf32>
    %1 = linalg.generic {indexing_maps = [#map6, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x7x5xf32>) outs(%0 : tensor<4x7x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x7x5xf32>
    return %1 : tensor<4x7x5xf32>
  }
  func.func private @log_softmax(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x2xf32>) outs(%1 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%2 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %5 = tensor.empty() : tensor<4x2xf32>
    %6 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4xf32>) outs(%5 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x2xf32>
    %7 = tensor.empty() : tensor<4x2xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%7 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<4x2xf32>
    %9 = tensor.empty() : tensor<4x2xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x2xf32>) outs(%9 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<4x2xf32>
    %11 = tensor.empty() : tensor<4xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<4xf32>) -> tensor<4xf32>
    %13 = linalg.generic {indexing_maps = [#map3, #map7], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<4x2xf32>) outs(%12 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %14 = tensor.empty() : tensor<4xf32>
    %15 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%13 : tensor<4xf32>) outs(%14 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %16 = tensor.empty() : tensor<4x2xf32>
    %17 = linalg.generic {indexing_maps = [#map7, #map3], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<4xf32>) outs(%16 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x2xf32>
    %18 = tensor.empty() : tensor<4x2xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%18 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<4x2xf32>
    return %19 : tensor<4x2xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x2xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<4x1xi1>
    %1 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x1xi32>) outs(%0 : tensor<4x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1xi1>
    %2 = tensor.empty() : tensor<4x1xi32>
    %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x1xi32>) outs(%2 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c2_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<4x1xi32>
    %4 = tensor.empty() : tensor<4x1xi32>
    %5 = linalg.generic {indexing_maps = [#map3, #map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) outs(%4 : tensor<4x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<4x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [4, 1, 1] : tensor<4x1xi32> into tensor<4x1x1xi32>
    %6 = tensor.empty() : tensor<4x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi32>) outs(%6 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %8 = tensor.empty() : tensor<4x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi32>) outs(%8 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c1_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %10 = tensor.empty() : tensor<4x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<4x1x1xi1>, tensor<4x1x1xi1>) outs(%10 : tensor<4x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %12 = tensor.empty() : tensor<4x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<4x1xi1>) -> tensor<4x1xi1>
    %14 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<4x1x1xi1>) outs(%13 : tensor<4x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<4x1xi1>
    %15 = tensor.empty() : tensor<4x1xf32>
    %16 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<4x1xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%19, %c0, %c0] : tensor<4x1x1xi32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c1 : index
      %extracted_0 = tensor.extract %arg0[%19, %22] : tensor<4x2xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<4x1xf32>
    %17 = tensor.empty() : tensor<4x1xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<4x1xi1>, tensor<4x1xf32>) outs(%17 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<4x1xf32>
    return %18 : tensor<4x1xf32>
  }
}
