// 40 rows of 50 logits are 8000 bytes; at most 3300 at a time are chunks of 16 rows.
// RUN: zero-opt %s -split-input-file --zero-differentiate-loss --zero-lower-matmuls --zero-chunk-loss="chunk-bytes=3300" | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-differentiate-loss --zero-lower-matmuls -o %t.whole
// RUN: zero-opt %t.whole -split-input-file --zero-chunk-loss -o %t.fits
// RUN: diff %t.whole %t.fits
// RUN: zero-opt %t.whole -split-input-file --zero-chunk-loss="chunk-bytes=0" -o %t.never
// RUN: diff %t.whole %t.never
// RUN: zero-opt %s -split-input-file --zero-differentiate-loss --zero-lower-matmuls --zero-chunk-loss="chunk-bytes=1" | FileCheck %s --check-prefix=LEAST

// The count is that of all rows.  The last chunk is what is left.

// CHECK-LABEL: func.func @step
// CHECK: %[[N:.*]] = zero.average
// CHECK-NOT: 40x50x
// CHECK: %[[T:.*]] = tensor.collapse_shape %arg2
// CHECK: %[[X0:.*]] = zero.split %[[X:.*]] from 0 : tensor<40x8xf32> -> tensor<16x8xf32>
// CHECK: %[[L0:.*]] = nn.matmul %[[X0]], %arg0 {transpose_b} : {{.*}} -> tensor<16x50xf32>
// CHECK: %[[T0:.*]] = zero.split %[[T]] from 0 : tensor<40xi32> -> tensor<16xi32>
// CHECK: %[[LOSS0:.*]], %[[LSE0:.*]] = nn.cross_entropy %[[L0]], %[[T0]] by %[[N]]
// CHECK: %[[D0:.*]] = nn.cross_entropy_backward %{{.*}}, %[[L0]], %[[T0]], %[[LSE0]] by %[[N]] :
// CHECK: %[[DX0:.*]] = nn.matmul %[[D0]], %arg0 : {{.*}} -> tensor<16x8xf32>
// CHECK: %[[DW0:.*]] = nn.matmul %[[D0]], %{{.*}} {transpose_a} : {{.*}} -> tensor<50x8xf32>
// CHECK: %[[L1:.*]] = nn.matmul
// CHECK: %[[LOSS1:.*]], %{{.*}} = nn.cross_entropy %[[L1]], %{{.*}} by %[[N]]
// CHECK: %[[SUM1:.*]] = arith.addf %[[LOSS0]], %[[LOSS1]]
// CHECK: %[[DX1:.*]] = nn.matmul {{.*}} -> tensor<16x8xf32>
// CHECK: %[[DW1:.*]] = nn.matmul {{.*}} init(%[[DW0]]) {transpose_a}
// CHECK: zero.split %[[X]] from 32 : tensor<40x8xf32> -> tensor<8x8xf32>
// CHECK: %[[LOSS2:.*]], %{{.*}} = nn.cross_entropy {{.*}} : tensor<8x50xf32>
// CHECK: %[[LOSS:.*]] = arith.addf %[[SUM1]], %[[LOSS2]]
// CHECK: %[[DX2:.*]] = nn.matmul {{.*}} -> tensor<8x8xf32>
// CHECK: %[[DW:.*]] = nn.matmul {{.*}} init(%[[DW1]]) {transpose_a}
// CHECK: zero.join %[[DX0]], %[[DX1]], %[[DX2]]
// CHECK: return %[[LOSS]], %[[DW]]

// A chunk has 16 rows at least.
// LEAST-LABEL: func.func @step
// LEAST: nn.cross_entropy {{.*}} : tensor<16x50xf32>
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %h: tensor<2x20x8xf32> {zero.param = "h"},
                %targets: tensor<2x20xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.gelu %h : tensor<2x20x8xf32>
  %logits = nn.linear %x, %w : tensor<2x20x8xf32>, tensor<50x8xf32> -> tensor<2x20x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x20x50xf32>, tensor<2x20xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A matrix stored [in, out]; a loss that is scaled: its adjoint moves up.

// CHECK-LABEL: func.func @step
// CHECK: %[[HALF:.*]] = arith.mulf
// CHECK: nn.cross_entropy_backward %[[HALF]], {{.*}} {ignore_index = 3 : i32} : tensor<16x50xf32>
// CHECK: %[[DW0:.*]] = nn.matmul {{.*}} {transpose_a} : {{.*}} -> tensor<8x50xf32>
// CHECK: nn.matmul {{.*}} init(%[[DW0]]) {transpose_a} : {{.*}} -> tensor<8x50xf32>
// CHECK-NOT: 40x50x
func.func @loss(%w: tensor<8x50xf32> {zero.param = "w"}, %h: tensor<40x8xf32> {zero.input = "h"},
                %targets: tensor<40xi32> {zero.input = "targets"}) -> tensor<f32> {
  %half = arith.constant dense<0.5> : tensor<f32>
  %logits = nn.linear %h, %w {transposed} : tensor<40x8xf32>, tensor<8x50xf32> -> tensor<40x50xf32>
  %loss = nn.cross_entropy %logits, %targets {ignore_index = 3 : i32} : tensor<40x50xf32>, tensor<40xi32> -> tensor<f32>
  %scaled = arith.mulf %loss, %half : tensor<f32>
  return %scaled : tensor<f32>
}

// -----

// The gradient of a bias sums the rows of one chunk after those of another.

// CHECK-LABEL: func.func @step
// CHECK: %[[D0:.*]] = nn.cross_entropy_backward {{.*}} : tensor<16x50xf32>
// CHECK: %[[DB0:.*]] = linalg.generic {{.*}}["reduction", "parallel"]} ins(%[[D0]] : tensor<16x50xf32>) outs(%{{.*}} : tensor<50xf32>)
// CHECK: %[[DB1:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<16x50xf32>) outs(%[[DB0]] : tensor<50xf32>)
// CHECK: %[[DB:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8x50xf32>) outs(%[[DB1]] : tensor<50xf32>)
// CHECK: return %{{.*}}, %{{.*}}, %[[DB]]
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %b: tensor<50xf32> {zero.param = "b"},
                %h: tensor<2x20x8xf32> {zero.input = "h"}, %targets: tensor<2x20xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %h, %w, %b : tensor<2x20x8xf32>, tensor<50x8xf32>, tensor<50xf32> -> tensor<2x20x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x20x50xf32>, tensor<2x20xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Left alone: something else sums the gradient's columns.

// CHECK-LABEL: func.func @step
// CHECK-NOT: zero.split
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %b: tensor<40xf32> {zero.param = "b"},
                %h: tensor<40x8xf32> {zero.input = "h"}, %targets: tensor<40xi32> {zero.input = "targets"}) -> tensor<f32> {
  %y = nn.linear %h, %w : tensor<40x8xf32>, tensor<50x8xf32> -> tensor<40x50xf32>
  %empty = tensor.empty() : tensor<40x50xf32>
  %rows = linalg.broadcast ins(%b : tensor<40xf32>) outs(%empty : tensor<40x50xf32>) dimensions = [1]
  %logits = arith.addf %y, %rows : tensor<40x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<40x50xf32>, tensor<40xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Left alone: something else reads the logits.

// CHECK-LABEL: func.func @step
// CHECK-NOT: zero.split
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %h: tensor<40x8xf32> {zero.input = "h"},
                %targets: tensor<40xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %h, %w : tensor<40x8xf32>, tensor<50x8xf32> -> tensor<40x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<40x50xf32>, tensor<40xi32> -> tensor<f32>
  %one = tensor.extract_slice %logits[0, 0] [1, 1] [1, 1] : tensor<40x50xf32> to tensor<f32>
  %sum = arith.addf %loss, %one : tensor<f32>
  return %sum : tensor<f32>
}

// -----

// Left alone: the adjoint of the loss, 2 loss, is known after the last row.

// CHECK-LABEL: func.func @step
// CHECK-NOT: zero.split
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %h: tensor<40x8xf32> {zero.input = "h"},
                %targets: tensor<40xi32> {zero.input = "targets"}) -> tensor<f32> {
  %logits = nn.linear %h, %w : tensor<40x8xf32>, tensor<50x8xf32> -> tensor<40x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<40x50xf32>, tensor<40xi32> -> tensor<f32>
  %square = arith.mulf %loss, %loss : tensor<f32>
  return %square : tensor<f32>
}

// -----

// A soft cap and its derivative are of a chunk, with splats of its shape.

// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor<40x50xf32>
// CHECK:     %[[L0:.*]] = nn.matmul {{.*}} -> tensor<16x50xf32>
// CHECK:     %[[D0:.*]] = arith.divf %[[L0]], %{{.*}} : tensor<16x50xf32>
// CHECK:     %[[T0:.*]] = math.tanh %[[D0]] : tensor<16x50xf32>
// CHECK:     %[[C0:.*]] = arith.mulf %[[T0]], %{{.*}} : tensor<16x50xf32>
// CHECK:     %{{.*}}, %[[LSE0:.*]] = nn.cross_entropy %[[C0]]
// CHECK:     nn.cross_entropy_backward %{{.*}}, %[[C0]], %{{.*}}, %[[LSE0]]
// CHECK:     %[[G0:.*]] = arith.select {{.*}} : tensor<16x50xi1>, tensor<16x50xf32>
// CHECK:     nn.matmul %[[G0]]
// CHECK:     math.tanh {{.*}} : tensor<16x50xf32>
// CHECK:     math.tanh {{.*}} : tensor<8x50xf32>
// CHECK-NOT: tensor<40x50xf32>
// CHECK:     return
func.func @loss(%w: tensor<50x8xf32> {zero.param = "w"}, %v: tensor<8x8xf32> {zero.param = "v"},
                %x: tensor<40x8xf32> {zero.input = "x"}, %targets: tensor<40xi32> {zero.input = "targets"}) -> tensor<f32> {
  %cap = arith.constant dense<3.0> : tensor<40x50xf32>
  %h = nn.linear %x, %v : tensor<40x8xf32>, tensor<8x8xf32> -> tensor<40x8xf32>
  %y = nn.linear %h, %w : tensor<40x8xf32>, tensor<50x8xf32> -> tensor<40x50xf32>
  %small = arith.divf %y, %cap : tensor<40x50xf32>
  %t = math.tanh %small : tensor<40x50xf32>
  %logits = arith.mulf %t, %cap : tensor<40x50xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<40x50xf32>, tensor<40xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
