// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 eval=true" | FileCheck %s
// RUN: zero-opt %s --zero-partition-state="stage=1 world-size=2 accumulate=2 eval=true" | FileCheck %s --check-prefix=SEVERAL
// RUN: zero-opt %s --zero-partition-state="masters eval=true" --zero-place-tiers=offload-optimizer=cpu --zero-assign-streams --zero-move-transfers --zero-rotate-updates | FileCheck %s --check-prefix=ROTATED

// The forward alone: what only gradients need is not there.  The count is
// exchanged here, and is an output; state stays as it is.

// CHECK-LABEL: zero.program @eval(
// CHECK-SAME: %[[P:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// CHECK-SAME: %[[M:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "m">}
// CHECK-SAME: %[[V:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "v">}
// CHECK-SAME: -> ({{.*}}tensor<f32> {zero.output = "count0"}, tensor<f32> {zero.output = "loss"})
// CHECK: %[[N:.*]] = zero.launch @n
// CHECK: %[[A:.*]] = zero.all_reduce %[[N]] over @dp {scale = 5.000000e-01 : f64}
// CHECK: zero.all_gather %[[P]] of @b0
// CHECK: %[[L:.*]] = zero.launch @loss(%{{.*}}, %[[A]])
// CHECK: %[[ALL:.*]] = zero.all_reduce %[[L]]
// CHECK-NOT: zero.launch
// CHECK: zero.return %[[P]], %[[M]], %[[V]], %[[A]], %[[ALL]] :

// Neither sums over micro-steps nor means over them.

// SEVERAL-LABEL: zero.program @eval(
// SEVERAL-SAME: %[[G:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "grad">}
// SEVERAL: zero.all_reduce
// SEVERAL-NOT: %count0
// SEVERAL: zero.return {{.*}}%[[G]],

// What waits for the next step's update goes through it.

// ROTATED-LABEL: zero.program @eval(
// ROTATED-SAME: %[[G:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "grad">}
// ROTATED-SAME: {zero.scalar = "clip"}
// ROTATED: zero.return {{.*}}%[[G]],
func.func @step(%w: tensor<8x8xf32> {zero.param = "w", zero.init = #zero.constant<1.0>}, %x: tensor<8xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<8x8xf32>) {
  %n = zero.launch @n(%x) : (tensor<8xf32>) -> tensor<f32>
  %a = zero.average %n : tensor<f32>
  %y = zero.launch @f(%w, %x) : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %l = zero.launch @loss(%y, %a) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  %d = zero.launch @g(%y, %x, %a) : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %l, %d : tensor<f32>, tensor<8x8xf32>
}
zero.kernel @n(tensor<8xf32>) -> tensor<f32> units serial
zero.kernel @f(tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32> units serial
zero.kernel @loss(tensor<8xf32>, tensor<f32>) -> tensor<f32> units serial
zero.kernel @g(tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8x8xf32> units serial
