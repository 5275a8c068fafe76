// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<9x6xf32> {zero.param = "net.0.weight"}, %arg1: tensor<9xf32> {zero.param = "net.0.bias"}, %arg2: tensor<5x9xf32> {zero.param = "net.2.weight"}, %arg3: tensor<5xf32> {zero.param = "net.2.bias"}, %arg4: tensor<5x6xf32> {zero.input = "x"}, %arg5: tensor<5xi64> {zero.input = "y"}) -> tensor<f32> {
    %c-100_i64 = arith.constant -100 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %c5 = arith.constant 5 : index
    %cst_0 = arith.constant 0xFF800000 : f32
    %true = arith.constant true
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<f32>
    %cst_2 = arith.constant 9.000000e-01 : f64
    %cst_3 = arith.constant 2.000000e-02 : f64
    %cst_4 = arith.constant 3.000000e+00 : f32
    %cst_5 = arith.constant 6.000000e+00 : f32
    %cst_6 = arith.constant dense<0> : tensor<i64>
    %0 = tensor.empty() : tensor<6x9xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<9x6xf32>) outs(%0 : tensor<6x9xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<5x9xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<5x9xf32>) -> tensor<5x9xf32>
    %3 = linalg.matmul ins(%arg4, %transposed : tensor<5x6xf32>, tensor<6x9xf32>) outs(%2 : tensor<5x9xf32>) -> tensor<5x9xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x9xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<5x9xf32>, tensor<5x9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.addf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<5x9xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<5x9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %cst_4 : f32
      linalg.yield %55 : f32
    } -> tensor<5x9xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.cmpf ult, %in, %cst : f32
      %56 = arith.select %55, %cst, %in : f32
      linalg.yield %56 : f32
    } -> tensor<5x9xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<5x9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.cmpf ugt, %in, %cst_5 : f32
      %56 = arith.select %55, %cst_5, %in : f32
      linalg.yield %56 : f32
    } -> tensor<5x9xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %8 : tensor<5x9xf32>, tensor<5x9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.mulf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<5x9xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<5x9xf32>) outs(%1 : tensor<5x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.divf %in, %cst_5 : f32
      linalg.yield %55 : f32
    } -> tensor<5x9xf32>
    %11 = tensor.empty() : tensor<9x5xf32>
    %transposed_7 = linalg.transpose ins(%arg2 : tensor<5x9xf32>) outs(%11 : tensor<9x5xf32>) permutation = [1, 0] 
    %12 = tensor.empty() : tensor<5x5xf32>
    %13 = linalg.fill ins(%cst : f32) outs(%12 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %14 = linalg.matmul ins(%10, %transposed_7 : tensor<5x9xf32>, tensor<9x5xf32>) outs(%13 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<5xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.addf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<5x5xf32>
    %17 = tensor.empty() : tensor<5xi64>
    %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<5xi64>) -> tensor<5xi64>
    %19 = tensor.empty() : tensor<5xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<5xf32>) -> tensor<5xf32>
    %21:2 = linalg.generic {indexing_maps = [#map1, #map2, #map2], iterator_types = ["parallel", "reduction"]} ins(%16 : tensor<5x5xf32>) outs(%20, %18 : tensor<5xf32>, tensor<5xi64>) {
    ^bb0(%in: f32, %out: f32, %out_9: i64):
      %55 = linalg.index 1 : index
      %56 = arith.index_cast %55 : index to i64
      %57 = arith.maximumf %in, %out : f32
      %58 = arith.cmpf ogt, %in, %out : f32
      %59 = arith.select %58, %56, %out_9 : i64
      linalg.yield %57, %59 : f32, i64
    } -> (tensor<5xf32>, tensor<5xi64>)
    %expanded = tensor.expand_shape %21#0 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %expanded : tensor<5x5xf32>, tensor<5x1xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.subf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<5x5xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<5x5xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = math.exp %in : f32
      linalg.yield %55 : f32
    } -> tensor<5x5xf32>
    %24 = tensor.empty() : tensor<5x1xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<5x1xf32>) -> tensor<5x1xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%23 : tensor<5x5xf32>) outs(%25 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %out : f32
      linalg.yield %55 : f32
    } -> tensor<5x1xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<5x1xf32>) outs(%24 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = math.log %in : f32
      linalg.yield %55 : f32
    } -> tensor<5x1xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %27 : tensor<5x5xf32>, tensor<5x1xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.subf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<5x5xf32>
    %29 = tensor.empty() : tensor<5xi1>
    %30 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%arg5 : tensor<5xi64>) outs(%29 : tensor<5xi1>) {
    ^bb0(%in: i64, %out: i1):
      %55 = arith.cmpi ne, %in, %c-100_i64 : i64
      linalg.yield %55 : i1
    } -> tensor<5xi1>
    %31 = linalg.generic {indexing_maps = [#map4, #map4, #map5, #map4], iterator_types = ["parallel"]} ins(%30, %arg5, %cst_6 : tensor<5xi1>, tensor<5xi64>, tensor<i64>) outs(%17 : tensor<5xi64>) {
    ^bb0(%in: i1, %in_9: i64, %in_10: i64, %out: i64):
      %55 = arith.select %in, %in_9, %in_10 : i64
      linalg.yield %55 : i64
    } -> tensor<5xi64>
    %expanded_8 = tensor.expand_shape %31 [[0, 1]] output_shape [5, 1] : tensor<5xi64> into tensor<5x1xi64>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%expanded_8 : tensor<5x1xi64>) outs(%25 : tensor<5x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %55 = linalg.index 0 : index
      %56 = arith.index_cast %in : i64 to index
      %57 = arith.cmpi slt, %56, %c5 : index
      cf.assert %57, "index must be smaller than dim size"
      %58 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %58, "index must be larger or equal to 0"
      %extracted = tensor.extract %28[%55, %56] : tensor<5x5xf32>
      linalg.yield %extracted : f32
    } -> tensor<5x1xf32>
    %collapsed = tensor.collapse_shape %32 [[0, 1]] : tensor<5x1xf32> into tensor<5xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%collapsed : tensor<5xf32>) outs(%19 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.negf %in : f32
      linalg.yield %55 : f32
    } -> tensor<5xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map4, #map5, #map4], iterator_types = ["parallel"]} ins(%30, %33, %cst_1 : tensor<5xi1>, tensor<5xf32>, tensor<f32>) outs(%19 : tensor<5xf32>) {
    ^bb0(%in: i1, %in_9: f32, %in_10: f32, %out: f32):
      %55 = arith.select %in, %in_9, %in_10 : f32
      linalg.yield %55 : f32
    } -> tensor<5xf32>
    %35 = tensor.empty() : tensor<i64>
    %36 = linalg.fill ins(%c0_i64 : i64) outs(%35 : tensor<i64>) -> tensor<i64>
    %37 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%30 : tensor<5xi1>) outs(%36 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %55 = arith.extui %in : i1 to i64
      %56 = arith.addi %55, %out : i64
      linalg.yield %56 : i64
    } -> tensor<i64>
    %38 = tensor.empty() : tensor<f32>
    %39 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%37 : tensor<i64>) outs(%38 : tensor<f32>) {
    ^bb0(%in: i64, %out: f32):
      %55 = arith.sitofp %in : i64 to f32
      linalg.yield %55 : f32
    } -> tensor<f32>
    %40 = linalg.fill ins(%cst : f32) outs(%38 : tensor<f32>) -> tensor<f32>
    %41 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%34 : tensor<5xf32>) outs(%40 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %out : f32
      linalg.yield %55 : f32
    } -> tensor<f32>
    %42 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%41, %39 : tensor<f32>, tensor<f32>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.divf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<f32>
    %43 = linalg.fill ins(%cst : f32) outs(%19 : tensor<5xf32>) -> tensor<5xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%28 : tensor<5x5xf32>) outs(%43 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %out : f32
      linalg.yield %55 : f32
    } -> tensor<5xf32>
    %45 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%44 : tensor<5xf32>) outs(%19 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.negf %in : f32
      linalg.yield %55 : f32
    } -> tensor<5xf32>
    %46 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%arg5 : tensor<5xi64>) outs(%29 : tensor<5xi1>) {
    ^bb0(%in: i64, %out: i1):
      %55 = arith.cmpi eq, %in, %c-100_i64 : i64
      linalg.yield %55 : i1
    } -> tensor<5xi1>
    %47 = linalg.generic {indexing_maps = [#map4, #map5, #map4, #map4], iterator_types = ["parallel"]} ins(%46, %cst_1, %45 : tensor<5xi1>, tensor<f32>, tensor<5xf32>) outs(%19 : tensor<5xf32>) {
    ^bb0(%in: i1, %in_9: f32, %in_10: f32, %out: f32):
      %55 = arith.select %in, %in_9, %in_10 : f32
      linalg.yield %55 : f32
    } -> tensor<5xf32>
    %48 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%46 : tensor<5xi1>) outs(%29 : tensor<5xi1>) {
    ^bb0(%in: i1, %out: i1):
      %55 = arith.xori %in, %true : i1
      linalg.yield %55 : i1
    } -> tensor<5xi1>
    %49 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%48 : tensor<5xi1>) outs(%36 : tensor<i64>) {
    ^bb0(%in: i1, %out: i64):
      %55 = arith.extui %in : i1 to i64
      %56 = arith.addi %55, %out : i64
      linalg.yield %56 : i64
    } -> tensor<i64>
    %50 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%47 : tensor<5xf32>) outs(%40 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.addf %in, %out : f32
      linalg.yield %55 : f32
    } -> tensor<f32>
    %51 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%50, %49 : tensor<f32>, tensor<i64>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %in_9: i64, %out: f32):
      %55 = arith.sitofp %in_9 : i64 to f32
      %56 = arith.divf %in, %55 : f32
      linalg.yield %56 : f32
    } -> tensor<f32>
    %52 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%51 : tensor<f32>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.truncf %cst_3 : f64 to f32
      %56 = arith.mulf %in, %55 : f32
      linalg.yield %56 : f32
    } -> tensor<f32>
    %53 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%42 : tensor<f32>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %55 = arith.truncf %cst_2 : f64 to f32
      %56 = arith.mulf %in, %55 : f32
      linalg.yield %56 : f32
    } -> tensor<f32>
    %54 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = []} ins(%53, %52 : tensor<f32>, tensor<f32>) outs(%38 : tensor<f32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %55 = arith.addf %in, %in_9 : f32
      linalg.yield %55 : f32
    } -> tensor<f32>
    return %54 : tensor<f32>
  }
}
