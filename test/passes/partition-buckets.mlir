// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" | FileCheck %s --check-prefix=BLOCK
// RUN: zero-opt %s --zero-partition-state="stage=2 world-size=2 bucket-size=1000000" | FileCheck %s --check-prefix=ALL
// RUN: zero-opt %s --zero-partition-state="stage=2 world-size=2 bucket-size=1" | FileCheck %s --check-prefix=EACH
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 persist-below=200" | FileCheck %s --check-prefix=PERSIST

// By block: h.0 and h.1 are a bucket each.  Members with decay come first, so
// the vector goes behind the matrix although its parameter is the first.
// BLOCK: zero.bucket @b0 over @dp elements 1088 members [#zero.member<"h.0.w", 32x32 at 0, decay, {{[^>]*>}}>, #zero.member<"h.0.b", 33 at 1024, init
// BLOCK-NEXT: zero.bucket @b1 over @dp elements 1024 members [#zero.member<"h.1.w", 32x32 at 0
// BLOCK-NOT: zero.bucket
// BLOCK-LABEL: zero.program @step(
// BLOCK-SAME: %[[P0:[^:]*]]: !zero.shard<1088 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// BLOCK-SAME: %[[P1:[^:]*]]: !zero.shard<1024 x f32 by 2> {zero.state = #zero.state<@b1, "param">}
// BLOCK-SAME: %[[M0:[^:]*]]: !zero.shard<1088 x f32 by 2> {zero.state = #zero.state<@b0, "m">}

// One gather, before the first use of any member; members are views of it.
// BLOCK: %[[F0:.*]] = zero.all_gather %[[P0]] of @b0 : !zero.shard<1088 x f32 by 2> -> tensor<1088xf32>
// BLOCK: %[[B:.*]] = zero.view %[[F0]][@b0, "h.0.b"] : tensor<1088xf32> -> tensor<33xf32>
// BLOCK: %[[W:.*]] = zero.view %[[F0]][@b0, "h.0.w"] : tensor<1088xf32> -> tensor<32x32xf32>
// BLOCK: zero.launch @first(%[[B]], %[[W]]
// BLOCK: zero.all_gather %[[P1]] of @b1

// One pack and one reduction, behind the last gradient, in members' order.
// BLOCK: %[[G1:.*]] = zero.launch @back1
// BLOCK: zero.flatten %[[G1]] into @b1
// BLOCK: %[[G0:.*]]:2 = zero.launch @back0
// BLOCK: %[[FLAT:.*]] = zero.flatten %[[G0]]#1, %[[G0]]#0 into @b0 : tensor<32x32xf32>, tensor<33xf32> -> tensor<1088xf32>
// BLOCK-NEXT: %[[R:.*]] = zero.reduce_scatter %[[FLAT]] of @b0
// BLOCK-NEXT: %[[S:.*]] = zero.sum_squares %[[R]] of @b0 : !zero.shard<1088 x f32 by 2> -> tensor<2xf64>
// BLOCK: zero.total %[[S]], %{{.*}} : tensor<2xf64>, tensor<1xf64> -> tensor<f64>
// BLOCK: %[[U0:.*]]:3 = zero.update @adamw of @b0(%[[P0]], %[[R]], %[[M0]]
// BLOCK: %[[U1:.*]]:3 = zero.update @adamw of @b1
// BLOCK-NOT: zero.update
// BLOCK: return %[[U0]]#0, %[[U1]]#0, %[[U0]]#1, %[[U1]]#1, %[[U0]]#2, %[[U1]]#2, %{{.*}}, %{{.*}} :

// Everything in one bucket: one reduction, and one gather after the update.
// ALL: zero.bucket @b0 over @dp elements 2112
// ALL-NOT: zero.bucket
// ALL: zero.reduce_scatter
// ALL-NOT: zero.reduce_scatter
// ALL: %[[U:.*]]:3 = zero.update
// ALL: zero.all_gather %[[U]]#0 of @b0 : !zero.shard<2112 x f32 by 1> -> !zero.shard<2112 x f32 by 1>
// ALL-NOT: zero.all_gather

// No two fit into one bucket.
// EACH-COUNT-3: zero.bucket
// EACH-NOT: zero.bucket
// EACH-COUNT-3: zero.reduce_scatter
// EACH-NOT: zero.reduce_scatter

// What persists never shares a bucket with what is sharded.
// PERSIST: zero.bucket @b0 over @dp elements 64 members [#zero.member<"h.0.b"
// PERSIST-NEXT: zero.bucket @b1 over @dp elements 1024 members [#zero.member<"h.0.w"
// PERSIST-NEXT: zero.bucket @b2 over @dp elements 1024 members [#zero.member<"h.1.w"
func.func @step(%b: tensor<33xf32> {zero.param = "h.0.b"}, %w: tensor<32x32xf32> {zero.param = "h.0.w"},
                %v: tensor<32x32xf32> {zero.param = "h.1.w"}, %x: tensor<32xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<33xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %y = zero.launch @first(%b, %w, %x) : (tensor<33xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<32xf32>
  %l = zero.launch @second(%y, %v) : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<f32>
  %dv = zero.launch @back1(%y, %v) : (tensor<32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %db, %dw = zero.launch @back0(%y, %w) : (tensor<32xf32>, tensor<32x32xf32>) -> (tensor<33xf32>, tensor<32x32xf32>)
  return %l, %db, %dw, %dv : tensor<f32>, tensor<33xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
zero.kernel @first(tensor<33xf32>, tensor<32x32xf32>, tensor<32xf32>) -> tensor<32xf32> units serial
zero.kernel @second(tensor<32xf32>, tensor<32x32xf32>) -> tensor<f32> units serial
zero.kernel @back1(tensor<32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32> units serial
zero.kernel @back0(tensor<32xf32>, tensor<32x32xf32>) -> (tensor<33xf32>, tensor<32x32xf32>) units serial
