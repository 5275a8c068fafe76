// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (0, d1, d2, d3)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map7 = affine_map<(d0, d1, d2) -> ()>
#map8 = affine_map<(d0, d1) -> (d1)>
#map9 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<6xf32> {zero.param = "norm.weight"}, %arg1: tensor<6xf32> {zero.param = "norm.bias"}, %arg2: tensor<5x5xf32> {zero.param = "mix.weight"}, %arg3: tensor<5xf32> {zero.param = "mix.bias"}, %arg4: tensor<3x6x5xf32> {zero.input = "x"}, %arg5: tensor<3x6x5xf32> {zero.input = "y"}) -> tensor<f32> {
    %c1_i64 = arith.constant 1 : i64
    %c2_i64 = arith.constant 2 : i64
    %c3_i64 = arith.constant 3 : i64
    %cst = arith.constant 0.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 1.000000e+00 : f64
    %cst_3 = arith.constant 1.000000e-05 : f64
    %cst_4 = arith.constant 1.500000e+01 : f64
    %cst_5 = arith.constant 1.500000e+01 : f32
    %cst_6 = arith.constant 1.000000e+00 : f32
    %cst_7 = arith.constant 5.000000e-01 : f32
    %cst_8 = arith.constant 9.000000e+01 : f32
    %cst_9 = arith.constant dense_resource<torch_tensor_3_6_torch.int64> : tensor<3x6xi64>
    %cst_10 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_1> : tensor<3x6xi64>
    %cst_11 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_2> : tensor<3x6xi64>
    %cst_12 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_3> : tensor<3x6xi64>
    %cst_13 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_4> : tensor<3x6xi64>
    %cst_14 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_5> : tensor<3x6xi64>
    %cst_15 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_6> : tensor<3x6xi64>
    %cst_16 = arith.constant dense_resource<torch_tensor_3_6_torch.int64_7> : tensor<3x6xi64>
    %expanded = tensor.expand_shape %arg4 [[0], [1, 2], [3]] output_shape [3, 2, 3, 5] : tensor<3x6x5xf32> into tensor<3x2x3x5xf32>
    %0 = tensor.empty() : tensor<3x2x3x5xf64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded : tensor<3x2x3x5xf32>) outs(%0 : tensor<3x2x3x5xf64>) {
    ^bb0(%in: f32, %out: f64):
      %51 = arith.extf %in : f32 to f64
      linalg.yield %51 : f64
    } -> tensor<3x2x3x5xf64>
    %2 = tensor.empty() : tensor<3x2x1x1xf64>
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<3x2x1x1xf64>) -> tensor<3x2x1x1xf64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%1 : tensor<3x2x3x5xf64>) outs(%3 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %51 = arith.addf %in, %out : f64
      linalg.yield %51 : f64
    } -> tensor<3x2x1x1xf64>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<3x2x1x1xf64>) outs(%2 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %51 = arith.divf %in, %cst_4 : f64
      linalg.yield %51 : f64
    } -> tensor<3x2x1x1xf64>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<3x2x3x5xf64>, tensor<3x2x1x1xf64>) outs(%0 : tensor<3x2x3x5xf64>) {
    ^bb0(%in: f64, %in_22: f64, %out: f64):
      %51 = arith.subf %in, %in_22 : f64
      linalg.yield %51 : f64
    } -> tensor<3x2x3x5xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<3x2x3x5xf64>, tensor<3x2x3x5xf64>) outs(%0 : tensor<3x2x3x5xf64>) {
    ^bb0(%in: f64, %in_22: f64, %out: f64):
      %51 = arith.mulf %in, %in_22 : f64
      linalg.yield %51 : f64
    } -> tensor<3x2x3x5xf64>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%7 : tensor<3x2x3x5xf64>) outs(%3 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %51 = arith.addf %in, %out : f64
      linalg.yield %51 : f64
    } -> tensor<3x2x1x1xf64>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<3x2x1x1xf64>) outs(%2 : tensor<3x2x1x1xf64>) {
    ^bb0(%in: f64, %out: f64):
      %51 = arith.divf %in, %cst_4 : f64
      linalg.yield %51 : f64
    } -> tensor<3x2x1x1xf64>
    %10 = tensor.empty() : tensor<3x2x1x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<3x2x1x1xf64>) outs(%10 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f64, %out: f32):
      %51 = arith.truncf %in : f64 to f32
      linalg.yield %51 : f32
    } -> tensor<3x2x1x1xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<3x2x1x1xf32>) -> tensor<3x2x1x1xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%expanded : tensor<3x2x3x5xf32>) outs(%12 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %in, %out : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13 : tensor<3x2x1x1xf32>) outs(%10 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.divf %in, %cst_5 : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x1x1xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11 : tensor<3x2x1x1xf32>) outs(%10 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.truncf %cst_3 : f64 to f32
      %52 = arith.addf %in, %51 : f32
      linalg.yield %52 : f32
    } -> tensor<3x2x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15 : tensor<3x2x1x1xf32>) outs(%10 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.rsqrt %in : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x1x1xf32>
    %expanded_17 = tensor.expand_shape %arg0 [[0, 1, 2, 3]] output_shape [1, 2, 3, 1] : tensor<6xf32> into tensor<1x2x3x1xf32>
    %17 = tensor.empty() : tensor<3x2x3x1xf32>
    %18 = linalg.generic {indexing_maps = [#map2, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_17 : tensor<3x2x1x1xf32>, tensor<1x2x3x1xf32>) outs(%17 : tensor<3x2x3x1xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.mulf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x3x1xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<3x2x1x1xf32>) outs(%10 : tensor<3x2x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.negf %in : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x1x1xf32>
    %20 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %18 : tensor<3x2x1x1xf32>, tensor<3x2x3x1xf32>) outs(%17 : tensor<3x2x3x1xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.mulf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x3x1xf32>
    %expanded_18 = tensor.expand_shape %arg1 [[0, 1, 2, 3]] output_shape [1, 2, 3, 1] : tensor<6xf32> into tensor<1x2x3x1xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %expanded_18 : tensor<3x2x3x1xf32>, tensor<1x2x3x1xf32>) outs(%17 : tensor<3x2x3x1xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x2x3x1xf32>
    %22 = tensor.empty() : tensor<3x6xf32>
    %23 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_9, %cst_10, %cst_11, %cst_12 : tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>) outs(%22 : tensor<3x6xf32>) {
    ^bb0(%in: i64, %in_22: i64, %in_23: i64, %in_24: i64, %out: f32):
      %51 = arith.cmpi slt, %in, %c0_i64 : i64
      %52 = arith.addi %in, %c3_i64 : i64
      %53 = arith.select %51, %52, %in : i64
      %54 = arith.index_cast %53 : i64 to index
      %55 = arith.cmpi slt, %in_22, %c0_i64 : i64
      %56 = arith.addi %in_22, %c2_i64 : i64
      %57 = arith.select %55, %56, %in_22 : i64
      %58 = arith.index_cast %57 : i64 to index
      %59 = arith.cmpi slt, %in_23, %c0_i64 : i64
      %60 = arith.addi %in_23, %c3_i64 : i64
      %61 = arith.select %59, %60, %in_23 : i64
      %62 = arith.index_cast %61 : i64 to index
      %63 = arith.cmpi slt, %in_24, %c0_i64 : i64
      %64 = arith.addi %in_24, %c1_i64 : i64
      %65 = arith.select %63, %64, %in_24 : i64
      %66 = arith.index_cast %65 : i64 to index
      %extracted = tensor.extract %18[%54, %58, %62, %66] : tensor<3x2x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x6xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%cst_13, %cst_14, %cst_15, %cst_16 : tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>, tensor<3x6xi64>) outs(%22 : tensor<3x6xf32>) {
    ^bb0(%in: i64, %in_22: i64, %in_23: i64, %in_24: i64, %out: f32):
      %51 = arith.cmpi slt, %in, %c0_i64 : i64
      %52 = arith.addi %in, %c3_i64 : i64
      %53 = arith.select %51, %52, %in : i64
      %54 = arith.index_cast %53 : i64 to index
      %55 = arith.cmpi slt, %in_22, %c0_i64 : i64
      %56 = arith.addi %in_22, %c2_i64 : i64
      %57 = arith.select %55, %56, %in_22 : i64
      %58 = arith.index_cast %57 : i64 to index
      %59 = arith.cmpi slt, %in_23, %c0_i64 : i64
      %60 = arith.addi %in_23, %c3_i64 : i64
      %61 = arith.select %59, %60, %in_23 : i64
      %62 = arith.index_cast %61 : i64 to index
      %63 = arith.cmpi slt, %in_24, %c0_i64 : i64
      %64 = arith.addi %in_24, %c1_i64 : i64
      %65 = arith.select %63, %64, %in_24 : i64
      %66 = arith.index_cast %65 : i64 to index
      %extracted = tensor.extract %21[%54, %58, %62, %66] : tensor<3x2x3x1xf32>
      linalg.yield %extracted : f32
    } -> tensor<3x6xf32>
    %expanded_19 = tensor.expand_shape %23 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xf32> into tensor<3x6x1xf32>
    %expanded_20 = tensor.expand_shape %24 [[0], [1, 2]] output_shape [3, 6, 1] : tensor<3x6xf32> into tensor<3x6x1xf32>
    %25 = tensor.empty() : tensor<3x6x5xf32>
    %26 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4, %expanded_19 : tensor<3x6x5xf32>, tensor<3x6x1xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.mulf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %27 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %expanded_20 : tensor<3x6x5xf32>, tensor<3x6x1xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %28 = linalg.generic {indexing_maps = [#map7, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1, %27 : tensor<f32>, tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.cmpf ogt, %in, %in_22 : f32
      %52 = arith.select %51, %in, %in_22 : f32
      linalg.yield %52 : f32
    } -> tensor<3x6x5xf32>
    %29 = linalg.generic {indexing_maps = [#map7, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%cst_1, %27 : tensor<f32>, tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.cmpf olt, %in, %in_22 : f32
      %52 = arith.select %51, %in, %in_22 : f32
      linalg.yield %52 : f32
    } -> tensor<3x6x5xf32>
    %30 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29 : tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.exp %in : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %31 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%30 : tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.subf %in, %cst_6 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %31 : tensor<3x6x5xf32>, tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %collapsed = tensor.collapse_shape %32 [[0, 1], [2]] : tensor<3x6x5xf32> into tensor<18x5xf32>
    %33 = tensor.empty() : tensor<5x5xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<5x5xf32>) outs(%33 : tensor<5x5xf32>) permutation = [1, 0] 
    %34 = tensor.empty() : tensor<18x5xf32>
    %35 = linalg.fill ins(%cst_0 : f32) outs(%34 : tensor<18x5xf32>) -> tensor<18x5xf32>
    %36 = linalg.matmul ins(%collapsed, %transposed : tensor<18x5xf32>, tensor<5x5xf32>) outs(%35 : tensor<18x5xf32>) -> tensor<18x5xf32>
    %37 = linalg.generic {indexing_maps = [#map8, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<5xf32>) outs(%34 : tensor<18x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<18x5xf32>
    %38 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%36, %37 : tensor<18x5xf32>, tensor<18x5xf32>) outs(%34 : tensor<18x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.addf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<18x5xf32>
    %expanded_21 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [3, 6, 5] : tensor<18x5xf32> into tensor<3x6x5xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_21, %arg5 : tensor<3x6x5xf32>, tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %in_22: f32, %out: f32):
      %51 = arith.subf %in, %in_22 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %40 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.absf %in : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %41 = tensor.empty() : tensor<3x6x5xi1>
    %42 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<3x6x5xf32>) outs(%41 : tensor<3x6x5xi1>) {
    ^bb0(%in: f32, %out: i1):
      %51 = arith.extf %in : f32 to f64
      %52 = arith.cmpf olt, %51, %cst_2 : f64
      linalg.yield %52 : i1
    } -> tensor<3x6x5xi1>
    %43 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %44 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.mulf %in, %cst_7 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %45 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40 : tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.subf %in, %cst_7 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %46 = linalg.generic {indexing_maps = [#map5, #map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %44, %45 : tensor<3x6x5xi1>, tensor<3x6x5xf32>, tensor<3x6x5xf32>) outs(%25 : tensor<3x6x5xf32>) {
    ^bb0(%in: i1, %in_22: f32, %in_23: f32, %out: f32):
      %51 = arith.select %in, %in_22, %in_23 : f32
      linalg.yield %51 : f32
    } -> tensor<3x6x5xf32>
    %47 = tensor.empty() : tensor<f32>
    %48 = linalg.fill ins(%cst_0 : f32) outs(%47 : tensor<f32>) -> tensor<f32>
    %49 = linalg.generic {indexing_maps = [#map5, #map7], iterator_types = ["reduction", "reduction", "reduction"]} ins(%46 : tensor<3x6x5xf32>) outs(%48 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.addf %in, %out : f32
      linalg.yield %51 : f32
    } -> tensor<f32>
    %50 = linalg.generic {indexing_maps = [#map9, #map9], iterator_types = []} ins(%49 : tensor<f32>) outs(%47 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %51 = arith.divf %in, %cst_8 : f32
      linalg.yield %51 : f32
    } -> tensor<f32>
    return %50 : tensor<f32>
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
