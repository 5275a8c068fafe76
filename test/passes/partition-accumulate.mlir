// RUN: zero-opt %s --zero-partition-state="stage=1 world-size=2 accumulate=4" | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: zero-opt %s --zero-partition-state="stage=2 world-size=2 accumulate=4" | FileCheck %s --check-prefixes=CHECK,SHARD
// RUN: zero-opt %s --zero-partition-state="world-size=1 accumulate=4" | FileCheck %s --check-prefix=ALONE

// Three programs with the same arguments: @count runs for every batch, @micro
// for all but the last, @step for the last.

// @count holds what the loss is averaged over, and nothing else.
// CHECK-LABEL: zero.program @count(
// CHECK-NEXT: %[[N:.*]] = zero.launch @count_kernel
// CHECK-NEXT: %[[ALL:.*]] = zero.all_reduce %[[N]] over @dp {scale = 5.000000e-01 : f64} : tensor<f32>
// CHECK-NEXT: return {{.*}}%[[ALL]] :

// Stages 0 and 1 add whole gradients locally; stage 2 reduces every one.
// CHECK-LABEL: zero.program @micro(
// WHOLE-SAME: %[[SUM:[^:]*]]: !zero.shard<2048 x f32 by 1> {zero.state = #zero.state<@b0, "grad">}
// SHARD-SAME: %[[SUM:[^:]*]]: !zero.shard<2048 x f32 by 2> {zero.state = #zero.state<@b0, "grad">}
// CHECK-SAME: %[[COUNT:[^:]*]]: tensor<f32> {zero.scalar = "count0"}
// CHECK-NOT: @count_kernel
// CHECK: %[[G:.*]]:2 = zero.launch @k(%{{.*}}, %[[COUNT]])
// CHECK: %[[LOSS:.*]] = zero.all_reduce %[[G]]#0
// WHOLE: %[[W:.*]] = zero.view %[[SUM]][@b0, "w"] : !zero.shard<2048 x f32 by 1> -> tensor<64x32xf32>
// WHOLE: %[[W1:.*]] = zero.accumulate %[[W]], %[[G]]#1 {scale = 1.000000e+00 : f64}
// WHOLE: %[[NEXT:.*]] = zero.flatten %[[W1]] into @b0 : tensor<64x32xf32> -> !zero.shard<2048 x f32 by 1>
// SHARD: %[[FLAT:.*]] = zero.flatten %[[G]]#1 into @b0
// WHOLE-NOT: zero.reduce_scatter
// SHARD: %[[NEXT:.*]] = zero.reduce_scatter %[[FLAT]] of @b0 into %[[SUM]] {scale = 1.250000e-01 : f64}
// CHECK-NOT: zero.update
// CHECK: return {{.*}}%[[NEXT]], %[[LOSS]] :

// CHECK-LABEL: zero.program @step(
// CHECK: %[[A:.*]] = zero.flatten %{{.*}} into @b0
// WHOLE: %[[GRAD:.*]] = zero.reduce_scatter %[[A]] of @b0 {scale = 1.250000e-01 : f64} : !zero.shard<2048 x f32 by 1> -> !zero.shard<2048 x f32 by 1>
// SHARD: %[[GRAD:.*]] = zero.reduce_scatter %[[A]] of @b0 into %{{.*}} {scale = 1.250000e-01 : f64}
// CHECK: zero.update @adamw of @b0(%{{.*}}, %[[GRAD]],
// CHECK: %[[CLEAR:.*]] = zero.clear %[[GRAD]] of @b0
// CHECK: return {{.*}}%[[CLEAR]], %{{.*}}, %{{.*}} :

// On one rank the scale goes with the sum.
// ALONE-LABEL: zero.program @micro(
// ALONE: zero.accumulate {{.*}} {scale = 2.500000e-01 : f64}
// ALONE-LABEL: zero.program @step(
// ALONE: zero.accumulate {{.*}} {scale = 2.500000e-01 : f64}
func.func @step(%w: tensor<64x32xf32> {zero.param = "w"}, %targets: tensor<2x10xi32> {zero.input = "targets"})
    -> (tensor<f32> {zero.output = "loss"}, tensor<64x32xf32> {zero.grad = "w"}) {
  %n = zero.launch @count_kernel(%targets) : (tensor<2x10xi32>) -> tensor<f32>
  %all = zero.average %n : tensor<f32>
  %l, %dw = zero.launch @k(%w, %all) : (tensor<64x32xf32>, tensor<f32>) -> (tensor<f32>, tensor<64x32xf32>)
  return %l, %dw : tensor<f32>, tensor<64x32xf32>
}
zero.kernel @count_kernel(tensor<2x10xi32>) -> tensor<f32> units serial
zero.kernel @k(tensor<64x32xf32>, tensor<f32>) -> (tensor<f32>, tensor<64x32xf32>)
  units serial
