// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<9x7xf32> {zero.param = "a.weight"}, %arg1: tensor<9xf32> {zero.param = "a.bias"}, %arg2: tensor<2x9xf32> {zero.param = "b.weight"}, %arg3: tensor<2xf32> {zero.param = "b.bias"}, %arg4: tensor<6x7xf32> {zero.input = "x"}, %arg5: tensor<6x2xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c3_i64 = arith.constant 3 : i64
    %cst_0 = arith.constant 4.471500e-02 : f32
    %cst_1 = arith.constant 7.977240e-01 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %cst_4 = arith.constant 5.000000e-01 : f64
    %cst_5 = arith.constant 2.500000e-01 : f32
    %cst_6 = arith.constant 1.200000e+01 : f32
    %0 = tensor.empty() : tensor<7x9xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<9x7xf32>) outs(%0 : tensor<7x9xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<6x9xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<6x9xf32>) -> tensor<6x9xf32>
    %3 = linalg.matmul ins(%arg4, %transposed : tensor<6x7xf32>, tensor<7x9xf32>) outs(%2 : tensor<6x9xf32>) -> tensor<6x9xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<9xf32>) outs(%1 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x9xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%1 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %26 = arith.addf %in, %in_8 : f32
      linalg.yield %26 : f32
    } -> tensor<6x9xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<6x9xf32>) outs(%1 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.fpowi %in, %c3_i64 : f32, i64
      %27 = arith.mulf %26, %cst_0 : f32
      %28 = arith.addf %in, %27 : f32
      %29 = arith.mulf %28, %cst_1 : f32
      %30 = math.tanh %29 : f32
      %31 = arith.addf %30, %cst_2 : f32
      %32 = arith.mulf %31, %cst_3 : f32
      %33 = arith.mulf %in, %32 : f32
      linalg.yield %33 : f32
    } -> tensor<6x9xf32>
    %7 = tensor.empty() : tensor<9x2xf32>
    %transposed_7 = linalg.transpose ins(%arg2 : tensor<2x9xf32>) outs(%7 : tensor<9x2xf32>) permutation = [1, 0] 
    %8 = tensor.empty() : tensor<6x2xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %10 = linalg.matmul ins(%6, %transposed_7 : tensor<6x9xf32>, tensor<9x2xf32>) outs(%9 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %26 = arith.addf %in, %in_8 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %arg5 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %26 = arith.subf %in, %in_8 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = math.absf %in : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %15 = tensor.empty() : tensor<6x2xi1>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<6x2xf32>) outs(%15 : tensor<6x2xi1>) {
    ^bb0(%in: f32, %out: i1):
      %26 = arith.extf %in : f32 to f64
      %27 = arith.cmpf olt, %26, %cst_4 : f64
      linalg.yield %27 : i1
    } -> tensor<6x2xi1>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.mulf %in, %cst_3 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %14 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_8: f32, %out: f32):
      %26 = arith.mulf %in, %in_8 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.subf %in, %cst_5 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.mulf %in, %cst_3 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %18, %20 : tensor<6x2xi1>, tensor<6x2xf32>, tensor<6x2xf32>) outs(%8 : tensor<6x2xf32>) {
    ^bb0(%in: i1, %in_8: f32, %in_9: f32, %out: f32):
      %26 = arith.select %in, %in_8, %in_9 : f32
      linalg.yield %26 : f32
    } -> tensor<6x2xf32>
    %22 = tensor.empty() : tensor<f32>
    %23 = linalg.fill ins(%cst : f32) outs(%22 : tensor<f32>) -> tensor<f32>
    %24 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%21 : tensor<6x2xf32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.addf %in, %out : f32
      linalg.yield %26 : f32
    } -> tensor<f32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%24 : tensor<f32>) outs(%22 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %26 = arith.divf %in, %cst_6 : f32
      linalg.yield %26 : f32
    } -> tensor<f32>
    return %25 : tensor<f32>
  }
}
