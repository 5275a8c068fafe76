// RUN: zero-opt %s --zero-lower-to-generics | FileCheck %s

// Forward and backward of h = silu(gate) up, with the products between them.
// silu(gate) is computed where it is read, and both adjoints at once.

// CHECK-LABEL: func @swiglu
// CHECK: %[[GATE:.*]] = nn.matmul %arg0, %arg1
// CHECK: %[[UP:.*]] = nn.matmul %arg0, %arg2
// CHECK: linalg.generic {{.*}} ins(%[[GATE]], %[[UP]] :
// CHECK: math.exp
// CHECK: %[[Y:.*]] = nn.matmul
// CHECK: %[[DH:.*]] = nn.matmul %[[Y]]
// CHECK: %[[D:.*]]:2 = linalg.generic {{.*}} ins(%[[DH]], %[[GATE]], %[[UP]] :
// CHECK: math.exp
// CHECK: nn.matmul %[[D]]#0
// CHECK: nn.matmul %[[D]]#1
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @swiglu(%x: tensor<16x8xf32>, %wg: tensor<8x32xf32>, %wu: tensor<8x32xf32>, %wd: tensor<32x8xf32>)
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %gate = nn.matmul %x, %wg : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %up = nn.matmul %x, %wu : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %silu = nn.silu %gate : tensor<16x32xf32>
  %h = arith.mulf %silu, %up : tensor<16x32xf32>
  %y = nn.matmul %h, %wd : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  %dh = nn.matmul %y, %wd {transpose_b} : (tensor<16x8xf32>, tensor<32x8xf32>) -> tensor<16x32xf32>
  %dup = arith.mulf %dh, %silu : tensor<16x32xf32>
  %dx1 = nn.matmul %dup, %wu {transpose_b} : (tensor<16x32xf32>, tensor<8x32xf32>) -> tensor<16x8xf32>
  %dsilu = arith.mulf %dh, %up : tensor<16x32xf32>
  %e = math.exp %gate : tensor<16x32xf32>
  %dgate = arith.mulf %dsilu, %e : tensor<16x32xf32>
  %dx2 = nn.matmul %dgate, %wg {transpose_b} : (tensor<16x32xf32>, tensor<8x32xf32>) -> tensor<16x8xf32>
  return %y, %dx1, %dx2 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// A value whose operand nothing keeps is kept itself.
// CHECK-LABEL: func @kept
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @kept(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = nn.matmul %x, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %1 = math.exp %0 : tensor<16x8xf32>
  %2 = arith.mulf %1, %x : tensor<16x8xf32>
  %3 = nn.matmul %2, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %4 = arith.mulf %1, %3 : tensor<16x8xf32>
  return %3, %4 : tensor<16x8xf32>, tensor<16x8xf32>
}

// Both read %x; but earlier the second would need memory that it does not free.
// CHECK-LABEL: func @needs_memory
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: nn.matmul
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: nn.matmul
func.func @needs_memory(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = math.exp %x : tensor<16x8xf32>
  %1 = nn.matmul %0, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = math.log %x : tensor<16x8xf32>
  %3 = nn.matmul %2, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %4 = nn.matmul %x, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %3, %4 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// The second depends on the first.
// CHECK-LABEL: func @depends
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: %[[Y:.*]] = nn.matmul %[[E]]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[Y]] :
func.func @depends(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>) {
  %0 = math.exp %x : tensor<16x8xf32>
  %1 = nn.matmul %0, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = arith.mulf %x, %1 : tensor<16x8xf32>
  %3 = nn.matmul %2, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}

// A sum of rows reads the second: both are in one kernel (form-kernels.mlir).
// CHECK-LABEL: func @summed
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: nn.matmul
// CHECK: %[[L:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: linalg.generic {{.*}} ins(%[[L]] :
func.func @summed(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>) {
  %0 = math.exp %x : tensor<16x8xf32>
  %1 = nn.matmul %0, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = math.log %x : tensor<16x8xf32>
  %3 = nn.log_sum_exp %2 : tensor<16x8xf32> -> tensor<16xf32>
  return %1, %3, %2 : tensor<16x8xf32>, tensor<16xf32>, tensor<16x8xf32>
}
