// RUN: zero-opt %s -zero-lower-matmuls -canonicalize | FileCheck %s

// A product reads what its factors were widened from, and rounds its sum where
// that is all that is done with it.

// CHECK-LABEL: func.func @rounded(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x8xbf16>, %[[W:.*]]: tensor<4x8xbf16>, %[[B:.*]]: tensor<4xbf16>
// CHECK: %[[F:.*]] = tensor.collapse_shape %[[X]]
// CHECK: nn.matmul %[[F]], %[[W]] bias(%[[B]]) {transpose_b} : (tensor<6x8xbf16>, tensor<4x8xbf16>, tensor<4xbf16>) -> tensor<6x4xbf16>
// CHECK-NOT: arith
func.func @rounded(%x: tensor<2x3x8xbf16>, %w: tensor<4x8xbf16>, %b: tensor<4xbf16>) -> tensor<2x3x4xbf16> {
  %0 = arith.extf %x : tensor<2x3x8xbf16> to tensor<2x3x8xf32>
  %1 = arith.extf %w : tensor<4x8xbf16> to tensor<4x8xf32>
  %2 = arith.extf %b : tensor<4xbf16> to tensor<4xf32>
  %3 = nn.linear %0, %1, %2 : tensor<2x3x8xf32>, tensor<4x8xf32>, tensor<4xf32> -> tensor<2x3x4xf32>
  %4 = arith.truncf %3 : tensor<2x3x4xf32> to tensor<2x3x4xbf16>
  return %4 : tensor<2x3x4xbf16>
}

// The f32 has another reader.
// CHECK-LABEL: func.func @read_twice(
// CHECK: nn.matmul {{.*}} : (tensor<6x8xf16>, tensor<4x8xf16>) -> tensor<6x4xf32>
// CHECK: arith.truncf
func.func @read_twice(%x: tensor<6x8xf16>, %w: tensor<4x8xf16>) -> (tensor<6x4xf16>, tensor<6x4xf32>) {
  %0 = arith.extf %x : tensor<6x8xf16> to tensor<6x8xf32>
  %1 = arith.extf %w : tensor<4x8xf16> to tensor<4x8xf32>
  %2 = nn.linear %0, %1 : tensor<6x8xf32>, tensor<4x8xf32> -> tensor<6x4xf32>
  %3 = arith.truncf %2 : tensor<6x4xf32> to tensor<6x4xf16>
  return %3, %2 : tensor<6x4xf16>, tensor<6x4xf32>
}

// One factor is f32: so are both.
// CHECK-LABEL: func.func @mixed(
// CHECK: nn.matmul {{.*}} : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
func.func @mixed(%x: tensor<6x8xf32>, %w: tensor<4x8xbf16>) -> tensor<6x4xf32> {
  %0 = arith.extf %w : tensor<4x8xbf16> to tensor<4x8xf32>
  %1 = nn.linear %x, %0 : tensor<6x8xf32>, tensor<4x8xf32> -> tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
