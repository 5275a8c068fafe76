// RUN: not zero-opt %s --zero-partition-state=optimizer=foo 2>&1 | FileCheck %s

// CHECK: error: unknown optimizer foo; use adamw, lion or sgd
func.func @step(%w: tensor<4xf32> {zero.param = "w"}, %l: tensor<f32> {zero.input = "l"}) -> (tensor<f32>, tensor<4xf32>) {
  return %l, %w : tensor<f32>, tensor<4xf32>
}
