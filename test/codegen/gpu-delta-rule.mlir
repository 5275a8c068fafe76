// RUN: zero-opt %s -split-input-file --zero-lower-hand-written-kernels=gpu=1 | FileCheck %s

// The gated delta rule on a GPU.  Forward, blocks of 32 columns of the state share a
// head of values, and each goes through all chunks: two for 40 columns.

// CHECK: func.func private @forward(
// CHECK-SAME: %[[THREAD:[a-z0-9]+]]: index, %[[SHARED:[a-z0-9]+]]: memref<49152xi8>, %[[UNIT:[a-z0-9]+]]: index, %[[PART:[a-z0-9]+]]: index)
// CHECK-SAME: attributes {shared_bytes = 31488 : i64, unit_parts = 2 : i64}
// CHECK: memref.view %[[SHARED]]
// CHECK: arith.divui %[[UNIT]], %c4
// CHECK: scf.for
// CHECK: math.fma {{.*}} : f64
// CHECK: call @zg.barrier()
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<2x70x2x32xf32{{.*}}>, vector<4xf32>
// CHECK-COUNT-128: math.fma {{.*}} : f32
// CHECK: call @zg.barrier()
zero.kernel @forward(%q: tensor<2x70x2x32xf32>, %k: tensor<2x70x2x32xf32>, %v: tensor<2x70x4x40xf32>, %g: tensor<2x70x4xf32>, %b: tensor<2x70x4xf32>)
    -> tensor<2x70x4x40xf32> units attention [2, 4] {
  %o = nn.gated_delta_rule %q, %k, %v gates %g beta %b : tensor<2x70x2x32xf32>, tensor<2x70x4x40xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32>
  zero.return %o : tensor<2x70x4x40xf32>
}

// -----

// Keys of more than 128 elements leave room for 16 columns.

// CHECK: func.func private @wide_keys(
// CHECK-SAME: attributes {shared_bytes = 39680 : i64, unit_parts = 16 : i64}
zero.kernel @wide_keys(%q: tensor<1x64x1x256xf32>, %k: tensor<1x64x1x256xf32>, %v: tensor<1x64x1x256xf32>, %g: tensor<1x64x1xf32>)
    -> tensor<1x64x1x256xf32> units attention [1, 1] {
  %o = nn.gated_delta_rule %q, %k, %v gates %g : tensor<1x64x1x256xf32>, tensor<1x64x1x256xf32>, tensor<1x64x1xf32>
  zero.return %o : tensor<1x64x1x256xf32>
}

// -----

// The backward is two launches.  A part of the first is columns of one of the two heads
// of values of a head of keys; of the second a chunk.  What is between them is in room.

// CHECK: func.func private @backward(
// CHECK-SAME: memref<2x4x2x96x40xf32>
// CHECK-SAME: attributes {shared_bytes = 31488 : i64, unit_parts = 4 : i64}
// CHECK: func.func private @backward.chunks(
// CHECK-SAME: attributes {launch_of = "backward", shared_bytes = 40960 : i64, unit_parts = 2 : i64}
zero.kernel @backward(%d: tensor<2x70x4x40xf32>, %q: tensor<2x70x2x32xf32>, %k: tensor<2x70x2x32xf32>, %v: tensor<2x70x4x40xf32>, %g: tensor<2x70x4xf32>, %s: tensor<2x4x2x32x40xf32>, %b: tensor<2x70x4xf32>, %i: tensor<2x70xi32>)
    -> (tensor<2x70x2x32xf32>, tensor<2x70x2x32xf32>, tensor<2x70x4x40xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32>, tensor<2x4x2x96x40xf32>) units attention [2, 2] {
  %dq, %dk, %dv, %dg, %db, %m = nn.gated_delta_rule_backward %d, %q, %k, %v gates %g states %s beta %b from %i
    : tensor<2x70x2x32xf32>, tensor<2x70x4x40xf32>, tensor<2x70x4xf32>, tensor<2x4x2x32x40xf32>, tensor<2x70x4xf32> from tensor<2x70xi32> to tensor<2x70x4xf32> room tensor<2x4x2x96x40xf32>
  zero.return %dq, %dk, %dv, %dg, %db, %m : tensor<2x70x2x32xf32>, tensor<2x70x2x32xf32>, tensor<2x70x4x40xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32>, tensor<2x4x2x96x40xf32>
}
