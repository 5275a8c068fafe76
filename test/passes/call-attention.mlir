// RUN: zero-opt %s --zero-call-attention --canonicalize | FileCheck %s

// The backward reads the result, and what was made for kernels is dead.

// CHECK-LABEL: func @step(
// CHECK-SAME: %[[Q:[^:]*]]: tensor<4x64x4x16xbf16>, %[[K:[^:]*]]: tensor<4x64x2x16xbf16>, %[[DO:[^:]*]]: tensor<4x64x4x16xbf16>
// CHECK-NEXT: %[[O:.*]], %[[LSE:.*]], %{{.*}} = nn.library_attention %[[Q]], %[[K]], %[[K]] {causal, scale = 2.500000e-01 : f64} : {{.*}} room tensor<1024xf32>
// CHECK-NEXT: %[[DQ:.*]], %[[DK:.*]], %{{.*}}, %{{.*}} = nn.library_attention_backward %[[DO]], %[[Q]], %[[K]], %[[K]], %[[O]], %[[LSE]] {at_once = 4 : i64, causal, scale = 2.500000e-01 : f64} : {{.*}} room tensor<83968xf32>
// CHECK-NEXT: return %[[O]], %[[DQ]], %[[DK]]
func.func @step(%q: tensor<4x64x4x16xbf16>, %k: tensor<4x64x2x16xbf16>, %do: tensor<4x64x4x16xbf16>)
    -> (tensor<4x64x4x16xbf16>, tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16>) {
  %o, %lse = nn.attention %q, %k, %k {causal, scale = 0.25 : f64} : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16> stats tensor<4x4x64xf32>
  %delta = arith.addf %lse, %lse : tensor<4x4x64xf32>
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %k, %lse, %delta {causal, scale = 0.25 : f64}
    : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x4x64xf32>
  return %o, %dq, %dk : tensor<4x64x4x16xbf16>, tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16>
}

// So many batches at once as 256 MiB are enough for, and one if they are not.

// CHECK-LABEL: func @large(
// CHECK: nn.library_attention_backward {{.*}} {at_once = 3 : i64, scale = 2.500000e-01 : f64}
// CHECK-SAME: room tensor<50430976xf32>
func.func @large(%q: tensor<6x2048x8x64xf16>, %do: tensor<6x2048x8x64xf16>) -> tensor<6x2048x8x64xf16> {
  %o, %lse = nn.attention %q, %q, %q {scale = 0.25 : f64} : tensor<6x2048x8x64xf16>, tensor<6x2048x8x64xf16> stats tensor<6x8x2048xf32>
  %dq, %dk, %dv = nn.attention_backward %do, %q, %q, %q, %lse, %lse {scale = 0.25 : f64}
    : tensor<6x2048x8x64xf16>, tensor<6x2048x8x64xf16>, tensor<6x8x2048xf32>
  return %dq : tensor<6x2048x8x64xf16>
}

// CHECK-LABEL: func @very_large(
// CHECK: nn.library_attention_backward {{.*}} {at_once = 1 : i64
func.func @very_large(%q: tensor<2x8192x8x64xf16>, %do: tensor<2x8192x8x64xf16>) -> tensor<2x8192x8x64xf16> {
  %o, %lse = nn.attention %q, %q, %q {causal, scale = 0.25 : f64, window = 512 : i64} : tensor<2x8192x8x64xf16>, tensor<2x8192x8x64xf16> stats tensor<2x8x8192xf32>
  %dq, %dk, %dv = nn.attention_backward %do, %q, %q, %q, %lse, %lse {causal, scale = 0.25 : f64, window = 512 : i64}
    : tensor<2x8192x8x64xf16>, tensor<2x8192x8x64xf16>, tensor<2x8x8192xf32>
  return %dq : tensor<2x8192x8x64xf16>
}

// Attention of generation stays.

// CHECK-LABEL: func @decode(
// CHECK: nn.cached_attention
func.func @decode(%q: tensor<4x1x4x16xbf16>, %k: tensor<4x1x2x16xbf16>, %keys: tensor<4x2x64x16xbf16>, %at: tensor<4xi32>) -> tensor<4x1x4x16xbf16> {
  %o, %nk, %nv = nn.cached_attention %q, %k, %k in %keys, %keys at %at, %at {scale = 0.25 : f64}
    : tensor<4x1x4x16xbf16>, tensor<4x1x2x16xbf16>, tensor<4x2x64x16xbf16>, tensor<4xi32>
  return %o : tensor<4x1x4x16xbf16>
}
