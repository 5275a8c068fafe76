// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> ()>
#map5 = affine_map<() -> ()>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<6x8xf32> {zero.param = "l0.w"}, %arg1: tensor<8xf32> {zero.param = "l0.b"}, %arg2: tensor<8xf32> {zero.param = "n.w"}, %arg3: tensor<8xf32> {zero.param = "n.b"}, %arg4: tensor<8x4xf32> {zero.param = "o0.w"}, %arg5: tensor<4xf32> {zero.param = "o0.b"}, %arg6: tensor<5x6xf32> {zero.input = "x"}, %arg7: tensor<5xi32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 5.000000e+00 : f32
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %cst_1 = arith.constant 8.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<5x8xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %2 = linalg.matmul ins(%arg6, %arg0 : tensor<5x6xf32>, tensor<6x8xf32>) outs(%1 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.addf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<5x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.tanh %in : f32
      linalg.yield %34 : f32
    } -> tensor<5x8xf32>
    %6 = tensor.empty() : tensor<5xf32>
    %7 = linalg.fill ins(%cst_2 : f32) outs(%6 : tensor<5xf32>) -> tensor<5xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%5 : tensor<5x8xf32>) outs(%7 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %out, %in : f32
      linalg.yield %34 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %8 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %9 = tensor.empty() : tensor<5x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%9 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %in, %cst_1 : f32
      linalg.yield %34 : f32
    } -> tensor<5x1xf32>
    %11 = call @_var(%5, %cst_3) : (tensor<5x8xf32>, tensor<i32>) -> tensor<5x1xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5x1xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %12 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.subf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<5x8xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<5x1xf32>) outs(%9 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %in, %cst_0 : f32
      linalg.yield %34 : f32
    } -> tensor<5x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<5x1xf32>) outs(%9 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = math.sqrt %in : f32
      linalg.yield %34 : f32
    } -> tensor<5x1xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<5x1xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %16 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.divf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<5x8xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.mulf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<5x8xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %20 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.addf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<5x8xf32>
    %22 = tensor.empty() : tensor<5x4xf32>
    %23 = linalg.fill ins(%cst_2 : f32) outs(%22 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %24 = linalg.matmul ins(%21, %arg4 : tensor<5x8xf32>, tensor<8x4xf32>) outs(%23 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<4xf32>) outs(%22 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24, %25 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%22 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %34 = arith.addf %in, %in_5 : f32
      linalg.yield %34 : f32
    } -> tensor<5x4xf32>
    %27 = call @log_softmax(%26) : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %expanded_4 = tensor.expand_shape %arg7 [[0, 1]] output_shape [5, 1] : tensor<5xi32> into tensor<5x1xi32>
    %28 = call @take_along_axis(%27, %expanded_4) : (tensor<5x4xf32>, tensor<5x1xi32>) -> tensor<5x1xf32>
    %29 = tensor.empty() : tensor<f32>
    %30 = linalg.fill ins(%cst_2 : f32) outs(%29 : tensor<f32>) -> tensor<f32>
    %31 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["reduction", "reduction"]} ins(%28 : tensor<5x1xf32>) outs(%30 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.addf %out, %in : f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%31 : tensor<f32>) outs(%29 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.divf %in, %cst : f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%32 : tensor<f32>) outs(%29 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %34 = arith.negf %in : f32
      linalg.yield %34 : f32
    } -> tensor<f32>
    return %33 : tensor<f32>
  }
  func.func private @_var(%arg0: tensor<5x8xf32>, %arg1: tensor<i32>) -> tensor<5x1xf32> {
    %cst = arith.constant 8.000000e+00 : f32
    %cst_0 = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x8xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.addf %out, %in : f32
      linalg.yield %18 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %2 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %3 = tensor.empty() : tensor<5x1xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%3 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.divf %in, %cst : f32
      linalg.yield %18 : f32
    } -> tensor<5x1xf32>
    %5 = tensor.empty() : tensor<5x8xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5x1xf32>) outs(%5 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%5 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %18 = arith.subf %in, %in_3 : f32
      linalg.yield %18 : f32
    } -> tensor<5x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<5x8xf32>) outs(%5 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.mulf %in, %in : f32
      linalg.yield %18 : f32
    } -> tensor<5x8xf32>
    %9 = tensor.empty() : tensor<f32>
    %10 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%9 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %18 = arith.sitofp %in : i32 to f32
      linalg.yield %18 : f32
    } -> tensor<f32>
    %11 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%10 : tensor<f32>) outs(%9 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.subf %cst, %in : f32
      linalg.yield %18 : f32
    } -> tensor<f32>
    %12 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<5x8xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.addf %out, %in : f32
      linalg.yield %18 : f32
    } -> tensor<5xf32>
    %expanded_2 = tensor.expand_shape %12 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %13 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<f32>) outs(%3 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_2, %13 : tensor<5x1xf32>, tensor<5x1xf32>) outs(%3 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %18 = arith.divf %in, %in_3 : f32
      linalg.yield %18 : f32
    } -> tensor<5x1xf32>
    %15 = tensor.empty() : tensor<i1>
    %16 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%11 : tensor<f32>) outs(%15 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %18 = arith.cmpf ogt, %in, %cst_1 : f32
      linalg.yield %18 : i1
    } -> tensor<i1>
    %17 = call @_where(%16, %14, %cst_0) : (tensor<i1>, tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xf32>
    return %17 : tensor<5x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<5x1xf32>, %arg2: tensor<f32>) -> tensor<5x1xf32> {
    %0 = tensor.empty() : tensor<5x1xf32>
    %1 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x1xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %2 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1, %1 : tensor<5x1xf32>, tensor<5x1xf32>) outs(%0 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<5x1xf32>
    return %2 : tensor<5x1xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x4xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %3 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%2 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    %4 = tensor.empty() : tensor<5x4xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5xf32>) outs(%4 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%4 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<5x4xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x4xf32>) outs(%4 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.exp %in : f32
      linalg.yield %13 : f32
    } -> tensor<5x4xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<5x4xf32>) outs(%8 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %10 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%9 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.log %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5xf32>) outs(%4 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%4 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<5x4xf32>
    return %12 : tensor<5x4xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<5x4xf32>, %arg1: tensor<5x1xi32>) -> tensor<5x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<5x1xi1>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<5x1xi32>) outs(%0 : tensor<5x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %14 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %14 : i1
    } -> tensor<5x1xi1>
    %2 = tensor.empty() : tensor<5x1xi32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<5x1xi32>) outs(%2 : tensor<5x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %14 = arith.addi %in, %c4_i32 : i32
      linalg.yield %14 : i32
    } -> tensor<5x1xi32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<5x1xi1>, tensor<5x1xi32>, tensor<5x1xi32>) outs(%2 : tensor<5x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %14 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %14 : i32
    } -> tensor<5x1xi32>
    %expanded = tensor.expand_shape %4 [[0], [1, 2]] output_shape [5, 1, 1] : tensor<5x1xi32> into tensor<5x1x1xi32>
    %5 = tensor.empty() : tensor<5x1x1xi1>
    %6 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<5x1x1xi32>) outs(%5 : tensor<5x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %14 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %14 : i1
    } -> tensor<5x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<5x1x1xi32>) outs(%5 : tensor<5x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %14 = arith.cmpi sle, %in, %c3_i32 : i32
      linalg.yield %14 : i1
    } -> tensor<5x1x1xi1>
    %8 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %7 : tensor<5x1x1xi1>, tensor<5x1x1xi1>) outs(%5 : tensor<5x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %14 = arith.andi %in, %in_0 : i1
      linalg.yield %14 : i1
    } -> tensor<5x1x1xi1>
    %9 = linalg.fill ins(%true : i1) outs(%0 : tensor<5x1xi1>) -> tensor<5x1xi1>
    %10 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<5x1x1xi1>) outs(%9 : tensor<5x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %14 = arith.andi %out, %in : i1
      linalg.yield %14 : i1
    } -> tensor<5x1xi1>
    %11 = tensor.empty() : tensor<5x1xf32>
    %12 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%11 : tensor<5x1xf32>) {
    ^bb0(%out: f32):
      %14 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%14, %c0, %c0] : tensor<5x1x1xi32>
      %15 = arith.index_cast %extracted : i32 to index
      %16 = arith.maxsi %15, %c0 : index
      %17 = arith.minsi %16, %c3 : index
      %extracted_0 = tensor.extract %arg0[%14, %17] : tensor<5x4xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<5x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<5x1xi1>, tensor<5x1xf32>) outs(%11 : tensor<5x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %14 = arith.select %in, %in_0, %cst : f32
      linalg.yield %14 : f32
    } -> tensor<5x1xf32>
    return %13 : tensor<5x1xf32>
  }
}
