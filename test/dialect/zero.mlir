// RUN: zero-opt %s | zero-opt | FileCheck %s
// The examples of Zero.td, printed and parsed again.

// CHECK: zero.axis @dp size 1
zero.axis @dp size 1
// CHECK: zero.bucket @b0 over @dp elements 4144 members [#zero.member<"h.0.fc.weight", 64x64 at 0, decay, init = #zero.normal<std = 2.000000e-02>>, #zero.member<"h.0.fc.bias", 32 at 4096, init = #zero.constant<0.000000e+00>>]
zero.bucket @b0 over @dp elements 4144 members [#zero.member<"h.0.fc.weight", 64x64 at 0, decay, init = #zero.normal<std = 0.02>>, #zero.member<"h.0.fc.bias", 32 at 4096, init = #zero.constant<0.0>>]
// A scalar parameter, and uniform initial values.
// CHECK: #zero.member<"scale", scalar at 0, init = #zero.uniform<low = -1.000000e+00, high = 1.000000e+00>>
zero.bucket @b1 over @dp elements 16 members [#zero.member<"scale", scalar at 0, init = #zero.uniform<low = -1.0, high = 1.0>>]

// CHECK: zero.optimizer @sgd(%arg0: f32, %arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32) state ["momentum"] scalars ["lr", "decay"]
zero.optimizer @sgd(%p: f32, %g: f32, %momentum: f32, %lr: f32, %decay: f32)
    state ["momentum"] scalars ["lr", "decay"] {
  %0 = arith.mulf %decay, %p : f32
  %1 = arith.addf %g, %0 : f32
  %2 = arith.addf %momentum, %1 : f32
  %3 = arith.mulf %lr, %2 : f32
  %4 = arith.subf %p, %3 : f32
  zero.yield %4, %2 : f32, f32
}

func.func private @gelu(tensor<256x64xf32>) -> tensor<256x64xf32> attributes {zero.kernel = "rows"}

// CHECK-LABEL: func @step
// CHECK-SAME: zero.at = #zero.bytes<device, 0 + 16576>
// CHECK-SAME: zero.state = #zero.state<@b0, "param">
func.func @step(%p: !zero.shard<4144 x f32 by 1> {zero.state = #zero.state<@b0, "param">, zero.at = #zero.bytes<device, 0 + 16576>},
                %m: !zero.shard<4144 x f32 by 1> {zero.state = #zero.state<@b0, "momentum">},
                %x: tensor<256x64xf32>, %lr: tensor<f32>, %b: tensor<32xf32>)
    -> (!zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<f32>) {
  // CHECK: zero.view %arg0[@b0, "h.0.fc.weight"] : !zero.shard<4144 x f32 by 1> -> tensor<64x64xf32>
  %w = zero.view %p[@b0, "h.0.fc.weight"] : !zero.shard<4144 x f32 by 1> -> tensor<64x64xf32>
  // CHECK: zero.launch @gelu(%arg2) : (tensor<256x64xf32>) -> tensor<256x64xf32>
  %y = zero.launch @gelu(%x) : (tensor<256x64xf32>) -> tensor<256x64xf32>
  // CHECK: zero.copy {{.*}} {zero.stream = #zero.stream<reduce>} : tensor<64x64xf32>
  %c = zero.copy %w {zero.stream = #zero.stream<reduce>} : tensor<64x64xf32>
  // CHECK: %[[E:.*]] = zero.record on reduce
  %e = zero.record on reduce
  // CHECK: zero.wait %[[E]] on compute
  zero.wait %e on compute
  // CHECK: zero.pack {{.*}} into @b0 : tensor<64x64xf32>, tensor<32xf32> -> tensor<4144xf32>
  %flat = zero.pack %c, %b into @b0 : tensor<64x64xf32>, tensor<32xf32> -> tensor<4144xf32>
  // CHECK: zero.sum_squares {{.*}} of @b0 : tensor<4144xf32> -> tensor<2xf64>
  %s = zero.sum_squares %flat of @b0 : tensor<4144xf32> -> tensor<2xf64>
  // CHECK: zero.clip {{.*}} {max_norm = 1.000000e+00 : f64} : tensor<2xf64> -> tensor<f32>, tensor<f32>
  %norm, %factor = zero.clip %s {max_norm = 1.0} : tensor<2xf64> -> tensor<f32>, tensor<f32>
  // CHECK: zero.update @sgd of @b0
  %p1, %m1 = zero.update @sgd of @b0 (%p, %flat, %m) scalars(%lr) {decay = 0.1}
    : (!zero.shard<4144 x f32 by 1>, tensor<4144xf32>, !zero.shard<4144 x f32 by 1>), (tensor<f32>)
    -> !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>
  return %p1, %m1, %norm : !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<f32>
}
