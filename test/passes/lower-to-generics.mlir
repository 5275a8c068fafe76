// RUN: zero-opt %s --zero-lower-to-generics | FileCheck %s

// Elementwise chains become one operation; a value read twice is kept.

// CHECK-LABEL: func @chain
// CHECK-COUNT-1: linalg.generic
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = arith.mulf %0, %y : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK-LABEL: func @read_twice
// CHECK-COUNT-3: linalg.generic
func.func @read_twice(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = arith.mulf %0, %x : tensor<8x16xf32>
  %2 = arith.addf %0, %x : tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// A pad is a fill and an insert.
// CHECK-LABEL: func @pad
// CHECK: linalg.fill
// CHECK: tensor.insert_slice
func.func @pad(%x: tensor<8x16xf32>) -> tensor<10x16xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x16xf32> to tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}

// Left alone: what has a kernel of its own.
// CHECK-LABEL: func @left_alone
// CHECK: nn.matmul
// CHECK: nn.attention
// CHECK: nn.embedding_backward
func.func @left_alone(%a: tensor<8x16xf32>, %q: tensor<2x4x2x8xf32>, %t: tensor<4xi32>, %g: tensor<4x16xf32>)
    -> (tensor<8x8xf32>, tensor<2x4x2x8xf32>, tensor<8x16xf32>) {
  %0 = nn.matmul %a, %a {transpose_b} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  %1 = nn.attention %q, %q, %q {scale = 0.5 : f64} : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>
  %2 = nn.embedding_backward %t, %g into %a : tensor<4xi32>, tensor<4x16xf32>, tensor<8x16xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<2x4x2x8xf32>, tensor<8x16xf32>
}
