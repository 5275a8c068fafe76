// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<() -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<2x8xf32> {zero.param = "s0.w"}, %arg1: tensor<8xf32> {zero.param = "s0.b"}, %arg2: tensor<2x8xf32> {zero.param = "t0.w"}, %arg3: tensor<8xf32> {zero.param = "t0.b"}, %arg4: tensor<8x2xf32> {zero.param = "so"}, %arg5: tensor<8x2xf32> {zero.param = "to"}, %arg6: tensor<6x4xf32> {zero.input = "x"}) -> tensor<f32> {
    %c2 = arith.constant 2 : index
    %cst = arith.constant 6.000000e+00 : f32
    %cst_0 = arith.constant 5.000000e-01 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %extracted_slice = tensor.extract_slice %arg6[0, 0] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
    %extracted_slice_2 = tensor.extract_slice %arg6[0, 2] [6, 2] [1, 1] : tensor<6x4xf32> to tensor<6x2xf32>
    %0 = tensor.empty() : tensor<6x8xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %2 = linalg.matmul ins(%extracted_slice, %arg0 : tensor<6x2xf32>, tensor<2x8xf32>) outs(%1 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%0 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x8xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%0 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %30 = arith.addf %in, %in_4 : f32
      linalg.yield %30 : f32
    } -> tensor<6x8xf32>
    %5 = call @relu(%4) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %6 = tensor.empty() : tensor<6x2xf32>
    %7 = linalg.fill ins(%cst_1 : f32) outs(%6 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %8 = linalg.matmul ins(%5, %arg4 : tensor<6x8xf32>, tensor<8x2xf32>) outs(%7 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<6x2xf32>) outs(%6 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = math.tanh %in : f32
      linalg.yield %30 : f32
    } -> tensor<6x2xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<6x2xf32>) outs(%6 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = math.exp %in : f32
      linalg.yield %30 : f32
    } -> tensor<6x2xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_2, %10 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%6 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %30 = arith.mulf %in, %in_4 : f32
      linalg.yield %30 : f32
    } -> tensor<6x2xf32>
    %12 = linalg.matmul ins(%extracted_slice, %arg2 : tensor<6x2xf32>, tensor<2x8xf32>) outs(%1 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<8xf32>) outs(%0 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x8xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %13 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%0 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %30 = arith.addf %in, %in_4 : f32
      linalg.yield %30 : f32
    } -> tensor<6x8xf32>
    %15 = call @relu(%14) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %16 = linalg.matmul ins(%15, %arg5 : tensor<6x8xf32>, tensor<8x2xf32>) outs(%7 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11, %16 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%6 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %30 = arith.addf %in, %in_4 : f32
      linalg.yield %30 : f32
    } -> tensor<6x2xf32>
    %18 = tensor.empty() : tensor<6x4xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %18[0, 0] [6, 2] [1, 1] : tensor<6x2xf32> into tensor<6x4xf32>
    %inserted_slice_3 = tensor.insert_slice %17 into %inserted_slice[0, %c2] [6, 2] [1, 1] : tensor<6x2xf32> into tensor<6x4xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%inserted_slice_3 : tensor<6x4xf32>) outs(%18 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.mulf %in, %in : f32
      linalg.yield %30 : f32
    } -> tensor<6x4xf32>
    %20 = tensor.empty() : tensor<6xf32>
    %21 = linalg.fill ins(%cst_1 : f32) outs(%20 : tensor<6xf32>) -> tensor<6xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%19 : tensor<6x4xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %out, %in : f32
      linalg.yield %30 : f32
    } -> tensor<6xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%22 : tensor<6xf32>) outs(%20 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.mulf %in, %cst_0 : f32
      linalg.yield %30 : f32
    } -> tensor<6xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%9 : tensor<6x2xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %out, %in : f32
      linalg.yield %30 : f32
    } -> tensor<6xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%23, %24 : tensor<6xf32>, tensor<6xf32>) outs(%20 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %30 = arith.subf %in, %in_4 : f32
      linalg.yield %30 : f32
    } -> tensor<6xf32>
    %26 = tensor.empty() : tensor<f32>
    %27 = linalg.fill ins(%cst_1 : f32) outs(%26 : tensor<f32>) -> tensor<f32>
    %28 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%25 : tensor<6xf32>) outs(%27 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.addf %out, %in : f32
      linalg.yield %30 : f32
    } -> tensor<f32>
    %29 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%28 : tensor<f32>) outs(%26 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %30 = arith.divf %in, %cst : f32
      linalg.yield %30 : f32
    } -> tensor<f32>
    return %29 : tensor<f32>
  }
  func.func private @relu(%arg0: tensor<6x8xf32>) -> tensor<6x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x8xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<6x8xf32>) outs(%0 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %cst : f32
      linalg.yield %2 : f32
    } -> tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
