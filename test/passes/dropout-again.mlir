// RUN: zero-opt %s --zero-differentiate-loss | FileCheck %s

// Two products read a dropout: its mask is computed again once, before the first of the
// operations of the backward that read it.

// CHECK-LABEL: func.func @step(
// CHECK: %[[X:.*]] = nn.embedding
// CHECK: %[[A:.*]] = nn.dropout %[[X]]
// CHECK: nn.linear %[[A]]
// CHECK: nn.linear %[[A]]
// CHECK: %[[AGAIN:.*]] = nn.dropout %[[X]]
// CHECK-COUNT-2: ins(%{{.*}}, %[[AGAIN]] :
// CHECK: nn.dropout
// CHECK-NOT: nn.dropout
func.func @loss(%table: tensor<5x4xf32> {zero.param = "table"}, %w: tensor<4x4xf32> {zero.param = "w"},
                %v: tensor<4x4xf32> {zero.param = "v"},
                %tokens: tensor<2x3xi32> {zero.input = "tokens"}, %targets: tensor<2x3xi32> {zero.input = "targets"},
                %keys: tensor<2xi64> {zero.input = "dropout"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %table : tensor<2x3xi32>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %a = nn.dropout %x by %keys {rate = 0.25 : f64, place = 0 : i64} : tensor<2x3x4xf32>, tensor<2xi64>
  %y = nn.linear %a, %w : tensor<2x3x4xf32>, tensor<4x4xf32> -> tensor<2x3x4xf32>
  %z = nn.linear %a, %v : tensor<2x3x4xf32>, tensor<4x4xf32> -> tensor<2x3x4xf32>
  %s = arith.addf %y, %z : tensor<2x3x4xf32>
  %logits = nn.linear %s, %table : tensor<2x3x4xf32>, tensor<5x4xf32> -> tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
