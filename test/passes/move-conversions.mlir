// RUN: zero-opt %s --zero-lower-to-generics | FileCheck %s

// What stands between 16 bits and a computation in f32 moves the 16 bits.

// CHECK-LABEL: func @rope
// CHECK-NOT: 3x8xf32>
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<2x4x3x8xbf16> into tensor<2x4x3x2x4xbf16>
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-COUNT-2: arith.extf
// CHECK: arith.truncf
// CHECK: tensor.collapse_shape %[[R]] {{.*}} : tensor<2x4x3x2x4xbf16> into tensor<2x4x3x8xbf16>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rope(%x: tensor<2x4x3x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %0 = arith.extf %x : tensor<2x4x3x8xbf16> to tensor<2x4x3x8xf32>
  %1 = nn.rope %0 {frequencies = array<f64: 1.0, 0.1, 0.01, 0.001>} : tensor<2x4x3x8xf32>
  %2 = arith.truncf %1 : tensor<2x4x3x8xf32> to tensor<2x4x3x8xbf16>
  return %2 : tensor<2x4x3x8xbf16>
}

// A part of each head: the rest is copied as 16 bits.
// CHECK-LABEL: func @part
// CHECK: tensor.insert_slice {{.*}} : tensor<2x4x3x4xbf16> into tensor<2x4x3x8xbf16>
// CHECK: tensor.insert_slice {{.*}} : tensor<2x4x3x4xbf16> into tensor<2x4x3x8xbf16>
func.func @part(%x: tensor<2x4x3x8xbf16>) -> tensor<2x4x3x8xbf16> {
  %0 = arith.extf %x : tensor<2x4x3x8xbf16> to tensor<2x4x3x8xf32>
  %1 = nn.rope %0 {frequencies = array<f64: 1.0, 0.1>} : tensor<2x4x3x8xf32>
  %2 = arith.truncf %1 : tensor<2x4x3x8xf32> to tensor<2x4x3x8xbf16>
  return %2 : tensor<2x4x3x8xbf16>
}

// Where others read the f32, it is stored, and rounded behind the view.
// CHECK-LABEL: func @read_in_f32
// CHECK: tensor.expand_shape {{.*}} : tensor<8x16xf32> into
// CHECK: arith.truncf
// CHECK: return
func.func @read_in_f32(%x: tensor<8x16xf32>) -> (tensor<8x4x4xbf16>, tensor<8x4x4xf32>) {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [8, 4, 4] : tensor<8x16xf32> into tensor<8x4x4xf32>
  %2 = arith.truncf %1 : tensor<8x4x4xf32> to tensor<8x4x4xbf16>
  return %2, %1 : tensor<8x4x4xbf16>, tensor<8x4x4xf32>
}

// Views of f64 and of integers stay.
// CHECK-LABEL: func @wider
// CHECK: linalg.generic
// CHECK: arith.extf
// CHECK: tensor.expand_shape {{.*}} : tensor<16xf64> into
func.func @wider(%x: tensor<16xf32>) -> tensor<4x4xf64> {
  %0 = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, 4] : tensor<16xf64> into tensor<4x4xf64>
  return %1 : tensor<4x4xf64>
}

// A slice of a result: the rest is not rounded.
// CHECK-LABEL: func @slice
// CHECK: tensor.extract_slice {{.*}} : tensor<8x16xf32> to tensor<2x16xf32>
// CHECK: arith.truncf
func.func @slice(%x: tensor<8x16xf32>) -> tensor<2x16xbf16> {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = tensor.extract_slice %0[0, 0] [2, 16] [1, 1] : tensor<8x16xf32> to tensor<2x16xf32>
  %2 = arith.truncf %1 : tensor<2x16xf32> to tensor<2x16xbf16>
  return %2 : tensor<2x16xbf16>
}
