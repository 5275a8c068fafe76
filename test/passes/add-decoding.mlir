// RUN: zero-opt %s --zero-add-decoding | FileCheck %s
// RUN: zero-opt %s --zero-set-precision=precision=bf16 --zero-add-decoding | FileCheck %s --check-prefix=HALF
// RUN: zero-opt %s --zero-add-decoding --zero-differentiate-loss | FileCheck %s --check-prefix=STEP

// The model takes the new inputs, and does not read them.

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[UNREAD:[^:]*]]: tensor<2xi32> {zero.input = "begin", zero.vocab = 6 : i64}
// CHECK-SAME: tensor<2xi32> {zero.input = "count", zero.vocab = 7 : i64}
// CHECK-SAME: tensor<2x6xi32> {zero.input = "prompt", zero.vocab = 5 : i64}
// CHECK-SAME: tensor<2x1xi32> {zero.input = "token", zero.vocab = 5 : i64}) -> tensor<f32>
// CHECK-NOT: %[[UNREAD]]

// C positions of each slot: a table of positions is read at the slot's places, attention has
// caches, and a row is selected before the product of the logits.

// CHECK-LABEL: func.func private @prefill(
// CHECK-SAME: %[[W:[^:]*]]: tensor<5x4xf32> {zero.param = "w"}, %[[P:[^:]*]]: tensor<8x4xf32>
// CHECK-SAME: %[[BEGIN:[^:]*]]: tensor<2xi32> {zero.input = "begin"
// CHECK-SAME: %[[COUNT:[^:]*]]: tensor<2xi32> {zero.input = "count"
// CHECK-SAME: %[[PROMPT:[^:]*]]: tensor<2x6xi32> {zero.input = "prompt"
// CHECK-SAME: %[[K:[^:]*]]: tensor<2x2x6x2xf32> {zero.cache = "0.keys"}, %[[V:[^:]*]]: tensor<2x2x6x2xf32> {zero.cache = "0.values"})
// CHECK-SAME: -> (tensor<2x5xf32> {zero.output = "logits"}, tensor<2x2x6x2xf32>, tensor<2x2x6x2xf32>)
// CHECK: %[[PLACES:.*]] = linalg.generic {{.*}} ins(%[[BEGIN]] : tensor<2xi32>)
// CHECK: arith.minsi
// CHECK: nn.embedding %[[PROMPT]], %[[W]] : tensor<2x6xi32>
// CHECK: %[[TABLE:.*]] = tensor.extract_slice %[[P]]
// CHECK: nn.embedding %[[PLACES]], %[[TABLE]] : tensor<2x6xi32>, tensor<6x4xf32> -> tensor<2x6x4xf32>
// CHECK: nn.rope %{{.*}} at %[[PLACES]]
// CHECK: %[[O:.*]], %[[NK:.*]], %[[NV:.*]] = nn.cached_attention %{{.*}} in %[[K]], %[[V]] at %[[BEGIN]], %[[COUNT]] {scale = 5.000000e-01 : f64, window = 3 : i64}
// CHECK: %[[ROW:.*]] = nn.embedding %{{.*}}, %{{.*}} : tensor<2xi32>, tensor<12x4xf32> -> tensor<2x4xf32>
// CHECK: %[[LOGITS:.*]] = nn.linear %[[ROW]], %[[W]] : tensor<2x4xf32>, tensor<5x4xf32> -> tensor<2x5xf32>
// CHECK-NOT: nn.cross_entropy
// CHECK: return %[[LOGITS]], %[[NK]], %[[NV]]

// CHECK-LABEL: func.func private @decode(
// CHECK-SAME: %[[TOKEN:[^:]*]]: tensor<2x1xi32> {zero.input = "token"
// CHECK: nn.embedding %[[TOKEN]]
// CHECK: nn.cached_attention {{.*}} : tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x2x6x2xf32>, tensor<2xi32>

// Casts stand where they stood: a row is rounded as the logits of the loss are.

// HALF-LABEL: func.func private @prefill(
// HALF-SAME: tensor<2x2x6x2xbf16> {zero.cache = "0.keys"}
// HALF: %[[SUM:.*]] = nn.linear {{.*}} -> tensor<2x5xf32>
// HALF: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : tensor<2x5xf32> to tensor<2x5xbf16>
// HALF: %[[LOGITS:.*]] = arith.extf %[[ROUNDED]] : tensor<2x5xbf16> to tensor<2x5xf32>
// HALF: return %[[LOGITS]]

// They are not differentiated.

// STEP-LABEL: func.func @step(
// STEP: return
// STEP-LABEL: func.func private @prefill(
// STEP-NOT: backward
// STEP: return %{{.*}} : tensor<2x5xf32>

func.func @loss(%w: tensor<5x4xf32> {zero.param = "w"}, %p: tensor<8x4xf32> {zero.param = "p"},
                %tokens: tensor<2x6xi32> {zero.input = "tokens", zero.vocab = 5 : i64},
                %targets: tensor<2x6xi32> {zero.input = "targets"}) -> tensor<f32> {
  %e = nn.embedding %tokens, %w : tensor<2x6xi32>, tensor<5x4xf32> -> tensor<2x6x4xf32>
  %t = tensor.extract_slice %p[0, 0] [6, 4] [1, 1] : tensor<8x4xf32> to tensor<6x4xf32>
  %empty = tensor.empty() : tensor<2x6x4xf32>
  %b = linalg.broadcast ins(%t : tensor<6x4xf32>) outs(%empty : tensor<2x6x4xf32>) dimensions = [0]
  %x = arith.addf %e, %b : tensor<2x6x4xf32>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 6, 2, 2] : tensor<2x6x4xf32> into tensor<2x6x2x2xf32>
  %r = nn.rope %h {frequencies = array<f64: 1.0>} : tensor<2x6x2x2xf32>
  %o = nn.attention %r, %r, %h {causal, scale = 0.5 : f64, window = 3 : i64} : tensor<2x6x2x2xf32>, tensor<2x6x2x2xf32>
  %y = tensor.collapse_shape %o [[0, 1], [2, 3]] : tensor<2x6x2x2xf32> into tensor<12x4xf32>
  %flat = nn.linear %y, %w : tensor<12x4xf32>, tensor<5x4xf32> -> tensor<12x5xf32>
  %labels = tensor.collapse_shape %targets [[0, 1]] : tensor<2x6xi32> into tensor<12xi32>
  %loss = nn.cross_entropy %flat, %labels : tensor<12x5xf32>, tensor<12xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
