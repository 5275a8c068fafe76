// RUN: zero-opt %s --zero-split-context=context=4 | FileCheck %s
// RUN: zeroc %s --context=4 --world-size=4 --emit=memory -o /dev/null

// Of one sequence, rows are positions.  A bias for each row is of as many as
// the rank has, which only the tensor that is written says, and ids that are
// all equal are a part of themselves: V15 knows both.

// CHECK-LABEL: func.func @loss(
// CHECK: %[[IDS:.*]] = arith.constant dense<3> : tensor<1x2xi32>
// CHECK: nn.embedding %[[IDS]], %{{.*}} : tensor<1x2xi32>, tensor<16x8xf32> -> tensor<1x2x8xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape {{.*}} : tensor<1x2x8xf32> into tensor<2x8xf32>
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x8xf32>
// CHECK: %[[BIAS:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>) outs(%[[EMPTY]] : tensor<2x8xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[FLAT]], %{{.*}} : tensor<2x8xf32>, tensor<8x8xf32>) outs(%[[BIAS]] : tensor<2x8xf32>)

func.func @loss(
    %wte: tensor<16x8xf32> {zero.param = "wte"}, %w: tensor<8x8xf32> {zero.param = "w"},
    %b: tensor<8xf32> {zero.param = "b"},
    %tokens: tensor<1x8xi32> {zero.input = "tokens", zero.vocab = 16 : i64},
    %targets: tensor<1x8xi32> {zero.input = "targets", zero.vocab = 16 : i64}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<1x8xi32>, tensor<16x8xf32> -> tensor<1x8x8xf32>
  %three = arith.constant dense<3> : tensor<1x8xi32>
  %same = nn.embedding %three, %wte : tensor<1x8xi32>, tensor<16x8xf32> -> tensor<1x8x8xf32>
  %sum = arith.addf %x, %same : tensor<1x8x8xf32>
  %flat = tensor.collapse_shape %sum [[0, 1], [2]] : tensor<1x8x8xf32> into tensor<8x8xf32>
  %empty = tensor.empty() : tensor<8x8xf32>
  %bias = linalg.broadcast ins(%b : tensor<8xf32>) outs(%empty : tensor<8x8xf32>) dimensions = [0]
  %rows = linalg.matmul ins(%flat, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%bias : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = tensor.expand_shape %rows [[0, 1], [2]] output_shape [1, 8, 8] : tensor<8x8xf32> into tensor<1x8x8xf32>
  %logits = nn.linear %y, %wte : tensor<1x8x8xf32>, tensor<16x8xf32> -> tensor<1x8x16xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<1x8x16xf32>, tensor<1x8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
