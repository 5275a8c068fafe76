// RUN: zero-opt %s -split-input-file --zero-partition-state | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-partition-state="optimizer=sgd grad-clip=0 weight-decay=0" | FileCheck %s --check-prefix=SGD
// RUN: zero-opt %s -split-input-file --zero-partition-state="optimizer=lion beta2=0.99" | FileCheck %s --check-prefix=LION

// A matrix decays, a vector does not; 33 elements are padded to 48.  State comes
// first, slot by slot; then inputs, then scalars.

// CHECK: zero.axis @dp size 1
// CHECK: zero.optimizer @adamw({{.*}}) state ["m", "v"] scalars ["lr", "decay", "clip", "step"]
// CHECK: math.powf {{.*}} : f64
// CHECK: zero.bucket @b0 over @dp elements 2048 members [#zero.member<"w", 64x32 at 0, decay, init = #zero.normal<std = 2.000000e-02>>]
// CHECK: zero.bucket @b1 over @dp elements 48 members [#zero.member<"b", 33 at 0, init = #zero.constant<0.000000e+00>>]
// CHECK-LABEL: zero.program @step(
// CHECK-SAME: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 1> {zero.state = #zero.state<@b0, "param">}
// CHECK-SAME: %[[P1:[^:]*]]: !zero.shard<48 x f32 by 1> {zero.state = #zero.state<@b1, "param">}
// CHECK-SAME: %[[M0:[^:]*]]: {{.*}} {zero.state = #zero.state<@b0, "m">}
// CHECK-SAME: {zero.state = #zero.state<@b1, "m">}
// CHECK-SAME: {zero.state = #zero.state<@b0, "v">}
// CHECK-SAME: {zero.state = #zero.state<@b1, "v">}
// CHECK-SAME: tensor<2x10xi32> {zero.input = "tokens", zero.vocab = 256 : i64}
// CHECK-SAME: %[[LR:[^:]*]]: tensor<f32> {zero.scalar = "lr"}
// CHECK-SAME: %[[STEP:[^:]*]]: tensor<f32> {zero.scalar = "step"}
// CHECK: %[[W:.*]] = zero.view %[[P0]][@b0, "w"]
// CHECK: %[[G:.*]]:3 = zero.launch @k(%[[W]]
// CHECK-DAG: %[[F0:.*]] = zero.flatten %[[G]]#1 into @b0
// CHECK-DAG: %[[S0:.*]] = zero.sum_squares %[[F0]] of @b0 : tensor<2048xf32> -> tensor<1xf64>
// CHECK-DAG: %[[F1:.*]] = zero.flatten %[[G]]#2 into @b1
// CHECK-DAG: %[[S1:.*]] = zero.sum_squares %[[F1]] of @b1
// CHECK: %[[NORM:.*]], %[[CLIP:.*]] = zero.clip %[[S0]], %[[S1]] {max_norm = 1.000000e+00 : f64}
// CHECK: %[[U0:.*]]:3 = zero.update @adamw of @b0(%[[P0]], %[[F0]], %[[M0]], {{.*}}) scalars(%[[LR]], %[[CLIP]], %[[STEP]]) {decay = 1.000000e-01 : f64}
// CHECK: %[[U1:.*]]:3 = zero.update @adamw of @b1({{.*}}) {decay = 1.000000e-01 : f64}
// CHECK: return %[[U0]]#0, %[[U1]]#0, %[[U0]]#1, %[[U1]]#1, %[[U0]]#2, %[[U1]]#2, %[[G]]#0, %[[NORM]]

// Nothing clips: an update needs no factor.
// SGD: zero.optimizer @sgd({{.*}}) state ["momentum"] scalars ["lr", "decay"]
// SGD: #zero.member<"w", 64x32 at 0, init
// SGD: zero.flatten {{.*}} into @b1
// SGD: zero.update @sgd of @b1({{.*}}) scalars(%{{[^,)]*}})
// SGD: zero.flatten {{.*}} into @b0
// SGD: zero.clip %{{.*}} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
// SGD: zero.update @sgd of @b0

// The two weights of a mean add up to 1 in f32.
// LION: zero.optimizer @lion(%[[P:[^:]*]]: f32, %[[G:[^:]*]]: f32, %[[M:[^:]*]]: f32, %[[LR:[^:]*]]: f32, %[[DECAY:[^:]*]]: f32, %[[CLIP:[^:]*]]: f32) state ["m"] scalars ["lr", "decay", "clip"]
// LION: arith.constant 0.899999976 : f32
// LION: arith.constant 0.100000024 : f32
// LION: %[[MIXED:.*]] = arith.addf
// LION: math.copysign %{{.*}}, %[[MIXED]] : f32
// LION: arith.cmpf oeq, %[[MIXED]], %{{.*}} : f32
// LION: arith.select
// LION: arith.constant 9.900000e-01 : f32
// LION: arith.constant 9.999990e-03 : f32
// LION: zero.yield %{{.*}}, %{{.*}} : f32, f32
// LION: zero.update @lion of @b1
func.func @step(%w: tensor<64x32xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
                %b: tensor<33xf32> {zero.param = "b"},
                %tokens: tensor<2x10xi32> {zero.input = "tokens", zero.vocab = 256 : i64})
    -> (tensor<f32> {zero.output = "loss"}, tensor<64x32xf32> {zero.grad = "w"}, tensor<33xf32> {zero.grad = "b"}) {
  %l, %dw, %db = zero.launch @k(%w, %b, %tokens)
    : (tensor<64x32xf32>, tensor<33xf32>, tensor<2x10xi32>) -> (tensor<f32>, tensor<64x32xf32>, tensor<33xf32>)
  return %l, %dw, %db : tensor<f32>, tensor<64x32xf32>, tensor<33xf32>
}
zero.kernel @k(tensor<64x32xf32>, tensor<33xf32>, tensor<2x10xi32>) -> (tensor<f32>, tensor<64x32xf32>, tensor<33xf32>)
  units serial
