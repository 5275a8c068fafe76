// A bf16 that all lanes share is spread as an integer: LLVM would widen it to pass
// it on to another block, and round it there by a function that GPUs, and the
// emulator of one, lack.

// RUN: zero-opt %s --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s

// CHECK-LABEL: func.func private @k
// CHECK-NOT: vector.broadcast {{.*}} : bf16
// CHECK: vector.broadcast {{.*}} : i16 to vector<16xi16>

module {
  zero.kernel @k(%s: tensor<12xf32>) -> tensor<12x32xbf16> units rows [12] {
    %empty = tensor.empty() : tensor<12x32xbf16>
    %y = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%s : tensor<12xf32>) outs(%empty : tensor<12x32xbf16>) {
    ^bb0(%a: f32, %old: bf16):
      %n = arith.truncf %a : f32 to bf16
      linalg.yield %n : bf16
    } -> tensor<12x32xbf16>
    zero.return %y : tensor<12x32xbf16>
  }
}
