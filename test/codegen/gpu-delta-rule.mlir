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

// -----

// With a kept state a part of the first launch has up to 128 columns of one of the two
// heads of values of a head of keys; the second launch keeps keys and decays.

// CHECK: func.func private @cached(
// CHECK-SAME: attributes {shared_bytes = 768 : i64, unit_parts = 4 : i64}
// CHECK: func.func private @cached.keep(
// CHECK-SAME: attributes {launch_of = "cached", shared_bytes = 0 : i64, unit_parts = 1 : i64}
// CHECK-NOT: call @zg.barrier()
zero.kernel @cached(%q: tensor<3x1x2x8xf32>, %v: tensor<3x1x4x160xf32>, %g: tensor<3x1x4xf32>, %s: tensor<3x4x8x160xf32>, %k: tensor<3x2x64x8xf32>, %u: tensor<3x4x64x160xf32>, %d: tensor<3x4x64xf32>, %at: tensor<3xi32>, %n: tensor<3xi32>)
    -> (tensor<3x1x4x160xf32>, tensor<3x4x8x160xf32> {zero.must_alias = 3 : i64}, tensor<3x2x64x8xf32> {zero.must_alias = 4 : i64}, tensor<3x4x64x160xf32> {zero.must_alias = 5 : i64}, tensor<3x4x64xf32> {zero.must_alias = 6 : i64}) units attention [3, 2] {
  %o:5 = nn.cached_delta_rule %q, %q, %v gates %g in %s, %k, %u, %d at %at, %n
    : tensor<3x1x2x8xf32>, tensor<3x1x4x160xf32>, tensor<3x1x4xf32>, tensor<3x4x8x160xf32>, tensor<3x2x64x8xf32>, tensor<3x4x64x160xf32>, tensor<3x4x64xf32>, tensor<3xi32>
  zero.return %o#0, %o#1, %o#2, %o#3, %o#4 : tensor<3x1x4x160xf32>, tensor<3x4x8x160xf32>, tensor<3x2x64x8xf32>, tensor<3x4x64x160xf32>, tensor<3x4x64xf32>
}

// -----

// A part of a convolution with kept inputs has 128 channels, a thread for each.

// CHECK: func.func private @conv(
// CHECK-SAME: attributes {shared_bytes = 0 : i64, unit_parts = 2 : i64}
// CHECK-NOT: math.fma
// CHECK-NOT: call @zg.barrier()
zero.kernel @conv(%x: tensor<3x1x200xf32>, %w: tensor<200x4xf32>, %i: tensor<3x67x200xf32>, %at: tensor<3xi32>, %n: tensor<3xi32>)
    -> (tensor<3x1x200xf32>, tensor<3x67x200xf32> {zero.must_alias = 2 : i64}) units attention [3, 1] {
  %o:2 = nn.cached_causal_conv %x, %w in %i at %at, %n : tensor<3x1x200xf32>, tensor<200x4xf32>, tensor<3x67x200xf32>, tensor<3xi32>
  zero.return %o#0, %o#1 : tensor<3x1x200xf32>, tensor<3x67x200xf32>
}
