// RUN: zero-opt %s | zero-opt | FileCheck %s
// The operations of LibraryAttention.td, as they are written there.

// CHECK-LABEL: func @library
func.func @library(%q: tensor<4x64x4x16xbf16>, %k: tensor<4x64x2x16xbf16>, %v: tensor<4x64x2x16xbf16>, %do: tensor<4x64x4x16xbf16>) {
  // CHECK: nn.library_attention %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 2.500000e-01 : f64} : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16> stats tensor<4x4x64xf32> room tensor<1024xf32>
  %o, %lse, %room = nn.library_attention %q, %k, %v {causal, scale = 0.25 : f64}
    : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16> stats tensor<4x4x64xf32> room tensor<1024xf32>
  // CHECK: nn.library_attention {{.*}} {causal, scale = 2.500000e-01 : f64, window = 8 : i64} : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16> room tensor<1024xf32>
  %p, %m = nn.library_attention %q, %k, %v {causal, scale = 0.25 : f64, window = 8 : i64}
    : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16> room tensor<1024xf32>
  // CHECK: nn.library_attention_backward {{.*}} {at_once = 2 : i64, causal, scale = 2.500000e-01 : f64} : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x4x64xf32> room tensor<43008xf32>
  %dq, %dk, %dv, %n = nn.library_attention_backward %do, %q, %k, %v, %o, %lse {at_once = 2 : i64, causal, scale = 0.25 : f64}
    : tensor<4x64x4x16xbf16>, tensor<4x64x2x16xbf16>, tensor<4x4x64xf32> room tensor<43008xf32>
  return
}
