// RUN: zero-opt %s --zero-add-adapters="rank=2 alpha=6 targets=w" | FileCheck %s
// RUN: not zero-opt %s --zero-add-adapters="rank=2 alpha=6 targets=w magnitudes" 2>&1 | FileCheck %s --check-prefix=MAGNITUDE

// MAGNITUDE: error: magnitudes of "w" would be of outputs of one layer and of inputs of another, which reads the weight transposed; leave it out of the targets

// A weight that layers read both ways has one adapter, B A, which they read as they
// read the weight: y = x W^T + (3 x A^T) B^T, and z = y W + (3 y B) A.

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x8xf32>
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<4x2xf32>
// CHECK: nn.linear %{{.*}}, %[[W]] : tensor<3x8xf32>, tensor<4x8xf32> -> tensor<3x4xf32>
// CHECK: nn.linear %{{.*}}, %[[A]] : tensor<3x8xf32>, tensor<2x8xf32> -> tensor<3x2xf32>
// CHECK: nn.linear %{{.*}}, %[[B]] : tensor<3x2xf32>, tensor<4x2xf32> -> tensor<3x4xf32>
// CHECK: %[[Y:.*]] = arith.addf
// CHECK: %[[Z:.*]] = nn.linear %[[Y]], %[[W]] {transposed} : tensor<3x4xf32>, tensor<4x8xf32> -> tensor<3x8xf32>
// CHECK: %[[LOW:.*]] = nn.linear %[[Y]], %[[B]] {transposed} : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[LOW]], %{{.*}} : tensor<3x2xf32>
// CHECK: %[[MORE:.*]] = nn.linear %[[SCALED]], %[[A]] {transposed} : tensor<3x2xf32>, tensor<2x8xf32> -> tensor<3x8xf32>
// CHECK: arith.addf %[[Z]], %[[MORE]]
func.func @loss(
    %w: tensor<4x8xf32> {zero.param = "w.weight", zero.init = #zero.normal<std = 0.02>},
    %x: tensor<3x8xf32> {zero.input = "x"},
    %y: tensor<3xi32> {zero.input = "y"}) -> tensor<f32> {
  %0 = nn.linear %x, %w : tensor<3x8xf32>, tensor<4x8xf32> -> tensor<3x4xf32>
  %1 = nn.linear %0, %w {transposed} : tensor<3x4xf32>, tensor<4x8xf32> -> tensor<3x8xf32>
  %2 = nn.cross_entropy %1, %y : tensor<3x8xf32>, tensor<3xi32> -> tensor<f32>
  return %2 : tensor<f32>
}
