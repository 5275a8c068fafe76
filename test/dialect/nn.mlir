// RUN: zero-opt %s | zero-opt | FileCheck %s
// RUN: python3 %S/../docs/check_blocks.py %S/../../dialect/nn/NN.td %s
// The examples of NN.td, printed and parsed again.

// CHECK-LABEL: func @embedding
func.func @embedding(%tokens: tensor<4x64xi32>, %wte: tensor<256x32xf32>) -> tensor<4x64x32xf32> {
  // CHECK: nn.embedding %arg0, %arg1 : tensor<4x64xi32>, tensor<256x32xf32> -> tensor<4x64x32xf32>
  %x = nn.embedding %tokens, %wte : tensor<4x64xi32>, tensor<256x32xf32> -> tensor<4x64x32xf32>
  return %x : tensor<4x64x32xf32>
}

// CHECK-LABEL: func @embedding_backward
func.func @embedding_backward(%tokens: tensor<4x64xi32>, %dx: tensor<4x64x32xf32>, %init: tensor<256x32xf32>) -> tensor<256x32xf32> {
  // CHECK: nn.embedding_backward %arg0, %arg1 into %arg2
  %dwte = nn.embedding_backward %tokens, %dx into %init : tensor<4x64xi32>, tensor<4x64x32xf32>, tensor<256x32xf32>
  return %dwte : tensor<256x32xf32>
}

// CHECK-LABEL: func @linear
func.func @linear(%x: tensor<4x64x32xf32>, %w: tensor<96x32xf32>, %v: tensor<32x96xf32>, %b: tensor<96xf32>) {
  // CHECK: nn.linear %arg0, %arg1, %arg3 : tensor<4x64x32xf32>, tensor<96x32xf32>, tensor<96xf32> -> tensor<4x64x96xf32>
  %y = nn.linear %x, %w, %b : tensor<4x64x32xf32>, tensor<96x32xf32>, tensor<96xf32> -> tensor<4x64x96xf32>
  // CHECK: nn.linear %arg0, %arg2 {transposed} : tensor<4x64x32xf32>, tensor<32x96xf32> -> tensor<4x64x96xf32>
  %z = nn.linear %x, %v {transposed} : tensor<4x64x32xf32>, tensor<32x96xf32> -> tensor<4x64x96xf32>
  return
}

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<256x32xf32>, %b: tensor<96x32xf32>, %d: tensor<96xf32>, %f: tensor<32x96xf32>) {
  // CHECK: %[[C:.*]] = nn.matmul %arg0, %arg1 bias(%arg2) {transpose_b}
  %c = nn.matmul %a, %b bias(%d) {transpose_b} : (tensor<256x32xf32>, tensor<96x32xf32>, tensor<96xf32>) -> tensor<256x96xf32>
  // CHECK: nn.matmul %arg0, %[[C]] init(%arg3) {scale = 2.500000e-01 : f64, transpose_a}
  %e = nn.matmul %a, %c init(%f) {scale = 2.500000e-01 : f64, transpose_a} : (tensor<256x32xf32>, tensor<256x96xf32>, tensor<32x96xf32>) -> tensor<32x96xf32>
  return
}

// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: tensor<4x64x32xf32>, %w: tensor<32xf32>, %b: tensor<32xf32>) {
  // CHECK: nn.layer_norm %arg0, %arg1, %arg2 {eps = 1.000000e-05 : f64} : tensor<4x64x32xf32>, tensor<32xf32>
  %y = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : tensor<4x64x32xf32>, tensor<32xf32>
  // CHECK: stats tensor<4x64xf32>, tensor<4x64xf32>
  %z, %m, %r = nn.layer_norm %x, %w, %b {eps = 1.0e-5 : f64} : tensor<4x64x32xf32>, tensor<32xf32> stats tensor<4x64xf32>, tensor<4x64xf32>
  return
}

// CHECK-LABEL: func @pointwise
func.func @pointwise(%x: tensor<4x64x32xf32>) {
  // CHECK: nn.gelu %arg0 {tanh} : tensor<4x64x32xf32>
  %y = nn.gelu %x {tanh} : tensor<4x64x32xf32>
  // CHECK: nn.gelu %arg0 : tensor<4x64x32xf32>
  %z = nn.gelu %x : tensor<4x64x32xf32>
  return
}

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<4x64xf32>) {
  // CHECK: nn.softmax %arg0 : tensor<4x64xf32>
  %p = nn.softmax %x : tensor<4x64xf32>
  return
}

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<4x64x4x16xf32>, %k: tensor<4x64x4x16xf32>, %v: tensor<4x64x4x16xf32>, %do: tensor<4x64x4x16xf32>, %delta: tensor<4x4x64xf32>) {
  // CHECK: nn.attention %arg0, %arg1, %arg2 {causal, scale = 2.500000e-01 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x4x16xf32>{{$}}
  %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x4x16xf32>
  // CHECK: nn.attention %arg0, %arg1, %arg2 {causal, scale = 2.500000e-01 : f64} : {{.*}} stats tensor<4x4x64xf32>
  %o1, %lse = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x4x16xf32> stats tensor<4x4x64xf32>
  // CHECK: nn.attention_backward
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta {causal, scale = 0.25 : f64}
    : tensor<4x64x4x16xf32>, tensor<4x64x4x16xf32>, tensor<4x4x64xf32>
  return
}

// CHECK-LABEL: func @cross_entropy
func.func @cross_entropy(%logits: tensor<4x64x256xf32>, %targets: tensor<4x64xi32>, %dloss: tensor<f32>,
                         %w: tensor<4x64xf32>) {
  // CHECK: %[[N:.*]] = nn.count_valid %arg1 {ignore_index = -100 : i32}
  %n = nn.count_valid %targets {ignore_index = -100 : i32} : tensor<4x64xi32> -> tensor<f32>
  // CHECK: nn.cross_entropy %arg0, %arg1 : tensor<4x64x256xf32>, tensor<4x64xi32> -> tensor<f32>
  %loss = nn.cross_entropy %logits, %targets : tensor<4x64x256xf32>, tensor<4x64xi32> -> tensor<f32>
  // CHECK: nn.cross_entropy %arg0, %arg1 by %[[N]]
  %l2, %lse = nn.cross_entropy %logits, %targets by %n : tensor<4x64x256xf32>, tensor<4x64xi32>, tensor<f32> -> tensor<f32> stats tensor<4x64xf32>
  // CHECK: nn.cross_entropy_backward %arg2, %arg0, %arg1, %{{.*}} by %[[N]] : tensor<4x64x256xf32>, tensor<4x64xi32>, tensor<4x64xf32>, tensor<f32>
  %dlogits = nn.cross_entropy_backward %dloss, %logits, %targets, %lse by %n
    : tensor<4x64x256xf32>, tensor<4x64xi32>, tensor<4x64xf32>, tensor<f32>
  // CHECK: nn.count_valid %arg1 weights(%[[W:.*]] : tensor<4x64xf32>) {ignore_index = -100 : i32} : tensor<4x64xi32> -> tensor<f32>
  %sum = nn.count_valid %targets weights(%w : tensor<4x64xf32>) {ignore_index = -100 : i32} : tensor<4x64xi32> -> tensor<f32>
  // CHECK: nn.cross_entropy %arg0, %arg1 weights(%[[W]] : tensor<4x64xf32>) {label_smoothing = 1.000000e-01 : f64} : tensor<4x64x256xf32>, tensor<4x64xi32> -> tensor<f32>
  %mean = nn.cross_entropy %logits, %targets weights(%w : tensor<4x64xf32>) {label_smoothing = 0.1 : f64}
    : tensor<4x64x256xf32>, tensor<4x64xi32> -> tensor<f32>
  return
}

// CHECK-LABEL: func @set_magnitudes
func.func @set_magnitudes(%x: tensor<4x64x32xf32>, %m: tensor<32xf32>, %n: tensor<32xf32>, %b: tensor<32xf32>) {
  // CHECK: nn.set_magnitudes %arg0, %arg1, %arg2, %arg3 : tensor<4x64x32xf32>, tensor<32xf32>, tensor<32xf32>
  %y = nn.set_magnitudes %x, %m, %n, %b : tensor<4x64x32xf32>, tensor<32xf32>, tensor<32xf32>
  // CHECK: nn.set_magnitudes %arg0, %arg1, %arg2 : tensor<4x64x32xf32>, tensor<32xf32>
  %z = nn.set_magnitudes %x, %m, %n : tensor<4x64x32xf32>, tensor<32xf32>
  return
}

// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<4x64x32xf32>, %w: tensor<32xf32>) {
  // CHECK: nn.rms_norm %arg0, %arg1 {eps = 9.9999999999999995E-7 : f64} : tensor<4x64x32xf32>, tensor<32xf32>
  %y = nn.rms_norm %x, %w {eps = 1.0e-6 : f64} : tensor<4x64x32xf32>, tensor<32xf32>
  // CHECK: nn.rms_norm %arg0, %arg1 {{.*}}unit_offset{{.*}} stats tensor<4x64xf32>
  %z, %rstd = nn.rms_norm %x, %w {eps = 1.0e-6 : f64, unit_offset} : tensor<4x64x32xf32>, tensor<32xf32> stats tensor<4x64xf32>
  return
}

// CHECK-LABEL: func @silu
func.func @silu(%x: tensor<4x64xf32>) {
  // CHECK: nn.silu %arg0 : tensor<4x64xf32>
  %y = nn.silu %x : tensor<4x64xf32>
  return
}

// CHECK-LABEL: func @detach
func.func @detach(%x: tensor<4x64xf32>) {
  // CHECK: nn.detach %arg0 : tensor<4x64xf32>
  %y = nn.detach %x : tensor<4x64xf32>
  return
}

// CHECK-LABEL: func @dropout
func.func @dropout(%x: tensor<4x64x32xf32>, %keys: tensor<4xi64>, %q: tensor<4x64x4x16xf32>, %do: tensor<4x64x4x16xf32>,
    %k: tensor<4x64x2x16xf32>, %v: tensor<4x64x2x16xf32>, %lse: tensor<4x4x64xf32>, %delta: tensor<4x4x64xf32>) {
  // CHECK: nn.dropout %arg0 by %arg1 {place = 3 : i64, rate = 1.000000e-01 : f64} : tensor<4x64x32xf32>, tensor<4xi64>
  %y = nn.dropout %x by %keys {rate = 0.1 : f64, place = 3 : i64} : tensor<4x64x32xf32>, tensor<4xi64>
  // CHECK: nn.attention %arg2, %arg4, %arg5 by %arg1 {causal, place = 3 : i64, rate = 1.000000e-01 : f64, scale = 2.500000e-01 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32> by tensor<4xi64>
  %r = nn.attention %q, %k, %v by %keys {causal, scale = 0.25 : f64, rate = 0.1 : f64, place = 3 : i64}
    : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32> by tensor<4xi64>
  // CHECK: nn.attention_backward {{.*}} by %arg1 {{.*}} by tensor<4xi64>
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta by %keys {causal, scale = 0.25 : f64, rate = 0.1 : f64, place = 3 : i64}
    : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>, tensor<4x4x64xf32> by tensor<4xi64>
  return
}

// CHECK-LABEL: func @rope_at
func.func @rope_at(%x: tensor<4x64x2x4xf32>, %positions: tensor<4x64xi32>) -> tensor<4x64x2x4xf32> {
  // CHECK: nn.rope %arg0 at %arg1 {{.*}} : tensor<4x64x2x4xf32>, tensor<4x64xi32>
  %z = nn.rope %x at %positions {frequencies = array<f64: 1.0, 0.01>} : tensor<4x64x2x4xf32>, tensor<4x64xi32>
  return %z : tensor<4x64x2x4xf32>
}

// CHECK-LABEL: func @cached_attention
func.func @cached_attention(%q: tensor<4x1x4x16xf32>, %k: tensor<4x1x2x16xf32>, %v: tensor<4x1x2x16xf32>,
                            %keys: tensor<4x2x64x16xf32>, %values: tensor<4x2x64x16xf32>, %begin: tensor<4xi32>,
                            %count: tensor<4xi32>, %starts: tensor<4xi32>) {
  // CHECK: nn.cached_attention %arg0, %arg1, %arg2 in %arg3, %arg4 at %arg5, %arg6 {scale = 2.500000e-01 : f64}
  %o, %nk, %nv = nn.cached_attention %q, %k, %v in %keys, %values at %begin, %count {scale = 0.25 : f64}
    : tensor<4x1x4x16xf32>, tensor<4x1x2x16xf32>, tensor<4x2x64x16xf32>, tensor<4xi32>
  // CHECK: nn.cached_attention {{.*}} from %arg7 {scale = 2.500000e-01 : f64, soft_cap = 3.000000e+01 : f64, window = 8 : i64}
  %p:3 = nn.cached_attention %q, %k, %v in %keys, %values at %begin, %count from %starts {scale = 0.25 : f64, soft_cap = 30.0 : f64, window = 8 : i64}
    : tensor<4x1x4x16xf32>, tensor<4x1x2x16xf32>, tensor<4x2x64x16xf32>, tensor<4xi32> from tensor<4xi32>
  return
}

// CHECK-LABEL: func @rope
func.func @rope(%x: tensor<4x64x2x4xf32>) {
  // CHECK: nn.rope %arg0 {frequencies = array<f64: 1.000000e+00, 1.000000e-02>} : tensor<4x64x2x4xf32>
  %y = nn.rope %x {frequencies = array<f64: 1.0, 0.01>} : tensor<4x64x2x4xf32>
  return
}

// CHECK-LABEL: func @grouped_attention
func.func @grouped_attention(%q: tensor<4x64x4x16xf32>, %k: tensor<4x64x2x16xf32>, %v: tensor<4x64x2x16xf32>, %tokens: tensor<4x64xi32>) {
  // CHECK: nn.attention %arg0, %arg1, %arg2 {causal, scale = 2.500000e-01 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>
  %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>
  // CHECK: %[[STARTS:.*]] = nn.document_starts %arg3 {separator = 0 : i64} : tensor<4x64xi32> -> tensor<4x64xi32>
  %starts = nn.document_starts %tokens {separator = 0 : i64} : tensor<4x64xi32> -> tensor<4x64xi32>
  // CHECK: nn.attention %arg0, %arg1, %arg2 from %[[STARTS]] {causal, scale = 2.500000e-01 : f64, window = 32 : i64} : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>, tensor<4x64xi32>
  %p = nn.attention %q, %k, %v from %starts {causal, scale = 0.25 : f64, window = 32 : i64}
    : tensor<4x64x4x16xf32>, tensor<4x64x2x16xf32>, tensor<4x64xi32>
  return
}
