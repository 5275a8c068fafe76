// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3, d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> ()>
#map9 = affine_map<() -> ()>
#map10 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map11 = affine_map<(d0) -> ()>
#map12 = affine_map<(d0, d1) -> (d0)>
#map13 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<3x3x2x4xf32> {zero.param = "w"}, %arg1: tensor<4xf32> {zero.param = "scale"}, %arg2: tensor<4xf32> {zero.param = "shift"}, %arg3: tensor<4x3xf32> {zero.param = "o"}, %arg4: tensor<4x6x6x2xf32> {zero.input = "x"}, %arg5: tensor<4xi32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 4.000000e+00 : f32
    %cst_0 = arith.constant 1.600000e+01 : f32
    %cst_1 = arith.constant 9.99999974E-6 : f32
    %cst_2 = arith.constant 6.400000e+01 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %cst_4 = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<4x4x4x4xf32>
    %1 = linalg.fill ins(%cst_3 : f32) outs(%0 : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg4, %arg0 : tensor<4x6x6x2xf32>, tensor<3x3x2x4xf32>) outs(%1 : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.fill ins(%cst_3 : f32) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%2 : tensor<4x4x4x4xf32>) outs(%4 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %out, %in : f32
      linalg.yield %47 : f32
    } -> tensor<4xf32>
    %6 = tensor.empty() : tensor<4xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%5 : tensor<4xf32>) outs(%6 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.divf %in, %cst_2 : f32
      linalg.yield %47 : f32
    } -> tensor<4xf32>
    %8 = call @_var(%2, %cst_4) : (tensor<4x4x4x4xf32>, tensor<i32>) -> tensor<4xf32>
    %9 = tensor.empty() : tensor<4x4x4x4xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<4xf32>) outs(%9 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4x4x4xf32>
    %11 = tensor.empty() : tensor<4x4x4x4xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %10 : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%11 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %47 = arith.subf %in, %in_5 : f32
      linalg.yield %47 : f32
    } -> tensor<4x4x4x4xf32>
    %13 = tensor.empty() : tensor<4xf32>
    %14 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%8 : tensor<4xf32>) outs(%13 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %in, %cst_1 : f32
      linalg.yield %47 : f32
    } -> tensor<4xf32>
    %15 = tensor.empty() : tensor<4xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%14 : tensor<4xf32>) outs(%15 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = math.rsqrt %in : f32
      linalg.yield %47 : f32
    } -> tensor<4xf32>
    %17 = tensor.empty() : tensor<4x4x4x4xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<4xf32>) outs(%17 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4x4x4xf32>
    %19 = tensor.empty() : tensor<4x4x4x4xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12, %18 : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%19 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %47 = arith.mulf %in, %in_5 : f32
      linalg.yield %47 : f32
    } -> tensor<4x4x4x4xf32>
    %21 = tensor.empty() : tensor<4x4x4x4xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<4xf32>) outs(%21 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4x4x4xf32>
    %23 = tensor.empty() : tensor<4x4x4x4xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %22 : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%23 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %47 = arith.mulf %in, %in_5 : f32
      linalg.yield %47 : f32
    } -> tensor<4x4x4x4xf32>
    %25 = tensor.empty() : tensor<4x4x4x4xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<4xf32>) outs(%25 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4x4x4xf32>
    %27 = tensor.empty() : tensor<4x4x4x4xf32>
    %28 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %26 : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%27 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %47 = arith.addf %in, %in_5 : f32
      linalg.yield %47 : f32
    } -> tensor<4x4x4x4xf32>
    %29 = call @relu(%28) : (tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    %30 = tensor.empty() : tensor<4x4xf32>
    %31 = linalg.fill ins(%cst_3 : f32) outs(%30 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%29 : tensor<4x4x4x4xf32>) outs(%31 : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %out, %in : f32
      linalg.yield %47 : f32
    } -> tensor<4x4xf32>
    %33 = tensor.empty() : tensor<4x4xf32>
    %34 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%32 : tensor<4x4xf32>) outs(%33 : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.divf %in, %cst_0 : f32
      linalg.yield %47 : f32
    } -> tensor<4x4xf32>
    %35 = tensor.empty() : tensor<4x3xf32>
    %36 = linalg.fill ins(%cst_3 : f32) outs(%35 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %37 = linalg.matmul ins(%34, %arg3 : tensor<4x4xf32>, tensor<4x3xf32>) outs(%36 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %38 = call @log_softmax(%37) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %expanded = tensor.expand_shape %arg5 [[0, 1]] output_shape [4, 1] : tensor<4xi32> into tensor<4x1xi32>
    %39 = call @take_along_axis(%38, %expanded) : (tensor<4x3xf32>, tensor<4x1xi32>) -> tensor<4x1xf32>
    %40 = tensor.empty() : tensor<f32>
    %41 = linalg.fill ins(%cst_3 : f32) outs(%40 : tensor<f32>) -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [#map7, #map8], iterator_types = ["reduction", "reduction"]} ins(%39 : tensor<4x1xf32>) outs(%41 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.addf %out, %in : f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    %43 = tensor.empty() : tensor<f32>
    %44 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%42 : tensor<f32>) outs(%43 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.divf %in, %cst : f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    %45 = tensor.empty() : tensor<f32>
    %46 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%44 : tensor<f32>) outs(%45 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %47 = arith.negf %in : f32
      linalg.yield %47 : f32
    } -> tensor<f32>
    return %46 : tensor<f32>
  }
  func.func private @_var(%arg0: tensor<4x4x4x4xf32>, %arg1: tensor<i32>) -> tensor<4xf32> {
    %cst = arith.constant 6.400000e+01 : f32
    %cst_0 = arith.constant dense<0x7FC00000> : tensor<f32>
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%arg0 : tensor<4x4x4x4xf32>) outs(%1 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<4xf32>
    %3 = tensor.empty() : tensor<1x1x1x4xf32>
    %4 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<4xf32>) outs(%3 : tensor<1x1x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x1x1x4xf32>
    %5 = tensor.empty() : tensor<1x1x1x4xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x1x1x4xf32>) outs(%5 : tensor<1x1x1x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.divf %in, %cst : f32
      linalg.yield %27 : f32
    } -> tensor<1x1x1x4xf32>
    %7 = tensor.empty() : tensor<4x4x4x4xf32>
    %8 = linalg.generic {indexing_maps = [#map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<1x1x1x4xf32>) outs(%7 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x4x4x4xf32>
    %9 = tensor.empty() : tensor<4x4x4x4xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %8 : tensor<4x4x4x4xf32>, tensor<4x4x4x4xf32>) outs(%9 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %27 = arith.subf %in, %in_2 : f32
      linalg.yield %27 : f32
    } -> tensor<4x4x4x4xf32>
    %11 = tensor.empty() : tensor<4x4x4x4xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<4x4x4x4xf32>) outs(%11 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.mulf %in, %in : f32
      linalg.yield %27 : f32
    } -> tensor<4x4x4x4xf32>
    %13 = tensor.empty() : tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%13 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %27 = arith.sitofp %in : i32 to f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    %15 = tensor.empty() : tensor<f32>
    %16 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%14 : tensor<f32>) outs(%15 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.subf %cst, %in : f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    %17 = tensor.empty() : tensor<4xf32>
    %18 = linalg.fill ins(%cst_1 : f32) outs(%17 : tensor<4xf32>) -> tensor<4xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%12 : tensor<4x4x4x4xf32>) outs(%18 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<4xf32>
    %20 = tensor.empty() : tensor<4xf32>
    %21 = linalg.generic {indexing_maps = [#map11, #map2], iterator_types = ["parallel"]} ins(%16 : tensor<f32>) outs(%20 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %22 = tensor.empty() : tensor<4xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%19, %21 : tensor<4xf32>, tensor<4xf32>) outs(%22 : tensor<4xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %27 = arith.divf %in, %in_2 : f32
      linalg.yield %27 : f32
    } -> tensor<4xf32>
    %24 = tensor.empty() : tensor<i1>
    %25 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%16 : tensor<f32>) outs(%24 : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %27 = arith.cmpf ogt, %in, %cst_1 : f32
      linalg.yield %27 : i1
    } -> tensor<i1>
    %26 = call @_where(%25, %23, %cst_0) : (tensor<i1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %26 : tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) -> tensor<4xf32> {
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#map11, #map2], iterator_types = ["parallel"]} ins(%arg2 : tensor<f32>) outs(%0 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %2 = tensor.empty() : tensor<4xf32>
    %extracted = tensor.extract %arg0[] : tensor<i1>
    %3 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel"]} ins(%arg1, %1 : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.select %extracted, %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func private @relu(%arg0: tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x4x4x4xf32>
    %1 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x4x4x4xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<4x4x4x4xf32>
    return %1 : tensor<4x4x4x4xf32>
  }
  func.func private @log_softmax(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#map7, #map12], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x3xf32>) outs(%1 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %3 = tensor.empty() : tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%2 : tensor<4xf32>) outs(%3 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4xf32>
    %5 = tensor.empty() : tensor<4x3xf32>
    %6 = linalg.generic {indexing_maps = [#map12, #map7], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4xf32>) outs(%5 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %7 = tensor.empty() : tensor<4x3xf32>
    %8 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%7 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<4x3xf32>
    %9 = tensor.empty() : tensor<4x3xf32>
    %10 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x3xf32>) outs(%9 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<4x3xf32>
    %11 = tensor.empty() : tensor<4xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<4xf32>) -> tensor<4xf32>
    %13 = linalg.generic {indexing_maps = [#map7, #map12], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<4x3xf32>) outs(%12 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %14 = tensor.empty() : tensor<4xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%13 : tensor<4xf32>) outs(%14 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<4xf32>
    %16 = tensor.empty() : tensor<4x3xf32>
    %17 = linalg.generic {indexing_maps = [#map12, #map7], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<4xf32>) outs(%16 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %18 = tensor.empty() : tensor<4x3xf32>
    %19 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%18 : tensor<4x3xf32>) {
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
    %1 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x1xi32>) outs(%0 : tensor<4x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1xi1>
    %2 = tensor.empty() : tensor<4x1xi32>
    %3 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x1xi32>) outs(%2 : tensor<4x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c3_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<4x1xi32>
    %4 = tensor.empty() : tensor<4x1xi32>
    %5 = linalg.generic {indexing_maps = [#map7, #map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<4x1xi1>, tensor<4x1xi32>, tensor<4x1xi32>) outs(%4 : tensor<4x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<4x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [4, 1, 1] : tensor<4x1xi32> into tensor<4x1x1xi32>
    %6 = tensor.empty() : tensor<4x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi32>) outs(%6 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %8 = tensor.empty() : tensor<4x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<4x1x1xi32>) outs(%8 : tensor<4x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c2_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %10 = tensor.empty() : tensor<4x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<4x1x1xi1>, tensor<4x1x1xi1>) outs(%10 : tensor<4x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<4x1x1xi1>
    %12 = tensor.empty() : tensor<4x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<4x1xi1>) -> tensor<4x1xi1>
    %14 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<4x1x1xi1>) outs(%13 : tensor<4x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<4x1xi1>
    %15 = tensor.empty() : tensor<4x1xf32>
    %16 = linalg.generic {indexing_maps = [#map7], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<4x1xf32>) {
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
    %18 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<4x1xi1>, tensor<4x1xf32>) outs(%17 : tensor<4x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<4x1xf32>
    return %18 : tensor<4x1xf32>
  }
}
