// RUN: zero-opt %s --zero-partition-state="stage=0 world-size=2" | FileCheck %s --check-prefixes=CHECK,S0
// RUN: zero-opt %s --zero-partition-state="stage=1 world-size=2" | FileCheck %s --check-prefixes=CHECK,S1
// RUN: zero-opt %s --zero-partition-state="stage=2 world-size=2" | FileCheck %s --check-prefixes=CHECK,S2
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" | FileCheck %s --check-prefixes=CHECK,S3
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 persist-below=1024" | FileCheck %s --check-prefix=PERSIST
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=1" | FileCheck %s --check-prefix=ALONE

// What each stage inserts on two ranks.  33 elements are padded to 64: slices
// are whole vectors.

// CHECK: zero.stage = {{[0-3]}}
// CHECK: zero.axis @dp size 2
// CHECK: zero.bucket @b0 over @dp elements 2048 {{.*}}"w", 64x32
// CHECK: zero.bucket @b1 over @dp elements 64 {{.*}}"b", 33
// CHECK-LABEL: zero.program @step(

// State.
// S0-SAME: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 1> {zero.state = #zero.state<@b0, "param">}
// S0-SAME: !zero.shard<2048 x f32 by 1> {zero.state = #zero.state<@b0, "m">}
// S1-SAME: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 1> {zero.state = #zero.state<@b0, "param">}
// S1-SAME: !zero.shard<2048 x f32 by 2> {zero.state = #zero.state<@b0, "m">}
// S2-SAME: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 1> {zero.state = #zero.state<@b0, "param">}
// S2-SAME: !zero.shard<2048 x f32 by 2> {zero.state = #zero.state<@b0, "m">}
// S3-SAME: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// S3-SAME: %[[P1:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b1, "param">}
// S3-SAME: !zero.shard<2048 x f32 by 2> {zero.state = #zero.state<@b0, "m">}

// Forward: stage 3 gathers before the first use, the others have views.
// S0-NOT: zero.all_gather
// S1-NOT: zero.all_gather
// S2-NOT: zero.all_gather
// S0: zero.view %[[P0]][@b0, "w"] : !zero.shard<2048 x f32 by 1> -> tensor<64x32xf32>
// S1: zero.view %[[P0]][@b0, "w"]
// S2: zero.view %[[P0]][@b0, "w"]
// S3: %[[F0:.*]] = zero.all_gather %[[P0]] of @b0 : !zero.shard<2048 x f32 by 2> -> tensor<2048xf32>
// S3: zero.view %[[F0]][@b0, "w"] : tensor<2048xf32> -> tensor<64x32xf32>

// The count that all ranks divide by, and the loss.
// CHECK: %[[N:.*]] = zero.launch @count
// CHECK: zero.all_reduce %[[N]] over @dp {scale = 5.000000e-01 : f64} : tensor<f32>
// S3: %[[F1:.*]] = zero.all_gather %[[P1]] of @b1
// CHECK-NOT: zero.average

// Backward: in place where gradients stay whole, else to a shard.
// CHECK: %[[G:.*]]:3 = zero.launch @k
// CHECK: %[[LOSS:.*]] = zero.all_reduce %[[G]]#0 over @dp {scale = 5.000000e-01 : f64} : tensor<f32>
// CHECK-DAG: %[[FLAT:.*]] = zero.flatten %[[G]]#1 into @b0
// S0-DAG: %[[R:.*]] = zero.reduce_scatter %[[FLAT]] of @b0 {scale = 5.000000e-01 : f64} : tensor<2048xf32> -> tensor<2048xf32>
// S0-DAG: %[[Q:.*]] = zero.sum_squares %[[R]] of @b0 : tensor<2048xf32> -> tensor<1xf64>
// S0-DAG: %[[U:.*]] = zero.all_gather %[[R]] of @b0 : tensor<2048xf32> -> tensor<2048xf32>
// S1-DAG: %[[U:.*]] = zero.reduce_scatter %[[FLAT]] of @b0 {scale = 5.000000e-01 : f64} : tensor<2048xf32> -> tensor<2048xf32>
// S1-DAG: %[[Q:.*]] = zero.sum_squares %[[U]] of @b0
// S2-DAG: %[[U:.*]] = zero.reduce_scatter %[[FLAT]] of @b0 {scale = 5.000000e-01 : f64} : tensor<2048xf32> -> !zero.shard<2048 x f32 by 2>
// S2-DAG: %[[Q:.*]] = zero.sum_squares %[[U]] of @b0 : !zero.shard<2048 x f32 by 2>
// S3-DAG: %[[U:.*]] = zero.reduce_scatter %[[FLAT]] of @b0 {scale = 5.000000e-01 : f64} : tensor<2048xf32> -> !zero.shard<2048 x f32 by 2>
// S3-DAG: %[[Q:.*]] = zero.sum_squares %[[U]] of @b0 : !zero.shard<2048 x f32 by 2>

// One scalar collective for the norm.
// CHECK: %[[T:.*]] = zero.total %[[Q]], %{{.*}} -> tensor<f64>
// CHECK: %[[ALL:.*]] = zero.all_reduce %[[T]] over @dp {scale = 1.000000e+00 : f64} : tensor<f64>
// CHECK: %[[NORM:.*]], %{{.*}} = zero.clip %[[ALL]]

// Update: the slice, gathered afterwards in stages 1 and 2.
// CHECK: %[[NEXT:.*]]:3 = zero.update @adamw of @b0(%[[P0]], %[[U]],
// S0-NOT: zero.all_gather
// S1: zero.all_gather %[[NEXT]]#0 of @b0 : !zero.shard<2048 x f32 by 1> -> !zero.shard<2048 x f32 by 1>
// S2: zero.all_gather %[[NEXT]]#0 of @b0 : !zero.shard<2048 x f32 by 1> -> !zero.shard<2048 x f32 by 1>
// S3-NOT: zero.all_gather
// CHECK: return {{.*}}%[[LOSS]], %[[NORM]]

// A small parameter stays whole: as in stage 2.
// PERSIST: %[[P0:[^:]*]]: !zero.shard<2048 x f32 by 2> {zero.state = #zero.state<@b0, "param">}
// PERSIST-SAME: %[[P1:[^:]*]]: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b1, "param">}
// PERSIST-SAME: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b1, "m">}
// PERSIST: zero.view %[[P1]][@b1, "b"]
// PERSIST: zero.all_gather %[[P0]] of @b0
// PERSIST: %[[NEXT:.*]]:3 = zero.update @adamw of @b1(%[[P1]]
// PERSIST: zero.all_gather %[[NEXT]]#0 of @b1

// One rank has nobody to exchange with.
// ALONE-NOT: zero.all_
// ALONE-NOT: zero.reduce_scatter
// ALONE-NOT: zero.average
func.func @step(%w: tensor<64x32xf32> {zero.param = "w"}, %b: tensor<33xf32> {zero.param = "b"},
                %targets: tensor<2x10xi32> {zero.input = "targets"})
    -> (tensor<f32> {zero.output = "loss"}, tensor<64x32xf32> {zero.grad = "w"}, tensor<33xf32> {zero.grad = "b"}) {
  %h = zero.launch @forward(%w) : (tensor<64x32xf32>) -> tensor<33xf32>
  %n = zero.launch @count(%targets) : (tensor<2x10xi32>) -> tensor<f32>
  %all = zero.average %n : tensor<f32>
  %l, %dw, %db = zero.launch @k(%h, %w, %b, %all)
    : (tensor<33xf32>, tensor<64x32xf32>, tensor<33xf32>, tensor<f32>) -> (tensor<f32>, tensor<64x32xf32>, tensor<33xf32>)
  return %l, %dw, %db : tensor<f32>, tensor<64x32xf32>, tensor<33xf32>
}
zero.kernel @forward(tensor<64x32xf32>) -> tensor<33xf32> units serial
zero.kernel @count(tensor<2x10xi32>) -> tensor<f32> units serial
zero.kernel @k(tensor<33xf32>, tensor<64x32xf32>, tensor<33xf32>, tensor<f32>) -> (tensor<f32>, tensor<64x32xf32>, tensor<33xf32>)
  units serial
