// RUN: not zero-opt %s --zero-partition-state=world-size=2 2>&1 | FileCheck %s

// CHECK: error: world-size=2: sharding over ranks is not written yet; use world-size=1
func.func @step(%w: tensor<4xf32> {zero.param = "w"}, %l: tensor<f32> {zero.input = "l"}) -> (tensor<f32>, tensor<4xf32>) {
  return %l, %w : tensor<f32>, tensor<4xf32>
}
