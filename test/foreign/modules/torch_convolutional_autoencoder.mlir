// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> ()>
#map2 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<4x1x3x3xf32> {zero.param = "down.weight"}, %arg1: tensor<4xf32> {zero.param = "down.bias"}, %arg2: tensor<4x1x4x4xf32> {zero.param = "up.weight"}, %arg3: tensor<1xf32> {zero.param = "up.bias"}, %arg4: tensor<2x1x6x6xf32> {zero.input = "x"}) -> tensor<f32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %cst_0 = arith.constant 7.200000e+01 : f32
    %padded = tensor.pad %arg4 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst : f32
    } : tensor<2x1x6x6xf32> to tensor<2x1x8x8xf32>
    %0 = tensor.empty() : tensor<2x4x3x3xf32>
    %broadcasted = linalg.broadcast ins(%arg1 : tensor<4xf32>) outs(%0 : tensor<2x4x3x3xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded, %arg0 : tensor<2x1x8x8xf32>, tensor<4x1x3x3xf32>) outs(%broadcasted : tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<2x4x3x3xf32>) outs(%0 : tensor<2x4x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.tanh %in : f32
      linalg.yield %16 : f32
    } -> tensor<2x4x3x3xf32>
    %3 = tensor.empty() : tensor<1x4x4x4xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%4 : tensor<1x4x4x4xf32>) {
    ^bb0(%out: f32):
      %16 = linalg.index 1 : index
      %17 = linalg.index 2 : index
      %18 = linalg.index 3 : index
      %19 = arith.subi %c3, %17 : index
      %20 = arith.subi %c3, %18 : index
      %extracted = tensor.extract %arg2[%16, %c0, %19, %20] : tensor<4x1x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x4x4x4xf32>
    %6 = tensor.empty() : tensor<2x4x9x9xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
    %inserted_slice = tensor.insert_slice %2 into %7[0, 0, 2, 2] [2, 4, 3, 3] [1, 1, 2, 2] : tensor<2x4x3x3xf32> into tensor<2x4x9x9xf32>
    %8 = tensor.empty() : tensor<2x1x6x6xf32>
    %broadcasted_1 = linalg.broadcast ins(%arg3 : tensor<1xf32>) outs(%8 : tensor<2x1x6x6xf32>) dimensions = [0, 2, 3] 
    %9 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%inserted_slice, %5 : tensor<2x4x9x9xf32>, tensor<1x4x4x4xf32>) outs(%broadcasted_1 : tensor<2x1x6x6xf32>) -> tensor<2x1x6x6xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %arg4 : tensor<2x1x6x6xf32>, tensor<2x1x6x6xf32>) outs(%8 : tensor<2x1x6x6xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %16 = arith.subf %in, %in_2 : f32
      linalg.yield %16 : f32
    } -> tensor<2x1x6x6xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<2x1x6x6xf32>) outs(%8 : tensor<2x1x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %16 : f32
    } -> tensor<2x1x6x6xf32>
    %12 = tensor.empty() : tensor<f32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<f32>) -> tensor<f32>
    %14 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%11 : tensor<2x1x6x6xf32>) outs(%13 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.addf %in, %out : f32
      linalg.yield %16 : f32
    } -> tensor<f32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = []} ins(%14 : tensor<f32>) outs(%12 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.divf %in, %cst_0 : f32
      linalg.yield %16 : f32
    } -> tensor<f32>
    return %15 : tensor<f32>
  }
}
