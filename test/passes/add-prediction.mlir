// RUN: zero-opt %s --zero-add-prediction | FileCheck %s
// RUN: zero-opt %s --zero-set-precision=precision=bf16 --zero-add-prediction | FileCheck %s --check-prefix=HALF
// RUN: zero-opt %s --zero-add-prediction --zero-differentiate-loss | FileCheck %s --check-prefix=STEP

// Rows are selected before the product, and the logits of all positions are gone.
// The model takes the position, too, and does not read it.

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[UNREAD:[^:]*]]: tensor<2xi32> {zero.input = "position", zero.vocab = 3 : i64}) -> tensor<f32>
// CHECK-NOT: %[[UNREAD]]
// CHECK-LABEL: func.func private @predict(
// CHECK-SAME: %[[W:[^:]*]]: tensor<5x4xf32> {zero.param = "w"}
// CHECK-SAME: %[[TOKENS:[^:]*]]: tensor<2x3xi32>
// CHECK-SAME: %[[POSITION:[^:]*]]: tensor<2xi32> {zero.input = "position", zero.vocab = 3 : i64})
// CHECK-SAME: -> (tensor<2x5xf32> {zero.output = "logits"})
// CHECK: %[[X:.*]] = nn.embedding %[[TOKENS]]
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%[[POSITION]] : tensor<2xi32>)
// CHECK: %[[B:.*]] = linalg.index 0
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c3
// CHECK: %[[P:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: arith.addi %[[FIRST]], %[[P]]
// CHECK: %[[ROW:.*]] = nn.embedding %[[ROWS]], %[[FLAT]] : tensor<2xi32>, tensor<6x4xf32> -> tensor<2x4xf32>
// CHECK: %[[LOGITS:.*]] = nn.linear %[[ROW]], %[[W]] : tensor<2x4xf32>, tensor<5x4xf32> -> tensor<2x5xf32>
// CHECK-NOT: nn.cross_entropy
// CHECK: return %[[LOGITS]]

// Casts stand where they stood: a row is rounded as the logits of the loss are.

// HALF-LABEL: func.func private @predict(
// HALF: %[[ROW:.*]] = nn.embedding {{.*}} -> tensor<2x4xbf16>
// HALF: %[[WIDE:.*]] = arith.extf %[[ROW]] : tensor<2x4xbf16> to tensor<2x4xf32>
// HALF: %[[SUM:.*]] = nn.linear %[[WIDE]]
// HALF: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : tensor<2x5xf32> to tensor<2x5xbf16>
// HALF: %[[LOGITS:.*]] = arith.extf %[[ROUNDED]] : tensor<2x5xbf16> to tensor<2x5xf32>
// HALF: return %[[LOGITS]]

// It is not differentiated.

// STEP-LABEL: func.func @step(
// STEP: return
// STEP-LABEL: func.func private @predict(
// STEP-NOT: backward
// STEP: return %{{.*}} : tensor<2x5xf32>

func.func @loss(%w: tensor<5x4xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"},
                %targets: tensor<2x3xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %w : tensor<2x3xi32>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %logits = nn.linear %x, %w : tensor<2x3x4xf32>, tensor<5x4xf32> -> tensor<2x3x5xf32>
  %flat = tensor.collapse_shape %logits [[0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  %labels = tensor.collapse_shape %targets [[0, 1]] : tensor<2x3xi32> into tensor<6xi32>
  %loss = nn.cross_entropy %flat, %labels : tensor<6x5xf32>, tensor<6xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
