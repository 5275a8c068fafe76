// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d0, 0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<() -> ()>
#map7 = affine_map<(d0, d1) -> (d1)>
module @jit__lambda {
  func.func @loss(%arg0: tensor<6x8xf32> {zero.param = "a"}, %arg1: tensor<6x8xf32> {zero.param = "b"}, %arg2: tensor<5x6xf32> {zero.input = "x"}, %arg3: tensor<5x6xf32> {zero.input = "z"}) -> tensor<f32> {
    %cst = arith.constant -5.000000e-01 : f32
    %cst_0 = arith.constant 5.000000e+00 : f32
    %cst_1 = arith.constant 2.000000e-01 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5x8xf32>
    %1 = linalg.fill ins(%cst_2 : f32) outs(%0 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %2 = linalg.matmul ins(%arg2, %arg0 : tensor<5x6xf32>, tensor<6x8xf32>) outs(%1 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %3 = call @norm(%2) : (tensor<5x8xf32>) -> tensor<5x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5x1xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %35 = arith.divf %in, %in_3 : f32
      linalg.yield %35 : f32
    } -> tensor<5x8xf32>
    %6 = linalg.matmul ins(%arg3, %arg1 : tensor<5x6xf32>, tensor<6x8xf32>) outs(%1 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %7 = call @norm(%6) : (tensor<5x8xf32>) -> tensor<5x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<5x1xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %8 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %35 = arith.divf %in, %in_3 : f32
      linalg.yield %35 : f32
    } -> tensor<5x8xf32>
    %10 = tensor.empty() : tensor<8x5xf32>
    %11 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<5x8xf32>) outs(%10 : tensor<8x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x5xf32>
    %12 = tensor.empty() : tensor<5x5xf32>
    %13 = linalg.fill ins(%cst_2 : f32) outs(%12 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %14 = linalg.matmul ins(%5, %11 : tensor<5x8xf32>, tensor<8x5xf32>) outs(%13 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<5x5xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.divf %in, %cst_1 : f32
      linalg.yield %35 : f32
    } -> tensor<5x5xf32>
    %16 = tensor.empty() : tensor<5x5xi32>
    %17 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%16 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %35 = linalg.index 0 : index
      %36 = arith.index_cast %35 : index to i32
      linalg.yield %36 : i32
    } -> tensor<5x5xi32>
    %18 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%16 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %35 = linalg.index 1 : index
      %36 = arith.index_cast %35 : index to i32
      linalg.yield %36 : i32
    } -> tensor<5x5xi32>
    %19 = tensor.empty() : tensor<5x5xi1>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<5x5xi32>, tensor<5x5xi32>) outs(%19 : tensor<5x5xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %35 = arith.cmpi eq, %in, %in_3 : i32
      linalg.yield %35 : i1
    } -> tensor<5x5xi1>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<5x5xi1>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: i1, %out: f32):
      %35 = arith.uitofp %in : i1 to f32
      linalg.yield %35 : f32
    } -> tensor<5x5xf32>
    %22 = call @log_softmax(%15) : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %23 = call @log_softmax_0(%15) : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%22, %23 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %35 = arith.addf %in, %in_3 : f32
      linalg.yield %35 : f32
    } -> tensor<5x5xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<5x5xf32>) outs(%19 : tensor<5x5xi1>) {
    ^bb0(%in: f32, %out: i1):
      %35 = arith.cmpf une, %in, %cst_2 : f32
      linalg.yield %35 : i1
    } -> tensor<5x5xi1>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25, %24 : tensor<5x5xi1>, tensor<5x5xf32>) outs(%12 : tensor<5x5xf32>) {
    ^bb0(%in: i1, %in_3: f32, %out: f32):
      %35 = arith.select %in, %in_3, %cst_2 : f32
      linalg.yield %35 : f32
    } -> tensor<5x5xf32>
    %27 = tensor.empty() : tensor<5xf32>
    %28 = linalg.fill ins(%cst_2 : f32) outs(%27 : tensor<5xf32>) -> tensor<5xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%26 : tensor<5x5xf32>) outs(%28 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %out, %in : f32
      linalg.yield %35 : f32
    } -> tensor<5xf32>
    %30 = tensor.empty() : tensor<f32>
    %31 = linalg.fill ins(%cst_2 : f32) outs(%30 : tensor<f32>) -> tensor<f32>
    %32 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%29 : tensor<5xf32>) outs(%31 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.addf %out, %in : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    %33 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%32 : tensor<f32>) outs(%30 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.divf %in, %cst_0 : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    %34 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%33 : tensor<f32>) outs(%30 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %35 = arith.mulf %in, %cst : f32
      linalg.yield %35 : f32
    } -> tensor<f32>
    return %34 : tensor<f32>
  }
  func.func private @norm(%arg0: tensor<5x8xf32>) -> tensor<5x1xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5x8xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.mulf %in, %in : f32
      linalg.yield %6 : f32
    } -> tensor<5x8xf32>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5xf32>) -> tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<5x8xf32>) outs(%3 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.addf %out, %in : f32
      linalg.yield %6 : f32
    } -> tensor<5xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%4 : tensor<5xf32>) outs(%2 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = math.sqrt %in : f32
      linalg.yield %6 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %5 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    return %expanded : tensor<5x1xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x5xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %3 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%2 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    %4 = tensor.empty() : tensor<5x5xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<5x5xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.exp %in : f32
      linalg.yield %13 : f32
    } -> tensor<5x5xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<5x5xf32>) outs(%8 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%9 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.log %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<5x5xf32>
    return %12 : tensor<5x5xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x5xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %3 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%2 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    %4 = tensor.empty() : tensor<5x5xf32>
    %5 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<5x5xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.exp %in : f32
      linalg.yield %13 : f32
    } -> tensor<5x5xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<5x5xf32>) outs(%8 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%9 : tensor<5xf32>) outs(%0 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.log %in : f32
      linalg.yield %13 : f32
    } -> tensor<5xf32>
    %11 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%4 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<5x5xf32>
    return %12 : tensor<5x5xf32>
  }
}
