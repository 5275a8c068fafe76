// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1) -> (d1)>
#map9 = affine_map<(d0, d1) -> ()>
#map10 = affine_map<() -> ()>
#map11 = affine_map<(d0, d1) -> (d0)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<11x6xf32> {zero.param = "table"}, %arg1: tensor<6x3xf32> {zero.param = "o0.w"}, %arg2: tensor<3xf32> {zero.param = "o0.b"}, %arg3: tensor<4x5xi32> {zero.input = "tokens"}, %arg4: tensor<4x5xf32> {zero.input = "w"}, %arg5: tensor<4xi32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 4.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c11_i32 = arith.constant 11 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<4x5xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<4x5xi32>) outs(%0 : tensor<4x5xi1>) {
    ^bb0(%in: i32, %out: i1):
      %38 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %38 : i1
    } -> tensor<4x5xi1>
    %2 = tensor.empty() : tensor<4x5xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<4x5xi32>) outs(%2 : tensor<4x5xi32>) {
    ^bb0(%in: i32, %out: i32):
      %38 = arith.addi %in, %c11_i32 : i32
      linalg.yield %38 : i32
    } -> tensor<4x5xi32>
    %4 = tensor.empty() : tensor<4x5xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg3 : tensor<4x5xi1>, tensor<4x5xi32>, tensor<4x5xi32>) outs(%4 : tensor<4x5xi32>) {
    ^bb0(%in: i1, %in_4: i32, %in_5: i32, %out: i32):
      %38 = arith.select %in, %in_4, %in_5 : i32
      linalg.yield %38 : i32
    } -> tensor<4x5xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [4, 5, 1] : tensor<4x5xi32> into tensor<4x5x1xi32>
    %6 = tensor.empty() : tensor<4x5x1x6xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x5x1xi32>) outs(%6 : tensor<4x5x1x6xf32>) {
    ^bb0(%in: i32, %out: f32):
      %38 = arith.index_cast %in : i32 to index
      %39 = linalg.index 3 : index
      %extracted = tensor.extract %arg0[%38, %39] : tensor<11x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x5x1x6xf32>
    %collapsed = tensor.collapse_shape %7 [[0], [1], [2, 3]] : tensor<4x5x1x6xf32> into tensor<4x5x6xf32>
    %8 = tensor.empty() : tensor<4x6xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<4x6xf32>) -> tensor<4x6xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg4, %collapsed : tensor<4x5xf32>, tensor<4x5x6xf32>) outs(%9 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %38 = arith.mulf %in, %in_4 : f32
      %39 = arith.addf %out, %38 : f32
      linalg.yield %39 : f32
    } -> tensor<4x6xf32>
    %11 = call @argmax(%arg4) : (tensor<4x5xf32>) -> tensor<4xi32>
    %12 = tensor.empty() : tensor<4xi1>
    %13 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%11 : tensor<4xi32>) outs(%12 : tensor<4xi1>) {
    ^bb0(%in: i32, %out: i1):
      %38 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %38 : i1
    } -> tensor<4xi1>
    %14 = tensor.empty() : tensor<4xi32>
    %15 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%11 : tensor<4xi32>) outs(%14 : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %38 = arith.addi %in, %c11_i32 : i32
      linalg.yield %38 : i32
    } -> tensor<4xi32>
    %16 = tensor.empty() : tensor<4xi32>
    %17 = linalg.generic {indexing_maps = [#map6, #map6, #map6, #map6], iterator_types = ["parallel"]} ins(%13, %15, %11 : tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) outs(%16 : tensor<4xi32>) {
    ^bb0(%in: i1, %in_4: i32, %in_5: i32, %out: i32):
      %38 = arith.select %in, %in_4, %in_5 : i32
      linalg.yield %38 : i32
    } -> tensor<4xi32>
    %expanded_1 = tensor.expand_shape %17 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
    %18 = tensor.empty() : tensor<4x1x6xf32>
    %19 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_1 : tensor<4x1xi32>) outs(%18 : tensor<4x1x6xf32>) {
    ^bb0(%in: i32, %out: f32):
      %38 = arith.index_cast %in : i32 to index
      %39 = linalg.index 2 : index
      %extracted = tensor.extract %arg0[%38, %39] : tensor<11x6xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x1x6xf32>
    %collapsed_2 = tensor.collapse_shape %19 [[0], [1, 2]] : tensor<4x1x6xf32> into tensor<4x6xf32>
    %20 = tensor.empty() : tensor<4x6xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %collapsed_2 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%20 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %38 = arith.addf %in, %in_4 : f32
      linalg.yield %38 : f32
    } -> tensor<4x6xf32>
    %22 = tensor.empty() : tensor<4x3xf32>
    %23 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %24 = linalg.matmul ins(%21, %arg1 : tensor<4x6xf32>, tensor<6x3xf32>) outs(%23 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %25 = tensor.empty() : tensor<4x3xf32>
    %26 = linalg.generic {indexing_maps = [#map8, #map], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<3xf32>) outs(%25 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %27 = tensor.empty() : tensor<4x3xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %26 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%27 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %38 = arith.addf %in, %in_4 : f32
      linalg.yield %38 : f32
    } -> tensor<4x3xf32>
    %29 = call @log_softmax(%28) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %expanded_3 = tensor.expand_shape %arg5 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
    %30 = call @take_along_axis(%29, %expanded_3) : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    %31 = tensor.empty() : tensor<f32>
    %32 = linalg.fill ins(%cst_0 : f32) outs(%31 : tensor<f32>) -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map, #map9], iterator_types = ["reduction", "reduction"]} ins(%30 : tensor<4x1xf32>) outs(%32 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.addf %out, %in : f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    %34 = tensor.empty() : tensor<f32>
    %35 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%33 : tensor<f32>) outs(%34 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.divf %in, %cst : f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    %36 = tensor.empty() : tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%35 : tensor<f32>) outs(%36 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %38 = arith.negf %in : f32
      linalg.yield %38 : f32
    } -> tensor<f32>
    return %37 : tensor<f32>
  }
  func.func private @argmax(%arg0: tensor<4x5xf32>) -> tensor<4xi32> {
    %c0_i32 = arith.constant 0 : i32
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<4x5xi32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<4x5xi32>) {
    ^bb0(%out: i32):
      %7 = linalg.index 1 : index
      %8 = arith.index_cast %7 : index to i32
      linalg.yield %8 : i32
    } -> tensor<4x5xi32>
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
    %4 = tensor.empty() : tensor<4xi32>
    %5 = linalg.fill ins(%c0_i32 : i32) outs(%4 : tensor<4xi32>) -> tensor<4xi32>
    %6:2 = linalg.generic {indexing_maps = [#map, #map, #map11, #map11], iterator_types = ["parallel", "reduction"]} ins(%arg0, %1 : tensor<4x5xf32>, tensor<4x5xi32>) outs(%3, %5 : tensor<4xf32>, tensor<4xi32>) {
    ^bb0(%in: f32, %in_0: i32, %out: f32, %out_1: i32):
      %7 = arith.cmpf ogt, %out, %in : f32
      %8 = arith.cmpf une, %out, %out : f32
      %9 = arith.ori %7, %8 : i1
      %10 = arith.cmpf oeq, %out, %in : f32
      %11 = arith.cmpi slt, %out_1, %in_0 : i32
      %12 = arith.andi %10, %11 : i1
      %13 = arith.ori %9, %12 : i1
      %14 = arith.select %9, %out, %in : f32
      %15 = arith.select %13, %out_1, %in_0 : i32
      linalg.yield %14, %15 : f32, i32
    } -> (tensor<4xf32>, tensor<4xi32>)
    return %6#1 : tensor<4xi32>
  }
  func.func private @log_softmax(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map11], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x3xf32>) outs(%1 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%2 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %5 = tensor.empty() : tensor<4x3xf32>
    %6 = linalg.generic {indexing_maps = [#map11, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4xf32>) outs(%5 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %7 = tensor.empty() : tensor<4x3xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<4x3xf32>
    %9 = tensor.empty() : tensor<4x3xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x3xf32>) outs(%9 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<4x3xf32>
    %11 = tensor.empty() : tensor<4xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<4xf32>) -> tensor<4xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map11], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<4x3xf32>) outs(%12 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %14 = tensor.empty() : tensor<4xf32>
    %15 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%13 : tensor<4xf32>) outs(%14 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %16 = tensor.empty() : tensor<4x3xf32>
    %17 = linalg.generic {indexing_maps = [#map11, #map], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<4xf32>) outs(%16 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %18 = tensor.empty() : tensor<4x3xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%18 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<4x3xf32>
    return %19 : tensor<4x3xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<4x3xf32>, %arg1: tensor<4x1xi32>) -> tensor<4x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<4x1xi1>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x1xi32>) outs(%0 : tensor<4x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1xi1>
    %2 = tensor.empty() : tensor<4x1xi32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x1xi32>) outs(%2 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c3_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<4x1xi32>
    %4 = tensor.empty() : tensor<4x1xi32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) outs(%4 : tensor<4x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<4x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [4, 1, 1] : tensor<4x1xi32> into tensor<4x1x1xi32>
    %6 = tensor.empty() : tensor<4x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi32>) outs(%6 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %8 = tensor.empty() : tensor<4x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi32>) outs(%8 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c2_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %10 = tensor.empty() : tensor<4x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<4x1x1xi1>, tensor<4x1x1xi1>) outs(%10 : tensor<4x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %12 = tensor.empty() : tensor<4x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<4x1xi1>) -> tensor<4x1xi1>
    %14 = linalg.generic {indexing_maps = [#map7, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<4x1x1xi1>) outs(%13 : tensor<4x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<4x1xi1>
    %15 = tensor.empty() : tensor<4x1xf32>
    %16 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<4x1xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%19, %c0, %c0] : tensor<4x1x1xi32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c2 : index
      %extracted_0 = tensor.extract %arg0[%19, %22] : tensor<4x3xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<4x1xf32>
    %17 = tensor.empty() : tensor<4x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<4x1xi1>, tensor<4x1xf32>) outs(%17 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<4x1xf32>
    return %18 : tensor<4x1xf32>
  }
}
