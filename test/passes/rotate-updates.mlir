// RUN: zero-opt %s --zero-partition-state=masters --zero-place-tiers=offload-optimizer=nvme --zero-assign-streams --zero-move-transfers --zero-rotate-updates | FileCheck %s
// RUN: zero-opt %s --zero-partition-state="fetched" --zero-place-tiers="offload-optimizer=nvme offload-params=nvme" --zero-assign-streams --zero-move-transfers --zero-rotate-updates | FileCheck %s --check-prefix=NVME
// RUN: zero-opt %s --zero-partition-state=masters --zero-place-tiers=offload-optimizer=nvme --zero-assign-streams --zero-move-transfers --zero-rotate-updates=delayed | FileCheck %s --check-prefix=DELAYED
// RUN: not zero-opt %s --zero-partition-state --zero-assign-streams --zero-rotate-updates 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not zero-opt %s --zero-partition-state="accumulate=2 masters" --zero-place-tiers=offload-optimizer=cpu --zero-rotate-updates 2>&1 | FileCheck %s --check-prefix=MICRO

// Gradients of the step before are state, after all other; their factor is a
// scalar.

// CHECK-LABEL: zero.program @first(
// CHECK-SAME: %[[P0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "param">}
// CHECK-SAME: %[[P1:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b1, "param">}
// CHECK-SAME: %[[G0:[^:]*]]: !zero.shard<2048 x f32 by 1 on host> {zero.state = #zero.state<@b0, "grad">}
// CHECK-SAME: %[[G1:[^:]*]]: !zero.shard<48 x f32 by 1 on host> {zero.state = #zero.state<@b1, "grad">}
// CHECK-SAME: %{{[^:]*}}: !zero.stored<tensor<f32> on host> {zero.scalar = "clip"}
// CHECK-NOT: zero.update
// CHECK: zero.view %[[P0]][@b0, "w"]
// CHECK-DAG: %[[N0:.*]] = zero.spill %{{.*}} of @b0 into %[[G0]] {zero.stream = #zero.stream<d2h>}
// CHECK-DAG: %[[N1:.*]] = zero.spill %{{.*}} of @b1 into %[[G1]] {zero.stream = #zero.stream<d2h>}
// CHECK: %[[NORM:.*]], %[[FACTOR:.*]] = zero.clip
// CHECK: zero.return %[[P0]], %[[P1]], {{.*}}, %[[N0]], %[[N1]], %{{.*}}, %[[NORM]], %[[FACTOR]] :

// Each bucket is updated before its first use, and its state is fetched one
// update ahead; the views are of the next parameters.

// CHECK-LABEL: zero.program @step(
// CHECK-SAME: %[[P0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "param">}
// CHECK-SAME: %[[P1:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b1, "param">}
// CHECK-SAME: %[[M0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "m">}
// CHECK-SAME: %[[M1:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b1, "m">}
// CHECK-SAME: %[[G0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "grad">}
// CHECK-SAME: %[[G1:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b1, "grad">}
// CHECK-SAME: %[[CLIP:[^:]*]]: {{[^{]*}} {zero.scalar = "clip"}
// CHECK: zero.fetch %[[M0]] of @b0
// CHECK: zero.fetch %[[M1]] of @b1
// CHECK: %[[U0:.*]]:3 = zero.update @adamw of @b0(%{{[^,]*}}, %[[G0]], {{.*}}) scalars(%{{[^,]*}}, %[[CLIP]], %{{[^,]*}})
// CHECK: %[[Q0:.*]] = zero.fetch %[[U0]]#0 of @b0 into %[[P0]] {zero.stream = #zero.stream<h2d>}
// CHECK: zero.view %[[Q0]][@b0, "w"]
// CHECK: zero.spill %[[U0]]#1 of @b0 into %[[M0]]
// CHECK: zero.launch @f
// CHECK: %[[U1:.*]]:3 = zero.update @adamw of @b1(%{{[^,]*}}, %[[G1]],
// CHECK: %[[Q1:.*]] = zero.fetch %[[U1]]#0 of @b1 into %[[P1]]
// CHECK: zero.view %[[Q1]][@b1, "b"]
// CHECK: zero.launch @g
// CHECK: %[[N1:.*]] = zero.spill %{{.*}} of @b1 into %[[G1]]
// CHECK: %[[N0:.*]] = zero.spill %{{.*}} of @b0 into %[[G0]]
// CHECK: zero.return %[[Q0]], %[[Q1]], {{.*}}, %[[N0]], %[[N1]], %{{.*}}, %{{.*}}, %{{.*}} :

// CHECK-LABEL: zero.program @flush(
// CHECK-NOT: zero.launch
// CHECK: zero.update @adamw of @b0
// CHECK-NOT: zero.launch
// CHECK: zero.update @adamw of @b1
// CHECK-NOT: zero.clip
// CHECK: zero.return

// What goes to nvme is not read back for the forward, but for the backward,
// if it has been dropped.

// NVME-LABEL: zero.program @step(
// NVME-SAME: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 1 on nvme> {zero.state = #zero.state<@b0, "param">}
// NVME: %[[H0:.*]] = zero.fetch %[[P0]] of @b0 {zero.stream = #zero.stream<nvme_read>}
// NVME: %[[U0:.*]]:3 = zero.update @adamw of @b0(%[[H0]],
// NVME: zero.spill %[[U0]]#0 of @b0 into %[[P0]]
// NVME: %[[D0:.*]] = zero.fetch %[[U0]]#0 of @b0 {zero.stream = #zero.stream<h2d>}
// NVME: zero.view %[[D0]][@b0, "w"]

// With delayed the views are of the parameters before the updates, which stand at
// the start in the order of the next gradients; what they make of parameters goes
// up when the old ones are read, in that order, too.

// DELAYED-LABEL: zero.program @step(
// DELAYED-SAME: %[[P0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "param">}
// DELAYED-SAME: %[[P1:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b1, "param">}
// DELAYED-SAME: %[[M0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "m">}
// DELAYED-SAME: %[[G0:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "grad">}
// DELAYED-SAME: %[[G1:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b1, "grad">}
// DELAYED: %[[U1:.*]]:3 = zero.update @adamw of @b1(%{{[^,]*}}, %[[G1]],
// DELAYED: %[[U0:.*]]:3 = zero.update @adamw of @b0(%{{[^,]*}}, %[[G0]],
// DELAYED: zero.spill %[[U0]]#1 of @b0 into %[[M0]]
// DELAYED-DAG: zero.view %[[P0]][@b0, "w"]
// DELAYED-DAG: zero.view %[[P1]][@b1, "b"]
// DELAYED: zero.launch @f
// DELAYED: zero.launch @g
// DELAYED: %[[Q1:.*]] = zero.fetch %[[U1]]#0 of @b1 into %[[P1]] {zero.stream = #zero.stream<h2d>}
// DELAYED: %[[Q0:.*]] = zero.fetch %[[U0]]#0 of @b0 into %[[P0]] {zero.stream = #zero.stream<h2d>}
// DELAYED: %[[N1:.*]] = zero.spill %{{.*}} of @b1 into %[[G1]]
// DELAYED: zero.launch @h
// DELAYED: %[[N0:.*]] = zero.spill %{{.*}} of @b0 into %[[G0]]
// DELAYED: zero.return %[[Q0]], %[[Q1]], {{.*}}, %[[N0]], %[[N1]], %{{.*}}, %{{.*}}, %{{.*}} :

// DEVICE: error: {{.*}}'zero.update' op does not follow the norm in host memory, and cannot run beside the next forward
// MICRO: error: updates move to the next step's forward where a step is one program, @step; this module has 2 programs
func.func @step(%w: tensor<64x32xf32> {zero.param = "w"}, %b: tensor<33xf32> {zero.param = "b"},
                %tokens: tensor<2x10xi32> {zero.input = "tokens", zero.vocab = 256 : i64})
    -> (tensor<f32> {zero.output = "loss"}, tensor<64x32xf32> {zero.grad = "w"}, tensor<33xf32> {zero.grad = "b"}) {
  %x = zero.launch @f(%w, %tokens) : (tensor<64x32xf32>, tensor<2x10xi32>) -> tensor<20x32xf32>
  %l, %dx, %db = zero.launch @g(%b, %x)
    : (tensor<33xf32>, tensor<20x32xf32>) -> (tensor<f32>, tensor<20x32xf32>, tensor<33xf32>)
  %dw = zero.launch @h(%dx, %tokens) : (tensor<20x32xf32>, tensor<2x10xi32>) -> tensor<64x32xf32>
  return %l, %dw, %db : tensor<f32>, tensor<64x32xf32>, tensor<33xf32>
}
zero.kernel @f(tensor<64x32xf32>, tensor<2x10xi32>) -> tensor<20x32xf32> units serial
zero.kernel @g(tensor<33xf32>, tensor<20x32xf32>) -> (tensor<f32>, tensor<20x32xf32>, tensor<33xf32>) units serial
zero.kernel @h(tensor<20x32xf32>, tensor<2x10xi32>) -> tensor<64x32xf32> units serial
