// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0) -> (d0)>
#map9 = affine_map<(d0) -> ()>
#map10 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<4xf32> {zero.param = "scale"}, %arg1: tensor<4xf32> {zero.param = "shift"}, %arg2: tensor<4x2x3x3xf32> {zero.param = "conv.weight"}, %arg3: tensor<3x4xf32> {zero.param = "out.weight"}, %arg4: tensor<3xf32> {zero.param = "out.bias"}, %arg5: tensor<4x2x6x6xf32> {zero.input = "x"}, %arg6: tensor<4xi64> {zero.input = "y"}) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c2_i64 = arith.constant 2 : i64
    %c0_i64 = arith.constant 0 : i64
    %c3 = arith.constant 3 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e-05 : f64
    %cst_3 = arith.constant 6.400000e+01 : f32
    %cst_4 = arith.constant 1.600000e+01 : f32
    %cst_5 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<4x4x4x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg5, %arg2 : tensor<4x2x6x6xf32>, tensor<4x2x3x3xf32>) outs(%1 : tensor<4x4x4x4xf32>) -> tensor<4x4x4x4xf32>
    %3 = tensor.empty() : tensor<1x4x1x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%2 : tensor<4x4x4x4xf32>) outs(%4 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<1x4x1x1xf32>) outs(%3 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.divf %in, %cst_3 : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %6 : tensor<4x4x4x4xf32>, tensor<1x4x1x1xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.subf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x4x4x4xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<4x4x4x4xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %52 : f32
    } -> tensor<4x4x4x4xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%8 : tensor<4x4x4x4xf32>) outs(%4 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<1x4x1x1xf32>) outs(%3 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.divf %in, %cst_3 : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x1x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<1x4x1x1xf32>) outs(%3 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.truncf %cst_2 : f64 to f32
      %53 = arith.addf %in, %52 : f32
      linalg.yield %53 : f32
    } -> tensor<1x4x1x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<1x4x1x1xf32>) outs(%3 : tensor<1x4x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.rsqrt %in : f32
      linalg.yield %52 : f32
    } -> tensor<1x4x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %12 : tensor<4x4x4x4xf32>, tensor<1x4x1x1xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.mulf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x4x4x4xf32>
    %expanded = tensor.expand_shape %arg0 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %expanded : tensor<4x4x4x4xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.mulf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x4x4x4xf32>
    %expanded_6 = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [4, 1, 1] : tensor<4xf32> into tensor<4x1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_6 : tensor<4x4x4x4xf32>, tensor<4x1x1xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.addf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x4x4x4xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<4x4x4x4xf32>) outs(%0 : tensor<4x4x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.cmpf ugt, %in, %cst : f32
      %53 = arith.select %52, %in, %cst : f32
      linalg.yield %53 : f32
    } -> tensor<4x4x4x4xf32>
    %17 = tensor.empty() : tensor<4x4xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<4x4xf32>) -> tensor<4x4xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%16 : tensor<4x4x4x4xf32>) outs(%18 : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<4x4xf32>
    %20 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<4x4xf32>) outs(%17 : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.divf %in, %cst_4 : f32
      linalg.yield %52 : f32
    } -> tensor<4x4xf32>
    %21 = tensor.empty() : tensor<4x3xf32>
    %transposed = linalg.transpose ins(%arg3 : tensor<3x4xf32>) outs(%21 : tensor<4x3xf32>) permutation = [1, 0] 
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %23 = linalg.matmul ins(%20, %transposed : tensor<4x4xf32>, tensor<4x3xf32>) outs(%22 : tensor<4x3xf32>) -> tensor<4x3xf32>
    %24 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<3xf32>) outs(%21 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x3xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%23, %24 : tensor<4x3xf32>, tensor<4x3xf32>) outs(%21 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.addf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x3xf32>
    %26 = tensor.empty() : tensor<4xi64>
    %27 = linalg.fill ins(%c0_i64 : i64) outs(%26 : tensor<4xi64>) -> tensor<4xi64>
    %28 = tensor.empty() : tensor<4xf32>
    %29 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<4xf32>) -> tensor<4xf32>
    %30:2 = linalg.generic {indexing_maps = [#map4, #map6, #map6], iterator_types = ["parallel", "reduction"]} ins(%25 : tensor<4x3xf32>) outs(%29, %27 : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%in: f32, %out: f32, %out_9: i64):
      %52 = linalg.index 1 : index
      %53 = arith.index_cast %52 : index to i64
      %54 = arith.maximumf %in, %out : f32
      %55 = arith.cmpf ogt, %in, %out : f32
      %56 = arith.select %55, %53, %out_9 : i64
      linalg.yield %54, %56 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    %expanded_7 = tensor.expand_shape %30#0 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %31 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%25, %expanded_7 : tensor<4x3xf32>, tensor<4x1xf32>) outs(%21 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.subf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x3xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%31 : tensor<4x3xf32>) outs(%21 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.exp %in : f32
      linalg.yield %52 : f32
    } -> tensor<4x3xf32>
    %33 = tensor.empty() : tensor<4x1xf32>
    %34 = linalg.fill ins(%cst : f32) outs(%33 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %35 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["parallel", "reduction"]} ins(%32 : tensor<4x3xf32>) outs(%34 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<4x1xf32>
    %36 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<4x1xf32>) outs(%33 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = math.log %in : f32
      linalg.yield %52 : f32
    } -> tensor<4x1xf32>
    %37 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%31, %36 : tensor<4x3xf32>, tensor<4x1xf32>) outs(%21 : tensor<4x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.subf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<4x3xf32>
    %38 = tensor.empty() : tensor<4xi1>
    %39 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%arg6 : tensor<4xi64>) outs(%38 : tensor<4xi1>) {
    ^bb0(%in: i64, %out: i1):
      %52 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %52 : i1
    } -> tensor<4xi1>
    %40 = linalg.generic {indexing_maps = [#map8, #map8, #map9, #map8], iterator_types = ["parallel"]} ins(%39, %arg6, %cst_5 : tensor<4xi1>, tensor<4xi64>, tensor<i64>) outs(%26 : tensor<4xi64>) {
    ^bb0(%in: i1, %in_9: i64, %in_10: i64, %out: i64):
      %52 = arith.select %in, %in_9, %in_10 : i64
      linalg.yield %52 : i64
    } -> tensor<4xi64>
    %expanded_8 = tensor.expand_shape %40 [[0, 1]] output_shape [4, 1] : tensor<4xi64> into tensor<4x1xi64>
    %41 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_8 : tensor<4x1xi64>) outs(%34 : tensor<4x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %52 = linalg.index 0 : index
      %53 = arith.index_cast %in : i64 to index
      %54 = arith.cmpi slt, %53, %c3 : index
      cf.assert %54, "index must be smaller than dim size"
      %55 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %55, "index must be larger or equal to 0"
      %extracted = tensor.extract %37[%52, %53] : tensor<4x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<4x1xf32>
    %collapsed = tensor.collapse_shape %41 [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    %42 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%collapsed : tensor<4xf32>) outs(%28 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.negf %in : f32
      linalg.yield %52 : f32
    } -> tensor<4xf32>
    %43 = linalg.generic {indexing_maps = [#map8, #map8, #map9, #map8], iterator_types = ["parallel"]} ins(%39, %42, %cst_1 : tensor<4xi1>, tensor<4xf32>, tensor<f32>) outs(%28 : tensor<4xf32>) {
    ^bb0(%in: i1, %in_9: f32, %in_10: f32, %out: f32):
      %52 = arith.select %in, %in_9, %in_10 : f32
      linalg.yield %52 : f32
    } -> tensor<4xf32>
    %44 = tensor.empty() : tensor<i64>
    %45 = linalg.fill ins(%c0_i64 : i64) outs(%44 : tensor<i64>) -> tensor<i64>
    %46 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["reduction"]} ins(%39 : tensor<4xi1>) outs(%45 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %52 = arith.extui %in : i1 to i64
      %53 = arith.addi %52, %out : i64
      linalg.yield %53 : i64
    } -> tensor<i64>
    %47 = tensor.empty() : tensor<f32>
    %48 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%46 : tensor<i64>) outs(%47 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %52 = arith.sitofp %in : i64 to f32
      linalg.yield %52 : f32
    } -> tensor<f32>
    %49 = linalg.fill ins(%cst : f32) outs(%47 : tensor<f32>) -> tensor<f32>
    %50 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["reduction"]} ins(%43 : tensor<4xf32>) outs(%49 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %52 = arith.addf %in, %out : f32
      linalg.yield %52 : f32
    } -> tensor<f32>
    %51 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = []} ins(%50, %48 : tensor<f32>, tensor<f32>) outs(%47 : tensor<f32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %52 = arith.divf %in, %in_9 : f32
      linalg.yield %52 : f32
    } -> tensor<f32>
    return %51 : tensor<f32>
  }
}
