// RUN: zero-kernels %s | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s --check-prefix=LOOPS
// Results that begin as each other or as views, in any order, and share no bytes.

// CHECK-COUNT-10: "outcome":"right"
// CHECK-NOT: "outcome"

// The first result begins as the second, which is written in its own bytes
// and copied from there.

// LOOPS-LABEL: func.func private @exchanged(
// LOOPS-SAME: %[[X:.*]]: memref<40xf32>, %[[B:.*]]: memref<40xf32>, %[[A:.*]]: memref<40xf32>, %{{.*}}: index
// LOOPS-NOT: alloca
// LOOPS: memref.store %{{.*}}, %[[A]]
// LOOPS: memref.store %{{.*}}, %[[B]]
// LOOPS-NOT: memref.store %{{.*}}, %[[A]]
// LOOPS: return

#id = affine_map<(d0) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @exchanged(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) units rows [40] {
    %e = tensor.empty() : tensor<40xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%a : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.mulf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    zero.return %b, %a : tensor<40xf32>, tensor<40xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Two begin as one that is no result.

#id = affine_map<(d0) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) units rows [40] {
    %e = tensor.empty() : tensor<40xf32>
    %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%v : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.mulf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%v : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.addf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    zero.return %a, %b : tensor<40xf32>, tensor<40xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// The same, the other way round.

#id = affine_map<(d0) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) units rows [40] {
    %e = tensor.empty() : tensor<40xf32>
    %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%v : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.mulf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%v : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.addf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    zero.return %b, %a : tensor<40xf32>, tensor<40xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A chain of three, in the opposite order.

#id = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<5x17xf32>) -> (tensor<5x17xf32>, tensor<5x17xf32>, tensor<5x17xf32>) units rows [5] {
    %e = tensor.empty() : tensor<5x17xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x17xf32>) outs(%e : tensor<5x17xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<5x17xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x17xf32>) outs(%a : tensor<5x17xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.mulf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<5x17xf32>
    %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x17xf32>) outs(%b : tensor<5x17xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.subf %in, %o : f32
      linalg.yield %r : f32
    } -> tensor<5x17xf32>
    zero.return %c, %b, %a : tensor<5x17xf32>, tensor<5x17xf32>, tensor<5x17xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Two sums from the same zeros, in one operation.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<5x17xf32>) -> (tensor<5xf32>, tensor<5xf32>) units rows [5] {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<5xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    %a, %b = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x17xf32>) outs(%f, %f : tensor<5xf32>, tensor<5xf32>) {
    ^bb0(%in: f32, %o: f32, %p: f32):
      %r = arith.addf %o, %in : f32
      %s = arith.maximumf %p, %in : f32
      linalg.yield %r, %s : f32, f32
    } -> (tensor<5xf32>, tensor<5xf32>)
    zero.return %b, %a : tensor<5xf32>, tensor<5xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// An operation writes where another that replaces its operand would: their
// tensor.empty is the same, their bytes are not.

#id = affine_map<(d0) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<40xf32>) -> (tensor<40xf32> {zero.in_place = array<i64: 0>}) units rows [40] {
    %e = tensor.empty() : tensor<40xf32>
    %v = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.addf %in, %in : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %v : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%in: f32, %t: f32, %o: f32):
      %r = arith.mulf %in, %t : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    zero.return %y : tensor<40xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// An insert begins as another result, and has a part that is one as well.

#id = affine_map<(d0) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<40xf32>, %y: tensor<9xf32>) -> (tensor<40xf32>, tensor<9xf32>, tensor<40xf32>) units serial {
    %e = tensor.empty() : tensor<40xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.negf %in : f32
      linalg.yield %r : f32
    } -> tensor<40xf32>
    %f = tensor.empty() : tensor<9xf32>
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<9xf32>) outs(%f : tensor<9xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.mulf %in, %in : f32
      linalg.yield %r : f32
    } -> tensor<9xf32>
    %b = tensor.insert_slice %p into %a[7] [9] [1] : tensor<9xf32> into tensor<40xf32>
    zero.return %b, %p, %a : tensor<40xf32>, tensor<9xf32>, tensor<40xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Columns: a sum that begins as an operand, and a product that replaces one,
// in the order in which they are not computed.

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<9x33xf32>, %s: tensor<33xf32>, %t: tensor<33xf32>) -> (tensor<33xf32>, tensor<33xf32> {zero.in_place = array<i64: 1>}) units columns [33] {
    %e = tensor.empty() : tensor<33xf32>
    %b = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel"]} ins(%s, %t : tensor<33xf32>, tensor<33xf32>) outs(%e : tensor<33xf32>) {
    ^bb0(%in: f32, %other: f32, %o: f32):
      %r = arith.mulf %in, %other : f32
      linalg.yield %r : f32
    } -> tensor<33xf32>
    %a = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<9x33xf32>) outs(%t : tensor<33xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.addf %o, %in : f32
      linalg.yield %r : f32
    } -> tensor<33xf32>
    zero.return %a, %b : tensor<33xf32>, tensor<33xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Columns: what begins as a view of an operand is cut as the result is, not as
// the operand.

#id = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<3x31xf32>, %y: tensor<93xf32>) -> tensor<3x31xf32> units columns [31] {
    %v = tensor.expand_shape %y [[0, 1]] output_shape [3, 31] : tensor<93xf32> into tensor<3x31xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x31xf32>) outs(%v : tensor<3x31xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.subf %o, %in : f32
      linalg.yield %r : f32
    } -> tensor<3x31xf32>
    zero.return %a : tensor<3x31xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Rows likewise.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<6x31xf32>, %y: tensor<2x3xf32>) -> tensor<6xf32> units rows [6] {
    %v = tensor.collapse_shape %y [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %a = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x31xf32>) outs(%v : tensor<6xf32>) {
    ^bb0(%in: f32, %o: f32):
      %r = arith.addf %o, %in : f32
      linalg.yield %r : f32
    } -> tensor<6xf32>
    zero.return %a : tensor<6xf32>
  }
  zero.program @step() {
    zero.return
  }
}
