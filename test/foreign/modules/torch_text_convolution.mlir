// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0) -> ()>
#map7 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<6x4x3xf32> {zero.param = "conv.weight"}, %arg1: tensor<6xf32> {zero.param = "conv.bias"}, %arg2: tensor<3x6xf32> {zero.param = "out.weight"}, %arg3: tensor<3xf32> {zero.param = "out.bias"}, %arg4: tensor<3x4x9xf32> {zero.input = "x"}, %arg5: tensor<3xi64> {zero.input = "y"}) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %c3 = arith.constant 3 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 5.000000e-01 : f32
    %cst_2 = arith.constant 0xFF800000 : f32
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_4 = arith.constant 1.41421354 : f32
    %c4 = arith.constant 4 : index
    %cst_5 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<3x6x5xf32>
    %broadcasted = linalg.broadcast ins(%arg1 : tensor<6xf32>) outs(%0 : tensor<3x6x5xf32>) dimensions = [0, 2] 
    %1 = linalg.conv_1d_ncw_fcw {dilations = dense<2> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%arg4, %arg0 : tensor<3x4x9xf32>, tensor<6x4x3xf32>) outs(%broadcasted : tensor<3x6x5xf32>) -> tensor<3x6x5xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<3x6x5xf32>) outs(%0 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.divf %in, %cst_4 : f32
      %44 = math.erf %43 : f32
      %45 = arith.addf %44, %cst_0 : f32
      %46 = arith.mulf %45, %cst_1 : f32
      %47 = arith.mulf %in, %46 : f32
      linalg.yield %47 : f32
    } -> tensor<3x6x5xf32>
    %expanded = tensor.expand_shape %2 [[0], [1], [2, 3]] output_shape [3, 6, 1, 5] : tensor<3x6x5xf32> into tensor<3x6x1x5xf32>
    %3 = tensor.empty() : tensor<3x6x1x1xf32>
    %4 = linalg.fill ins(%cst_2 : f32) outs(%3 : tensor<3x6x1x1xf32>) -> tensor<3x6x1x1xf32>
    %5 = tensor.empty() : tensor<1x5xf32>
    %6 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<[1, 5]> : vector<2xi64>} ins(%expanded, %5 : tensor<3x6x1x5xf32>, tensor<1x5xf32>) outs(%4 : tensor<3x6x1x1xf32>) -> tensor<3x6x1x1xf32>
    %collapsed = tensor.collapse_shape %6 [[0], [1, 2, 3]] : tensor<3x6x1x1xf32> into tensor<3x6xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x6x5xf32>) -> tensor<3x6x5xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<3x6x5xf32>) outs(%7 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = linalg.index 0 : index
      %44 = linalg.index 1 : index
      %45 = linalg.index 2 : index
      %46 = arith.subi %c4, %45 : index
      %extracted = tensor.extract %2[%43, %44, %46] : tensor<3x6x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x6x5xf32>
    %extracted_slice = tensor.extract_slice %8[0, 0, 0] [3, 6, 1] [1, 1, 1] : tensor<3x6x5xf32> to tensor<3x6x1xf32>
    %collapsed_6 = tensor.collapse_shape %extracted_slice [[0], [1, 2]] : tensor<3x6x1xf32> into tensor<3x6xf32>
    %9 = tensor.empty() : tensor<3x6xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed, %collapsed_6 : tensor<3x6xf32>, tensor<3x6xf32>) outs(%9 : tensor<3x6xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.addf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<3x6xf32>
    %11 = tensor.empty() : tensor<6x3xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<3x6xf32>) outs(%11 : tensor<6x3xf32>) permutation = [1, 0] 
    %12 = tensor.empty() : tensor<3x3xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %14 = linalg.matmul ins(%10, %transposed : tensor<3x6xf32>, tensor<6x3xf32>) outs(%13 : tensor<3x3xf32>) -> tensor<3x3xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<3xf32>) outs(%12 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x3xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<3x3xf32>, tensor<3x3xf32>) outs(%12 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.addf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<3x3xf32>
    %17 = tensor.empty() : tensor<3xi64>
    %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<3xi64>) -> tensor<3xi64>
    %19 = tensor.empty() : tensor<3xf32>
    %20 = linalg.fill ins(%cst_2 : f32) outs(%19 : tensor<3xf32>) -> tensor<3xf32>
    %21:2 = linalg.generic {indexing_maps = [#map1, #map3, #map3], iterator_types = ["parallel", "reduction"]} ins(%16 : tensor<3x3xf32>) outs(%20, %18 : tensor<3xf32>, tensor<3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_10: i64):
      %43 = linalg.index 1 : index
      %44 = arith.index_cast %43 : index to i64
      %45 = arith.maximumf %in, %out : f32
      %46 = arith.cmpf ogt, %in, %out : f32
      %47 = arith.select %46, %44, %out_10 : i64
      linalg.yield %45, %47 : f32, i64
    } -> (tensor<3xf32>, tensor<3xi64>)
    %expanded_7 = tensor.expand_shape %21#0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %expanded_7 : tensor<3x3xf32>, tensor<3x1xf32>) outs(%12 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.subf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<3x3xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<3x3xf32>) outs(%12 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = math.exp %in : f32
      linalg.yield %43 : f32
    } -> tensor<3x3xf32>
    %24 = tensor.empty() : tensor<3x1xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "reduction"]} ins(%23 : tensor<3x3xf32>) outs(%25 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.addf %in, %out : f32
      linalg.yield %43 : f32
    } -> tensor<3x1xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<3x1xf32>) outs(%24 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = math.log %in : f32
      linalg.yield %43 : f32
    } -> tensor<3x1xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %27 : tensor<3x3xf32>, tensor<3x1xf32>) outs(%12 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.subf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<3x3xf32>
    %29 = tensor.empty() : tensor<3xi1>
    %30 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%arg5 : tensor<3xi64>) outs(%29 : tensor<3xi1>) {
    ^bb0(%in: i64, %out: i1):
      %43 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %43 : i1
    } -> tensor<3xi1>
    %31 = linalg.generic {indexing_maps = [#map5, #map5, #map6, #map5], iterator_types = ["parallel"]} ins(%30, %arg5, %cst_5 : tensor<3xi1>, tensor<3xi64>, tensor<i64>) outs(%17 : tensor<3xi64>) {
    ^bb0(%in: i1, %in_10: i64, %in_11: i64, %out: i64):
      %43 = arith.select %in, %in_10, %in_11 : i64
      linalg.yield %43 : i64
    } -> tensor<3xi64>
    %expanded_8 = tensor.expand_shape %31 [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_8 : tensor<3x1xi64>) outs(%25 : tensor<3x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %43 = linalg.index 0 : index
      %44 = arith.index_cast %in : i64 to index
      %45 = arith.cmpi slt, %44, %c3 : index
      cf.assert %45, "index must be smaller than dim size"
      %46 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %46, "index must be larger or equal to 0"
      %extracted = tensor.extract %28[%43, %44] : tensor<3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x1xf32>
    %collapsed_9 = tensor.collapse_shape %32 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%collapsed_9 : tensor<3xf32>) outs(%19 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.negf %in : f32
      linalg.yield %43 : f32
    } -> tensor<3xf32>
    %34 = linalg.generic {indexing_maps = [#map5, #map5, #map6, #map5], iterator_types = ["parallel"]} ins(%30, %33, %cst_3 : tensor<3xi1>, tensor<3xf32>, tensor<f32>) outs(%19 : tensor<3xf32>) {
    ^bb0(%in: i1, %in_10: f32, %in_11: f32, %out: f32):
      %43 = arith.select %in, %in_10, %in_11 : f32
      linalg.yield %43 : f32
    } -> tensor<3xf32>
    %35 = tensor.empty() : tensor<i64>
    %36 = linalg.fill ins(%c0_i64 : i64) outs(%35 : tensor<i64>) -> tensor<i64>
    %37 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["reduction"]} ins(%30 : tensor<3xi1>) outs(%36 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %43 = arith.extui %in : i1 to i64
      %44 = arith.addi %43, %out : i64
      linalg.yield %44 : i64
    } -> tensor<i64>
    %38 = tensor.empty() : tensor<f32>
    %39 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%37 : tensor<i64>) outs(%38 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %43 = arith.sitofp %in : i64 to f32
      linalg.yield %43 : f32
    } -> tensor<f32>
    %40 = linalg.fill ins(%cst : f32) outs(%38 : tensor<f32>) -> tensor<f32>
    %41 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["reduction"]} ins(%34 : tensor<3xf32>) outs(%40 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %43 = arith.addf %in, %out : f32
      linalg.yield %43 : f32
    } -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [#map7, #map7, #map7], iterator_types = []} ins(%41, %39 : tensor<f32>, tensor<f32>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %in_10: f32, %out: f32):
      %43 = arith.divf %in, %in_10 : f32
      linalg.yield %43 : f32
    } -> tensor<f32>
    return %42 : tensor<f32>
  }
}
