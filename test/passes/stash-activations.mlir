// RUN: split-file %s %t
// RUN: zero-opt %t/two.mlir --zero-stash-activations | FileCheck %s --check-prefix=CPU
// RUN: zero-opt %t/two.mlir --zero-stash-activations=tier=nvme | FileCheck %s --check-prefix=NVME
// RUN: zero-opt %t/two.mlir --zero-rematerialize-blocks --zero-stash-activations | FileCheck %s --check-prefix=BOTH
// RUN: zero-opt %t/two.mlir --zero-stash-activations=tier=nvme --zero-partition-state --zero-assign-streams --zero-move-transfers | FileCheck %s --check-prefix=AHEAD
// RUN: not zero-opt %t/one.mlir --zero-stash-activations 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not zero-opt %t/two.mlir --zero-stash-activations=tier=none 2>&1 | FileCheck %s --check-prefix=TIER

// ONE: has no activations to offload: of 1 blocks of parameters the last one's stay
// TIER: tier=none is no place; use cpu or nvme

// What the backward reads of a block is spilled where it is computed, and comes
// back together, under its names; the last block's stays.

// CPU: %[[A0:.*]] = nn.matmul
// CPU-NEXT: %[[H0:.*]] = zero.spill %[[A0]] : tensor<4x4xf32> -> !zero.stored<tensor<4x4xf32> on host>
// CPU-NEXT: %[[F0:.*]] = zero.launch @f(%[[A0]])
// CPU-NEXT: %[[G0:.*]] = zero.spill %[[F0]]
// CPU-NEXT: tensor.collapse_shape %[[F0]]
// CPU: %[[A1:.*]] = nn.matmul
// CPU-NEXT: %[[H1:.*]] = zero.spill %[[A1]]
// CPU: zero.launch @loss(
// CPU-NEXT: %[[B1:.*]] = zero.fetch %[[H1]]
// CPU-NEXT: zero.launch @df(%{{.*}}, %[[B1]])
// CPU-NEXT: %[[B0:.*]] = zero.fetch %[[H0]]
// CPU-NEXT: %[[E0:.*]] = zero.fetch %[[G0]]
// CPU-NEXT: %[[N0:.*]] = tensor.collapse_shape %[[E0]]
// CPU-NEXT: zero.launch @g(%{{.*}}, %[[N0]])
// CPU-NEXT: zero.launch @df(%{{.*}}, %[[B0]])

// To nvme by way of the host.

// NVME: %[[A:.*]] = nn.matmul
// NVME-NEXT: %[[H:.*]] = zero.spill %[[A]] : tensor<4x4xf32> -> !zero.stored<tensor<4x4xf32> on host>
// NVME-NEXT: %[[D:.*]] = zero.spill %[[H]] : !zero.stored<tensor<4x4xf32> on host> -> !zero.stored<tensor<4x4xf32> on nvme>
// NVME: %[[U:.*]] = zero.fetch %[[D]] : !zero.stored<tensor<4x4xf32> on nvme> -> !zero.stored<tensor<4x4xf32> on host>
// NVME-NEXT: zero.fetch %[[U]] : !zero.stored<tensor<4x4xf32> on host> -> tensor<4x4xf32>

// Of what is computed again nothing waits but what that reads.

// BOTH: %[[A0:.*]] = nn.matmul
// BOTH-NEXT: %[[F0:.*]] = zero.launch @f(%[[A0]])
// BOTH-NEXT: zero.spill %[[F0]]
// BOTH-NEXT: tensor.collapse_shape
// BOTH-NEXT: nn.matmul
// BOTH-NOT: zero.spill

// A block's come while the backward of the block after it runs; to the host one
// block earlier still.

// AHEAD: zero.launch @loss
// AHEAD: zero.fetch {{.*}}<nvme_read>
// AHEAD: zero.fetch {{.*}}<h2d>
// AHEAD-NEXT: zero.fetch {{.*}}<nvme_read>
// AHEAD-NEXT: zero.fetch {{.*}}<h2d>
// AHEAD: zero.launch @df
// AHEAD-NEXT: tensor.collapse_shape
// AHEAD-NEXT: zero.launch @g

//--- two.mlir
func.func @step(%w0: tensor<4x4xf32> {zero.param = "h.0.w"}, %w1: tensor<4x4xf32> {zero.param = "h.1.w"},
                %w2: tensor<4x4xf32> {zero.param = "h.2.w"}, %x: tensor<4x4xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a0 = nn.matmul %x, %w0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f0 = zero.launch @f(%a0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %n0 = tensor.collapse_shape %f0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %a1 = nn.matmul %f0, %w1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f1 = zero.launch @f(%a1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss:2 = zero.launch @loss(%f1, %w2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %d1 = zero.launch @df(%loss#1, %a1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d2 = zero.launch @g(%d1, %n0) : (tensor<4x4xf32>, tensor<16xf32>) -> tensor<4x4xf32>
  %d3 = zero.launch @df(%d2, %a0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss#0, %d3, %d2, %loss#1 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @g(tensor<4x4xf32>, tensor<16xf32>) -> tensor<4x4xf32> units rows
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) units serial

//--- one.mlir
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}) -> (tensor<f32>, tensor<4x4xf32>) {
  %a = nn.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = zero.launch @loss(%a) : (tensor<4x4xf32>) -> tensor<f32>
  %d = zero.launch @f(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %d : tensor<f32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>) -> tensor<f32> units serial
