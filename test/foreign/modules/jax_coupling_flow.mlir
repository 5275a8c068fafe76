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
    %3 = tensor.empty() : tensor<6x8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<8xf32>) outs(%3 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x8xf32>
    %5 = tensor.empty() : tensor<6x8xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%5 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.addf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<6x8xf32>
    %7 = call @relu(%6) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %8 = tensor.empty() : tensor<6x2xf32>
    %9 = linalg.fill ins(%cst_1 : f32) outs(%8 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %10 = linalg.matmul ins(%7, %arg4 : tensor<6x8xf32>, tensor<8x2xf32>) outs(%9 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %11 = tensor.empty() : tensor<6x2xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = math.tanh %in : f32
      linalg.yield %48 : f32
    } -> tensor<6x2xf32>
    %13 = tensor.empty() : tensor<6x2xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<6x2xf32>) outs(%13 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = math.exp %in : f32
      linalg.yield %48 : f32
    } -> tensor<6x2xf32>
    %15 = tensor.empty() : tensor<6x2xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_2, %14 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%15 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.mulf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<6x2xf32>
    %17 = tensor.empty() : tensor<6x8xf32>
    %18 = linalg.fill ins(%cst_1 : f32) outs(%17 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %19 = linalg.matmul ins(%extracted_slice, %arg2 : tensor<6x2xf32>, tensor<2x8xf32>) outs(%18 : tensor<6x8xf32>) -> tensor<6x8xf32>
    %20 = tensor.empty() : tensor<6x8xf32>
    %21 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<8xf32>) outs(%20 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x8xf32>
    %22 = tensor.empty() : tensor<6x8xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %21 : tensor<6x8xf32>, tensor<6x8xf32>) outs(%22 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.addf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<6x8xf32>
    %24 = call @relu(%23) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %25 = tensor.empty() : tensor<6x2xf32>
    %26 = linalg.fill ins(%cst_1 : f32) outs(%25 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %27 = linalg.matmul ins(%24, %arg5 : tensor<6x8xf32>, tensor<8x2xf32>) outs(%26 : tensor<6x2xf32>) -> tensor<6x2xf32>
    %28 = tensor.empty() : tensor<6x2xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16, %27 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%28 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.addf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<6x2xf32>
    %30 = tensor.empty() : tensor<6x4xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %30[0, 0] [6, 2] [1, 1] : tensor<6x2xf32> into tensor<6x4xf32>
    %inserted_slice_3 = tensor.insert_slice %29 into %inserted_slice[0, %c2] [6, 2] [1, 1] : tensor<6x2xf32> into tensor<6x4xf32>
    %31 = tensor.empty() : tensor<6x4xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%inserted_slice_3 : tensor<6x4xf32>) outs(%31 : tensor<6x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.mulf %in, %in : f32
      linalg.yield %48 : f32
    } -> tensor<6x4xf32>
    %33 = tensor.empty() : tensor<6xf32>
    %34 = linalg.fill ins(%cst_1 : f32) outs(%33 : tensor<6xf32>) -> tensor<6xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%32 : tensor<6x4xf32>) outs(%34 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<6xf32>
    %36 = tensor.empty() : tensor<6xf32>
    %37 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%35 : tensor<6xf32>) outs(%36 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.mulf %in, %cst_0 : f32
      linalg.yield %48 : f32
    } -> tensor<6xf32>
    %38 = tensor.empty() : tensor<6xf32>
    %39 = linalg.fill ins(%cst_1 : f32) outs(%38 : tensor<6xf32>) -> tensor<6xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%12 : tensor<6x2xf32>) outs(%39 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<6xf32>
    %41 = tensor.empty() : tensor<6xf32>
    %42 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%37, %40 : tensor<6xf32>, tensor<6xf32>) outs(%41 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %48 = arith.subf %in, %in_4 : f32
      linalg.yield %48 : f32
    } -> tensor<6xf32>
    %43 = tensor.empty() : tensor<f32>
    %44 = linalg.fill ins(%cst_1 : f32) outs(%43 : tensor<f32>) -> tensor<f32>
    %45 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["reduction"]} ins(%42 : tensor<6xf32>) outs(%44 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.addf %out, %in : f32
      linalg.yield %48 : f32
    } -> tensor<f32>
    %46 = tensor.empty() : tensor<f32>
    %47 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = []} ins(%45 : tensor<f32>) outs(%46 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %48 = arith.divf %in, %cst : f32
      linalg.yield %48 : f32
    } -> tensor<f32>
    return %47 : tensor<f32>
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
