// RUN: zero-opt %s --zero-add-decoding | FileCheck %s

// Layers that keep a state: the host is told how far a slot may go back.  A state does not grow
// with the positions.

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: tensor<2xi32> {zero.input = "begin", zero.kept_every = 64 : i64, zero.vocab = 200 : i64}

// CHECK-LABEL: func.func private @prefill(
// CHECK-SAME: %[[BEGIN:[^:]*]]: tensor<2xi32> {zero.input = "begin"
// CHECK-SAME: %[[COUNT:[^:]*]]: tensor<2xi32> {zero.input = "count"
// CHECK-SAME: %[[DOCUMENT:[^:]*]]: tensor<2xi32> {zero.input = "document"
// CHECK-SAME: %[[INPUTS:[^:]*]]: tensor<2x66x8xf32> {zero.cache = "0.inputs"}
// CHECK-SAME: %[[STATE:[^:]*]]: tensor<2x2x4x4xf32> {zero.cache = "1.state"}, %[[KEYS:[^:]*]]: tensor<2x2x64x4xf32> {zero.cache = "1.keys"}
// CHECK-SAME: %[[UPDATES:[^:]*]]: tensor<2x2x64x4xf32> {zero.cache = "1.updates"}, %[[DECAYS:[^:]*]]: tensor<2x2x64xf32> {zero.cache = "1.decays"})
// CHECK: %[[Y:.*]], %[[NEXT:.*]] = nn.cached_causal_conv %{{.*}}, %{{.*}} in %[[INPUTS]] at %[[BEGIN]], %[[COUNT]] from %[[DOCUMENT]] : tensor<2x64x8xf32>
// CHECK: %[[O:.*]], %[[NS:.*]], %[[NK:.*]], %[[NU:.*]], %[[ND:.*]] = nn.cached_delta_rule %{{.*}} in %[[STATE]], %[[KEYS]], %[[UPDATES]], %[[DECAYS]] at %[[BEGIN]], %[[COUNT]] from %[[DOCUMENT]]
// CHECK: return %{{.*}}, %[[NEXT]], %[[NS]], %[[NK]], %[[NU]], %[[ND]]

// CHECK-LABEL: func.func private @decode(
// CHECK: nn.cached_causal_conv {{.*}} : tensor<2x1x8xf32>
// CHECK: nn.cached_delta_rule

func.func @loss(%w: tensor<5x8xf32> {zero.param = "w"}, %taps: tensor<8x3xf32> {zero.param = "taps"},
                %p: tensor<2x8xf32> {zero.param = "p"},
                %tokens: tensor<2x200xi32> {zero.input = "tokens", zero.vocab = 5 : i64},
                %targets: tensor<2x200xi32> {zero.input = "targets"}) -> tensor<f32> {
  %starts = nn.document_starts %tokens {separator = 0 : i64} : tensor<2x200xi32> -> tensor<2x200xi32>
  %e = nn.embedding %tokens, %w : tensor<2x200xi32>, tensor<5x8xf32> -> tensor<2x200x8xf32>
  %x = nn.causal_conv %e, %taps from %starts : tensor<2x200x8xf32>, tensor<8x3xf32> from tensor<2x200xi32>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 200, 2, 4] : tensor<2x200x8xf32> into tensor<2x200x2x4xf32>
  %g = nn.linear %x, %p : tensor<2x200x8xf32>, tensor<2x8xf32> -> tensor<2x200x2xf32>
  %o = nn.gated_delta_rule %h, %h, %h gates %g from %starts
    : tensor<2x200x2x4xf32>, tensor<2x200x2x4xf32>, tensor<2x200x2xf32> from tensor<2x200xi32>
  %y = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<2x200x2x4xf32> into tensor<2x200x8xf32>
  %logits = nn.linear %y, %w : tensor<2x200x8xf32>, tensor<5x8xf32> -> tensor<2x200x5xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x200x5xf32>, tensor<2x200xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
