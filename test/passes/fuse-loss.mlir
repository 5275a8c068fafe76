// RUN: zero-opt %s -split-input-file --zero-differentiate-loss --zero-lower-matmuls --zero-fuse-loss | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-differentiate-loss --zero-lower-matmuls --zero-fuse-loss --zero-lower-to-generics --zero-form-kernels | FileCheck %s --check-prefix=KERNEL

// Exponentials are computed once; the gradient takes their place.

// CHECK-LABEL: func.func @step
// CHECK-NOT: nn.cross_entropy
// CHECK: %[[L:.*]] = nn.matmul
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}} ins(%[[L]] : tensor<8x50xf32>)
// CHECK: %[[AT:.*]] = linalg.generic {{.*}} ins(%[[MAX]], %arg2 :
// CHECK: tensor.extract %[[L]]
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[L]], %[[MAX]] :
// CHECK: math.exp2
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<8x50xf32>)
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %arg2, %{{.*}}, %{{.*}} : {{.*}}) outs(%[[E]] : tensor<8x50xf32>)
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[AT]], %arg2 :
// CHECK: nn.matmul %[[D]]

// One kernel, and the gradient overwrites the logits.

// KERNEL: zero.kernel @[[ROWS:kernel[.0-9]*]](%[[X:.*]]: tensor<8x50xf32>, %{{.*}}: tensor<8xi32>, %{{.*}}: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8x50xf32> {zero.in_place = array<i64: 0>})
// KERNEL-SAME: units rows
// KERNEL: tensor.extract %[[X]]
// KERNEL: math.exp2
// KERNEL: func.func {{.*}}@step
// KERNEL: zero.launch @[[ROWS]]
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %h: tensor<8x8xf32> {zero.param = "h"},
                %targets: tensor<8xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %h, %w : tensor<8x8xf32>, tensor<50x8xf32> -> tensor<8x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<8x50xf32>, tensor<8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Left alone: an adjoint that depends on the loss.

// CHECK-LABEL: func.func @step
// CHECK: nn.cross_entropy
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %h: tensor<8x8xf32> {zero.param = "h"},
                %targets: tensor<8xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %h, %w : tensor<8x8xf32>, tensor<50x8xf32> -> tensor<8x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<8x50xf32>, tensor<8xi32> -> tensor<f32>
  %square = arith.mulf %loss, %loss : tensor<f32>
  return %square : tensor<f32>
}

// -----

// Of two losses of the same logits one is fused: both gradients want the place
// of the same exponentials.

// CHECK-LABEL: func.func @step
// CHECK-COUNT-1: math.exp2
// CHECK-NOT: math.exp2
// CHECK: nn.cross_entropy
// CHECK-NOT: math.exp2
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %h: tensor<8x8xf32> {zero.param = "h"},
                %t: tensor<8xi32> {zero.input = "targets"}, %u: tensor<8xi32> {zero.input = "tokens"}) -> tensor<f32> {
  %logits = nn.linear %h, %w : tensor<8x8xf32>, tensor<50x8xf32> -> tensor<8x50xf32>
  %a = nn.cross_entropy %logits, %t : tensor<8x50xf32>, tensor<8xi32> -> tensor<f32>
  %b = nn.cross_entropy %logits, %u : tensor<8x50xf32>, tensor<8xi32> -> tensor<f32>
  %loss = arith.addf %a, %b : tensor<f32>
  return %loss : tensor<f32>
}

// -----

// However wide a row is, it is one kernel: exponentials are no temporary.

// CHECK-LABEL: func.func @step
// KERNEL-LABEL: -> (tensor<8xf32>, tensor<8xf32>, tensor<8x300000xf32> {zero.in_place = array<i64: 0>})
// KERNEL-SAME: units rows
func.func @loss(%w: tensor<300000x8xf32> {zero.param = "w"}, %h: tensor<8x8xf32> {zero.param = "h"},
                %targets: tensor<8xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %h, %w : tensor<8x8xf32>, tensor<300000x8xf32> -> tensor<8x300000xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<8x300000xf32>, tensor<8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
