#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<() -> ()>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1) -> (d0)>
#map12 = affine_map<(d0) -> (d0)>
#map13 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func public @main(%arg0: tensor<3x3x1x8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<3x3x8x16xf32>, %arg4: tensor<16x4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<16x1x12x12xf32>, %arg7: tensor<16xi32>) -> tensor<f32> {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 1.600000e+01 : f32
    %cst_1 = arith.constant 9.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %collapsed = tensor.collapse_shape %arg6 [[0, 1, 2, 3]] : tensor<16x1x12x12xf32> into tensor<2304xf32>
    %expanded = tensor.expand_shape %collapsed [[0, 1, 2, 3]] output_shape [16, 12, 12, 1] : tensor<2304xf32> into tensor<16x12x12x1xf32>
    %0 = tensor.empty() : tensor<16x12x12x8xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32>
    %padded = tensor.pad %expanded low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst_2 : f32
    } : tensor<16x12x12x1xf32> to tensor<16x14x14x1xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %arg0 : tensor<16x14x14x1xf32>, tensor<3x3x1x8xf32>) outs(%1 : tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32>
    %3 = call @standardize(%2) : (tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32>
    %4 = tensor.empty() : tensor<16x12x12x8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%4 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x12x12x8xf32>
    %6 = tensor.empty() : tensor<16x12x12x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %5 : tensor<16x12x12x8xf32>, tensor<16x12x12x8xf32>) outs(%6 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %42 = arith.mulf %in, %in_5 : f32
      linalg.yield %42 : f32
    } -> tensor<16x12x12x8xf32>
    %8 = tensor.empty() : tensor<16x12x12x8xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<8xf32>) outs(%8 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x12x12x8xf32>
    %10 = tensor.empty() : tensor<16x12x12x8xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<16x12x12x8xf32>, tensor<16x12x12x8xf32>) outs(%10 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %42 = arith.addf %in, %in_5 : f32
      linalg.yield %42 : f32
    } -> tensor<16x12x12x8xf32>
    %12 = call @relu(%11) : (tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32>
    %13 = tensor.empty() : tensor<2x2xf32>
    %14 = tensor.empty() : tensor<16x6x6x8xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<16x6x6x8xf32>) -> tensor<16x6x6x8xf32>
    %16 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%12, %13 : tensor<16x12x12x8xf32>, tensor<2x2xf32>) outs(%15 : tensor<16x6x6x8xf32>) -> tensor<16x6x6x8xf32>
    %17 = tensor.empty() : tensor<16x3x3x16xf32>
    %18 = linalg.fill ins(%cst_2 : f32) outs(%17 : tensor<16x3x3x16xf32>) -> tensor<16x3x3x16xf32>
    %padded_3 = tensor.pad %16 low[0, 0, 0, 0] high[0, 1, 1, 0] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst_2 : f32
    } : tensor<16x6x6x8xf32> to tensor<16x7x7x8xf32>
    %19 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded_3, %arg3 : tensor<16x7x7x8xf32>, tensor<3x3x8x16xf32>) outs(%18 : tensor<16x3x3x16xf32>) -> tensor<16x3x3x16xf32>
    %20 = call @relu_0(%19) : (tensor<16x3x3x16xf32>) -> tensor<16x3x3x16xf32>
    %21 = tensor.empty() : tensor<16x16xf32>
    %22 = linalg.fill ins(%cst_2 : f32) outs(%21 : tensor<16x16xf32>) -> tensor<16x16xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%20 : tensor<16x3x3x16xf32>) outs(%22 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %out, %in : f32
      linalg.yield %42 : f32
    } -> tensor<16x16xf32>
    %24 = tensor.empty() : tensor<16x16xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<16x16xf32>) outs(%24 : tensor<16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.divf %in, %cst_1 : f32
      linalg.yield %42 : f32
    } -> tensor<16x16xf32>
    %26 = tensor.empty() : tensor<16x4xf32>
    %27 = linalg.fill ins(%cst_2 : f32) outs(%26 : tensor<16x4xf32>) -> tensor<16x4xf32>
    %28 = linalg.matmul ins(%25, %arg4 : tensor<16x16xf32>, tensor<16x4xf32>) outs(%27 : tensor<16x4xf32>) -> tensor<16x4xf32>
    %29 = tensor.empty() : tensor<16x4xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<4xf32>) outs(%29 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x4xf32>
    %31 = tensor.empty() : tensor<16x4xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%28, %30 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%31 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %42 = arith.addf %in, %in_5 : f32
      linalg.yield %42 : f32
    } -> tensor<16x4xf32>
    %33 = call @log_softmax(%32) : (tensor<16x4xf32>) -> tensor<16x4xf32>
    %expanded_4 = tensor.expand_shape %arg7 [[0, 1]] output_shape [16, 1] : tensor<16xi32> into tensor<16x1xi32>
    %34 = call @take_along_axis(%33, %expanded_4) : (tensor<16x4xf32>, tensor<16x1xi32>) -> tensor<16x1xf32>
    %35 = tensor.empty() : tensor<f32>
    %36 = linalg.fill ins(%cst_2 : f32) outs(%35 : tensor<f32>) -> tensor<f32>
    %37 = linalg.generic {indexing_maps = [#map4, #map6], iterator_types = ["reduction", "reduction"]} ins(%34 : tensor<16x1xf32>) outs(%36 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.addf %out, %in : f32
      linalg.yield %42 : f32
    } -> tensor<f32>
    %38 = tensor.empty() : tensor<f32>
    %39 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%37 : tensor<f32>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.divf %in, %cst_0 : f32
      linalg.yield %42 : f32
    } -> tensor<f32>
    %40 = tensor.empty() : tensor<f32>
    %41 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%39 : tensor<f32>) outs(%40 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %42 = arith.negf %in : f32
      linalg.yield %42 : f32
    } -> tensor<f32>
    return %41 : tensor<f32>
  }
  func.func private @standardize(%arg0: tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32> {
    %cst = arith.constant 9.99999974E-6 : f32
    %cst_0 = arith.constant 1.440000e+02 : f32
    %cst_1 = arith.constant dense<0> : tensor<i32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x8xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<16x8xf32>) -> tensor<16x8xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0 : tensor<16x12x12x8xf32>) outs(%1 : tensor<16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.addf %out, %in : f32
      linalg.yield %33 : f32
    } -> tensor<16x8xf32>
    %3 = tensor.empty() : tensor<16x1x1x8xf32>
    %4 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<16x8xf32>) outs(%3 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x1x1x8xf32>
    %5 = tensor.empty() : tensor<16x1x1x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<16x1x1x8xf32>) outs(%5 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.divf %in, %cst_0 : f32
      linalg.yield %33 : f32
    } -> tensor<16x1x1x8xf32>
    %7 = tensor.empty() : tensor<16x12x12x8xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<16x12x12x8xf32>) outs(%7 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.mulf %in, %in : f32
      linalg.yield %33 : f32
    } -> tensor<16x12x12x8xf32>
    %9 = tensor.empty() : tensor<16x8xf32>
    %10 = linalg.fill ins(%cst_2 : f32) outs(%9 : tensor<16x8xf32>) -> tensor<16x8xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%8 : tensor<16x12x12x8xf32>) outs(%10 : tensor<16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.addf %out, %in : f32
      linalg.yield %33 : f32
    } -> tensor<16x8xf32>
    %12 = tensor.empty() : tensor<16x1x1x8xf32>
    %13 = linalg.generic {indexing_maps = [#map8, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<16x8xf32>) outs(%12 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x1x1x8xf32>
    %14 = tensor.empty() : tensor<16x1x1x8xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<16x1x1x8xf32>) outs(%14 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.divf %in, %cst_0 : f32
      linalg.yield %33 : f32
    } -> tensor<16x1x1x8xf32>
    %16 = tensor.empty() : tensor<16x1x1x8xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<16x1x1x8xf32>) outs(%16 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.mulf %in, %in : f32
      linalg.yield %33 : f32
    } -> tensor<16x1x1x8xf32>
    %18 = tensor.empty() : tensor<16x1x1x8xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %17 : tensor<16x1x1x8xf32>, tensor<16x1x1x8xf32>) outs(%18 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %33 = arith.subf %in, %in_3 : f32
      linalg.yield %33 : f32
    } -> tensor<16x1x1x8xf32>
    %20 = call @clip(%19, %cst_1) : (tensor<16x1x1x8xf32>, tensor<i32>) -> tensor<16x1x1x8xf32>
    %21 = tensor.empty() : tensor<16x12x12x8xf32>
    %22 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<16x1x1x8xf32>) outs(%21 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x12x12x8xf32>
    %23 = tensor.empty() : tensor<16x12x12x8xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %22 : tensor<16x12x12x8xf32>, tensor<16x12x12x8xf32>) outs(%23 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %33 = arith.subf %in, %in_3 : f32
      linalg.yield %33 : f32
    } -> tensor<16x12x12x8xf32>
    %25 = tensor.empty() : tensor<16x1x1x8xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<16x1x1x8xf32>) outs(%25 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = arith.addf %in, %cst : f32
      linalg.yield %33 : f32
    } -> tensor<16x1x1x8xf32>
    %27 = tensor.empty() : tensor<16x1x1x8xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<16x1x1x8xf32>) outs(%27 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %33 = math.rsqrt %in : f32
      linalg.yield %33 : f32
    } -> tensor<16x1x1x8xf32>
    %29 = tensor.empty() : tensor<16x12x12x8xf32>
    %30 = linalg.generic {indexing_maps = [#map9, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<16x1x1x8xf32>) outs(%29 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x12x12x8xf32>
    %31 = tensor.empty() : tensor<16x12x12x8xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %30 : tensor<16x12x12x8xf32>, tensor<16x12x12x8xf32>) outs(%31 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %33 = arith.mulf %in, %in_3 : f32
      linalg.yield %33 : f32
    } -> tensor<16x12x12x8xf32>
    return %32 : tensor<16x12x12x8xf32>
  }
  func.func private @clip(%arg0: tensor<16x1x1x8xf32>, %arg1: tensor<i32>) -> tensor<16x1x1x8xf32> {
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%arg1 : tensor<i32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i32, %out: f32):
      %6 = arith.sitofp %in : i32 to f32
      linalg.yield %6 : f32
    } -> tensor<f32>
    %2 = tensor.empty() : tensor<16x1x1x8xf32>
    %3 = linalg.generic {indexing_maps = [#map10, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<f32>) outs(%2 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x1x1x8xf32>
    %4 = tensor.empty() : tensor<16x1x1x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %arg0 : tensor<16x1x1x8xf32>, tensor<16x1x1x8xf32>) outs(%4 : tensor<16x1x1x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.maximumf %in, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<16x1x1x8xf32>
    return %5 : tensor<16x1x1x8xf32>
  }
  func.func private @relu(%arg0: tensor<16x12x12x8xf32>) -> tensor<16x12x12x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x12x12x8xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<16x12x12x8xf32>) outs(%0 : tensor<16x12x12x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<16x12x12x8xf32>
    return %1 : tensor<16x12x12x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<16x3x3x16xf32>) -> tensor<16x3x3x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x3x3x16xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<16x3x3x16xf32>) outs(%0 : tensor<16x3x3x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<16x3x3x16xf32>
    return %1 : tensor<16x3x3x16xf32>
  }
  func.func private @log_softmax(%arg0: tensor<16x4xf32>) -> tensor<16x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<16xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
    %2 = linalg.generic {indexing_maps = [#map4, #map11], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<16x4xf32>) outs(%1 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<16xf32>
    %3 = tensor.empty() : tensor<16xf32>
    %4 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel"]} ins(%2 : tensor<16xf32>) outs(%3 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    %5 = tensor.empty() : tensor<16x4xf32>
    %6 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<16xf32>) outs(%5 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x4xf32>
    %7 = tensor.empty() : tensor<16x4xf32>
    %8 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%7 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<16x4xf32>
    %9 = tensor.empty() : tensor<16x4xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<16x4xf32>) outs(%9 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<16x4xf32>
    %11 = tensor.empty() : tensor<16xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<16xf32>) -> tensor<16xf32>
    %13 = linalg.generic {indexing_maps = [#map4, #map11], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<16x4xf32>) outs(%12 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<16xf32>
    %14 = tensor.empty() : tensor<16xf32>
    %15 = linalg.generic {indexing_maps = [#map12, #map12], iterator_types = ["parallel"]} ins(%13 : tensor<16xf32>) outs(%14 : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<16xf32>
    %16 = tensor.empty() : tensor<16x4xf32>
    %17 = linalg.generic {indexing_maps = [#map11, #map4], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<16xf32>) outs(%16 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x4xf32>
    %18 = tensor.empty() : tensor<16x4xf32>
    %19 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%18 : tensor<16x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<16x4xf32>
    return %19 : tensor<16x4xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x4xf32>, %arg1: tensor<16x1xi32>) -> tensor<16x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<16x1xi1>
    %1 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x1xi32>) outs(%0 : tensor<16x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<16x1xi1>
    %2 = tensor.empty() : tensor<16x1xi32>
    %3 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<16x1xi32>) outs(%2 : tensor<16x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c4_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<16x1xi32>
    %4 = tensor.empty() : tensor<16x1xi32>
    %5 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<16x1xi1>, tensor<16x1xi32>, tensor<16x1xi32>) outs(%4 : tensor<16x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<16x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [16, 1, 1] : tensor<16x1xi32> into tensor<16x1x1xi32>
    %6 = tensor.empty() : tensor<16x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<16x1x1xi32>) outs(%6 : tensor<16x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<16x1x1xi1>
    %8 = tensor.empty() : tensor<16x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<16x1x1xi32>) outs(%8 : tensor<16x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c3_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<16x1x1xi1>
    %10 = tensor.empty() : tensor<16x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map13, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<16x1x1xi1>, tensor<16x1x1xi1>) outs(%10 : tensor<16x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<16x1x1xi1>
    %12 = tensor.empty() : tensor<16x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<16x1xi1>) -> tensor<16x1xi1>
    %14 = linalg.generic {indexing_maps = [#map13, #map14], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<16x1x1xi1>) outs(%13 : tensor<16x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<16x1xi1>
    %15 = tensor.empty() : tensor<16x1xf32>
    %16 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<16x1xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%19, %c0, %c0] : tensor<16x1x1xi32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c3 : index
      %extracted_0 = tensor.extract %arg0[%19, %22] : tensor<16x4xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<16x1xf32>
    %17 = tensor.empty() : tensor<16x1xf32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<16x1xi1>, tensor<16x1xf32>) outs(%17 : tensor<16x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<16x1xf32>
    return %18 : tensor<16x1xf32>
  }
}

