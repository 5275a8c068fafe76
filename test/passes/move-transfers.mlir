// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters | FileCheck %s --check-prefix=REGATHER
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters=reuse-distance=1000000 | FileCheck %s --check-prefix=KEEP
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters --zero-assign-streams --zero-move-transfers | FileCheck %s --check-prefix=AHEAD
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters --zero-assign-streams --zero-move-transfers=device-memory=36000 | FileCheck %s --check-prefix=LITTLE
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters --zero-assign-streams --zero-move-transfers=prefetch=0 | FileCheck %s --check-prefix=AT-USE
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters --zero-assign-streams --zero-move-transfers=prefetch=5000 | FileCheck %s --check-prefix=TWO-AHEAD
// RUN: zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters --zero-assign-streams --zero-move-transfers="prefetch=5000 max-live=8192" | FileCheck %s --check-prefix=LIVE
// RUN: not zero-opt %s --zero-partition-state="stage=3 world-size=2" --zero-regather-parameters --zero-assign-streams --zero-move-transfers=max-live=4000 2>&1 | FileCheck %s --check-prefix=TOO-LITTLE
// RUN: zero-opt %s --zero-partition-state --zero-regather-parameters --zero-assign-streams --zero-move-transfers | FileCheck %s --check-prefix=ALONE

// The forward's gathers are dropped where others are used before the backward;
// the last one's next use is near, and it stays.
// REGATHER-LABEL: zero.program @step
// REGATHER: zero.all_gather %[[A:.*]] of @b0
// REGATHER: zero.launch @f
// REGATHER: zero.all_gather %[[B:.*]] of @b1
// REGATHER: zero.launch @f
// REGATHER: zero.all_gather %[[C:.*]] of @b2
// REGATHER: %[[VC:.*]] = zero.view {{.*}}"h.2.w"
// REGATHER: zero.launch @f({{.*}}, %[[VC]])
// REGATHER-NOT: zero.all_gather
// REGATHER: zero.launch @g({{.*}}, %[[VC]])
// REGATHER: %[[FB:.*]] = zero.all_gather %[[B]] of @b1
// REGATHER-NEXT: %[[VB:.*]] = zero.view %[[FB]][@b1, "h.1.w"]
// REGATHER-NEXT: zero.launch @g({{.*}}, %[[VB]])
// REGATHER: %[[FA:.*]] = zero.all_gather %[[A]] of @b0
// REGATHER: zero.launch @g
// REGATHER-NOT: zero.all_gather

// A view that only the later part reads goes with it: @b0's second member is
// used in the backward alone.
// RUN: zero-opt %S/Inputs/late-member.mlir --zero-regather-parameters | FileCheck %s --check-prefix=LATE
// LATE: %[[F:.*]] = zero.all_gather %{{.*}} of @b0
// LATE-NEXT: %[[U:.*]] = zero.view %[[F]][@b0, "u"]
// LATE-NOT: zero.view %[[F]]
// LATE: zero.all_gather %{{.*}} of @b1
// LATE: %[[G:.*]] = zero.all_gather %{{.*}} of @b0
// LATE-NEXT: zero.view %[[G]][@b0, "v"]

// Within the distance one gather serves both.
// KEEP-LABEL: zero.program @step
// KEEP-COUNT-3: zero.all_gather
// KEEP-NOT: zero.all_gather

// Each gather moves to the first use of the one before it; the first two stand
// at the front.
// AHEAD-LABEL: zero.program @step
// AHEAD-NEXT: zero.all_gather %{{.*}} of @b0 {zero.stream = #zero.stream<gather>}
// AHEAD: zero.all_gather %{{.*}} of @b1 {zero.stream = #zero.stream<gather>}
// AHEAD: zero.launch @f
// AHEAD: zero.all_gather %{{.*}} of @b2 {{.*}}<gather>
// AHEAD: zero.launch @f
// AHEAD: zero.all_gather %{{.*}} of @b1 {{.*}}<gather>
// AHEAD: zero.launch @f
// AHEAD: zero.launch @g
// AHEAD: zero.flatten %{{.*}} into @b2
// AHEAD-NEXT: zero.reduce_scatter {{.*}} {scale = 5.000000e-01 : f64, zero.stream = #zero.stream<reduce>}
// AHEAD-NEXT: zero.sum_squares {{.*}} {zero.stream = #zero.stream<reduce>}
// AHEAD: zero.all_gather %{{.*}} of @b0 {{.*}}<gather>
// AHEAD: zero.launch @g
// AHEAD: zero.launch @g
// AHEAD: zero.total {{.*}}<reduce>
// AHEAD-NEXT: zero.all_reduce {{.*}}<reduce>
// AHEAD-NEXT: zero.clip %{{[0-9]+}} {max_norm = 1.000000e+00 : f64} :
// AHEAD-NEXT: zero.update {{.*}} {decay = 1.000000e-01 : f64} :

// Where there is no room for two buckets, and only there, a gather comes in time.
// LITTLE-LABEL: zero.program @step
// LITTLE: zero.all_gather %{{.*}} of @b0
// LITTLE: zero.all_gather %{{.*}} of @b1
// LITTLE: zero.launch @f
// LITTLE: zero.all_gather %{{.*}} of @b2
// LITTLE: zero.launch @f
// LITTLE: zero.all_gather %{{.*}} of @b1
// LITTLE: zero.launch @f
// LITTLE: zero.launch @g
// LITTLE: zero.launch @g
// LITTLE: zero.all_gather %{{.*}} of @b0
// LITTLE: zero.launch @g

// AT-USE-LABEL: zero.program @step
// AT-USE: zero.all_gather %{{.*}} of @b0
// AT-USE: zero.launch @f
// AT-USE: zero.all_gather %{{.*}} of @b1
// AT-USE: zero.launch @f
// AT-USE: zero.all_gather %{{.*}} of @b2
// AT-USE: zero.launch @f
// AT-USE: zero.launch @g
// AT-USE: zero.all_gather %{{.*}} of @b1
// AT-USE: zero.launch @g
// AT-USE: zero.all_gather %{{.*}} of @b0
// AT-USE: zero.launch @g

// A bucket has 4,096 bytes: with more than one of them on the way, the next but
// one is gathered.
// TWO-AHEAD-LABEL: zero.program @step
// TWO-AHEAD: zero.all_gather %{{.*}} of @b0
// TWO-AHEAD: zero.all_gather %{{.*}} of @b1
// TWO-AHEAD: zero.all_gather %{{.*}} of @b2
// TWO-AHEAD: zero.launch @f
// TWO-AHEAD: zero.all_gather %{{.*}} of @b1
// TWO-AHEAD: zero.launch @f
// TWO-AHEAD: zero.all_gather %{{.*}} of @b0
// TWO-AHEAD: zero.launch @f
// TWO-AHEAD-NOT: zero.all_gather

// Of that, no more than two buckets may be held.
// LIVE-LABEL: zero.program @step
// LIVE: zero.all_gather %{{.*}} of @b0
// LIVE: zero.all_gather %{{.*}} of @b1
// LIVE-NOT: zero.all_gather
// LIVE: zero.launch @f
// LIVE: zero.all_gather %{{.*}} of @b2
// TOO-LITTLE: error: gathers 8192 bytes of parameters that are needed at one time, more than --max-live=4000; raise it, or take a smaller --bucket-size or --reuse-distance

// ALONE-NOT: zero.stream
func.func @step(%u: tensor<32x32xf32> {zero.param = "h.0.w"}, %v: tensor<32x32xf32> {zero.param = "h.1.w"},
                %w: tensor<32x32xf32> {zero.param = "h.2.w"}, %x: tensor<32xf32> {zero.input = "x"})
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
