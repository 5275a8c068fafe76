// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 optimizer=sgd" --zero-place-tiers="offload-params=nvme" --zero-regather-parameters --zero-assign-streams --zero-move-transfers | FileCheck %s
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 optimizer=sgd" --zero-place-tiers="offload-params=nvme" --zero-regather-parameters --zero-assign-streams --zero-move-transfers=host-memory=5000 | FileCheck %s --check-prefix=LITTLE
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 optimizer=sgd" --zero-place-tiers="offload-params=nvme" --zero-regather-parameters --zero-assign-streams --zero-move-transfers=host-memory=1 | FileCheck %s --check-prefix=LEAST

// A parameter on nvme is fetched to the host once for forward and backward, and
// from there to the device for each.

// CHECK: zero.program @step(%[[P0:[a-z0-9]+]]:
// CHECK: %[[H0:.*]] = zero.fetch %[[P0]] of @b0 {{.*}}<nvme_read>
// CHECK: zero.fetch %[[H0]] of @b0 {{.*}}<h2d>
// CHECK-NOT: zero.fetch %[[P0]]
// CHECK: zero.fetch %[[H0]] of @b0 {{.*}}<h2d>
// CHECK: zero.total

// Where the host has no room for that, it is fetched again: first what would
// wait longest.  The last one's uses are side by side.

// LITTLE: zero.program @step(%[[P0:[a-z0-9]+]]:
// LITTLE: %[[H0:.*]] = zero.fetch %[[P0]] of @b0 {{.*}}<nvme_read>
// LITTLE: zero.fetch %[[H0]] of @b0 {{.*}}<h2d>
// LITTLE: %[[AGAIN:.*]] = zero.fetch %[[P0]] of @b0 {{.*}}<nvme_read>
// LITTLE: zero.fetch %[[AGAIN]] of @b0 {{.*}}<h2d>
// LITTLE: zero.total

// Where no room is enough, the host holds nothing early; the device does.

// LEAST: zero.program @step(
// LEAST-NOT: zero.launch
// LEAST: zero.all_gather {{.*}} of @b1
// LEAST: zero.launch @f
// LEAST-NOT: zero.launch
// LEAST: zero.all_gather {{.*}} of @b2
func.func @step(%u: tensor<32x32xf32> {zero.param = "h.0.w", zero.init = #zero.constant<1.0>}, %v: tensor<32x32xf32> {zero.param = "h.1.w", zero.init = #zero.constant<1.0>},
                %w: tensor<32x32xf32> {zero.param = "h.2.w", zero.init = #zero.constant<1.0>}, %x: tensor<32xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %a = zero.launch @f(%x, %u) : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<32xf32>
  %b = zero.launch @f(%a, %v) : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<32xf32>
  %c = zero.launch @f(%b, %w) : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<32xf32>
  %l = zero.launch @loss(%c) : (tensor<32xf32>) -> tensor<f32>
  %db, %dw = zero.launch @g(%c, %w) : (tensor<32xf32>, tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32x32xf32>)
  %da, %dv = zero.launch @g(%db, %v) : (tensor<32xf32>, tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32x32xf32>)
  %dx, %du = zero.launch @g(%da, %u) : (tensor<32xf32>, tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32x32xf32>)
  return %l, %du, %dv, %dw : tensor<f32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
zero.kernel @f(tensor<32xf32>, tensor<32x32xf32>) -> tensor<32xf32> units serial
zero.kernel @g(tensor<32xf32>, tensor<32x32xf32>) -> (tensor<32xf32>, tensor<32x32xf32>) units serial
zero.kernel @loss(tensor<32xf32>) -> tensor<f32> units serial
