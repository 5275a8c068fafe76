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
    %3 = tensor.empty() : tensor<5x8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%3 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %5 = tensor.empty() : tensor<5x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%5 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %51 = arith.addf %in, %in_5 : f32
      linalg.yield %51 : f32
    } -> tensor<5x8xf32>
    %7 = tensor.empty() : tensor<5x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x8xf32>) outs(%7 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.tanh %in : f32
      linalg.yield %51 : f32
    } -> tensor<5x8xf32>
    %9 = tensor.empty() : tensor<5xf32>
    %10 = linalg.fill ins(%cst_2 : f32) outs(%9 : tensor<5xf32>) -> tensor<5xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<5x8xf32>) outs(%10 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %out, %in : f32
      linalg.yield %51 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %11 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %12 = tensor.empty() : tensor<5x1xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%12 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.divf %in, %cst_1 : f32
      linalg.yield %51 : f32
    } -> tensor<5x1xf32>
    %14 = call @_var(%8, %cst_3) : (tensor<5x8xf32>, tensor<i32>) -> tensor<5x1xf32>
    %15 = tensor.empty() : tensor<5x8xf32>
    %16 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<5x1xf32>) outs(%15 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %17 = tensor.empty() : tensor<5x8xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %16 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%17 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %51 = arith.subf %in, %in_5 : f32
      linalg.yield %51 : f32
    } -> tensor<5x8xf32>
    %19 = tensor.empty() : tensor<5x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<5x1xf32>) outs(%19 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %in, %cst_0 : f32
      linalg.yield %51 : f32
    } -> tensor<5x1xf32>
    %21 = tensor.empty() : tensor<5x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<5x1xf32>) outs(%21 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.sqrt %in : f32
      linalg.yield %51 : f32
    } -> tensor<5x1xf32>
    %23 = tensor.empty() : tensor<5x8xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<5x1xf32>) outs(%23 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %25 = tensor.empty() : tensor<5x8xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18, %24 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%25 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %51 = arith.divf %in, %in_5 : f32
      linalg.yield %51 : f32
    } -> tensor<5x8xf32>
    %27 = tensor.empty() : tensor<5x8xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<8xf32>) outs(%27 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %29 = tensor.empty() : tensor<5x8xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%26, %28 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%29 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %51 = arith.mulf %in, %in_5 : f32
      linalg.yield %51 : f32
    } -> tensor<5x8xf32>
    %31 = tensor.empty() : tensor<5x8xf32>
    %32 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<8xf32>) outs(%31 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %33 = tensor.empty() : tensor<5x8xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30, %32 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%33 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %51 = arith.addf %in, %in_5 : f32
      linalg.yield %51 : f32
    } -> tensor<5x8xf32>
    %35 = tensor.empty() : tensor<5x4xf32>
    %36 = linalg.fill ins(%cst_2 : f32) outs(%35 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %37 = linalg.matmul ins(%34, %arg4 : tensor<5x8xf32>, tensor<8x4xf32>) outs(%36 : tensor<5x4xf32>) -> tensor<5x4xf32>
    %38 = tensor.empty() : tensor<5x4xf32>
    %39 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<4xf32>) outs(%38 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %40 = tensor.empty() : tensor<5x4xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%37, %39 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%40 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %51 = arith.addf %in, %in_5 : f32
      linalg.yield %51 : f32
    } -> tensor<5x4xf32>
    %42 = call @log_softmax(%41) : (tensor<5x4xf32>) -> tensor<5x4xf32>
    %expanded_4 = tensor.expand_shape %arg7 [[0, 1]] output_shape [5, 1] : tensor<5xi32> into tensor<5x1xi32>
    %43 = call @take_along_axis(%42, %expanded_4) : (tensor<5x4xf32>, tensor<5x1xi32>) -> tensor<5x1xf32>
    %44 = tensor.empty() : tensor<f32>
    %45 = linalg.fill ins(%cst_2 : f32) outs(%44 : tensor<f32>) -> tensor<f32>
    %46 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["reduction", "reduction"]} ins(%43 : tensor<5x1xf32>) outs(%45 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %out, %in : f32
      linalg.yield %51 : f32
    } -> tensor<f32>
    %47 = tensor.empty() : tensor<f32>
    %48 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%46 : tensor<f32>) outs(%47 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.divf %in, %cst : f32
      linalg.yield %51 : f32
    } -> tensor<f32>
    %49 = tensor.empty() : tensor<f32>
    %50 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%48 : tensor<f32>) outs(%49 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      linalg.yield %51 : f32
    } -> tensor<f32>
    return %50 : tensor<f32>
  }
  func.func private @_var(%arg0: tensor<5x8xf32>, %arg1: tensor<i32>) -> tensor<5x1xf32> {
    %cst = arith.constant 8.000000e+00 : f32
    %cst_0 = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x8xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %2 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %3 = tensor.empty() : tensor<5x1xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<5x1xf32>) outs(%3 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.divf %in, %cst : f32
      linalg.yield %25 : f32
    } -> tensor<5x1xf32>
    %5 = tensor.empty() : tensor<5x8xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5x1xf32>) outs(%5 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %7 = tensor.empty() : tensor<5x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%7 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.subf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<5x8xf32>
    %9 = tensor.empty() : tensor<5x8xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<5x8xf32>) outs(%9 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.mulf %in, %in : f32
      linalg.yield %25 : f32
    } -> tensor<5x8xf32>
    %11 = tensor.empty() : tensor<f32>
    %12 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%11 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %25 = arith.sitofp %in : i32 to f32
      linalg.yield %25 : f32
    } -> tensor<f32>
    %13 = tensor.empty() : tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%12 : tensor<f32>) outs(%13 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.subf %cst, %in : f32
      linalg.yield %25 : f32
    } -> tensor<f32>
    %15 = tensor.empty() : tensor<5xf32>
    %16 = linalg.fill ins(%cst_1 : f32) outs(%15 : tensor<5xf32>) -> tensor<5xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<5x8xf32>) outs(%16 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<5xf32>
    %expanded_2 = tensor.expand_shape %17 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %18 = tensor.empty() : tensor<5x1xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<f32>) outs(%18 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x1xf32>
    %20 = tensor.empty() : tensor<5x1xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_2, %19 : tensor<5x1xf32>, tensor<5x1xf32>) outs(%20 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %25 = arith.divf %in, %in_3 : f32
      linalg.yield %25 : f32
    } -> tensor<5x1xf32>
    %22 = tensor.empty() : tensor<i1>
    %23 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%14 : tensor<f32>) outs(%22 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %25 = arith.cmpf ogt, %in, %cst_1 : f32
      linalg.yield %25 : i1
    } -> tensor<i1>
    %24 = call @_where(%23, %21, %cst_0) : (tensor<i1>, tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xf32>
    return %24 : tensor<5x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<5x1xf32>, %arg2: tensor<f32>) -> tensor<5x1xf32> {
    %0 = tensor.empty() : tensor<5x1xf32>
    %1 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x1xf32>
    %2 = tensor.empty() : tensor<5x1xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %3 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1, %1 : tensor<5x1xf32>, tensor<5x1xf32>) outs(%2 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<5x1xf32>
    return %3 : tensor<5x1xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x4xf32>) -> tensor<5x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x4xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %3 = tensor.empty() : tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%2 : tensor<5xf32>) outs(%3 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    %5 = tensor.empty() : tensor<5x4xf32>
    %6 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5xf32>) outs(%5 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %7 = tensor.empty() : tensor<5x4xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%7 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<5x4xf32>
    %9 = tensor.empty() : tensor<5x4xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<5x4xf32>) outs(%9 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<5x4xf32>
    %11 = tensor.empty() : tensor<5xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<5xf32>) -> tensor<5xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<5x4xf32>) outs(%12 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %14 = tensor.empty() : tensor<5xf32>
    %15 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel"]} ins(%13 : tensor<5xf32>) outs(%14 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %16 = tensor.empty() : tensor<5x4xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<5xf32>) outs(%16 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x4xf32>
    %18 = tensor.empty() : tensor<5x4xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<5x4xf32>, tensor<5x4xf32>) outs(%18 : tensor<5x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<5x4xf32>
    return %19 : tensor<5x4xf32>
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
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<5x1xi1>
    %2 = tensor.empty() : tensor<5x1xi32>
    %3 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<5x1xi32>) outs(%2 : tensor<5x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c4_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<5x1xi32>
    %4 = tensor.empty() : tensor<5x1xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<5x1xi1>, tensor<5x1xi32>, tensor<5x1xi32>) outs(%4 : tensor<5x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<5x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [5, 1, 1] : tensor<5x1xi32> into tensor<5x1x1xi32>
    %6 = tensor.empty() : tensor<5x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<5x1x1xi32>) outs(%6 : tensor<5x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<5x1x1xi1>
    %8 = tensor.empty() : tensor<5x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<5x1x1xi32>) outs(%8 : tensor<5x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c3_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<5x1x1xi1>
    %10 = tensor.empty() : tensor<5x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<5x1x1xi1>, tensor<5x1x1xi1>) outs(%10 : tensor<5x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<5x1x1xi1>
    %12 = tensor.empty() : tensor<5x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<5x1xi1>) -> tensor<5x1xi1>
    %14 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<5x1x1xi1>) outs(%13 : tensor<5x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<5x1xi1>
    %15 = tensor.empty() : tensor<5x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<5x1xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%19, %c0, %c0] : tensor<5x1x1xi32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c3 : index
      %extracted_0 = tensor.extract %arg0[%19, %22] : tensor<5x4xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<5x1xf32>
    %17 = tensor.empty() : tensor<5x1xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<5x1xi1>, tensor<5x1xf32>) outs(%17 : tensor<5x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<5x1xf32>
    return %18 : tensor<5x1xf32>
  }
}
