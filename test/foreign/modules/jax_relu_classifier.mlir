// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<() -> ()>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<7x10xf32> {zero.param = "l0.w"}, %arg1: tensor<10xf32> {zero.param = "l0.b"}, %arg2: tensor<10x5xf32> {zero.param = "l1.w"}, %arg3: tensor<5xf32> {zero.param = "l1.b"}, %arg4: tensor<6x7xf32> {zero.input = "x"}, %arg5: tensor<6xi32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 6.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x10xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<6x10xf32>) -> tensor<6x10xf32>
    %2 = linalg.matmul ins(%arg4, %arg0 : tensor<6x7xf32>, tensor<7x10xf32>) outs(%1 : tensor<6x10xf32>) -> tensor<6x10xf32>
    %3 = tensor.empty() : tensor<6x10xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<10xf32>) outs(%3 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x10xf32>
    %5 = tensor.empty() : tensor<6x10xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<6x10xf32>, tensor<6x10xf32>) outs(%5 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %24 = arith.addf %in, %in_1 : f32
      linalg.yield %24 : f32
    } -> tensor<6x10xf32>
    %7 = call @relu(%6) : (tensor<6x10xf32>) -> tensor<6x10xf32>
    %8 = tensor.empty() : tensor<6x5xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<6x5xf32>) -> tensor<6x5xf32>
    %10 = linalg.matmul ins(%7, %arg2 : tensor<6x10xf32>, tensor<10x5xf32>) outs(%9 : tensor<6x5xf32>) -> tensor<6x5xf32>
    %11 = tensor.empty() : tensor<6x5xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<5xf32>) outs(%11 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x5xf32>
    %13 = tensor.empty() : tensor<6x5xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%13 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %24 = arith.addf %in, %in_1 : f32
      linalg.yield %24 : f32
    } -> tensor<6x5xf32>
    %15 = call @log_softmax(%14) : (tensor<6x5xf32>) -> tensor<6x5xf32>
    %expanded = tensor.expand_shape %arg5 [[0, 1]] output_shape [6, 1] : tensor<6xi32> into tensor<6x1xi32>
    %16 = call @take_along_axis(%15, %expanded) : (tensor<6x5xf32>, tensor<6x1xi32>) -> tensor<6x1xf32>
    %17 = tensor.empty() : tensor<f32>
    %18 = linalg.fill ins(%cst_0 : f32) outs(%17 : tensor<f32>) -> tensor<f32>
    %19 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%16 : tensor<6x1xf32>) outs(%18 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.addf %out, %in : f32
      linalg.yield %24 : f32
    } -> tensor<f32>
    %20 = tensor.empty() : tensor<f32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%19 : tensor<f32>) outs(%20 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.divf %in, %cst : f32
      linalg.yield %24 : f32
    } -> tensor<f32>
    %22 = tensor.empty() : tensor<f32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%21 : tensor<f32>) outs(%22 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.negf %in : f32
      linalg.yield %24 : f32
    } -> tensor<f32>
    return %23 : tensor<f32>
  }
  func.func private @relu(%arg0: tensor<6x10xf32>) -> tensor<6x10xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x10xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<6x10xf32>) outs(%0 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<6x10xf32>
    return %1 : tensor<6x10xf32>
  }
  func.func private @log_softmax(%arg0: tensor<6x5xf32>) -> tensor<6x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<6xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<6x5xf32>) outs(%1 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<6xf32>
    %3 = tensor.empty() : tensor<6xf32>
    %4 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%2 : tensor<6xf32>) outs(%3 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6xf32>
    %5 = tensor.empty() : tensor<6x5xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<6xf32>) outs(%5 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x5xf32>
    %7 = tensor.empty() : tensor<6x5xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%7 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<6x5xf32>
    %9 = tensor.empty() : tensor<6x5xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<6x5xf32>) outs(%9 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<6x5xf32>
    %11 = tensor.empty() : tensor<6xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<6xf32>) -> tensor<6xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<6x5xf32>) outs(%12 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<6xf32>
    %14 = tensor.empty() : tensor<6xf32>
    %15 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%13 : tensor<6xf32>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<6xf32>
    %16 = tensor.empty() : tensor<6x5xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<6xf32>) outs(%16 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x5xf32>
    %18 = tensor.empty() : tensor<6x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%18 : tensor<6x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<6x5xf32>
    return %19 : tensor<6x5xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x5xf32>, %arg1: tensor<6x1xi32>) -> tensor<6x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c4 = arith.constant 4 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c4_i32 = arith.constant 4 : i32
    %c5_i32 = arith.constant 5 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<6x1xi1>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<6x1xi32>) outs(%0 : tensor<6x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<6x1xi1>
    %2 = tensor.empty() : tensor<6x1xi32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<6x1xi32>) outs(%2 : tensor<6x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c5_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<6x1xi32>
    %4 = tensor.empty() : tensor<6x1xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<6x1xi1>, tensor<6x1xi32>, tensor<6x1xi32>) outs(%4 : tensor<6x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<6x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [6, 1, 1] : tensor<6x1xi32> into tensor<6x1x1xi32>
    %6 = tensor.empty() : tensor<6x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<6x1x1xi32>) outs(%6 : tensor<6x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<6x1x1xi1>
    %8 = tensor.empty() : tensor<6x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<6x1x1xi32>) outs(%8 : tensor<6x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c4_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<6x1x1xi1>
    %10 = tensor.empty() : tensor<6x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<6x1x1xi1>, tensor<6x1x1xi1>) outs(%10 : tensor<6x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<6x1x1xi1>
    %12 = tensor.empty() : tensor<6x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<6x1xi1>) -> tensor<6x1xi1>
    %14 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<6x1x1xi1>) outs(%13 : tensor<6x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<6x1xi1>
    %15 = tensor.empty() : tensor<6x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<6x1xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%19, %c0, %c0] : tensor<6x1x1xi32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c4 : index
      %extracted_0 = tensor.extract %arg0[%19, %22] : tensor<6x5xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<6x1xf32>
    %17 = tensor.empty() : tensor<6x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<6x1xi1>, tensor<6x1xf32>) outs(%17 : tensor<6x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<6x1xf32>
    return %18 : tensor<6x1xf32>
  }
}
