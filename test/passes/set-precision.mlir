// RUN: zero-opt %s -split-input-file -zero-set-precision=precision=bf16 | FileCheck %s
// RUN: zero-opt %s -split-input-file -zero-set-precision=precision=fp16 | FileCheck %s --check-prefix=HALF
// RUN: zero-opt %s -split-input-file -zero-set-precision | FileCheck %s --check-prefix=FULL

// Casts stand where f32 meets 16 bits; a value is widened once for all readers.

// FULL-NOT: f16
// HALF: func.func @loss(%{{.*}}: tensor<16x8xf16> {zero.param = "table"}
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[TABLE:.*]]: tensor<16x8xbf16> {zero.param = "table"}
// CHECK-SAME: %[[G:.*]]: tensor<8xbf16> {zero.param = "g"}
// CHECK-SAME: %[[W:.*]]: tensor<8x8xbf16> {zero.param = "w"}
// CHECK-SAME: -> tensor<f32>
func.func @loss(%table: tensor<16x8xf32> {zero.param = "table"}, %g: tensor<8xf32> {zero.param = "g"},
                %w: tensor<8x8xf32> {zero.param = "w"},
                %tokens: tensor<4xi32> {zero.input = "tokens"},
                %targets: tensor<4xi32> {zero.input = "targets"}) -> tensor<f32> {
  // CHECK: %[[X:.*]] = nn.embedding %{{.*}}, %[[TABLE]] : tensor<4xi32>, tensor<16x8xbf16> -> tensor<4x8xbf16>
  %x = nn.embedding %tokens, %table : tensor<4xi32>, tensor<16x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[XF:.*]] = arith.extf %[[X]]
  // CHECK: %[[GF:.*]] = arith.extf %[[G]]
  // CHECK: %[[N:.*]] = nn.layer_norm %[[XF]], %[[GF]], %[[GF]] {{.*}} : tensor<4x8xf32>
  // CHECK: %[[N16:.*]] = arith.truncf %[[N]] : tensor<4x8xf32> to tensor<4x8xbf16>
  %n = nn.layer_norm %x, %g, %g {eps = 1.0e-5 : f64} : tensor<4x8xf32>, tensor<8xf32>
  // CHECK: %[[NF:.*]] = arith.extf %[[N16]]
  // CHECK: %[[WF:.*]] = arith.extf %[[W]]
  // CHECK: %[[Y:.*]] = nn.linear %[[NF]], %[[WF]]
  // CHECK: %[[Y16:.*]] = arith.truncf %[[Y]]
  %y = nn.linear %n, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // The residual has 16 bits, for both of its terms have.
  // CHECK: %[[YF:.*]] = arith.extf %[[Y16]]
  // CHECK: %[[R:.*]] = arith.addf %[[XF]], %[[YF]] : tensor<4x8xf32>
  // CHECK: %[[R16:.*]] = arith.truncf %[[R]]
  %r = arith.addf %x, %y : tensor<4x8xf32>
  // CHECK: %[[RF:.*]] = arith.extf %[[R16]]
  // What needs the digits keeps them, and what is computed of it.
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[RF]] : tensor<4x8xf32>
  %e = math.exp %r : tensor<4x8xf32>
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[E]], %[[RF]] : tensor<4x8xf32>
  %s = arith.addf %e, %r : tensor<4x8xf32>
  // A product reads 16 bits.
  // CHECK-NEXT: %[[S16:.*]] = arith.truncf %[[S]]
  // CHECK-NEXT: %[[SF:.*]] = arith.extf %[[S16]]
  // CHECK: %[[TF:.*]] = arith.extf %[[TABLE]]
  // CHECK: %[[L:.*]] = nn.linear %[[SF]], %[[TF]]
  %logits = nn.linear %s, %table : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  // CHECK: %[[L16:.*]] = arith.truncf %[[L]]
  // CHECK: %[[LF:.*]] = arith.extf %[[L16]]
  // CHECK: nn.cross_entropy %[[LF]], %{{.*}} : tensor<4x16xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<4x16xf32>, tensor<4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// A transpose moves 16 bits; a broadcast, whose adjoints are added, is computed.

// CHECK-LABEL: func.func @loss(
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x8xbf16>) outs(%{{.*}} : tensor<8x4xbf16>)
// CHECK: arith.extf {{.*}} : tensor<4xbf16> to tensor<4xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK: arith.truncf {{.*}} : tensor<8x4xf32> to tensor<8x4xbf16>
// Only a sum reads this product, which is not rounded for it.
// CHECK: %[[P:.*]] = arith.mulf
// CHECK-NOT: arith.truncf
// CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<8x4xf32>)
// CHECK: return %{{.*}} : tensor<f32>
func.func @loss(%a: tensor<4x8xf32> {zero.param = "a"}, %b: tensor<4xf32> {zero.param = "b"}) -> tensor<f32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x4xf32>
  %2 = arith.mulf %0, %1 : tensor<8x4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]}
      ins(%2 : tensor<8x4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %3 : tensor<f32>
}
