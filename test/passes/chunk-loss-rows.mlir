// RUN: zero-opt %s --zero-differentiate-loss --zero-lower-matmuls --zero-chunk-loss=chunk-bytes=6400 | FileCheck %s
// RUN: zero-opt %s --zero-differentiate-loss --zero-lower-matmuls --zero-chunk-loss=chunk-bytes=6400 \
// RUN:   --zero-lower-to-generics | FileCheck %s --check-prefix=KEPT
// RUN: zero-opt %s --zero-lower-matmuls --zero-chunk-loss=chunk-bytes=6400 | FileCheck %s --check-prefix=FORWARD

// The loss of each row, whose square is averaged: the adjoint of a row depends
// on its loss, so logits are computed twice, 32 rows at once.

// CHECK-LABEL: func.func @step
// CHECK: nn.matmul {{.*}} -> tensor<32x50xf32>
// CHECK: nn.cross_entropy {{.*}} -> tensor<32xf32> stats tensor<32xf32>
// CHECK: nn.matmul {{.*}} -> tensor<32x50xf32>
// CHECK: nn.cross_entropy {{.*}} -> tensor<32xf32> stats tensor<32xf32>
// CHECK: zero.join {{.*}} -> tensor<64xf32>
// CHECK: nn.matmul {{.*}} -> tensor<32x50xf32>
// CHECK: nn.cross_entropy_backward
// CHECK: nn.matmul {{.*}} -> tensor<32x8xf32>
// CHECK: nn.matmul {{.*}} {transpose_a} : {{.*}} -> tensor<50x8xf32>
// CHECK: nn.matmul {{.*}} -> tensor<32x50xf32>
// CHECK: nn.cross_entropy_backward
// CHECK-NOT: tensor<64x50xf32>
// CHECK: return

// Logits of both passes stay apart.
// KEPT-LABEL: func.func @step
// KEPT-COUNT-4: nn.matmul {{.*}} -> tensor<32x50xf32>

// Without a gradient there is no second pass.
// FORWARD-COUNT-2: nn.cross_entropy {{.*}} -> tensor<32xf32>
// FORWARD-NOT: nn.cross_entropy
// FORWARD-NOT: tensor<64x50xf32>
// FORWARD: return

func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %x: tensor<4x16x8xf32> {zero.param = "x"},
    %targets: tensor<4x16xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %x, %w : tensor<4x16x8xf32>, tensor<50x8xf32> -> tensor<4x16x50xf32>
  %rows = nn.cross_entropy %logits, %targets : tensor<4x16x50xf32>, tensor<4x16xi32> -> tensor<4x16xf32>
  %squares = arith.mulf %rows, %rows : tensor<4x16xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%squares : tensor<4x16xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %loss : tensor<f32>
}
