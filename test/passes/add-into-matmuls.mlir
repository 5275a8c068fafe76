// RUN: zero-opt %s --zero-add-into-matmuls | FileCheck %s

// What only a sum reads is computed in place, through reshapes of both.
// CHECK-LABEL: func.func @adapter(
// CHECK: %[[Y:.*]] = nn.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<6x256xf32>, tensor<8x256xf32>) -> tensor<6x8xf32>
// CHECK: %[[LOW:.*]] = nn.matmul {{.*}} -> tensor<6x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = nn.matmul %[[LOW]], %{{.*}} init(%[[Y]]) {transpose_b} : (tensor<6x4xf32>, tensor<8x4xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[VIEW:.*]] = tensor.expand_shape %[[SUM]]
// CHECK-NEXT: return %[[VIEW]]
func.func @adapter(%x: tensor<6x256xf32>, %w: tensor<8x256xf32>, %down: tensor<4x256xf32>, %up: tensor<8x4xf32>) -> tensor<2x3x8xf32> {
  %y = nn.matmul %x, %w {transpose_b} : (tensor<6x256xf32>, tensor<8x256xf32>) -> tensor<6x8xf32>
  %y3 = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %low = nn.matmul %x, %down {transpose_b} : (tensor<6x256xf32>, tensor<4x256xf32>) -> tensor<6x4xf32>
  %more = nn.matmul %low, %up {transpose_b} : (tensor<6x4xf32>, tensor<8x4xf32>) -> tensor<6x8xf32>
  %more3 = tensor.expand_shape %more [[0, 1], [2]] output_shape [2, 3, 8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  %sum = arith.addf %y3, %more3 : tensor<2x3x8xf32>
  return %sum : tensor<2x3x8xf32>
}

// A sum of gradients: the short product stands before the long one, and there
// are two of them.
// CHECK-LABEL: func.func @gradients(
// CHECK: %[[LONG:.*]] = nn.matmul %arg0, %arg1 :
// CHECK: %[[ONE:.*]] = nn.matmul %arg2, %arg3 init(%[[LONG]])
// CHECK: %[[TWO:.*]] = nn.matmul %arg2, %arg3 init(%[[ONE]])
// CHECK-NEXT: return %[[TWO]]
func.func @gradients(%dy: tensor<6x256xf32>, %w: tensor<256x8xf32>, %dlow: tensor<6x4xf32>, %down: tensor<4x8xf32>) -> tensor<6x8xf32> {
  %short = nn.matmul %dlow, %down : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %long = nn.matmul %dy, %w : (tensor<6x256xf32>, tensor<256x8xf32>) -> tensor<6x8xf32>
  %sum = arith.addf %short, %long : tensor<6x8xf32>
  %again = nn.matmul %dlow, %down : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %all = arith.addf %sum, %again : tensor<6x8xf32>
  return %all : tensor<6x8xf32>
}

// Sums of 16 bits are added in f32, and rounded once.
// CHECK-LABEL: func.func @halves(
// CHECK: %[[Y:.*]] = nn.matmul %arg0, %arg1 {transpose_b} : (tensor<6x256xbf16>, tensor<8x256xbf16>) -> tensor<6x8xbf16>
// CHECK-NEXT: %[[SUM:.*]] = nn.matmul %arg2, %arg3 init(%[[Y]]) {transpose_b} : (tensor<6x4xbf16>, tensor<8x4xbf16>, tensor<6x8xbf16>) -> tensor<6x8xbf16>
// CHECK-NEXT: return %[[SUM]]
func.func @halves(%x: tensor<6x256xbf16>, %w: tensor<8x256xbf16>, %low: tensor<6x4xbf16>, %up: tensor<8x4xbf16>) -> tensor<6x8xbf16> {
  %y = nn.matmul %x, %w {transpose_b} : (tensor<6x256xbf16>, tensor<8x256xbf16>) -> tensor<6x8xbf16>
  %more = nn.matmul %low, %up {transpose_b} : (tensor<6x4xbf16>, tensor<8x4xbf16>) -> tensor<6x8xbf16>
  %0 = arith.extf %y : tensor<6x8xbf16> to tensor<6x8xf32>
  %1 = arith.extf %more : tensor<6x8xbf16> to tensor<6x8xf32>
  %2 = arith.addf %0, %1 : tensor<6x8xf32>
  %3 = arith.truncf %2 : tensor<6x8xf32> to tensor<6x8xbf16>
  return %3 : tensor<6x8xbf16>
}

// The layer's own result is read.
// CHECK-LABEL: func.func @read_twice(
// CHECK: arith.addf
func.func @read_twice(%x: tensor<6x256xf32>, %w: tensor<256x8xf32>, %low: tensor<6x4xf32>, %up: tensor<4x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %y = nn.matmul %x, %w : (tensor<6x256xf32>, tensor<256x8xf32>) -> tensor<6x8xf32>
  %more = nn.matmul %low, %up : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %sum = arith.addf %y, %more : tensor<6x8xf32>
  return %sum, %y : tensor<6x8xf32>, tensor<6x8xf32>
}

// Both are long, and what is added to no product has no bytes of its own.
// CHECK-LABEL: func.func @not_products(
// CHECK: arith.addf
// CHECK: arith.addf
func.func @not_products(%x: tensor<6x256xf32>, %w: tensor<256x8xf32>, %low: tensor<6x4xf32>, %up: tensor<4x8xf32>, %z: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %y = nn.matmul %x, %w : (tensor<6x256xf32>, tensor<256x8xf32>) -> tensor<6x8xf32>
  %v = nn.matmul %x, %w : (tensor<6x256xf32>, tensor<256x8xf32>) -> tensor<6x8xf32>
  %sum = arith.addf %y, %v : tensor<6x8xf32>
  %more = nn.matmul %low, %up : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  %other = arith.addf %z, %more : tensor<6x8xf32>
  return %sum, %other : tensor<6x8xf32>, tensor<6x8xf32>
}
