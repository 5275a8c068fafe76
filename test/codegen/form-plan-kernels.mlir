// RUN: zero-opt %s --zero-form-plan-kernels | FileCheck %s
// RUN: zero-opt %s --zero-form-plan-kernels | zero-opt | FileCheck %s
// RUN: zero-opt %s --zero-form-plan-kernels | zero-opt --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s --check-prefix=LOOPS
// RUN: zero-opt %s --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s --check-prefix=LOOPS
// RUN: zero-opt %s --zero-lower-kernels-to-cpu | FileCheck %s --check-prefix=LLVM

// What computes and is no launch names kernels of its own.  Elementwise ones are
// for buckets of any size: @b0 and @b1 share them.

zero.axis @dp size 1
zero.bucket @b0 over @dp elements 64 members [#zero.member<"w", 8x8 at 0, decay, init = #zero.constant<1.0>>]
zero.bucket @b1 over @dp elements 32 members [#zero.member<"b", 32 at 0, init = #zero.constant<1.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32, %decay: f32) state ["m"] scalars ["lr", "decay"] {
  %0 = arith.mulf %decay, %p : f32
  %1 = arith.addf %g, %0 : f32
  %2 = arith.addf %m, %1 : f32
  %3 = arith.mulf %lr, %2 : f32
  %4 = arith.subf %p, %3 : f32
  zero.yield %4, %2 : f32, f32
}
// A kernel of the model may be called as one of these.
zero.kernel @clear(%x: tensor<8xf32>) -> tensor<8xf32> units columns [8] {
  zero.return %x : tensor<8xf32>
}

// CHECK-LABEL: zero.program @step
zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b0, "param">},
                   %m: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b0, "m">},
                   %a: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b0, "grad">},
                   %c: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b1, "grad">},
                   %g: tensor<8x8xf32> {zero.input = "g"}, %h: tensor<32xf32> {zero.input = "h"},
                   %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>,
        !zero.shard<32 x f32 by 1>, tensor<f32>) {
  // CHECK: zero.accumulate {{.*}} {scale = 5.000000e-01 : f64, zero.kernels = [@accumulate_scale0.5]} : tensor<8x8xf32>
  // CHECK: zero.accumulate {{.*}} {scale = 5.000000e-01 : f64, zero.kernels = [@accumulate_scale0.5]} : tensor<32xf32>
  %av = zero.view %a[@b0, "w"] : !zero.shard<64 x f32 by 1> -> tensor<8x8xf32>
  %cv = zero.view %c[@b1, "b"] : !zero.shard<32 x f32 by 1> -> tensor<32xf32>
  %av1 = zero.accumulate %av, %g {scale = 0.5 : f64} : tensor<8x8xf32>, tensor<8x8xf32>
  %cv1 = zero.accumulate %cv, %h {scale = 0.5 : f64} : tensor<32xf32>, tensor<32xf32>
  %a1 = zero.flatten %av1 into @b0 : tensor<8x8xf32> -> !zero.shard<64 x f32 by 1>
  %c1 = zero.flatten %cv1 into @b1 : tensor<32xf32> -> !zero.shard<32 x f32 by 1>
  // CHECK: zero.sum_squares
  // CHECK-NOT: zero.kernels
  %s = zero.sum_squares %a1 of @b0 : !zero.shard<64 x f32 by 1> -> tensor<1xf64>
  // CHECK: zero.total {{.*}} {zero.kernels = [@squares_total]}
  %t = zero.total %s, %s : tensor<1xf64>, tensor<1xf64> -> tensor<f64>
  // CHECK: zero.clip {{.*}} {max_norm = 1.000000e+00 : f64, zero.kernels = [@grad_norm]}
  %norm, %factor = zero.clip %t {max_norm = 1.0 : f64} : tensor<f64> -> tensor<f32>, tensor<f32>
  // CHECK: zero.update {{.*}} {decay = 1.000000e-01 : f64, zero.kernels = [@sgd_decay0, @sgd_decay0.1]}
  %p1, %m1 = zero.update @sgd of @b0 (%p, %a1, %m) scalars(%lr) {decay = 0.1 : f64}
    : (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>), (tensor<f32>)
    -> !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>
  // CHECK: zero.clear {{.*}} {zero.kernels = [@clear.2]}
  %a0 = zero.clear %a1 of @b0 : !zero.shard<64 x f32 by 1>
  zero.return %p1, %m1, %a0, %c1, %norm : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 1>,
    !zero.shard<64 x f32 by 1>, !zero.shard<32 x f32 by 1>, tensor<f32>
}

// CHECK: zero.kernel @accumulate_scale0.5(%[[SUM:.*]]: memref<?xf32>, %[[MORE:.*]]: memref<?xf32>, %[[NEXT:.*]]: memref<?xf32>) units columns [?]
// CHECK: ins(%[[SUM]], %[[MORE]] : memref<?xf32>, memref<?xf32>) outs(%[[NEXT]] : memref<?xf32>)

// CHECK: zero.kernel @squares_total(%{{.*}}: memref<1xf64>, %{{.*}}: memref<1xf64>, %{{.*}}: memref<f64>) units serial
// CHECK: zero.kernel @grad_norm(%{{.*}}: memref<f64>, %{{.*}}: memref<f32>, %{{.*}}: memref<f32>) units serial
// CHECK: memref.alloca() : memref<f64>
// CHECK: arith.truncf {{.*}} : f64 to f32
// CHECK: arith.minimumf

// Parameter, gradient, slot, scalar; next parameter, next slot.
// CHECK: zero.kernel @sgd_decay0(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<f32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>) units columns [?]
// CHECK: zero.kernel @sgd_decay0.1({{.*}} attributes {zero.plain = @sgd_decay0}
// CHECK: arith.constant 1.000000e-01 : f32
// CHECK: zero.kernel @clear.2(%[[OUT:.*]]: memref<?xf32>) units columns [?]
// CHECK: linalg.fill {{.*}} outs(%[[OUT]] : memref<?xf32>)
// CHECK-NOT: zero.kernel

// The extent is that of the units to do, whole vectors and a masked rest.
// LOOPS-LABEL: func.func private @accumulate_scale0.5(
// LOOPS-SAME: %[[SUM:.*]]: memref<f32>, %[[MORE:.*]]: memref<f32>, %[[NEXT:.*]]: memref<f32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// LOOPS: %[[X:.*]] = memref.reinterpret_cast %[[SUM]] to offset: [0], sizes: [%[[END]]], strides: [1] : memref<f32> to memref<?xf32>
// LOOPS: scf.for %[[I:.*]] = %[[BEGIN]] to
// LOOPS: vector.load %[[X]][%[[I]]] : memref<?xf32>, vector<16xf32>
// LOOPS: vector.maskedload %[[X]]

// LLVM: llvm.func @accumulate_scale0.5(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
