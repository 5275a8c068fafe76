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

// Between both, a product reads %x, which has to wait for the second anyway.
// CHECK-LABEL: func @read_between
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<16x8xf32>)
// CHECK: nn.matmul
// CHECK: nn.matmul
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<16x8xf32>)
func.func @read_between(%a: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %x = nn.matmul %a, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %0 = math.exp %x : tensor<16x8xf32>
  %1 = nn.matmul %0, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = nn.matmul %x, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %3 = math.log %x : tensor<16x8xf32>
  %4 = nn.matmul %3, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %2, %4 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// ... also through a view.
// CHECK-LABEL: func @read_through_a_view
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<16x8xf32>)
// CHECK: nn.matmul
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<16x8xf32>)
func.func @read_through_a_view(%a: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<4x4x8xf32>, tensor<16x8xf32>) {
  %x = nn.matmul %a, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %v = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 4, 8] : tensor<16x8xf32> into tensor<4x4x8xf32>
  %0 = math.exp %x : tensor<16x8xf32>
  %1 = nn.matmul %0, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %3 = math.log %x : tensor<16x8xf32>
  %4 = nn.matmul %3, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %v, %4 : tensor<16x8xf32>, tensor<4x4x8xf32>, tensor<16x8xf32>
}

// The first would move down to the second, and keep what it reads alone.
// CHECK-LABEL: func @keeps_more
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<16x8xf32>)
// CHECK: nn.matmul
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<16x8xf32>)
func.func @keeps_more(%a: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %x = nn.matmul %a, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %b = nn.matmul %x, %w : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %c = nn.matmul %b, %w {transpose_b} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %s = arith.addf %b, %c : tensor<16x8xf32>
  %0 = arith.addf %s, %x : tensor<16x8xf32>
  %y = nn.matmul %a, %w {transpose_b} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %1 = arith.mulf %x, %y : tensor<16x8xf32>
  return %0, %1, %x : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

// The body of the second looks up rows that the first computes.
// CHECK-LABEL: func @looks_up
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<4x8xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<4x8xf32>)
func.func @looks_up(%t: tensor<4xi32>, %w: tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = nn.embedding %t, %w : tensor<4xi32>, tensor<16x8xf32> -> tensor<4x8xf32>
  %y = nn.embedding %t, %x : tensor<4xi32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %x, %y : tensor<4x8xf32>, tensor<4x8xf32>
}

// Dropout is computed again on purpose: what it drops is kept, and not its result.
// CHECK-LABEL: func @dropout
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<4x8xf32>)
// CHECK: nn.matmul
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<4x8xf32>)
func.func @dropout(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>, %k: tensor<4xi64>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %x = nn.matmul %a, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %0 = nn.dropout %x by %k {rate = 0.1 : f64, place = 3 : i64} : tensor<4x8xf32>, tensor<4xi64>
  %1 = nn.matmul %0, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = nn.dropout %x by %k {rate = 0.1 : f64, place = 3 : i64} : tensor<4x8xf32>, tensor<4xi64>
  %3 = nn.matmul %2, %w {transpose_b} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Read across: its loops would decide how both are walked.
// CHECK-LABEL: func @transposed
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<8x8xf32>)
// CHECK: nn.matmul
// CHECK: linalg.generic {{.*}} outs(%{{[0-9]+}} : tensor<8x8xf32>)
#rows = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>
func.func @transposed(%a: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %x = nn.matmul %a, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = nn.matmul %w, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = math.exp %x : tensor<8x8xf32>
  %1 = nn.matmul %0, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #across, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %r = arith.mulf %in, %other : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  %3 = nn.matmul %2, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
