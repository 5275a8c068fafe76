// RUN: zero-opt %s -split-input-file --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s

// A row kernel: all of its operations run for one row before the next begins,
// and the value between them is one row on the stack, not the whole tensor.

// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[X:.*]]: memref<4x8x40xf32>, %[[OUT:.*]]: memref<4x8x40xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECK: memref.alloca() {{.*}} : memref<f32>
// CHECK-NOT: memref.alloc(
// CHECK: scf.for %[[ROW:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[T:.*]] = arith.remui %[[ROW]]
// CHECK: %[[B:.*]] = arith.divui %[[ROW]]
// The sum: two whole vectors of 16 in lanes, a masked third, then pairwise.
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>)
// CHECK: vector.load %[[X]][%[[B]], %[[T]],
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: arith.select
// CHECK-COUNT-8: vector.shuffle
// CHECK: vector.store {{.*}}, %[[OUT]][%[[B]], %[[T]],
zero.kernel @rows(%x: tensor<4x8x40xf32>) -> tensor<4x8x40xf32>
    units rows [4, 8] {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x8x40xf32>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  %o = tensor.empty() : tensor<4x8x40xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b)>,
                                        affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<4x8x40xf32>, tensor<4x8xf32>) outs(%o : tensor<4x8x40xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<4x8x40xf32>
  zero.return %y : tensor<4x8x40xf32>
}

// -----

// A long row: four vectors of lanes take turns, the rest follows in the first.

// CHECK-LABEL: func.func private @turns(
// CHECK: %[[FOUR:.*]]:4 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.addf
// CHECK: %[[X:.*]] = arith.addf %[[FOUR]]#0, %[[FOUR]]#2
// CHECK: %[[Y:.*]] = arith.addf %[[FOUR]]#1, %[[FOUR]]#3
// CHECK: %[[Z:.*]] = arith.addf %[[X]], %[[Y]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[Z]])
// CHECK: vector.maskedload
zero.kernel @turns(%x: tensor<4x150xf32>) -> tensor<4xf32>
    units rows [4] {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x150xf32>) outs(%f : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  zero.return %sum : tensor<4xf32>
}

// -----

// A column sum: units are columns.  Eight rows are added in order to each vector
// of columns, then the two that are left.

// CHECK-LABEL: func.func private @columns(
// CHECK-SAME: %[[X:.*]]: memref<10x256xf32>, %[[OUT:.*]]: memref<256xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index
// CHECK: %[[EIGHT:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %[[EIGHT]]
// CHECK: scf.for %[[C:.*]] = %[[BEGIN]]
// CHECK: %[[SUM:.*]] = vector.load %[[OUT]][%[[C]]]
// CHECK: %[[X0:.*]] = vector.load %[[X]][%[[R]], %[[C]]]
// CHECK: arith.addf %[[SUM]], %[[X0]]
// CHECK-COUNT-7: vector.load %[[X]][%{{.*}}, %[[C]]]
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[C]]]
// CHECK: scf.for %[[C1:.*]] = %[[BEGIN]]
// CHECK-COUNT-2: vector.load %[[X]][%{{.*}}, %[[C1]]]
// CHECK: vector.store %{{.*}}, %[[OUT]][%[[C1]]]
zero.kernel @columns(%x: tensor<10x256xf32>) -> tensor<256xf32>
    units columns [256] {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(c, a) -> (a, c)>, affine_map<(c, a) -> (c)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<10x256xf32>) outs(%f : tensor<256xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  } -> tensor<256xf32>
  zero.return %sum : tensor<256xf32>
}

// -----

// A transpose walks its operand across memory: scalar loops.

// CHECK-LABEL: func.func private @transpose(
// CHECK-NOT: vector
// CHECK: memref.store
zero.kernel @transpose(%x: tensor<32x48xf32>) -> tensor<48x32xf32>
    units serial {
  %e = tensor.empty() : tensor<48x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (b, a)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<32x48xf32>) outs(%e : tensor<48x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<48x32xf32>
  zero.return %y : tensor<48x32xf32>
}

// -----

// A scatter: each thread walks all tokens for its own columns.

// CHECK-LABEL: func.func private @scatter(
// CHECK-SAME: %[[T:.*]]: memref<2x5xi32>, %[[G:.*]]: memref<2x5x32xf32>, %[[INIT:.*]]: memref<16x32xf32>, %[[OUT:.*]]: memref<16x32xf32>
// CHECK: %[[ID:.*]] = memref.load %[[T]]
// CHECK: %[[ROW:.*]] = arith.index_cast %[[ID]]
// CHECK: vector.load %[[OUT]][%[[ROW]],
// CHECK: vector.store {{.*}}, %[[OUT]][%[[ROW]],
zero.kernel @scatter(%t: tensor<2x5xi32>, %g: tensor<2x5x32xf32>, %init: tensor<16x32xf32>) -> tensor<16x32xf32>
    units scatter [32] {
  %d = nn.embedding_backward %t, %g into %init : tensor<2x5xi32>, tensor<2x5x32xf32>, tensor<16x32xf32>
  zero.return %d : tensor<16x32xf32>
}
