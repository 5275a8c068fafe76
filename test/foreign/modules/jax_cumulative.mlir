// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, -d1 + 6)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<() -> ()>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
#map5 = affine_map<(d0, d1, d2) -> (d2)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<6x7xf32> {zero.param = "w"}, %arg1: tensor<7x7xf32> {zero.param = "o"}, %arg2: tensor<4x6xf32> {zero.input = "x"}, %arg3: tensor<4x7xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 2.800000e+01 : f32
    %cst_0 = arith.constant 7.000000e+00 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x7xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<4x7xf32>) -> tensor<4x7xf32>
    %2 = linalg.matmul ins(%arg2, %arg0 : tensor<4x6xf32>, tensor<6x7xf32>) outs(%1 : tensor<4x7xf32>) -> tensor<4x7xf32>
    %3 = tensor.empty() : tensor<4x7xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<4x7xf32>) outs(%3 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.tanh %in : f32
      linalg.yield %27 : f32
    } -> tensor<4x7xf32>
    %5 = call @cumsum(%4) : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %6 = call @_flip(%5) : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %7 = call @cumsum(%6) : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %8 = call @_flip(%7) : (tensor<4x7xf32>) -> tensor<4x7xf32>
    %9 = tensor.empty() : tensor<4x7xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x7xf32>) outs(%9 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.divf %in, %cst_0 : f32
      linalg.yield %27 : f32
    } -> tensor<4x7xf32>
    %11 = tensor.empty() : tensor<4x7xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %10 : tensor<4x7xf32>, tensor<4x7xf32>) outs(%11 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %27 = arith.addf %in, %in_2 : f32
      linalg.yield %27 : f32
    } -> tensor<4x7xf32>
    %13 = tensor.empty() : tensor<4x7xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4x7xf32>) outs(%13 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x7xf32>
    %15 = tensor.empty() : tensor<4x7xf32>
    %16 = linalg.fill ins(%cst_1 : f32) outs(%15 : tensor<4x7xf32>) -> tensor<4x7xf32>
    %17 = linalg.matmul ins(%14, %arg1 : tensor<4x7xf32>, tensor<7x7xf32>) outs(%16 : tensor<4x7xf32>) -> tensor<4x7xf32>
    %18 = tensor.empty() : tensor<4x7xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %arg3 : tensor<4x7xf32>, tensor<4x7xf32>) outs(%18 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %27 = arith.subf %in, %in_2 : f32
      linalg.yield %27 : f32
    } -> tensor<4x7xf32>
    %20 = tensor.empty() : tensor<4x7xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<4x7xf32>) outs(%20 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.mulf %in, %in : f32
      linalg.yield %27 : f32
    } -> tensor<4x7xf32>
    %22 = tensor.empty() : tensor<f32>
    %23 = linalg.fill ins(%cst_1 : f32) outs(%22 : tensor<f32>) -> tensor<f32>
    %24 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction", "reduction"]} ins(%21 : tensor<4x7xf32>) outs(%23 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    %25 = tensor.empty() : tensor<f32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%24 : tensor<f32>) outs(%25 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.divf %in, %cst : f32
      linalg.yield %27 : f32
    } -> tensor<f32>
    return %26 : tensor<f32>
  }
  func.func private @cumsum(%arg0: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %0 = call @cumsum_0(%arg0) : (tensor<4x7xf32>) -> tensor<4x7xf32>
    return %0 : tensor<4x7xf32>
  }
  func.func private @cumsum_0(%arg0: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<f32>
    %0 = tensor.empty() : tensor<4x7xf32>
    %1 = linalg.generic {indexing_maps = [#map2, #map], iterator_types = ["parallel", "parallel"]} ins(%cst_0 : tensor<f32>) outs(%0 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x7xf32>
    %padded = tensor.pad %arg0 low[0, 6] high[0, 0] {
    ^bb0(%arg1: index, %arg2: index):
      tensor.yield %cst : f32
    } : tensor<4x7xf32> to tensor<4x13xf32>
    %2 = tensor.empty() : tensor<7xf32>
    %3 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "reduction"]} ins(%padded, %2 : tensor<4x13xf32>, tensor<7xf32>) outs(%1 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %4 = arith.addf %out, %in : f32
      linalg.yield %4 : f32
    } -> tensor<4x7xf32>
    return %3 : tensor<4x7xf32>
  }
  func.func private @_flip(%arg0: tensor<4x7xf32>) -> tensor<4x7xf32> {
    %0 = tensor.empty() : tensor<4x7xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x7xf32>) outs(%0 : tensor<4x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<4x7xf32>
    return %1 : tensor<4x7xf32>
  }
}
