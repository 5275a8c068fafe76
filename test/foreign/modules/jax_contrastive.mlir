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
    %4 = tensor.empty() : tensor<5x8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<5x1xf32>) outs(%4 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %6 = tensor.empty() : tensor<5x8xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %5 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%6 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %49 = arith.divf %in, %in_3 : f32
      linalg.yield %49 : f32
    } -> tensor<5x8xf32>
    %8 = tensor.empty() : tensor<5x8xf32>
    %9 = linalg.fill ins(%cst_2 : f32) outs(%8 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %10 = linalg.matmul ins(%arg3, %arg1 : tensor<5x6xf32>, tensor<6x8xf32>) outs(%9 : tensor<5x8xf32>) -> tensor<5x8xf32>
    %11 = call @norm(%10) : (tensor<5x8xf32>) -> tensor<5x1xf32>
    %12 = tensor.empty() : tensor<5x8xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<5x1xf32>) outs(%12 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x8xf32>
    %14 = tensor.empty() : tensor<5x8xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %13 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%14 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %49 = arith.divf %in, %in_3 : f32
      linalg.yield %49 : f32
    } -> tensor<5x8xf32>
    %16 = tensor.empty() : tensor<8x5xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<5x8xf32>) outs(%16 : tensor<8x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x5xf32>
    %18 = tensor.empty() : tensor<5x5xf32>
    %19 = linalg.fill ins(%cst_2 : f32) outs(%18 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %20 = linalg.matmul ins(%7, %17 : tensor<5x8xf32>, tensor<8x5xf32>) outs(%19 : tensor<5x5xf32>) -> tensor<5x5xf32>
    %21 = tensor.empty() : tensor<5x5xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<5x5xf32>) outs(%21 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.divf %in, %cst_1 : f32
      linalg.yield %49 : f32
    } -> tensor<5x5xf32>
    %23 = tensor.empty() : tensor<5x5xi32>
    %24 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%23 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %49 = linalg.index 0 : index
      %50 = arith.index_cast %49 : index to i32
      linalg.yield %50 : i32
    } -> tensor<5x5xi32>
    %25 = tensor.empty() : tensor<5x5xi32>
    %26 = linalg.generic {indexing_maps = [#map1], iterator_types = ["parallel", "parallel"]} outs(%25 : tensor<5x5xi32>) {
    ^bb0(%out: i32):
      %49 = linalg.index 1 : index
      %50 = arith.index_cast %49 : index to i32
      linalg.yield %50 : i32
    } -> tensor<5x5xi32>
    %27 = tensor.empty() : tensor<5x5xi1>
    %28 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%24, %26 : tensor<5x5xi32>, tensor<5x5xi32>) outs(%27 : tensor<5x5xi1>) {
    ^bb0(%in: i32, %in_3: i32, %out: i1):
      %49 = arith.cmpi eq, %in, %in_3 : i32
      linalg.yield %49 : i1
    } -> tensor<5x5xi1>
    %29 = tensor.empty() : tensor<5x5xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<5x5xi1>) outs(%29 : tensor<5x5xf32>) {
    ^bb0(%in: i1, %out: f32):
      %49 = arith.uitofp %in : i1 to f32
      linalg.yield %49 : f32
    } -> tensor<5x5xf32>
    %31 = call @log_softmax(%22) : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %32 = call @log_softmax_0(%22) : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %33 = tensor.empty() : tensor<5x5xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%31, %32 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%33 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %49 = arith.addf %in, %in_3 : f32
      linalg.yield %49 : f32
    } -> tensor<5x5xf32>
    %35 = tensor.empty() : tensor<5x5xi1>
    %36 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30 : tensor<5x5xf32>) outs(%35 : tensor<5x5xi1>) {
    ^bb0(%in: f32, %out: i1):
      %49 = arith.cmpf une, %in, %cst_2 : f32
      linalg.yield %49 : i1
    } -> tensor<5x5xi1>
    %37 = tensor.empty() : tensor<5x5xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36, %34 : tensor<5x5xi1>, tensor<5x5xf32>) outs(%37 : tensor<5x5xf32>) {
    ^bb0(%in: i1, %in_3: f32, %out: f32):
      %49 = arith.select %in, %in_3, %cst_2 : f32
      linalg.yield %49 : f32
    } -> tensor<5x5xf32>
    %39 = tensor.empty() : tensor<5xf32>
    %40 = linalg.fill ins(%cst_2 : f32) outs(%39 : tensor<5xf32>) -> tensor<5xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%38 : tensor<5x5xf32>) outs(%40 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.addf %out, %in : f32
      linalg.yield %49 : f32
    } -> tensor<5xf32>
    %42 = tensor.empty() : tensor<f32>
    %43 = linalg.fill ins(%cst_2 : f32) outs(%42 : tensor<f32>) -> tensor<f32>
    %44 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%41 : tensor<5xf32>) outs(%43 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.addf %out, %in : f32
      linalg.yield %49 : f32
    } -> tensor<f32>
    %45 = tensor.empty() : tensor<f32>
    %46 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%44 : tensor<f32>) outs(%45 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.divf %in, %cst_0 : f32
      linalg.yield %49 : f32
    } -> tensor<f32>
    %47 = tensor.empty() : tensor<f32>
    %48 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%46 : tensor<f32>) outs(%47 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %49 = arith.mulf %in, %cst : f32
      linalg.yield %49 : f32
    } -> tensor<f32>
    return %48 : tensor<f32>
  }
  func.func private @norm(%arg0: tensor<5x8xf32>) -> tensor<5x1xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<5x8xf32>
    %1 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<5x8xf32>) outs(%0 : tensor<5x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.mulf %in, %in : f32
      linalg.yield %7 : f32
    } -> tensor<5x8xf32>
    %2 = tensor.empty() : tensor<5xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5xf32>) -> tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<5x8xf32>) outs(%3 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.addf %out, %in : f32
      linalg.yield %7 : f32
    } -> tensor<5xf32>
    %5 = tensor.empty() : tensor<5xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%4 : tensor<5xf32>) outs(%5 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = math.sqrt %in : f32
      linalg.yield %7 : f32
    } -> tensor<5xf32>
    %expanded = tensor.expand_shape %6 [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
    return %expanded : tensor<5x1xf32>
  }
  func.func private @log_softmax(%arg0: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x5xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %3 = tensor.empty() : tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%2 : tensor<5xf32>) outs(%3 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    %5 = tensor.empty() : tensor<5x5xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5xf32>) outs(%5 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %7 = tensor.empty() : tensor<5x5xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%7 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<5x5xf32>
    %9 = tensor.empty() : tensor<5x5xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<5x5xf32>) outs(%9 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<5x5xf32>
    %11 = tensor.empty() : tensor<5xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<5xf32>) -> tensor<5xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<5x5xf32>) outs(%12 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %14 = tensor.empty() : tensor<5xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%13 : tensor<5xf32>) outs(%14 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %16 = tensor.empty() : tensor<5x5xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<5xf32>) outs(%16 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %18 = tensor.empty() : tensor<5x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%18 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<5x5xf32>
    return %19 : tensor<5x5xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<5x5xf32>) -> tensor<5x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<5xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<5xf32>) -> tensor<5xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x5xf32>) outs(%1 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %3 = tensor.empty() : tensor<5xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%2 : tensor<5xf32>) outs(%3 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5xf32>
    %5 = tensor.empty() : tensor<5x5xf32>
    %6 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<5xf32>) outs(%5 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %7 = tensor.empty() : tensor<5x5xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%7 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<5x5xf32>
    %9 = tensor.empty() : tensor<5x5xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<5x5xf32>) outs(%9 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<5x5xf32>
    %11 = tensor.empty() : tensor<5xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<5xf32>) -> tensor<5xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<5x5xf32>) outs(%12 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %14 = tensor.empty() : tensor<5xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%13 : tensor<5xf32>) outs(%14 : tensor<5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<5xf32>
    %16 = tensor.empty() : tensor<5x5xf32>
    %17 = linalg.generic {indexing_maps = [#map7, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<5xf32>) outs(%16 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<5x5xf32>
    %18 = tensor.empty() : tensor<5x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<5x5xf32>, tensor<5x5xf32>) outs(%18 : tensor<5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<5x5xf32>
    return %19 : tensor<5x5xf32>
  }
}
