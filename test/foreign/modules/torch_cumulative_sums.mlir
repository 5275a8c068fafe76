// Printed by torch-mlir 20261001, PyTorch 2.15.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<() -> ()>
module {
  func.func @loss(%arg0: tensor<9x7xf32> {zero.param = "a.weight"}, %arg1: tensor<9xf32> {zero.param = "a.bias"}, %arg2: tensor<3x9xf32> {zero.param = "b.weight"}, %arg3: tensor<3xf32> {zero.param = "b.bias"}, %arg4: tensor<6x7xf32> {zero.input = "x"}, %arg5: tensor<6x3xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c2_i64 = arith.constant 2 : i64
    %cst_0 = arith.constant 7.000000e+00 : f32
    %c8 = arith.constant 8 : index
    %cst_1 = arith.constant 1.800000e+01 : f32
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
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %28 = arith.addf %in, %in_3 : f32
      linalg.yield %28 : f32
    } -> tensor<6x9xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<6x9xf32>) outs(%1 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = math.tanh %in : f32
      linalg.yield %28 : f32
    } -> tensor<6x9xf32>
    %7 = tensor.empty() : tensor<6xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<6xf32>) -> tensor<6xf32>
    %9:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%6 : tensor<6x9xf32>) outs(%2, %8 : tensor<6x9xf32>, tensor<6xf32>) {
    ^bb0(%arg6: f32, %arg7: f32):
      %28 = arith.addf %arg6, %arg7 : f32
      tm_tensor.yield %28 : f32
    } -> tensor<6x9xf32>, tensor<6xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9#0 : tensor<6x9xf32>) outs(%1 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.divf %in, %cst_0 : f32
      linalg.yield %28 : f32
    } -> tensor<6x9xf32>
    %11 = tensor.empty() : tensor<9xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<9xf32>) -> tensor<9xf32>
    %13:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%10 : tensor<6x9xf32>) outs(%2, %12 : tensor<6x9xf32>, tensor<9xf32>) {
    ^bb0(%arg6: f32, %arg7: f32):
      %28 = arith.addf %arg6, %arg7 : f32
      tm_tensor.yield %28 : f32
    } -> tensor<6x9xf32>, tensor<9xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9#0 : tensor<6x9xf32>) outs(%2 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = linalg.index 0 : index
      %29 = linalg.index 1 : index
      %30 = arith.subi %c8, %29 : index
      %extracted = tensor.extract %9#0[%28, %30] : tensor<6x9xf32>
      linalg.yield %extracted : f32
    } -> tensor<6x9xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13#0, %14 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%1 : tensor<6x9xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %28 = arith.addf %in, %in_3 : f32
      linalg.yield %28 : f32
    } -> tensor<6x9xf32>
    %16 = tensor.empty() : tensor<9x3xf32>
    %transposed_2 = linalg.transpose ins(%arg2 : tensor<3x9xf32>) outs(%16 : tensor<9x3xf32>) permutation = [1, 0] 
    %17 = tensor.empty() : tensor<6x3xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<6x3xf32>) -> tensor<6x3xf32>
    %19 = linalg.matmul ins(%15, %transposed_2 : tensor<6x9xf32>, tensor<9x3xf32>) outs(%18 : tensor<6x3xf32>) -> tensor<6x3xf32>
    %20 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<3xf32>) outs(%17 : tensor<6x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x3xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %20 : tensor<6x3xf32>, tensor<6x3xf32>) outs(%17 : tensor<6x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %28 = arith.addf %in, %in_3 : f32
      linalg.yield %28 : f32
    } -> tensor<6x3xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21, %arg5 : tensor<6x3xf32>, tensor<6x3xf32>) outs(%17 : tensor<6x3xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %28 = arith.subf %in, %in_3 : f32
      linalg.yield %28 : f32
    } -> tensor<6x3xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<6x3xf32>) outs(%17 : tensor<6x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %28 : f32
    } -> tensor<6x3xf32>
    %24 = tensor.empty() : tensor<f32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<f32>) -> tensor<f32>
    %26 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%23 : tensor<6x3xf32>) outs(%25 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.addf %in, %out : f32
      linalg.yield %28 : f32
    } -> tensor<f32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%26 : tensor<f32>) outs(%24 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %28 = arith.divf %in, %cst_1 : f32
      linalg.yield %28 : f32
    } -> tensor<f32>
    return %27 : tensor<f32>
  }
}
