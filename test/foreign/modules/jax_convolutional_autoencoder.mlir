// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<() -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<3x3x1x4xf32> {zero.param = "down"}, %arg1: tensor<3x3x4x1xf32> {zero.param = "up"}, %arg2: tensor<2x6x6x1xf32> {zero.input = "x"}) -> tensor<f32> {
    %cst = arith.constant 7.200000e+01 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x3x3x4xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    %padded = tensor.pad %arg2 low[0, 0, 0, 0] high[0, 1, 1, 0] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst_0 : f32
    } : tensor<2x6x6x1xf32> to tensor<2x7x7x1xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %arg0 : tensor<2x7x7x1xf32>, tensor<3x3x1x4xf32>) outs(%1 : tensor<2x3x3x4xf32>) -> tensor<2x3x3x4xf32>
    %3 = tensor.empty() : tensor<2x3x3x4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x3x3x4xf32>) outs(%3 : tensor<2x3x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = math.tanh %in : f32
      linalg.yield %19 : f32
    } -> tensor<2x3x3x4xf32>
    %5 = tensor.empty() : tensor<2x6x6x1xf32>
    %6 = linalg.fill ins(%cst_0 : f32) outs(%5 : tensor<2x6x6x1xf32>) -> tensor<2x6x6x1xf32>
    %7 = tensor.empty() : tensor<2x8x8x4xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
    %inserted_slice = tensor.insert_slice %4 into %8[0, 2, 2, 0] [2, 3, 3, 4] [1, 2, 2, 1] : tensor<2x3x3x4xf32> into tensor<2x8x8x4xf32>
    %9 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%inserted_slice, %arg1 : tensor<2x8x8x4xf32>, tensor<3x3x4x1xf32>) outs(%6 : tensor<2x6x6x1xf32>) -> tensor<2x6x6x1xf32>
    %10 = tensor.empty() : tensor<2x6x6x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %arg2 : tensor<2x6x6x1xf32>, tensor<2x6x6x1xf32>) outs(%10 : tensor<2x6x6x1xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %19 = arith.subf %in, %in_1 : f32
      linalg.yield %19 : f32
    } -> tensor<2x6x6x1xf32>
    %12 = tensor.empty() : tensor<2x6x6x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<2x6x6x1xf32>) outs(%12 : tensor<2x6x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.mulf %in, %in : f32
      linalg.yield %19 : f32
    } -> tensor<2x6x6x1xf32>
    %14 = tensor.empty() : tensor<f32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<f32>) -> tensor<f32>
    %16 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%13 : tensor<2x6x6x1xf32>) outs(%15 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %out, %in : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    %17 = tensor.empty() : tensor<f32>
    %18 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%16 : tensor<f32>) outs(%17 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.divf %in, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    return %18 : tensor<f32>
  }
}
