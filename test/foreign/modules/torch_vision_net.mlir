// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (d0)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0) -> (d0)>
#map9 = affine_map<(d0) -> ()>
#map10 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<6x2x3x3xf32> {zero.param = "stem.weight"}, %arg1: tensor<6xf32> {zero.param = "stem.bias"}, %arg2: tensor<6xf32> {zero.param = "norm.weight"}, %arg3: tensor<6xf32> {zero.param = "norm.bias"}, %arg4: tensor<8x6x3x3xf32> {zero.param = "deep.weight"}, %arg5: tensor<4x8xf32> {zero.param = "out.weight"}, %arg6: tensor<4xf32> {zero.param = "out.bias"}, %arg7: tensor<3x2x8x8xf32> {zero.input = "x"}, %arg8: tensor<3xi64> {zero.input = "y"}) -> tensor<f32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c3_i64 = arith.constant 3 : i64
    %c2_i64 = arith.constant 2 : i64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %cst_1 = arith.constant 0xFF800000 : f32
    %c4 = arith.constant 4 : index
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_3 = arith.constant 1.000000e-05 : f64
    %cst_4 = arith.constant 1.920000e+02 : f64
    %cst_5 = arith.constant 1.920000e+02 : f32
    %cst_6 = arith.constant 4.000000e+00 : f32
    %c-100_i64 = arith.constant -100 : i64
    %cst_7 = arith.constant dense<0> : tensor<i64>
    %cst_8 = arith.constant dense_resource<torch_tensor_3_6_torch.int64> : tensor<3x6xi64>
    %cst_9 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_1> : tensor<3x6xi64>
    %cst_10 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_2> : tensor<3x6xi64>
    %cst_11 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_3> : tensor<3x6xi64>
    %cst_12 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_4> : tensor<3x6xi64>
    %cst_13 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_5> : tensor<3x6xi64>
    %cst_14 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_6> : tensor<3x6xi64>
    %cst_15 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_7> : tensor<3x6xi64>
    %padded = tensor.pad %arg7 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg9: index, %arg10: index, %arg11: index, %arg12: index):
      tensor.yield %cst : f32
    } : tensor<3x2x8x8xf32> to tensor<3x2x10x10xf32>
    %0 = tensor.empty() : tensor<3x6x8x8xf32>
    %broadcasted = linalg.broadcast ins(%arg1 : tensor<6xf32>) outs(%0 : tensor<3x6x8x8xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg0 : tensor<3x2x10x10xf32>, tensor<6x2x3x3xf32>) outs(%broadcasted : tensor<3x6x8x8xf32>) -> tensor<3x6x8x8xf32>
    %collapsed = tensor.collapse_shape %1 [[0], [1], [2, 3]] : tensor<3x6x8x8xf32> into tensor<3x6x64xf32>
    %expanded = tensor.expand_shape %collapsed [[0], [1, 2], [3]] output_shape [3, 2, 3, 64] : tensor<3x6x64xf32> into tensor<3x2x3x64xf32>
    %2 = tensor.empty() : tensor<3x2x3x64xf64>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<3x2x3x64xf32>) outs(%2 : tensor<3x2x3x64xf64>) {
    ^bb0(%in: f32, %out: f64):
      %74 = arith.extf %in : f32 to f64
      linalg.yield %74 : f64
    } -> tensor<3x2x3x64xf64>
    %4 = tensor.empty() : tensor<3x2x1x1xf64>
    %5 = linalg.fill ins(%cst_0 : f64) outs(%4 : tensor<3x2x1x1xf64>) -> tensor<3x2x1x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%3 : tensor<3x2x3x64xf64>) outs(%5 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %74 = arith.addf %in, %out : f64
      linalg.yield %74 : f64
    } -> tensor<3x2x1x1xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<3x2x1x1xf64>) outs(%4 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %74 = arith.divf %in, %cst_4 : f64
      linalg.yield %74 : f64
    } -> tensor<3x2x1x1xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3, %7 : tensor<3x2x3x64xf64>, tensor<3x2x1x1xf64>) outs(%2 : tensor<3x2x3x64xf64>) {
    ^bb0(%in: f64, %in_25: f64, %out: f64):
      %74 = arith.subf %in, %in_25 : f64
      linalg.yield %74 : f64
    } -> tensor<3x2x3x64xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %8 : tensor<3x2x3x64xf64>, tensor<3x2x3x64xf64>) outs(%2 : tensor<3x2x3x64xf64>) {
    ^bb0(%in: f64, %in_25: f64, %out: f64):
      %74 = arith.mulf %in, %in_25 : f64
      linalg.yield %74 : f64
    } -> tensor<3x2x3x64xf64>
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%9 : tensor<3x2x3x64xf64>) outs(%5 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %74 = arith.addf %in, %out : f64
      linalg.yield %74 : f64
    } -> tensor<3x2x1x1xf64>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10 : tensor<3x2x1x1xf64>) outs(%4 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %74 = arith.divf %in, %cst_4 : f64
      linalg.yield %74 : f64
    } -> tensor<3x2x1x1xf64>
    %12 = tensor.empty() : tensor<3x2x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<3x2x1x1xf64>) outs(%12 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %74 = arith.truncf %in : f64 to f32
      linalg.yield %74 : f32
    } -> tensor<3x2x1x1xf32>
    %14 = linalg.fill ins(%cst : f32) outs(%12 : tensor<3x2x1x1xf32>) -> tensor<3x2x1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%expanded : tensor<3x2x3x64xf32>) outs(%14 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.addf %in, %out : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<3x2x1x1xf32>) outs(%12 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.divf %in, %cst_5 : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<3x2x1x1xf32>) outs(%12 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.truncf %cst_3 : f64 to f32
      %75 = arith.addf %in, %74 : f32
      linalg.yield %75 : f32
    } -> tensor<3x2x1x1xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<3x2x1x1xf32>) outs(%12 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = math.rsqrt %in : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x1x1xf32>
    %expanded_16 = tensor.expand_shape %arg2 [[0, 1, 2, 3]] output_shape [1, 2, 3, 1] : tensor<6xf32> into tensor<1x2x3x1xf32>
    %19 = tensor.empty() : tensor<3x2x3x1xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%18, %expanded_16 : tensor<3x2x1x1xf32>, tensor<1x2x3x1xf32>) outs(%19 : tensor<3x2x3x1xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.mulf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x3x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16 : tensor<3x2x1x1xf32>) outs(%12 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.negf %in : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x1x1xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %20 : tensor<3x2x1x1xf32>, tensor<3x2x3x1xf32>) outs(%19 : tensor<3x2x3x1xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.mulf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x3x1xf32>
    %expanded_17 = tensor.expand_shape %arg3 [[0, 1, 2, 3]] output_shape [1, 2, 3, 1] : tensor<6xf32> into tensor<1x2x3x1xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %expanded_17 : tensor<3x2x3x1xf32>, tensor<1x2x3x1xf32>) outs(%19 : tensor<3x2x3x1xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.addf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x2x3x1xf32>
    %24 = tensor.empty() : tensor<3x6xf32>
    %25 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_8, %cst_9, %cst_10, %cst_11 : tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>) outs(%24 : tensor<3x6xf32>) {
    ^bb0(%in: i64, %in_25: i64, %in_26: i64, %in_27: i64, %out: f32):
      %74 = arith.cmpi slt, %in, %c0_i64 : i64
      %75 = arith.addi %in, %c3_i64 : i64
      %76 = arith.select %74, %75, %in : i64
      %77 = arith.index_cast %76 : i64 to index
      %78 = arith.cmpi slt, %in_25, %c0_i64 : i64
      %79 = arith.addi %in_25, %c2_i64 : i64
      %80 = arith.select %78, %79, %in_25 : i64
      %81 = arith.index_cast %80 : i64 to index
      %82 = arith.cmpi slt, %in_26, %c0_i64 : i64
      %83 = arith.addi %in_26, %c3_i64 : i64
      %84 = arith.select %82, %83, %in_26 : i64
      %85 = arith.index_cast %84 : i64 to index
      %86 = arith.cmpi slt, %in_27, %c0_i64 : i64
      %87 = arith.addi %in_27, %c1_i64 : i64
      %88 = arith.select %86, %87, %in_27 : i64
      %89 = arith.index_cast %88 : i64 to index
      %extracted = tensor.extract %20[%77, %81, %85, %89] : tensor<3x2x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x6xf32>
    %26 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_12, %cst_13, %cst_14, %cst_15 : tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>) outs(%24 : tensor<3x6xf32>) {
    ^bb0(%in: i64, %in_25: i64, %in_26: i64, %in_27: i64, %out: f32):
      %74 = arith.cmpi slt, %in, %c0_i64 : i64
      %75 = arith.addi %in, %c3_i64 : i64
      %76 = arith.select %74, %75, %in : i64
      %77 = arith.index_cast %76 : i64 to index
      %78 = arith.cmpi slt, %in_25, %c0_i64 : i64
      %79 = arith.addi %in_25, %c2_i64 : i64
      %80 = arith.select %78, %79, %in_25 : i64
      %81 = arith.index_cast %80 : i64 to index
      %82 = arith.cmpi slt, %in_26, %c0_i64 : i64
      %83 = arith.addi %in_26, %c3_i64 : i64
      %84 = arith.select %82, %83, %in_26 : i64
      %85 = arith.index_cast %84 : i64 to index
      %86 = arith.cmpi slt, %in_27, %c0_i64 : i64
      %87 = arith.addi %in_27, %c1_i64 : i64
      %88 = arith.select %86, %87, %in_27 : i64
      %89 = arith.index_cast %88 : i64 to index
      %extracted = tensor.extract %23[%77, %81, %85, %89] : tensor<3x2x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x6xf32>
    %expanded_18 = tensor.expand_shape %25 [[0], [1, 2, 3]] output_shape [3, 6, 1, 1] : tensor<3x6xf32> into tensor<3x6x1x1xf32>
    %expanded_19 = tensor.expand_shape %26 [[0], [1, 2, 3]] output_shape [3, 6, 1, 1] : tensor<3x6xf32> into tensor<3x6x1x1xf32>
    %27 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %expanded_18 : tensor<3x6x8x8xf32>, tensor<3x6x1x1xf32>) outs(%0 : tensor<3x6x8x8xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.mulf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x6x8x8xf32>
    %28 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %expanded_19 : tensor<3x6x8x8xf32>, tensor<3x6x1x1xf32>) outs(%0 : tensor<3x6x8x8xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.addf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x6x8x8xf32>
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28 : tensor<3x6x8x8xf32>) outs(%0 : tensor<3x6x8x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.cmpf ugt, %in, %cst : f32
      %75 = arith.select %74, %in, %cst : f32
      linalg.yield %75 : f32
    } -> tensor<3x6x8x8xf32>
    %30 = tensor.empty() : tensor<3x6x4x4xf32>
    %31 = linalg.fill ins(%cst_1 : f32) outs(%30 : tensor<3x6x4x4xf32>) -> tensor<3x6x4x4xf32>
    %32 = tensor.empty() : tensor<2x2xf32>
    %33 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%29, %32 : tensor<3x6x8x8xf32>, tensor<2x2xf32>) outs(%31 : tensor<3x6x4x4xf32>) -> tensor<3x6x4x4xf32>
    %padded_20 = tensor.pad %33 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg9: index, %arg10: index, %arg11: index, %arg12: index):
      tensor.yield %cst : f32
    } : tensor<3x6x4x4xf32> to tensor<3x6x6x6xf32>
    %34 = tensor.empty() : tensor<3x8x2x2xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%34 : tensor<3x8x2x2xf32>) -> tensor<3x8x2x2xf32>
    %36 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%padded_20, %arg4 : tensor<3x6x6x6xf32>, tensor<8x6x3x3xf32>) outs(%35 : tensor<3x8x2x2xf32>) -> tensor<3x8x2x2xf32>
    %37 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<3x8x2x2xf32>) outs(%34 : tensor<3x8x2x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.cmpf ugt, %in, %cst : f32
      %75 = arith.select %74, %in, %cst : f32
      linalg.yield %75 : f32
    } -> tensor<3x8x2x2xf32>
    %38 = tensor.empty() : tensor<3x8x1x1xf32>
    %39 = linalg.fill ins(%cst : f32) outs(%38 : tensor<3x8x1x1xf32>) -> tensor<3x8x1x1xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%37 : tensor<3x8x2x2xf32>) outs(%39 : tensor<3x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.addf %in, %out : f32
      linalg.yield %74 : f32
    } -> tensor<3x8x1x1xf32>
    %41 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40 : tensor<3x8x1x1xf32>) outs(%38 : tensor<3x8x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.divf %in, %cst_6 : f32
      linalg.yield %74 : f32
    } -> tensor<3x8x1x1xf32>
    %collapsed_21 = tensor.collapse_shape %41 [[0], [1, 2, 3]] : tensor<3x8x1x1xf32> into tensor<3x8xf32>
    %42 = tensor.empty() : tensor<8x4xf32>
    %transposed = linalg.transpose ins(%arg5 : tensor<4x8xf32>) outs(%42 : tensor<8x4xf32>) permutation = [1, 0] 
    %43 = tensor.empty() : tensor<3x4xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %45 = linalg.matmul ins(%collapsed_21, %transposed : tensor<3x8xf32>, tensor<8x4xf32>) outs(%44 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %46 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg6 : tensor<4xf32>) outs(%43 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x4xf32>
    %47 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%45, %46 : tensor<3x4xf32>, tensor<3x4xf32>) outs(%43 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.addf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x4xf32>
    %48 = tensor.empty() : tensor<3xi64>
    %49 = linalg.fill ins(%c0_i64 : i64) outs(%48 : tensor<3xi64>) -> tensor<3xi64>
    %50 = tensor.empty() : tensor<3xf32>
    %51 = linalg.fill ins(%cst_1 : f32) outs(%50 : tensor<3xf32>) -> tensor<3xf32>
    %52:2 = linalg.generic {indexing_maps = [#map4, #map6, #map6], iterator_types = ["parallel", "reduction"]} ins(%47 : tensor<3x4xf32>) outs(%51, %49 : tensor<3xf32>, tensor<3xi64>) {
    ^bb0(%in: f32, %out: f32, %out_25: i64):
      %74 = linalg.index 1 : index
      %75 = arith.index_cast %74 : index to i64
      %76 = arith.maximumf %in, %out : f32
      %77 = arith.cmpf ogt, %in, %out : f32
      %78 = arith.select %77, %75, %out_25 : i64
      linalg.yield %76, %78 : f32, i64
    } -> (tensor<3xf32>, tensor<3xi64>)
    %expanded_22 = tensor.expand_shape %52#0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
    %53 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%47, %expanded_22 : tensor<3x4xf32>, tensor<3x1xf32>) outs(%43 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.subf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x4xf32>
    %54 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%53 : tensor<3x4xf32>) outs(%43 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = math.exp %in : f32
      linalg.yield %74 : f32
    } -> tensor<3x4xf32>
    %55 = tensor.empty() : tensor<3x1xf32>
    %56 = linalg.fill ins(%cst : f32) outs(%55 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %57 = linalg.generic {indexing_maps = [#map4, #map7], iterator_types = ["parallel", "reduction"]} ins(%54 : tensor<3x4xf32>) outs(%56 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.addf %in, %out : f32
      linalg.yield %74 : f32
    } -> tensor<3x1xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%57 : tensor<3x1xf32>) outs(%55 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = math.log %in : f32
      linalg.yield %74 : f32
    } -> tensor<3x1xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%53, %58 : tensor<3x4xf32>, tensor<3x1xf32>) outs(%43 : tensor<3x4xf32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.subf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<3x4xf32>
    %60 = tensor.empty() : tensor<3xi1>
    %61 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%arg8 : tensor<3xi64>) outs(%60 : tensor<3xi1>) {
    ^bb0(%in: i64, %out: i1):
      %74 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %74 : i1
    } -> tensor<3xi1>
    %62 = linalg.generic {indexing_maps = [#map8, #map8, #map9, #map8], iterator_types = ["parallel"]} ins(%61, %arg8, %cst_7 : tensor<3xi1>, tensor<3xi64>, tensor<i64>) outs(%48 : tensor<3xi64>) {
    ^bb0(%in: i1, %in_25: i64, %in_26: i64, %out: i64):
      %74 = arith.select %in, %in_25, %in_26 : i64
      linalg.yield %74 : i64
    } -> tensor<3xi64>
    %expanded_23 = tensor.expand_shape %62 [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
    %63 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_23 : tensor<3x1xi64>) outs(%56 : tensor<3x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %74 = linalg.index 0 : index
      %75 = arith.index_cast %in : i64 to index
      %76 = arith.cmpi slt, %75, %c4 : index
      cf.assert %76, "index must be smaller than dim size"
      %77 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %77, "index must be larger or equal to 0"
      %extracted = tensor.extract %59[%74, %75] : tensor<3x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x1xf32>
    %collapsed_24 = tensor.collapse_shape %63 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %64 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%collapsed_24 : tensor<3xf32>) outs(%50 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.negf %in : f32
      linalg.yield %74 : f32
    } -> tensor<3xf32>
    %65 = linalg.generic {indexing_maps = [#map8, #map8, #map9, #map8], iterator_types = ["parallel"]} ins(%61, %64, %cst_2 : tensor<3xi1>, tensor<3xf32>, tensor<f32>) outs(%50 : tensor<3xf32>) {
    ^bb0(%in: i1, %in_25: f32, %in_26: f32, %out: f32):
      %74 = arith.select %in, %in_25, %in_26 : f32
      linalg.yield %74 : f32
    } -> tensor<3xf32>
    %66 = tensor.empty() : tensor<i64>
    %67 = linalg.fill ins(%c0_i64 : i64) outs(%66 : tensor<i64>) -> tensor<i64>
    %68 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["reduction"]} ins(%61 : tensor<3xi1>) outs(%67 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %74 = arith.extui %in : i1 to i64
      %75 = arith.addi %74, %out : i64
      linalg.yield %75 : i64
    } -> tensor<i64>
    %69 = tensor.empty() : tensor<f32>
    %70 = linalg.generic {indexing_maps = [#map10, #map10], iterator_types = []} ins(%68 : tensor<i64>) outs(%69 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %74 = arith.sitofp %in : i64 to f32
      linalg.yield %74 : f32
    } -> tensor<f32>
    %71 = linalg.fill ins(%cst : f32) outs(%69 : tensor<f32>) -> tensor<f32>
    %72 = linalg.generic {indexing_maps = [#map8, #map9], iterator_types = ["reduction"]} ins(%65 : tensor<3xf32>) outs(%71 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %74 = arith.addf %in, %out : f32
      linalg.yield %74 : f32
    } -> tensor<f32>
    %73 = linalg.generic {indexing_maps = [#map10, #map10, #map10], iterator_types = []} ins(%72, %70 : tensor<f32>, tensor<f32>) outs(%69 : tensor<f32>) {
    ^bb0(%in: f32, %in_25: f32, %out: f32):
      %74 = arith.divf %in, %in_25 : f32
      linalg.yield %74 : f32
    } -> tensor<f32>
    return %73 : tensor<f32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_6_torch.int64: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000",
      torch_tensor_3_6_torch.int64_1: "0x08000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000",
      torch_tensor_3_6_torch.int64_2: "0x08000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000",
      torch_tensor_3_6_torch.int64_3: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_3_6_torch.int64_4: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000010000000000000001000000000000000100000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000",
      torch_tensor_3_6_torch.int64_5: "0x08000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000000000000000000000000000000000000000000000000000010000000000000001000000000000000100000000000000",
      torch_tensor_3_6_torch.int64_6: "0x08000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000000000000000000001000000000000000200000000000000",
      torch_tensor_3_6_torch.int64_7: "0x08000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    }
  }
#-}
