// RUN: zero-opt %s --zero-lower-kernels-to-cpu="stop-at-loops=1 attention=tiles" | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: zero-opt %s --zero-lower-kernels-to-cpu="stop-at-loops=1 attention=both-tiles" | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: zero-opt %s --zero-lower-kernels-to-cpu="stop-at-loops=1 attention=dots" | FileCheck %s --check-prefixes=CHECK,DOTS
// RUN: zero-opt %s --zero-lower-kernels-to-cpu="stop-at-loops=1 attention=f32" | FileCheck %s --check-prefixes=CHECK,F32
// RUN: not zero-opt %s --zero-lower-kernels-to-cpu="stop-at-loops=1 attention=tensor-cores" 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: attention is computed by f32 or dots, tiles or both-tiles, not tensor-cores

// What multiplies is passed behind the type, and only for 16 bits.

// CHECK-LABEL: func.func private @brains(
// TILES: call @zrt_attention({{.*}}, %c3_i32, %c2_i32, %
// BOTH: call @zrt_attention({{.*}}, %c3_i32, %c3_i32, %
// DOTS: call @zrt_attention({{.*}}, %c3_i32, %c1_i32, %
// F32: call @zrt_attention({{.*}}, %c3_i32, %c0_i32, %
zero.kernel @brains(%q: tensor<2x100x2x16xbf16>) -> tensor<2x100x2x16xbf16> units attention [2, 2] {
  %o = nn.attention %q, %q, %q {causal, scale = 0.25 : f64} : tensor<2x100x2x16xbf16>, tensor<2x100x2x16xbf16>
  zero.return %o : tensor<2x100x2x16xbf16>
}
// CHECK-LABEL: func.func private @halves(
// BOTH: call @zrt_attention({{.*}}, %c4_i32, %c3_i32, %
zero.kernel @halves(%q: tensor<2x100x2x16xf16>) -> tensor<2x100x2x16xf16> units attention [2, 2] {
  %o = nn.attention %q, %q, %q {causal, scale = 0.25 : f64} : tensor<2x100x2x16xf16>, tensor<2x100x2x16xf16>
  zero.return %o : tensor<2x100x2x16xf16>
}
// CHECK-LABEL: func.func private @floats(
// CHECK: call @zrt_attention({{.*}}, %c2_i32, %c0_i32, %
zero.kernel @floats(%q: tensor<2x100x2x16xf32>) -> tensor<2x100x2x16xf32> units attention [2, 2] {
  %o = nn.attention %q, %q, %q {causal, scale = 0.25 : f64} : tensor<2x100x2x16xf32>, tensor<2x100x2x16xf32>
  zero.return %o : tensor<2x100x2x16xf32>
}
