// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 accumulate=2 accumulate-order=block" | FileCheck %s --check-prefixes=CHECK,SHARD
// RUN: zero-opt %s --zero-partition-state="stage=1 world-size=2 accumulate=2 accumulate-order=block" | FileCheck %s --check-prefixes=CHECK,WHOLE
// RUN: zero-opt %s --zero-partition-state="accumulate=2 accumulate-order=block" | FileCheck %s --check-prefix=ALONE
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 accumulate=2 accumulate-order=block" --zero-regather-parameters | FileCheck %s --check-prefix=GATHERS
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2 accumulate=3 accumulate-order=block" --zero-regather-parameters | grep -c all_gather | FileCheck %s --check-prefix=THREE
// RUN: not zero-opt %s --zero-partition-state="accumulate-order=block" 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not zero-opt %s --zero-partition-state="accumulate=2 accumulate-order=row" 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: sed 's/{zero.input = "x"}//' %s | not zero-opt --zero-partition-state="accumulate=2 accumulate-order=block" 2>&1 | FileCheck %s --check-prefix=NONE

// ONE: error: --accumulate-order=block is for steps of several micro-steps; add --accumulate=K, or drop it
// ROW: for the --accumulate-order option: Cannot find option named 'row'!
// NONE: error: {{.*}}has no inputs, so all micro-steps are the same; drop accumulate-order

// Each program has both micro-steps; there is no state for sums.
// CHECK-LABEL: zero.program @count(
// CHECK-NOT: "grad"
// CHECK-SAME: %[[X0:[^:]*]]: tensor<2x16xf32> {zero.input = "x", zero.micro = 0 : i64}
// CHECK-SAME: %[[X1:[^:]*]]: tensor<2x16xf32> {zero.input = "x", zero.micro = 1 : i64}
// CHECK-SAME: tensor<f32> {zero.micro = 0 : i64, zero.output = "count0"}, tensor<f32> {zero.micro = 1 : i64, zero.output = "count0"}
// CHECK: %[[N0:.*]] = zero.launch @n(%[[X0]])
// CHECK: %[[A0:.*]] = zero.all_reduce %[[N0]]
// CHECK: %[[N1:.*]] = zero.launch @n(%[[X1]])
// CHECK: %[[A1:.*]] = zero.all_reduce %[[N1]]
// CHECK: zero.return {{.*}}%[[A0]], %[[A1]] :
// CHECK-NOT: zero.program @micro

// What depends on parameters and not on inputs is computed once; the rest stands
// there for both micro-steps before the next bucket is read.
// CHECK-LABEL: zero.program @step(
// CHECK-SAME: %[[X0:[^:]*]]: tensor<2x16xf32> {zero.input = "x", zero.micro = 0 : i64}
// CHECK-SAME: %[[X1:[^:]*]]: tensor<2x16xf32> {zero.input = "x", zero.micro = 1 : i64}
// CHECK-SAME: %[[COUNT:[^:]*]]: tensor<f32> {zero.scalar = "count0"}
// CHECK: %[[T:.*]] = zero.launch @t
// CHECK: %[[Y0:.*]] = zero.launch @f(%[[X0]], %[[T]])
// CHECK-NOT: zero.launch @t
// CHECK: %[[Y1:.*]] = zero.launch @f(%[[X1]], %[[T]])
// CHECK: %[[L0:.*]]:3 = zero.launch @loss(%[[Y0]], %{{.*}}, %[[COUNT]])
// CHECK: zero.all_reduce %[[L0]]#0
// SHARD: %[[SUM:.*]] = zero.zeros of @b1 : !zero.shard<32 x f32 by 2>
// SHARD: %[[S0:.*]] = zero.reduce_scatter %{{.*}} of @b1 into %[[SUM]] {scale = 2.500000e-01 : f64}
// WHOLE: %[[SUM:.*]] = zero.zeros of @b1 : !zero.shard<32 x f32 by 1>
// WHOLE: %[[V0:.*]] = zero.view %[[SUM]][@b1, "h.1.v"]
// WHOLE: %[[V1:.*]] = zero.accumulate %[[V0]], %[[L0]]#2 {scale = 1.000000e+00 : f64}
// WHOLE: %[[S0:.*]] = zero.flatten %[[V1]] into @b1 {zero.micro = 0 : i64}
// CHECK: %[[ZEROS:.*]] = zero.launch @zeros()
// CHECK: zero.launch @df(%[[X0]], %[[L0]]#1, %[[ZEROS]])
// CHECK: %[[L1:.*]]:3 = zero.launch @loss(%[[Y1]], %{{.*}}, %[[COUNT]])
// SHARD: %[[FLAT:.*]] = zero.flatten %[[L1]]#2 into @b1 {zero.micro = 1 : i64}
// SHARD: %[[G:.*]] = zero.reduce_scatter %[[FLAT]] of @b1 into %[[S0]] {scale = 2.500000e-01 : f64}
// WHOLE: %[[V0:.*]] = zero.view %[[S0]][@b1, "h.1.v"]
// WHOLE: %[[V1:.*]] = zero.accumulate %[[V0]], %[[L1]]#2 {scale = 1.000000e+00 : f64}
// WHOLE: %[[S1:.*]] = zero.flatten %[[V1]] into @b1 {zero.micro = 1 : i64}
// WHOLE: %[[G:.*]] = zero.reduce_scatter %[[S1]] of @b1 {scale = 2.500000e-01 : f64}
// CHECK: zero.sum_squares %[[G]] of @b1
// CHECK: %[[ZEROS:.*]] = zero.launch @zeros()
// CHECK: zero.launch @df(%[[X1]], %[[L1]]#1, %[[ZEROS]])
// CHECK: zero.launch @t2
// CHECK: zero.launch @t2
// CHECK: zero.update {{.*}}%[[G]]
// CHECK-NOT: zero.clear

// Both buckets are read in one stretch of the forward and one of the backward.
// GATHERS-LABEL: zero.program @step(
// GATHERS: zero.all_gather {{.*}} of @b0
// GATHERS: zero.launch @f
// GATHERS-NEXT: zero.launch @f
// GATHERS: zero.all_gather {{.*}} of @b1
// GATHERS-NOT: zero.all_gather {{.*}} of @b1
// GATHERS: zero.all_gather {{.*}} of @b0
// GATHERS-NOT: zero.all_gather {{.*}} of
// THREE: 3

// ALONE-LABEL: zero.program @step(
// ALONE: %[[SUM:.*]] = zero.zeros of @b1 : !zero.shard<16 x f32 by 1>
// ALONE: %[[V0:.*]] = zero.view %[[SUM]][@b1, "h.1.v"]
// ALONE: zero.accumulate %[[V0]], %{{.*}} {scale = 5.000000e-01 : f64}
// ALONE: zero.accumulate {{.*}} {scale = 5.000000e-01 : f64}
func.func @step(%w: tensor<16xf32> {zero.param = "h.0.w", zero.init = #zero.constant<0.0>},
                %v: tensor<16xf32> {zero.param = "h.1.v", zero.init = #zero.constant<0.0>},
                %x: tensor<2x16xf32> {zero.input = "x"})
    -> (tensor<f32> {zero.output = "loss"}, tensor<16xf32> {zero.grad = "h.0.w"}, tensor<16xf32> {zero.grad = "h.1.v"}) {
  %n = zero.launch @n(%x) : (tensor<2x16xf32>) -> tensor<f32>
  %all = zero.average %n : tensor<f32>
  %t = zero.launch @t(%w) : (tensor<16xf32>) -> tensor<16xf32>
  %y = zero.launch @f(%x, %t) : (tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32>
  %l:3 = zero.launch @loss(%y, %v, %all) : (tensor<2x16xf32>, tensor<16xf32>, tensor<f32>) -> (tensor<f32>, tensor<2x16xf32>, tensor<16xf32>)
  %zeros = zero.launch @zeros() : () -> tensor<16xf32>
  %dw = zero.launch @df(%x, %l#1, %zeros) : (tensor<2x16xf32>, tensor<2x16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %dw2 = zero.launch @t2(%dw, %w) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %l#0, %dw2, %l#2 : tensor<f32>, tensor<16xf32>, tensor<16xf32>
}
zero.kernel @n(tensor<2x16xf32>) -> tensor<f32> units serial
zero.kernel @zeros() -> tensor<16xf32> units serial
zero.kernel @t(tensor<16xf32>) -> tensor<16xf32> units serial
zero.kernel @t2(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> units serial
zero.kernel @f(tensor<2x16xf32>, tensor<16xf32>) -> tensor<2x16xf32> units serial
zero.kernel @loss(tensor<2x16xf32>, tensor<16xf32>, tensor<f32>) -> (tensor<f32>, tensor<2x16xf32>, tensor<16xf32>) units serial
zero.kernel @df(tensor<2x16xf32>, tensor<2x16xf32>, tensor<16xf32>) -> tensor<16xf32> units serial
