// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 sample=on" | FileCheck %s
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 accumulate=2 accumulate-order=block sample=on" | FileCheck %s --check-prefix=LAYERED
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 sample=only" | FileCheck %s --check-prefix=ONLY
// RUN: zero-opt %s --zero-partition-state="masters sample=on" --zero-place-tiers=offload-optimizer=cpu --zero-assign-streams --zero-move-transfers --zero-rotate-updates | FileCheck %s --check-prefix=ROTATED
// RUN: sed 's/@decode/@other/' %s | not zero-opt --mlir-print-op-on-diagnostic=false --zero-partition-state=sample=on 2>&1 | FileCheck %s --check-prefix=MISSING

// The functions of these names, with their parameters gathered.  State stays as it is, logits are
// the rank's own, and caches come last.

// CHECK-LABEL: zero.program @decode(
// CHECK-SAME: %[[P:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// CHECK-SAME: %[[M:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "m">}
// CHECK-SAME: %[[V:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "v">}
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4xi32> {zero.input = "tokens"}
// CHECK-SAME: %[[AT:[^:]*]]: tensor<2xi32> {zero.input = "begin"}
// CHECK-SAME: %[[C:[^:]*]]: tensor<2x4xf32> {zero.cache = "0.keys"}
// CHECK-SAME: -> ({{.*}}tensor<2x4xf32>, tensor<2x8xf32> {zero.output = "logits"})
// CHECK: %[[FULL:.*]] = zero.all_gather %[[P]] of @b0
// CHECK: %[[W:.*]] = zero.view %[[FULL]][@b0, "w"]
// CHECK: %[[L:.*]]:2 = zero.launch @rows(%[[W]], %[[X]], %[[AT]], %[[C]])
// CHECK-NOT: zero.all_reduce
// CHECK-NOT: zero.launch
// CHECK: zero.return %[[P]], %[[M]], %[[V]], %[[L]]#1, %[[L]]#0 :

// With all micro-steps in a program it reads the inputs of the first.

// LAYERED-LABEL: zero.program @decode(
// LAYERED-SAME: %[[X:[^:]*]]: tensor<2x4xi32> {zero.input = "tokens", zero.micro = 0 : i64}
// LAYERED-SAME: %[[AT:[^:]*]]: tensor<2xi32> {zero.input = "begin", zero.micro = 0 : i64}
// LAYERED-SAME: {zero.input = "tokens", zero.micro = 1 : i64}
// LAYERED-SAME: {zero.scalar = "count0"}
// LAYERED: zero.launch @rows(%{{.*}}, %[[X]], %[[AT]], 

// Alone, it has no state but parameters, and of kernels those that it launches.

// ONLY-LABEL: zero.program @decode(
// ONLY-SAME: %[[P:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// ONLY-NOT: zero.state
// ONLY: zero.return %[[P]], %{{.*}}, %{{.*}} :
// ONLY-NOT: zero.program
// ONLY: zero.kernel @rows
// ONLY-NOT: zero.kernel

// What waits for the next step's update goes through it.

// ROTATED-LABEL: zero.program @decode(
// ROTATED-SAME: %[[G:[^:]*]]: {{[^{]*}} {zero.state = #zero.state<@b0, "grad">}
// ROTATED-SAME: {zero.scalar = "clip"}
// ROTATED: zero.return {{.*}}%[[G]],

// MISSING: error: sample=on needs a function @decode; run zero-add-decoding before zero-differentiate-loss

func.func @step(%w: tensor<8x8xf32> {zero.param = "w", zero.init = #zero.constant<1.0>}, %x: tensor<2x4xi32> {zero.input = "tokens"},
                %at: tensor<2xi32> {zero.input = "begin"}) -> (tensor<f32>, tensor<8x8xf32>) {
  %n = zero.launch @n(%x) : (tensor<2x4xi32>) -> tensor<f32>
  %a = zero.average %n : tensor<f32>
  %l = zero.launch @loss(%w, %x, %a) : (tensor<8x8xf32>, tensor<2x4xi32>, tensor<f32>) -> tensor<f32>
  %d = zero.launch @g(%w, %x, %a) : (tensor<8x8xf32>, tensor<2x4xi32>, tensor<f32>) -> tensor<8x8xf32>
  return %l, %d : tensor<f32>, tensor<8x8xf32>
}
// Their own order of arguments is of no account.
func.func private @prefill(%at: tensor<2xi32> {zero.input = "begin"}, %w: tensor<8x8xf32> {zero.param = "w"},
                           %x: tensor<2x4xi32> {zero.input = "tokens"}, %c: tensor<2x4xf32> {zero.cache = "0.keys"})
    -> (tensor<2x8xf32>, tensor<2x4xf32>) {
  %l:2 = zero.launch @rows(%w, %x, %at, %c) : (tensor<8x8xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>)
  return %l#0, %l#1 : tensor<2x8xf32>, tensor<2x4xf32>
}
func.func private @decode(%at: tensor<2xi32> {zero.input = "begin"}, %w: tensor<8x8xf32> {zero.param = "w"},
                           %x: tensor<2x4xi32> {zero.input = "tokens"}, %c: tensor<2x4xf32> {zero.cache = "0.keys"})
    -> (tensor<2x8xf32>, tensor<2x4xf32>) {
  %l:2 = zero.launch @rows(%w, %x, %at, %c) : (tensor<8x8xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>)
  return %l#0, %l#1 : tensor<2x8xf32>, tensor<2x4xf32>
}
zero.kernel @n(tensor<2x4xi32>) -> tensor<f32> units serial
zero.kernel @loss(tensor<8x8xf32>, tensor<2x4xi32>, tensor<f32>) -> tensor<f32> units serial
zero.kernel @g(tensor<8x8xf32>, tensor<2x4xi32>, tensor<f32>) -> tensor<8x8xf32> units serial
zero.kernel @rows(tensor<8x8xf32>, tensor<2x4xi32>, tensor<2xi32>, tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>) units serial
