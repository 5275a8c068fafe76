// RUN: zero-opt %s --zero-form-plan-kernels | FileCheck %s
// RUN: zero-opt %s --zero-form-plan-kernels | zero-opt --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s --check-prefix=LOOPS

// A parameter without a master is rounded by a hash of its place; a moment to
// nearest.  The kernel gets a key of three words where the plan has the step's bits.

zero.axis @dp size 1
zero.bucket @b0 over @dp elements 64 members [#zero.member<"w", 8x8 at 0, decay, init = #zero.constant<1.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  %0 = arith.addf %g, %m : f32
  %1 = arith.mulf %lr, %0 : f32
  %2 = arith.subf %p, %1 : f32
  zero.yield %2, %0 : f32, f32
}
zero.program @step(%p: !zero.shard<64 x bf16 by 1> {zero.state = #zero.state<@b0, "param">},
                   %m: !zero.shard<64 x bf16 by 1> {zero.state = #zero.state<@b0, "m">},
                   %g: tensor<64xf32> {zero.input = "g"}, %lr: tensor<f32> {zero.scalar = "lr"},
                   %bits: tensor<i64> {zero.scalar = "rounding"})
    -> (!zero.shard<64 x bf16 by 1>, !zero.shard<64 x bf16 by 1>) {
  // CHECK: zero.update {{.*}} rounding({{.*}} : tensor<i64>) {decay = 0.000000e+00 : f64, zero.kernels = [@sgd_decay0_chance, @sgd_decay0_chance]}
  %p1, %m1 = zero.update @sgd of @b0 (%p, %g, %m) scalars(%lr) rounding(%bits : tensor<i64>) {decay = 0.0 : f64}
    : (!zero.shard<64 x bf16 by 1>, tensor<64xf32>, !zero.shard<64 x bf16 by 1>), (tensor<f32>)
    -> !zero.shard<64 x bf16 by 1>, !zero.shard<64 x bf16 by 1>
  zero.return %p1, %m1 : !zero.shard<64 x bf16 by 1>, !zero.shard<64 x bf16 by 1>
}

// CHECK: zero.kernel @sgd_decay0_chance(%[[P:.*]]: memref<?xbf16>, %[[G:.*]]: memref<?xf32>, %[[M:.*]]: memref<?xbf16>, %[[LR:.*]]: memref<f32>, %[[KEY:.*]]: memref<3xi32>, %{{.*}}: memref<?xbf16>, %{{.*}}: memref<?xbf16>) units columns [?]
// CHECK: %[[FIRST:.*]] = memref.load %[[KEY]][%c0
// CHECK: %[[SECOND:.*]] = memref.load %[[KEY]][%c1
// CHECK: %[[SHIFT:.*]] = memref.load %[[KEY]][%c2
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[G]], %[[M]], %[[LR]] :
// CHECK: %[[VALUE:.*]] = arith.subf
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK: %[[ELEMENT:.*]] = arith.addi %[[PLACE]], %[[SHIFT]]
// CHECK: arith.xori %[[ELEMENT]], %[[FIRST]]
// CHECK: arith.addi %{{.*}}, %[[SECOND]]
// CHECK: %[[BITS:.*]] = arith.bitcast %[[VALUE]] : f32 to i32
// CHECK: %[[SUM:.*]] = arith.addi %[[BITS]], %{{.*}} : i32
// CHECK: arith.shrui %[[SUM]], %{{.*}} : i32
// CHECK: arith.cmpf ord, %[[VALUE]], %[[VALUE]] : f32
// CHECK: %[[NEXT:.*]] = arith.select
// CHECK: %[[MOMENT:.*]] = arith.truncf {{.*}} : f32 to bf16
// CHECK: linalg.yield %[[NEXT]], %[[MOMENT]] : bf16, bf16

// In vectors.
// LOOPS-LABEL: func.func private @sgd_decay0_chance(
// LOOPS: vector.step : vector<16xindex>
// LOOPS: arith.muli {{.*}} : vector<16xi32>
// LOOPS: vector.store {{.*}} : memref<?xbf16>, vector<16xbf16>
