// RUN: zero-opt %s --zero-lower-kernels-to-cpu | FileCheck %s
// RUN: zero-opt %s --zero-lower-kernels-to-cpu=reference=1 | FileCheck %s --check-prefix=REFERENCE

// Polynomials, not calls of libm, and no allocation; the plain path has both.

// CHECK-LABEL: llvm.func @gelu
// CHECK-NOT: @exp
// CHECK-NOT: @malloc
// CHECK: vector<16xf32>
// REFERENCE-LABEL: llvm.func @gelu
// REFERENCE-NOT: vector<
// REFERENCE: llvm.intr.exp
zero.kernel @gelu(%x: tensor<8x64xf32>) -> tensor<8x64xf32>
    units rows [8] {
  %e = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  zero.return %y : tensor<8x64xf32>
}
