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
    %3 = tensor.empty() : tensor<6x10xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<10xf32>) outs(%3 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x10xf32>
    %5 = tensor.empty() : tensor<6x10xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %4 : tensor<6x10xf32>, tensor<6x10xf32>) outs(%5 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.addf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x10xf32>
    %7 = tensor.empty() : tensor<6x10xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<6x10xf32>) outs(%7 : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = math.tanh %in : f32
      linalg.yield %64 : f32
    } -> tensor<6x10xf32>
    %9 = tensor.empty() : tensor<6x6xf32>
    %10 = linalg.fill ins(%cst_3 : f32) outs(%9 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %11 = linalg.matmul ins(%8, %arg2 : tensor<6x10xf32>, tensor<10x6xf32>) outs(%10 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %12 = tensor.empty() : tensor<6x6xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<6xf32>) outs(%12 : tensor<6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x6xf32>
    %14 = tensor.empty() : tensor<6x6xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11, %13 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%14 : tensor<6x6xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.addf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x6xf32>
    %extracted_slice = tensor.extract_slice %15[0, 0] [6, 2] [1, 1] : tensor<6x6xf32> to tensor<6x2xf32>
    %extracted_slice_4 = tensor.extract_slice %15[0, 2] [6, 2] [1, 1] : tensor<6x6xf32> to tensor<6x2xf32>
    %extracted_slice_5 = tensor.extract_slice %15[0, 4] [6, 2] [1, 1] : tensor<6x6xf32> to tensor<6x2xf32>
    %16 = tensor.empty() : tensor<6x2xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<6x1xf32>) outs(%16 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %18 = tensor.empty() : tensor<6x2xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %extracted_slice_4 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%18 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.subf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %20 = tensor.empty() : tensor<6x2xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5 : tensor<6x2xf32>) outs(%20 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = math.exp %in : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %22 = tensor.empty() : tensor<6x2xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %21 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%22 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.divf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %24 = tensor.empty() : tensor<6x2xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<6x2xf32>) outs(%24 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.mulf %in, %in : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %26 = tensor.empty() : tensor<6x2xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<6x2xf32>) outs(%26 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.mulf %in, %cst_2 : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %28 = tensor.empty() : tensor<6x2xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%27, %extracted_slice_5 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%28 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.subf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %30 = call @log_softmax(%extracted_slice) : (tensor<6x2xf32>) -> tensor<6x2xf32>
    %31 = tensor.empty() : tensor<6x2xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%30, %29 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%31 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.addf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %33 = tensor.empty() : tensor<6xf32>
    %34 = linalg.fill ins(%cst_1 : f32) outs(%33 : tensor<6xf32>) -> tensor<6xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%32 : tensor<6x2xf32>) outs(%34 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.maximumf %out, %in : f32
      linalg.yield %64 : f32
    } -> tensor<6xf32>
    %36 = tensor.empty() : tensor<6xf32>
    %37 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%35 : tensor<6xf32>) outs(%36 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6xf32>
    %38 = tensor.empty() : tensor<6xi1>
    %39 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%37 : tensor<6xf32>) outs(%38 : tensor<6xi1>) {
    ^bb0(%in: f32, %out: i1):
      %64 = math.absf %in : f32
      %65 = arith.cmpf one, %64, %cst_0 : f32
      linalg.yield %65 : i1
    } -> tensor<6xi1>
    %40 = tensor.empty() : tensor<6xf32>
    %41 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%39, %37 : tensor<6xi1>, tensor<6xf32>) outs(%40 : tensor<6xf32>) {
    ^bb0(%in: i1, %in_6: f32, %out: f32):
      %64 = arith.select %in, %in_6, %cst_3 : f32
      linalg.yield %64 : f32
    } -> tensor<6xf32>
    %42 = tensor.empty() : tensor<6x2xf32>
    %43 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<6xf32>) outs(%42 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %44 = tensor.empty() : tensor<6x2xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%32, %43 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%44 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.subf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %46 = tensor.empty() : tensor<6x2xf32>
    %47 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%45 : tensor<6x2xf32>) outs(%46 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = math.exp %in : f32
      linalg.yield %64 : f32
    } -> tensor<6x2xf32>
    %48 = tensor.empty() : tensor<6xf32>
    %49 = linalg.fill ins(%cst_3 : f32) outs(%48 : tensor<6xf32>) -> tensor<6xf32>
    %50 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%47 : tensor<6x2xf32>) outs(%49 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.addf %out, %in : f32
      linalg.yield %64 : f32
    } -> tensor<6xf32>
    %51 = tensor.empty() : tensor<6xf32>
    %52 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%50 : tensor<6xf32>) outs(%51 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = math.absf %in : f32
      linalg.yield %64 : f32
    } -> tensor<6xf32>
    %53 = tensor.empty() : tensor<6xf32>
    %54 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%52 : tensor<6xf32>) outs(%53 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = math.log %in : f32
      linalg.yield %64 : f32
    } -> tensor<6xf32>
    %55 = tensor.empty() : tensor<6xf32>
    %56 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel"]} ins(%54, %41 : tensor<6xf32>, tensor<6xf32>) outs(%55 : tensor<6xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %64 = arith.addf %in, %in_6 : f32
      linalg.yield %64 : f32
    } -> tensor<6xf32>
    %57 = tensor.empty() : tensor<f32>
    %58 = linalg.fill ins(%cst_3 : f32) outs(%57 : tensor<f32>) -> tensor<f32>
    %59 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["reduction"]} ins(%56 : tensor<6xf32>) outs(%58 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.addf %out, %in : f32
      linalg.yield %64 : f32
    } -> tensor<f32>
    %60 = tensor.empty() : tensor<f32>
    %61 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%59 : tensor<f32>) outs(%60 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.divf %in, %cst : f32
      linalg.yield %64 : f32
    } -> tensor<f32>
    %62 = tensor.empty() : tensor<f32>
    %63 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = []} ins(%61 : tensor<f32>) outs(%62 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %64 = arith.negf %in : f32
      linalg.yield %64 : f32
    } -> tensor<f32>
    return %63 : tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<6x2xf32>) -> tensor<6x2xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<6xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
    %2 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<6x2xf32>) outs(%1 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.maximumf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<6xf32>
    %3 = tensor.empty() : tensor<6xf32>
    %4 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%2 : tensor<6xf32>) outs(%3 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6xf32>
    %5 = tensor.empty() : tensor<6x2xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<6xf32>) outs(%5 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %7 = tensor.empty() : tensor<6x2xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %6 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%7 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<6x2xf32>
    %9 = tensor.empty() : tensor<6x2xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<6x2xf32>) outs(%9 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.exp %in : f32
      linalg.yield %20 : f32
    } -> tensor<6x2xf32>
    %11 = tensor.empty() : tensor<6xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<6xf32>) -> tensor<6xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<6x2xf32>) outs(%12 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<6xf32>
    %14 = tensor.empty() : tensor<6xf32>
    %15 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel"]} ins(%13 : tensor<6xf32>) outs(%14 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = math.log %in : f32
      linalg.yield %20 : f32
    } -> tensor<6xf32>
    %16 = tensor.empty() : tensor<6x2xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<6xf32>) outs(%16 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<6x2xf32>
    %18 = tensor.empty() : tensor<6x2xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %17 : tensor<6x2xf32>, tensor<6x2xf32>) outs(%18 : tensor<6x2xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %20 = arith.subf %in, %in_1 : f32
      linalg.yield %20 : f32
    } -> tensor<6x2xf32>
    return %19 : tensor<6x2xf32>
  }
}
