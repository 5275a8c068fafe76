// RUN: zero-opt %s --zero-partition-state="stage=1 world-size=2 accumulate=4" | FileCheck %s --check-prefixes=CHECK,RANKS
// RUN: zero-opt %s --zero-partition-state="world-size=1 accumulate=4" | FileCheck %s --check-prefixes=CHECK,ALONE
// RUN: zero-opt %s --zero-partition-state="world-size=1 accumulate=4" --zero-assign-streams --zero-assign-memory | FileCheck %s --check-prefix=BYTES
// RUN: zero-opt %s --zero-partition-state="world-size=1 accumulate=4 accumulate-order=block" | FileCheck %s --check-prefix=BLOCK
// RUN: zero-opt %s --zero-partition-state="stage=2 world-size=2 accumulate=4" | FileCheck %s --check-prefix=SHARD

// A product adds to a sum of gradients where it is computed; of several that are
// one gradient, the first does.

// CHECK-LABEL: zero.program @micro(
// CHECK-SAME: %[[SUM:[^:]*]]: !zero.shard<{{[0-9]+}} x f32 by 1> {zero.state = #zero.state<@b0, "grad">}
// CHECK: %[[U:.*]] = zero.view %[[SUM]][@b0, "h.0.u"]
// CHECK-NEXT: %[[W:.*]] = zero.view %[[SUM]][@b0, "h.0.w"]
// CHECK-NEXT: %[[B:.*]] = zero.view %[[SUM]][@b0, "h.0.b"]
// RANKS: %[[DW:.*]] = nn.matmul %{{.*}}, %{{.*}} init(%[[W]]) {transpose_a}
// RANKS: %[[DU:.*]] = nn.matmul %{{.*}}, %{{.*}} init(%[[U]]) {transpose_a}
// RANKS: %[[ALL:.*]] = nn.matmul %{{.*}}, %{{.*}} init(%[[DU]]) {transpose_a}
// ALONE: %[[DW:.*]] = nn.matmul %{{.*}}, %{{.*}} init(%[[W]]) {scale = 2.500000e-01 : f64, transpose_a}
// ALONE: %[[DU:.*]] = nn.matmul %{{.*}}, %{{.*}} init(%[[U]]) {scale = 2.500000e-01 : f64, transpose_a}
// ALONE: %[[ALL:.*]] = nn.matmul %{{.*}}, %{{.*}} init(%[[DU]]) {scale = 2.500000e-01 : f64, transpose_a}
// RANKS: %[[DB:.*]] = zero.accumulate %[[B]], %{{.*}} {scale = 1.000000e+00 : f64}
// ALONE: %[[DB:.*]] = zero.accumulate %[[B]], %{{.*}} {scale = 2.500000e-01 : f64}
// CHECK: %[[NEXT:.*]] = zero.flatten %[[ALL]], %[[DW]], %[[DB]] into @b0
// CHECK: return {{.*}}%[[NEXT]]

// Nothing is copied, and no gradient but that of the bias has bytes of its own.
// BYTES-LABEL: zero.program @micro(
// BYTES-SAME: zero.at = #zero.bytes<device, [[AT:[0-9]+]] + 576>, zero.state = #zero.state<@b0, "grad">
// BYTES-NOT: zero.copy
// BYTES: zero.flatten {{.*}} {zero.at = [#zero.bytes<device, [[AT]] + 576>]}

// Micro-steps add to each other in one program.
// BLOCK-LABEL: zero.program @step(
// BLOCK: %[[ZEROS:.*]] = zero.zeros of @b0
// BLOCK-NEXT: zero.view %[[ZEROS]]
// BLOCK: nn.matmul {{.*}} init(
// BLOCK: %[[S0:.*]] = zero.flatten {{.*}} {zero.micro = 0 : i64}
// BLOCK: zero.view %[[S0]]
// BLOCK: nn.matmul {{.*}} init(

// Gradients that are reduced in each micro-step have no sum to be added to.
// SHARD-NOT: zero.accumulate
// SHARD: nn.matmul %{{[^ ]*}}, %{{[^ ]*}} {transpose_a}
// SHARD-NOT: zero.accumulate

func.func @step(%u: tensor<8x8xf32> {zero.param = "h.0.u", zero.init = #zero.constant<0.0>},
                %w: tensor<8x8xf32> {zero.param = "h.0.w", zero.init = #zero.constant<0.0>},
                %b: tensor<8xf32> {zero.param = "h.0.b", zero.init = #zero.constant<0.0>},
                %x: tensor<4x8xf32> {zero.input = "x"})
    -> (tensor<f32> {zero.output = "loss"}, tensor<8x8xf32> {zero.grad = "h.0.u"}, tensor<8x8xf32> {zero.grad = "h.0.w"},
        tensor<8xf32> {zero.grad = "h.0.b"}) {
  %l, %dy, %db = zero.launch @k(%u, %w, %b, %x) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<8xf32>)
  %dw = nn.matmul %dy, %x {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %du = nn.matmul %x, %dy {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %all = nn.matmul %dy, %dy init(%du) {transpose_a} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %l, %all, %dw, %db : tensor<f32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}
zero.kernel @k(tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<8xf32>)
  units serial
