// RUN: zero-opt %s --zero-set-precision=precision=bf16 --zero-add-decoding | FileCheck %s --check-prefix=PREFILL
// RUN: zero-opt %s --zero-differentiate-loss | FileCheck %s

// Dropout computes in f32, and rounds as what it reads is rounded.  Samples have none.

// PREFILL-LABEL: func.func @loss(
// PREFILL: %[[DROPPED:.*]] = nn.dropout {{.*}} : tensor<2x3x4xf32>, tensor<2xi64>
// PREFILL-NEXT: arith.truncf %[[DROPPED]] : tensor<2x3x4xf32> to tensor<2x3x4xbf16>
// PREFILL: nn.attention {{.*}} by
// PREFILL-LABEL: func.func private @prefill(
// PREFILL-NOT: nn.dropout
// PREFILL: nn.cached_attention {{.*}} {scale = 1.000000e+00 : f64}
// PREFILL-NOT: nn.dropout

// An adjoint has the mask of its value.  A product's backward reads a mask that is computed again.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4x4xf32> {zero.param = "w"}
// CHECK-SAME: %[[KEYS:[^:]*]]: tensor<2xi64> {zero.input = "dropout"}
// CHECK: %[[X:.*]] = nn.embedding
// CHECK: %[[A:.*]] = nn.dropout %[[X]] by %[[KEYS]] {place = 0 : i64, rate = 2.500000e-01 : f64}
// CHECK: %[[Y:.*]] = nn.linear %[[A]], %[[W]]
// CHECK: %[[HEADS:.*]] = tensor.expand_shape %[[Y]]
// CHECK: %{{.*}}, %[[LSE:.*]] = nn.attention %[[HEADS]], %[[HEADS]], %[[HEADS]] by %[[KEYS]] {causal, place = 1 : i64, rate = 5.000000e-01 : f64
// CHECK: nn.attention_backward %{{.*}}, %[[HEADS]], %[[HEADS]], %[[HEADS]], %[[LSE]], %{{.*}} by %[[KEYS]] {causal, place = 1 : i64, rate = 5.000000e-01 : f64
// CHECK: %[[AGAIN:.*]] = nn.dropout %[[X]] by %[[KEYS]] {place = 0 : i64, rate = 2.500000e-01 : f64}
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[AGAIN]] :
// CHECK: nn.dropout %{{.*}} by %[[KEYS]] {place = 0 : i64, rate = 2.500000e-01 : f64}
// CHECK-NOT: nn.dropout
func.func @loss(%table: tensor<5x4xf32> {zero.param = "table"}, %w: tensor<4x4xf32> {zero.param = "w"},
                %tokens: tensor<2x3xi32> {zero.input = "tokens"}, %targets: tensor<2x3xi32> {zero.input = "targets"},
                %keys: tensor<2xi64> {zero.input = "dropout"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %table : tensor<2x3xi32>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %a = nn.dropout %x by %keys {rate = 0.25 : f64, place = 0 : i64} : tensor<2x3x4xf32>, tensor<2xi64>
  %y = nn.linear %a, %w : tensor<2x3x4xf32>, tensor<4x4xf32> -> tensor<2x3x4xf32>
  %h = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [2, 3, 2, 2] : tensor<2x3x4xf32> into tensor<2x3x2x2xf32>
  %o = nn.attention %h, %h, %h by %keys {causal, scale = 1.0 : f64, rate = 0.5 : f64, place = 1 : i64} : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> by tensor<2xi64>
  %z = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<2x3x2x2xf32> into tensor<2x3x4xf32>
  %logits = nn.linear %z, %table : tensor<2x3x4xf32>, tensor<5x4xf32> -> tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
