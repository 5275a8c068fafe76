// RUN: zero-opt %s | zero-opt | FileCheck %s
// The operations of Parts.td, as they are written there.

// CHECK-LABEL: func @parts(
func.func @parts(%tokens: tensor<4x64xi32>, %d: tensor<4x32x8xf32>, %part: tensor<i64>) -> (tensor<4x32xi32>, tensor<4x64x8xf32>) {
  // CHECK: nn.part %{{.*}} dim 1 at %{{.*}} : tensor<4x64xi32>, tensor<i64> -> tensor<4x32xi32>
  %t = nn.part %tokens dim 1 at %part : tensor<4x64xi32>, tensor<i64> -> tensor<4x32xi32>
  // CHECK: nn.place %{{.*}} dim 1 at %{{.*}} : tensor<4x32x8xf32>, tensor<i64> -> tensor<4x64x8xf32>
  %dt = nn.place %d dim 1 at %part : tensor<4x32x8xf32>, tensor<i64> -> tensor<4x64x8xf32>
  return %t, %dt : tensor<4x32xi32>, tensor<4x64x8xf32>
}

// CHECK-LABEL: func @exchange(
func.func @exchange(%q: tensor<4x32x4x16xf32>, %k: tensor<4x16x2x8xf32>) -> tensor<4x16x2x8xf32> {
  // CHECK: nn.reshard %{{.*}} from 1 to 2 : tensor<4x32x4x16xf32> -> tensor<4x64x2x16xf32>
  %q1 = nn.reshard %q from 1 to 2 : tensor<4x32x4x16xf32> -> tensor<4x64x2x16xf32>
  // CHECK: nn.reshard %{{.*}} from 1 to 2 {copies = 2 : i64} : tensor<4x16x2x8xf32> -> tensor<4x64x1x8xf32>
  %d = nn.reshard %k from 1 to 2 {copies = 2 : i64} : tensor<4x16x2x8xf32> -> tensor<4x64x1x8xf32>
  // CHECK: nn.reshard %{{.*}} from 2 to 1 {sums = 2 : i64} : tensor<4x64x1x8xf32> -> tensor<4x16x2x8xf32>
  %dk = nn.reshard %d from 2 to 1 {sums = 2 : i64} : tensor<4x64x1x8xf32> -> tensor<4x16x2x8xf32>
  return %dk : tensor<4x16x2x8xf32>
}
