// RUN: zero-opt %s -split-input-file --zero-lower-hand-written-kernels="gpu=1 attention=f32" | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-lower-hand-written-kernels=gpu=1 | FileCheck %s --check-prefix=TENSOR

// Attention on a GPU: blocks of 128 threads share a unit.  Forward, a unit of 100
// queries has two parts, of 64.  Scores are chains of FMAs of what lies in shared
// memory, between barriers; with one chunk of columns, queries are copied once.

// CHECK: func.func private @forward(
// CHECK-SAME: %[[THREAD:[a-z0-9]+]]: index, %[[SHARED:[a-z0-9]+]]: memref<49152xi8>, %[[UNIT:[a-z0-9]+]]: index, %[[PART:[a-z0-9]+]]: index)
// CHECK-SAME: attributes {shared_bytes = 43792 : i64, unit_parts = 2 : i64}
// CHECK: memref.view %[[SHARED]]
// CHECK: arith.divui %[[UNIT]], %c2
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<2x100x2x16xf32{{.*}}>, vector<4xf32>
// CHECK: arith.mulf
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<64x68xf32
// CHECK: call @zg.barrier()
// CHECK-COUNT-96: math.fma
// CHECK: call @zg.barrier()
// CHECK: call @zg.shuffle
zero.kernel @forward(%q: tensor<2x100x2x16xf32>, %k: tensor<2x100x2x16xf32>, %v: tensor<2x100x2x16xf32>)
    -> tensor<2x100x2x16xf32> units attention [2, 2] {
  %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<2x100x2x16xf32>, tensor<2x100x2x16xf32>
  zero.return %o : tensor<2x100x2x16xf32>
}

// -----

// The backward is two launches.  A part of the first is 48 keys, for both of the
// query heads that read them; of the second 64 queries of a head.

// CHECK: func.func private @backward(
// CHECK-SAME: attributes {shared_bytes = 43792 : i64, unit_parts = 3 : i64}
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<2x100x4x16xbf16{{.*}}>, vector<8xbf16>
// CHECK: func.func private @backward.queries(
// CHECK-SAME: attributes {launch_of = "backward", shared_bytes = 43792 : i64, unit_parts = 4 : i64}
zero.kernel @backward(%do: tensor<2x100x4x16xbf16>, %q: tensor<2x100x4x16xbf16>, %k: tensor<2x100x2x16xbf16>, %v: tensor<2x100x2x16xbf16>, %lse: tensor<2x4x100xf32>, %delta: tensor<2x4x100xf32>)
    -> (tensor<2x100x4x16xbf16>, tensor<2x100x2x16xbf16>, tensor<2x100x2x16xbf16>)
    units attention [2, 2] {
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta {causal, scale = 0.5 : f64} : tensor<2x100x4x16xbf16>, tensor<2x100x2x16xbf16>, tensor<2x4x100xf32>
  zero.return %dq, %dk, %dv : tensor<2x100x4x16xbf16>, tensor<2x100x2x16xbf16>, tensor<2x100x2x16xbf16>
}

// Without the option, what has 16 bits is multiplied by tensor cores: a part of the first
// launch is 64 keys, and of the second 128 queries of a head.  A tile of 64 rows of 48
// bytes is there twice of both operands, and numbers of the queries.

// TENSOR: func.func private @forward(
// TENSOR-NOT: call @zg.mma
// TENSOR: func.func private @backward(
// TENSOR-SAME: attributes {blocks_at_once = 3 : i64, rounds, shared_bytes = 13824 : i64, unit_parts = 2 : i64}
// TENSOR: call @zg.copy(
// TENSOR: call @zg.copies.wait()
// TENSOR: call @zg.barrier()
// TENSOR: call @zg.fragment(
// TENSOR: scf.for
// TENSOR: call @zg.mma.bf16(
// TENSOR: call @zg.exp2(
// TENSOR: call @zg.pack.bf16(
// TENSOR: call @zg.fragment.transposed(
// TENSOR: func.func private @backward.queries(
// TENSOR-SAME: attributes {launch_of = "backward", rounds, shared_bytes = 12288 : i64, unit_parts = 2 : i64}
