// Printed by JAX 0.10.2, lowered by IREE's compiler 3.13.0.
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> (d0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
#map6 = affine_map<() -> ()>
module @jit__lambda {
  func.func @loss(%arg0: tensor<4x10xf32> {zero.param = "l0.w"}, %arg1: tensor<10xf32> {zero.param = "l0.b"}, %arg2: tensor<10x6xf32> {zero.param = "l1.w"}, %arg3: tensor<6xf32> {zero.param = "l1.b"}, %arg4: tensor<6x4xf32> {zero.input = "x"}, %arg5: tensor<6x1xf32> {zero.input = "y"}) -> tensor<f32> {
    %cst = arith.constant 6.000000e+00 : f32
    %cst_0 = arith.constant 0x7F800000 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %cst_2 = arith.constant -5.000000e-01 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<6x10xf32>
    %1 = linalg.fill ins(%cst_3 : f32) outs(%0 : tensor<6x10xf32>) -> tensor<6x10xf32>
    %2 = linalg.matmul ins(%arg4, %arg0 : tensor<6x4xf32>, tensor<4x10xf32>) outs(%1 : tensor<6x10xf32>) -> tensor<6x10xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<10xf32>) outs(%0 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x10xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<6x10xf32>, tensor<6x10xf32>) outs(%0 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.addf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x10xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<6x10xf32>) outs(%0 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.tanh %in : f32
      linalg.yield %41 : f32
    } -> tensor<6x10xf32>
    %6 = tensor.empty() : tensor<6x6xf32>
    %7 = linalg.fill ins(%cst_3 : f32) outs(%6 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %8 = linalg.matmul ins(%5, %arg2 : tensor<6x10xf32>, tensor<10x6xf32>) outs(%7 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<6xf32>) outs(%6 : tensor<6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x6xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %9 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%6 : tensor<6x6xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.addf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x6xf32>
    %extracted_slice = tensor.extract_slice %10[0, 0] [6, 2] [1, 1] : tensor<6x6xf32> to tensor<6x2xf32>
    %extracted_slice_4 = tensor.extract_slice %10[0, 2] [6, 2] [1, 1] : tensor<6x6xf32> to tensor<6x2xf32>
    %extracted_slice_5 = tensor.extract_slice %10[0, 4] [6, 2] [1, 1] : tensor<6x6xf32> to tensor<6x2xf32>
    %11 = tensor.empty() : tensor<6x2xf32>
    %12 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<6x1xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %extracted_slice_4 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.subf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5 : tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %14 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.divf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.mulf %in, %in : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.mulf %in, %cst_2 : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %extracted_slice_5 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.subf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %19 = call @log_softmax(%extracted_slice) : (tensor<6x2xf32>) -> tensor<6x2xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %18 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.addf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %21 = tensor.empty() : tensor<6xf32>
    %22 = linalg.fill ins(%cst_1 : f32) outs(%21 : tensor<6xf32>) -> tensor<6xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%20 : tensor<6x2xf32>) outs(%22 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.maximumf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<6xf32>
    %24 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%23 : tensor<6xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6xf32>
    %25 = tensor.empty() : tensor<6xi1>
    %26 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%24 : tensor<6xf32>) outs(%25 : tensor<6xi1>) {
    ^bb0(%in: f32, %out: i1):
      %41 = math.absf %in : f32
      %42 = arith.cmpf one, %41, %cst_0 : f32
      linalg.yield %42 : i1
    } -> tensor<6xi1>
    %27 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%26, %24 : tensor<6xi1>, tensor<6xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: i1, %in_6: f32, %out: f32):
      %41 = arith.select %in, %in_6, %cst_3 : f32
      linalg.yield %41 : f32
    } -> tensor<6xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<6xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%20, %28 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.subf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<6x2xf32>) outs(%11 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.exp %in : f32
      linalg.yield %41 : f32
    } -> tensor<6x2xf32>
    %31 = linalg.fill ins(%cst_3 : f32) outs(%21 : tensor<6xf32>) -> tensor<6xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%30 : tensor<6x2xf32>) outs(%31 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<6xf32>
    %33 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%32 : tensor<6xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.absf %in : f32
      linalg.yield %41 : f32
    } -> tensor<6xf32>
    %34 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%33 : tensor<6xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = math.log %in : f32
      linalg.yield %41 : f32
    } -> tensor<6xf32>
    %35 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%34, %27 : tensor<6xf32>, tensor<6xf32>) outs(%21 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %41 = arith.addf %in, %in_6 : f32
      linalg.yield %41 : f32
    } -> tensor<6xf32>
    %36 = tensor.empty() : tensor<f32>
    %37 = linalg.fill ins(%cst_3 : f32) outs(%36 : tensor<f32>) -> tensor<f32>
    %38 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%35 : tensor<6xf32>) outs(%37 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.addf %out, %in : f32
      linalg.yield %41 : f32
    } -> tensor<f32>
    %39 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%38 : tensor<f32>) outs(%36 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.divf %in, %cst : f32
      linalg.yield %41 : f32
    } -> tensor<f32>
    %40 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%39 : tensor<f32>) outs(%36 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %41 = arith.negf %in : f32
      linalg.yield %41 : f32
    } -> tensor<f32>
    return %40 : tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<6x2xf32>) -> tensor<6x2xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<6xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<6x2xf32>) outs(%1 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<6xf32>
    %3 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%2 : tensor<6xf32>) outs(%0 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6xf32>
    %4 = tensor.empty() : tensor<6x2xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<6xf32>) outs(%4 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%4 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<6x2xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<6x2xf32>) outs(%4 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.exp %in : f32
      linalg.yield %13 : f32
    } -> tensor<6x2xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<6x2xf32>) outs(%8 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<6xf32>
    %10 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%9 : tensor<6xf32>) outs(%0 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.log %in : f32
      linalg.yield %13 : f32
    } -> tensor<6xf32>
    %11 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<6xf32>) outs(%4 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%4 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<6x2xf32>
    return %12 : tensor<6x2xf32>
  }
}
