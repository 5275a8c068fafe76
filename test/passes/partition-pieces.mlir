// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 bucket-size=2048" | FileCheck %s
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 bucket-size=2048" --zero-regather-parameters --zero-assign-streams --zero-move-transfers | FileCheck %s --check-prefix=AHEAD
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 bucket-size=2048" --zero-assign-memory --zero-insert-events --zero-verify-plan=without-model | FileCheck %s --check-prefix=BYTES
// RUN: zero-opt %s --zero-partition-state="stage=2 world-size=2 bucket-size=2048" | FileCheck %s --check-prefix=WHOLE
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" | FileCheck %s --check-prefix=WHOLE
// RUN: not zero-opt %S/Inputs/large-parameter.mlir --zero-partition-state="stage=3 world-size=2 bucket-size=4" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: zero-opt %S/Inputs/large-parameter.mlir --zero-partition-state="stage=2 world-size=2 bucket-size=4" | FileCheck %s --check-prefix=WHOLE

// 37 rows of 24 elements: slices of two ranks are whole vectors every 4 rows, and
// 2048 bytes hold 20 of them.  The last piece has 17 rows and 8 elements of
// padding.  The vector is small enough.
// CHECK: zero.bucket @b0 over @dp elements 480 members [#zero.member<"w", 20x24 at 0, rows 0 of 37, decay,
// CHECK-NEXT: zero.bucket @b1 over @dp elements 416 members [#zero.member<"w", 17x24 at 0, rows 20 of 37, decay,
// CHECK-NEXT: zero.bucket @b2 over @dp elements 32
// CHECK-LABEL: zero.program @step(
// CHECK-SAME: %[[P0:[^:]*]]: !zero.shard<480 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// CHECK-SAME: %[[P1:[^:]*]]: !zero.shard<416 x f32 by 2> {zero.state = #zero.state<@b1, "param">}
// CHECK-SAME: {zero.state = #zero.state<@b2, "param">}
// CHECK-SAME: {zero.state = #zero.state<@b0, "m">}
// CHECK: %[[F0:.*]] = zero.all_gather %[[P0]] of @b0
// CHECK-NEXT: %[[F1:.*]] = zero.all_gather %[[P1]] of @b1
// CHECK-NEXT: %[[V0:.*]] = zero.view %[[F0]][@b0, "w"] : tensor<480xf32> -> tensor<20x24xf32>
// CHECK-NEXT: %[[V1:.*]] = zero.view %[[F1]][@b1, "w"] : tensor<416xf32> -> tensor<17x24xf32>
// CHECK-NEXT: %[[W:.*]] = zero.join %[[V0]], %[[V1]] : tensor<20x24xf32>, tensor<17x24xf32> -> tensor<37x24xf32>
// CHECK: %[[G:.*]]:3 = zero.launch @k(%[[W]]
// CHECK: %[[D0:.*]] = zero.split %[[G]]#1 from 0 : tensor<37x24xf32> -> tensor<20x24xf32>
// CHECK-NEXT: %[[Q0:.*]] = zero.flatten %[[D0]] into @b0
// CHECK-NEXT: %[[R0:.*]] = zero.reduce_scatter %[[Q0]] of @b0
// CHECK-NEXT: zero.sum_squares %[[R0]] of @b0
// CHECK-NEXT: %[[D1:.*]] = zero.split %[[G]]#1 from 20 : tensor<37x24xf32> -> tensor<17x24xf32>
// CHECK-NEXT: %[[Q1:.*]] = zero.flatten %[[D1]] into @b1
// CHECK-NEXT: %[[R1:.*]] = zero.reduce_scatter %[[Q1]] of @b1
// CHECK-NEXT: zero.sum_squares %[[R1]] of @b1
// CHECK: zero.total %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
// CHECK: %[[U0:.*]]:3 = zero.update @adamw of @b0(%[[P0]], %[[R0]]
// CHECK: %[[U1:.*]]:3 = zero.update @adamw of @b1(%[[P1]], %[[R1]]
// CHECK: %[[U2:.*]]:3 = zero.update @adamw of @b2
// CHECK: return %[[U0]]#0, %[[U1]]#0, %[[U2]]#0, %[[U0]]#1, %[[U1]]#1, %[[U2]]#1,

// Pieces keep buckets of their own, and are gathered ahead together.
// AHEAD: zero.bucket @b2
// AHEAD-NOT: zero.bucket
// AHEAD-LABEL: zero.program @step
// AHEAD-NEXT: zero.all_gather
// AHEAD-NEXT: zero.all_gather

// No byte is copied: pieces lie one behind the other in the parameter, and
// packs where the gradient is.
// BYTES-NOT: zero.copy
// BYTES: zero.all_gather {{.*}} of @b0 {zero.at = [#zero.bytes<device, [[A:[0-9]+]] + 1920>]
// BYTES: zero.join {{.*}} {zero.at = [#zero.bytes<device, [[A]] + 3552>]}
// BYTES-NOT: zero.copy

// WHOLE-NOT: zero.join
// WHOLE-NOT: zero.split

// MANY: error: bucket-size=4 would make 50000 buckets, more than 16384; use at least 782 bytes
func.func @step(%w: tensor<37x24xf32> {zero.param = "w"}, %b: tensor<24xf32> {zero.param = "b"})
    -> (tensor<f32> {zero.output = "loss"}, tensor<37x24xf32> {zero.grad = "w"}, tensor<24xf32> {zero.grad = "b"}) {
  %l, %dw, %db = zero.launch @k(%w, %b) : (tensor<37x24xf32>, tensor<24xf32>) -> (tensor<f32>, tensor<37x24xf32>, tensor<24xf32>)
  return %l, %dw, %db : tensor<f32>, tensor<37x24xf32>, tensor<24xf32>
}
zero.kernel @k(tensor<37x24xf32>, tensor<24xf32>) -> (tensor<f32>, tensor<37x24xf32>, tensor<24xf32>)
  units serial
