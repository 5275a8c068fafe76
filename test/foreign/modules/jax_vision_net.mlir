// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1, d2, d3) -> (d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> ()>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map8 = affine_map<(d0, d1) -> (d0, d1)>
#map9 = affine_map<(d0, d1) -> (d1)>
#map10 = affine_map<(d0, d1) -> ()>
#map11 = affine_map<() -> ()>
#map12 = affine_map<(d0, d1) -> (d0)>
#map13 = affine_map<(d0) -> (d0)>
#map14 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map15 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<3x3x2x6xf32> {zero.param = "stem"}, %arg1: tensor<6xf32> {zero.param = "bias"}, %arg2: tensor<3x3x6x8xf32> {zero.param = "deep"}, %arg3: tensor<8x4xf32> {zero.param = "o0.w"}, %arg4: tensor<4xf32> {zero.param = "o0.b"}, %arg5: tensor<3x8x8x2xf32> {zero.input = "x"}, %arg6: tensor<3xi32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 3.000000e+00 : f32
    %cst_0 = arith.constant 4.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant dense<0xFF800000> : tensor<f32>
    %0 = tensor.empty() : tensor<3x8x8x6xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<3x8x8x6xf32>) -> tensor<3x8x8x6xf32>
    %padded = tensor.pad %arg5 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index):
      tensor.yield %cst_2 : f32
    } : tensor<3x8x8x2xf32> to tensor<3x10x10x2xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%padded, %arg0 : tensor<3x10x10x2xf32>, tensor<3x3x2x6xf32>) outs(%1 : tensor<3x8x8x6xf32>) -> tensor<3x8x8x6xf32>
    %3 = tensor.empty() : tensor<3x8x8x6xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<6xf32>) outs(%3 : tensor<3x8x8x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x8x8x6xf32>
    %5 = tensor.empty() : tensor<3x8x8x6xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %4 : tensor<3x8x8x6xf32>, tensor<3x8x8x6xf32>) outs(%5 : tensor<3x8x8x6xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %37 = arith.addf %in, %in_6 : f32
      linalg.yield %37 : f32
    } -> tensor<3x8x8x6xf32>
    %7 = call @relu(%6) : (tensor<3x8x8x6xf32>) -> tensor<3x8x8x6xf32>
    %8 = tensor.empty() : tensor<3x4x4x6xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_3 : tensor<f32>) outs(%8 : tensor<3x4x4x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4x4x6xf32>
    %padded_4 = tensor.pad %7 low[0, 0, 0, 0] high[0, 1, 1, 0] {
    ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index):
      tensor.yield %cst_1 : f32
    } : tensor<3x8x8x6xf32> to tensor<3x9x9x6xf32>
    %10 = tensor.empty() : tensor<3x3xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map4, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded_4, %10 : tensor<3x9x9x6xf32>, tensor<3x3xf32>) outs(%9 : tensor<3x4x4x6xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %37 = arith.maximumf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<3x4x4x6xf32>
    %12 = tensor.empty() : tensor<3x2x2x8xf32>
    %13 = linalg.fill ins(%cst_2 : f32) outs(%12 : tensor<3x2x2x8xf32>) -> tensor<3x2x2x8xf32>
    %padded_5 = tensor.pad %11 low[0, 0, 0, 0] high[0, 1, 1, 0] {
    ^bb0(%arg7: index, %arg8: index, %arg9: index, %arg10: index):
      tensor.yield %cst_2 : f32
    } : tensor<3x4x4x6xf32> to tensor<3x5x5x6xf32>
    %14 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded_5, %arg2 : tensor<3x5x5x6xf32>, tensor<3x3x6x8xf32>) outs(%13 : tensor<3x2x2x8xf32>) -> tensor<3x2x2x8xf32>
    %15 = call @relu_0(%14) : (tensor<3x2x2x8xf32>) -> tensor<3x2x2x8xf32>
    %16 = tensor.empty() : tensor<3x8xf32>
    %17 = linalg.fill ins(%cst_2 : f32) outs(%16 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %18 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%15 : tensor<3x2x2x8xf32>) outs(%17 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<3x8xf32>
    %19 = tensor.empty() : tensor<3x8xf32>
    %20 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<3x8xf32>) outs(%19 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.divf %in, %cst_0 : f32
      linalg.yield %37 : f32
    } -> tensor<3x8xf32>
    %21 = tensor.empty() : tensor<3x4xf32>
    %22 = linalg.fill ins(%cst_2 : f32) outs(%21 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %23 = linalg.matmul ins(%20, %arg3 : tensor<3x8xf32>, tensor<8x4xf32>) outs(%22 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %24 = tensor.empty() : tensor<3x4xf32>
    %25 = linalg.generic {indexing_maps = [#map9, #map8], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<4xf32>) outs(%24 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4xf32>
    %26 = tensor.empty() : tensor<3x4xf32>
    %27 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%23, %25 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%26 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %37 = arith.addf %in, %in_6 : f32
      linalg.yield %37 : f32
    } -> tensor<3x4xf32>
    %28 = call @log_softmax(%27) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %expanded = tensor.expand_shape %arg6 [[0, 1]] output_shape [3, 1] : tensor<3xi32> into tensor<3x1xi32>
    %29 = call @take_along_axis(%28, %expanded) : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>
    %30 = tensor.empty() : tensor<f32>
    %31 = linalg.fill ins(%cst_2 : f32) outs(%30 : tensor<f32>) -> tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map8, #map10], iterator_types = ["reduction", "reduction"]} ins(%29 : tensor<3x1xf32>) outs(%31 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.addf %out, %in : f32
      linalg.yield %37 : f32
    } -> tensor<f32>
    %33 = tensor.empty() : tensor<f32>
    %34 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%32 : tensor<f32>) outs(%33 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.divf %in, %cst : f32
      linalg.yield %37 : f32
    } -> tensor<f32>
    %35 = tensor.empty() : tensor<f32>
    %36 = linalg.generic {indexing_maps = [#map11, #map11], iterator_types = []} ins(%34 : tensor<f32>) outs(%35 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %37 = arith.negf %in : f32
      linalg.yield %37 : f32
    } -> tensor<f32>
    return %36 : tensor<f32>
  }
  func.func private @relu(%arg0: tensor<3x8x8x6xf32>) -> tensor<3x8x8x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x8x8x6xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x8x8x6xf32>) outs(%0 : tensor<3x8x8x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<3x8x8x6xf32>
    return %1 : tensor<3x8x8x6xf32>
  }
  func.func private @relu_0(%arg0: tensor<3x2x2x8xf32>) -> tensor<3x2x2x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x2x2x8xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x2x2x8xf32>) outs(%0 : tensor<3x2x2x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<3x2x2x8xf32>
    return %1 : tensor<3x2x2x8xf32>
  }
  func.func private @log_softmax(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<3xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
    %2 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<3x4xf32>) outs(%1 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<3xf32>
    %3 = tensor.empty() : tensor<3xf32>
    %4 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel"]} ins(%2 : tensor<3xf32>) outs(%3 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3xf32>
    %5 = tensor.empty() : tensor<3x4xf32>
    %6 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<3xf32>) outs(%5 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4xf32>
    %7 = tensor.empty() : tensor<3x4xf32>
    %8 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%7 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<3x4xf32>
    %9 = tensor.empty() : tensor<3x4xf32>
    %10 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<3x4xf32>) outs(%9 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<3x4xf32>
    %11 = tensor.empty() : tensor<3xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<3xf32>) -> tensor<3xf32>
    %13 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<3x4xf32>) outs(%12 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<3xf32>
    %14 = tensor.empty() : tensor<3xf32>
    %15 = linalg.generic {indexing_maps = [#map13, #map13], iterator_types = ["parallel"]} ins(%13 : tensor<3xf32>) outs(%14 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<3xf32>
    %16 = tensor.empty() : tensor<3x4xf32>
    %17 = linalg.generic {indexing_maps = [#map12, #map8], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<3xf32>) outs(%16 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4xf32>
    %18 = tensor.empty() : tensor<3x4xf32>
    %19 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%18 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<3x4xf32>
    return %19 : tensor<3x4xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<3x4xf32>, %arg1: tensor<3x1xi32>) -> tensor<3x1xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c3 = arith.constant 3 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c3_i32 = arith.constant 3 : i32
    %c4_i32 = arith.constant 4 : i32
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<3x1xi1>
    %1 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<3x1xi32>) outs(%0 : tensor<3x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<3x1xi1>
    %2 = tensor.empty() : tensor<3x1xi32>
    %3 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<3x1xi32>) outs(%2 : tensor<3x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %19 = arith.addi %in, %c4_i32 : i32
      linalg.yield %19 : i32
    } -> tensor<3x1xi32>
    %4 = tensor.empty() : tensor<3x1xi32>
    %5 = linalg.generic {indexing_maps = [#map8, #map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%1, %3, %arg1 : tensor<3x1xi1>, tensor<3x1xi32>, tensor<3x1xi32>) outs(%4 : tensor<3x1xi32>) {
    ^bb0(%in: i1, %in_0: i32, %in_1: i32, %out: i32):
      %19 = arith.select %in, %in_0, %in_1 : i32
      linalg.yield %19 : i32
    } -> tensor<3x1xi32>
    %expanded = tensor.expand_shape %5 [[0], [1, 2]] output_shape [3, 1, 1] : tensor<3x1xi32> into tensor<3x1x1xi32>
    %6 = tensor.empty() : tensor<3x1x1xi1>
    %7 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<3x1x1xi32>) outs(%6 : tensor<3x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<3x1x1xi1>
    %8 = tensor.empty() : tensor<3x1x1xi1>
    %9 = linalg.generic {indexing_maps = [#map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<3x1x1xi32>) outs(%8 : tensor<3x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %19 = arith.cmpi sle, %in, %c3_i32 : i32
      linalg.yield %19 : i1
    } -> tensor<3x1x1xi1>
    %10 = tensor.empty() : tensor<3x1x1xi1>
    %11 = linalg.generic {indexing_maps = [#map14, #map14, #map14], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<3x1x1xi1>, tensor<3x1x1xi1>) outs(%10 : tensor<3x1x1xi1>) {
    ^bb0(%in: i1, %in_0: i1, %out: i1):
      %19 = arith.andi %in, %in_0 : i1
      linalg.yield %19 : i1
    } -> tensor<3x1x1xi1>
    %12 = tensor.empty() : tensor<3x1xi1>
    %13 = linalg.fill ins(%true : i1) outs(%12 : tensor<3x1xi1>) -> tensor<3x1xi1>
    %14 = linalg.generic {indexing_maps = [#map14, #map15], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<3x1x1xi1>) outs(%13 : tensor<3x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %19 = arith.andi %out, %in : i1
      linalg.yield %19 : i1
    } -> tensor<3x1xi1>
    %15 = tensor.empty() : tensor<3x1xf32>
    %16 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel", "parallel"]} outs(%15 : tensor<3x1xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %extracted = tensor.extract %expanded[%19, %c0, %c0] : tensor<3x1x1xi32>
      %20 = arith.index_cast %extracted : i32 to index
      %21 = arith.maxsi %20, %c0 : index
      %22 = arith.minsi %21, %c3 : index
      %extracted_0 = tensor.extract %arg0[%19, %22] : tensor<3x4xf32>
      linalg.yield %extracted_0 : f32
    } -> tensor<3x1xf32>
    %17 = tensor.empty() : tensor<3x1xf32>
    %18 = linalg.generic {indexing_maps = [#map8, #map8, #map8], iterator_types = ["parallel", "parallel"]} ins(%14, %16 : tensor<3x1xi1>, tensor<3x1xf32>) outs(%17 : tensor<3x1xf32>) {
    ^bb0(%in: i1, %in_0: f32, %out: f32):
      %19 = arith.select %in, %in_0, %cst : f32
      linalg.yield %19 : f32
    } -> tensor<3x1xf32>
    return %18 : tensor<3x1xf32>
  }
}
