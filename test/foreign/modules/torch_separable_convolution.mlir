// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<4x1x3x3xf32> {zero.param = "depth.weight"}, %arg1: tensor<4xf32> {zero.param = "depth.bias"}, %arg2: tensor<6x4x1x1xf32> {zero.param = "point.weight"}, %arg3: tensor<6xf32> {zero.param = "point.bias"}, %arg4: tensor<6x3x3x3xf32> {zero.param = "groups.weight"}, %arg5: tensor<6xf32> {zero.param = "groups.bias"}, %arg6: tensor<2x4x7x6xf32> {zero.input = "x"}, %arg7: tensor<2x6x3x3xf32> {zero.input = "y"}) -> tensor<f32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 4.000000e+00 : f32
    %cst_2 = arith.constant 1.080000e+02 : f32
    %padded = tensor.pad %arg6 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst : f32
    } : tensor<2x4x7x6xf32> to tensor<2x4x9x8xf32>
    %0 = tensor.empty() : tensor<2x4x7x6xf32>
    %broadcasted = linalg.broadcast ins(%arg1 : tensor<4xf32>) outs(%0 : tensor<2x4x7x6xf32>) dimensions = [0, 2, 3] 
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<4x1x3x3xf32> into tensor<4x3x3xf32>
    %1 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %collapsed : tensor<2x4x9x8xf32>, tensor<4x3x3xf32>) outs(%broadcasted : tensor<2x4x7x6xf32>) -> tensor<2x4x7x6xf32>
    %2 = tensor.empty() : tensor<2x6x7x6xf32>
    %broadcasted_3 = linalg.broadcast ins(%arg3 : tensor<6xf32>) outs(%2 : tensor<2x6x7x6xf32>) dimensions = [0, 2, 3] 
    %3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%1, %arg2 : tensor<2x4x7x6xf32>, tensor<6x4x1x1xf32>) outs(%broadcasted_3 : tensor<2x6x7x6xf32>) -> tensor<2x6x7x6xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<2x6x7x6xf32>) outs(%2 : tensor<2x6x7x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.negf %in : f32
      %19 = math.exp %18 : f32
      %20 = arith.addf %19, %cst_0 : f32
      %21 = arith.divf %cst_0, %20 : f32
      linalg.yield %21 : f32
    } -> tensor<2x6x7x6xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %4 : tensor<2x6x7x6xf32>, tensor<2x6x7x6xf32>) outs(%2 : tensor<2x6x7x6xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %18 = arith.mulf %in, %in_9 : f32
      linalg.yield %18 : f32
    } -> tensor<2x6x7x6xf32>
    %padded_4 = tensor.pad %5 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg8: index, %arg9: index, %arg10: index, %arg11: index):
      tensor.yield %cst : f32
    } : tensor<2x6x7x6xf32> to tensor<2x6x9x8xf32>
    %broadcasted_5 = linalg.broadcast ins(%arg5 : tensor<6xf32>) outs(%2 : tensor<2x6x7x6xf32>) dimensions = [0, 2, 3] 
    %expanded = tensor.expand_shape %padded_4 [[0], [1, 2], [3], [4]] output_shape [2, 2, 3, 9, 8] : tensor<2x6x9x8xf32> into tensor<2x2x3x9x8xf32>
    %expanded_6 = tensor.expand_shape %arg4 [[0, 1], [2], [3], [4]] output_shape [2, 3, 3, 3, 3] : tensor<6x3x3x3xf32> into tensor<2x3x3x3x3xf32>
    %expanded_7 = tensor.expand_shape %broadcasted_5 [[0], [1, 2], [3], [4]] output_shape [2, 2, 3, 7, 6] : tensor<2x6x7x6xf32> into tensor<2x2x3x7x6xf32>
    %6 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%expanded, %expanded_6 : tensor<2x2x3x9x8xf32>, tensor<2x3x3x3x3xf32>) outs(%expanded_7 : tensor<2x2x3x7x6xf32>) -> tensor<2x2x3x7x6xf32>
    %collapsed_8 = tensor.collapse_shape %6 [[0], [1, 2], [3], [4]] : tensor<2x2x3x7x6xf32> into tensor<2x6x7x6xf32>
    %7 = tensor.empty() : tensor<2x6x3x3xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<2x6x3x3xf32>) -> tensor<2x6x3x3xf32>
    %9 = tensor.empty() : tensor<2x2xf32>
    %10 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%collapsed_8, %9 : tensor<2x6x7x6xf32>, tensor<2x2xf32>) outs(%8 : tensor<2x6x3x3xf32>) -> tensor<2x6x3x3xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x6x3x3xf32>) outs(%7 : tensor<2x6x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.divf %in, %cst_1 : f32
      linalg.yield %18 : f32
    } -> tensor<2x6x3x3xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %arg7 : tensor<2x6x3x3xf32>, tensor<2x6x3x3xf32>) outs(%7 : tensor<2x6x3x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %18 = arith.subf %in, %in_9 : f32
      linalg.yield %18 : f32
    } -> tensor<2x6x3x3xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x6x3x3xf32>) outs(%7 : tensor<2x6x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %18 : f32
    } -> tensor<2x6x3x3xf32>
    %14 = tensor.empty() : tensor<f32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<f32>) -> tensor<f32>
    %16 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%13 : tensor<2x6x3x3xf32>) outs(%15 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.addf %in, %out : f32
      linalg.yield %18 : f32
    } -> tensor<f32>
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%16 : tensor<f32>) outs(%14 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %18 = arith.divf %in, %cst_2 : f32
      linalg.yield %18 : f32
    } -> tensor<f32>
    return %17 : tensor<f32>
  }
}
