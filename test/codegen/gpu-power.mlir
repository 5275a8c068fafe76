// pow has the same bits in threads of a GPU as on a CPU, for f64 and f32.

// RUN: zero-kernels %s | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-2: {{"outcome":"right"}}

#elements = affine_map<(i) -> (i)>
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @of_f64(%x: tensor<1003xf64>, %y: tensor<1003xf64>) -> tensor<1003xf64> units columns [1003] {
    %empty = tensor.empty() : tensor<1003xf64>
    %power = linalg.generic {indexing_maps = [#elements, #elements, #elements], iterator_types = ["parallel"]}
        ins(%x, %y : tensor<1003xf64>, tensor<1003xf64>) outs(%empty : tensor<1003xf64>) {
    ^bb0(%a: f64, %b: f64, %old: f64):
      %new = math.powf %a, %b : f64
      linalg.yield %new : f64
    } -> tensor<1003xf64>
    zero.return %power : tensor<1003xf64>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
#elements = affine_map<(i) -> (i)>
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @of_f32(%x: tensor<1003xf32>, %y: tensor<1003xf32>) -> tensor<1003xf32> units columns [1003] {
    %empty = tensor.empty() : tensor<1003xf32>
    %power = linalg.generic {indexing_maps = [#elements, #elements, #elements], iterator_types = ["parallel"]}
        ins(%x, %y : tensor<1003xf32>, tensor<1003xf32>) outs(%empty : tensor<1003xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %size = math.absf %a : f32
      %new = math.powf %size, %b : f32
      linalg.yield %new : f32
    } -> tensor<1003xf32>
    zero.return %power : tensor<1003xf32>
  }
  zero.program @step() {
    zero.return
  }
}
