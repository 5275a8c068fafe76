// RUN: zero-opt %s --zero-add-adapters="rank=1 alpha=1 base-storage=int8" | FileCheck %s
// RUN: not zero-opt %s --zero-add-adapters="rank=1 alpha=1 targets=(?!own).*" 2>&1 | FileCheck %s --check-prefix=TIED
// RUN: zero-opt %s --zero-add-adapters="rank=1 alpha=1 targets=own" | FileCheck %s --check-prefix=OWN

// The heads are found behind a cap, a scale, and the loss of another loss; they have no adapters, and are not packed.

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %{{.*}}: tensor<5x4xf32> {zero.frozen, zero.param = "embed.weight"}
// CHECK-SAME: %{{.*}}: tensor<4x4xf32> {zero.frozen, zero.packing = #zero.packing<int8>, zero.param = "h.weight"}
// CHECK-SAME: "base_model.model.h.lora_A.weight"
// CHECK-SAME: "base_model.model.h.lora_B.weight"
// CHECK-SAME: %{{.*}}: tensor<5x4xf32> {zero.frozen, zero.param = "own.weight"}
// CHECK-NOT: lora
// CHECK: nn.embedding

// TIED: error: an adapter of "embed" would be of its linear layer alone, and the weight is read in other places, too, as a tied embedding is: PEFT would adapt those, and merged it would change them; leave it out of the targets
// OWN: base_model.model.own.lora_A.weight
func.func @loss(
    %e: tensor<5x4xf32> {zero.param = "embed.weight"},
    %w: tensor<4x4xf32> {zero.param = "h.weight"},
    %o: tensor<5x4xf32> {zero.param = "own.weight"},
    %s: tensor<3x5xf32> {zero.param = "scale"},
    %x: tensor<3xi32> {zero.input = "x"},
    %y: tensor<3xi32> {zero.input = "y"}) -> tensor<f32> {
  %0 = nn.embedding %x, %e : tensor<3xi32>, tensor<5x4xf32> -> tensor<3x4xf32>
  %1 = nn.linear %0, %w : tensor<3x4xf32>, tensor<4x4xf32> -> tensor<3x4xf32>
  %2 = nn.linear %1, %e : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
  %3 = math.tanh %2 : tensor<3x5xf32>
  %4 = arith.mulf %3, %s : tensor<3x5xf32>
  %5 = nn.linear %1, %o : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
  %6 = nn.cross_entropy %5, %y : tensor<3x5xf32>, tensor<3xi32> -> tensor<3xf32>
  %8 = tensor.empty() : tensor<3x5xf32>
  %9 = linalg.broadcast ins(%6 : tensor<3xf32>) outs(%8 : tensor<3x5xf32>) dimensions = [1]
  %10 = arith.addf %4, %9 : tensor<3x5xf32>
  %11 = nn.cross_entropy %10, %y : tensor<3x5xf32>, tensor<3xi32> -> tensor<f32>
  return %11 : tensor<f32>
}
