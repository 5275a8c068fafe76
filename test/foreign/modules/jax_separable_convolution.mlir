// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3 + d4, d5 + d6, d0, d1)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d4, d6, d1, d0, d2)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d7, d3, d5, d0, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> ()>
#map5 = affine_map<() -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<3x3x1x4xf32> {zero.param = "depth"}, %arg1: tensor<1x1x4x6xf32> {zero.param = "point"}, %arg2: tensor<3x3x3x6xf32> {zero.param = "groups"}, %arg3: tensor<2x7x6x4xf32> {zero.input = "x"}, %arg4: tensor<2x3x3x6xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 1.080000e+02 : f32
    %cst_0 = arith.constant 4.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg3 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst_1 : f32
    } : tensor<2x7x6x4xf32> to tensor<2x9x8x4xf32>
    %0 = tensor.empty() : tensor<2x7x6x4xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<2x7x6x4xf32>) -> tensor<2x7x6x4xf32>
    %collapsed = tensor.collapse_shape %arg0 [[0], [1], [2, 3]] : tensor<3x3x1x4xf32> into tensor<3x3x4xf32>
    %2 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %collapsed : tensor<2x9x8x4xf32>, tensor<3x3x4xf32>) outs(%1 : tensor<2x7x6x4xf32>) -> tensor<2x7x6x4xf32>
    %3 = tensor.empty() : tensor<2x7x6x6xf32>
    %4 = linalg.fill ins(%cst_1 : f32) outs(%3 : tensor<2x7x6x6xf32>) -> tensor<2x7x6x6xf32>
    %5 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%2, %arg1 : tensor<2x7x6x4xf32>, tensor<1x1x4x6xf32>) outs(%4 : tensor<2x7x6x6xf32>) -> tensor<2x7x6x6xf32>
    %6 = call @silu(%5) : (tensor<2x7x6x6xf32>) -> tensor<2x7x6x6xf32>
    %padded_2 = tensor.pad %6 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst_1 : f32
    } : tensor<2x7x6x6xf32> to tensor<2x9x8x6xf32>
    %expanded = tensor.expand_shape %padded_2 [[0], [1], [2], [3, 4]] output_shape [2, 9, 8, 2, 3] : tensor<2x9x8x6xf32> into tensor<2x9x8x2x3xf32>
    %expanded_3 = tensor.expand_shape %arg2 [[0], [1], [2], [3, 4]] output_shape [3, 3, 3, 2, 3] : tensor<3x3x3x6xf32> into tensor<3x3x3x2x3xf32>
    %7 = tensor.empty() : tensor<2x7x6x2x3xf32>
    %8 = linalg.fill ins(%cst_1 : f32) outs(%7 : tensor<2x7x6x2x3xf32>) -> tensor<2x7x6x2x3xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction", "parallel", "parallel", "reduction", "parallel", "reduction", "parallel"]} ins(%expanded, %expanded_3 : tensor<2x9x8x2x3xf32>, tensor<3x3x3x2x3xf32>) outs(%8 : tensor<2x7x6x2x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %25 = arith.mulf %in, %in_5 : f32
      %26 = arith.addf %out, %25 : f32
      linalg.yield %26 : f32
    } -> tensor<2x7x6x2x3xf32>
    %collapsed_4 = tensor.collapse_shape %9 [[0], [1], [2], [3, 4]] : tensor<2x7x6x2x3xf32> into tensor<2x7x6x6xf32>
    %10 = tensor.empty() : tensor<2x2xf32>
    %11 = tensor.empty() : tensor<2x3x3x6xf32>
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32>
    %13 = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%collapsed_4, %10 : tensor<2x7x6x6xf32>, tensor<2x2xf32>) outs(%12 : tensor<2x3x3x6xf32>) -> tensor<2x3x3x6xf32>
    %14 = tensor.empty() : tensor<2x3x3x6xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<2x3x3x6xf32>) outs(%14 : tensor<2x3x3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.divf %in, %cst_0 : f32
      linalg.yield %25 : f32
    } -> tensor<2x3x3x6xf32>
    %16 = tensor.empty() : tensor<2x3x3x6xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %arg4 : tensor<2x3x3x6xf32>, tensor<2x3x3x6xf32>) outs(%16 : tensor<2x3x3x6xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %25 = arith.subf %in, %in_5 : f32
      linalg.yield %25 : f32
    } -> tensor<2x3x3x6xf32>
    %18 = tensor.empty() : tensor<2x3x3x6xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<2x3x3x6xf32>) outs(%18 : tensor<2x3x3x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.mulf %in, %in : f32
      linalg.yield %25 : f32
    } -> tensor<2x3x3x6xf32>
    %20 = tensor.empty() : tensor<f32>
    %21 = linalg.fill ins(%cst_1 : f32) outs(%20 : tensor<f32>) -> tensor<f32>
    %22 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%19 : tensor<2x3x3x6xf32>) outs(%21 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.addf %out, %in : f32
      linalg.yield %25 : f32
    } -> tensor<f32>
    %23 = tensor.empty() : tensor<f32>
    %24 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%22 : tensor<f32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %25 = arith.divf %in, %cst : f32
      linalg.yield %25 : f32
    } -> tensor<f32>
    return %24 : tensor<f32>
  }
  func.func private @silu(%arg0: tensor<2x7x6x6xf32>) -> tensor<2x7x6x6xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x7x6x6xf32>
    %1 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x7x6x6xf32>) outs(%0 : tensor<2x7x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.negf %in : f32
      linalg.yield %10 : f32
    } -> tensor<2x7x6x6xf32>
    %2 = tensor.empty() : tensor<2x7x6x6xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x7x6x6xf32>) outs(%2 : tensor<2x7x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.exp %in : f32
      linalg.yield %10 : f32
    } -> tensor<2x7x6x6xf32>
    %4 = tensor.empty() : tensor<2x7x6x6xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<2x7x6x6xf32>) outs(%4 : tensor<2x7x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %cst : f32
      linalg.yield %10 : f32
    } -> tensor<2x7x6x6xf32>
    %6 = tensor.empty() : tensor<2x7x6x6xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<2x7x6x6xf32>) outs(%6 : tensor<2x7x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %cst, %in : f32
      linalg.yield %10 : f32
    } -> tensor<2x7x6x6xf32>
    %8 = tensor.empty() : tensor<2x7x6x6xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %7 : tensor<2x7x6x6xf32>, tensor<2x7x6x6xf32>) outs(%8 : tensor<2x7x6x6xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %10 = arith.mulf %in, %in_0 : f32
      linalg.yield %10 : f32
    } -> tensor<2x7x6x6xf32>
    return %9 : tensor<2x7x6x6xf32>
  }
}
