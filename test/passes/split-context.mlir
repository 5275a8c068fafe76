// RUN: zero-opt %s --zero-split-context=context=2 | FileCheck %s
// RUN: zero-opt %s --zero-split-context=context=4 | FileCheck %s --check-prefix=FOUR
// RUN: zero-opt %s --zero-split-context | FileCheck %s --check-prefix=NONE
// RUN: zeroc %s --context=2 --world-size=2 --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: zeroc %s --context=2 --world-size=4 --stage=3 --emit=memory | FileCheck %s --check-prefix=PLAN

// Each of two ranks takes a part of the positions, and attention a part of the
// heads.

// NONE-NOT: context
// NONE-NOT: nn.part

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[PART:[a-z0-9]+]]: tensor<i64> {zero.scalar = "context"})
// CHECK: %[[TARGETS:.*]] = nn.part %{{.*}} dim 1 at %[[PART]] : tensor<1x8xi32>, tensor<i64> -> tensor<1x4xi32>
// CHECK: %[[TOKENS:.*]] = nn.part %{{.*}} dim 1 at %[[PART]] : tensor<1x8xi32>, tensor<i64> -> tensor<1x4xi32>
// CHECK: nn.embedding %[[TOKENS]], %{{.*}} : tensor<1x4xi32>, tensor<16x24xf32> -> tensor<1x4x24xf32>

// Learned positions are a part of the table's rows.

// CHECK: %[[ROWS:.*]] = tensor.extract_slice
// CHECK: %[[MINE:.*]] = nn.part %[[ROWS]] dim 0 at %[[PART]] : tensor<8x24xf32>, tensor<i64> -> tensor<4x24xf32>
// CHECK: linalg.generic {{.*}} ins(%[[MINE]] : tensor<4x24xf32>) outs(%{{.*}} : tensor<1x4x24xf32>)

// What is widened is exchanged before.

// CHECK: %[[Q:.*]] = tensor.expand_shape {{.*}} : tensor<1x4x24xbf16> into tensor<1x4x4x6xbf16>
// CHECK: %[[HEADS:.*]] = nn.reshard %[[Q]] from 1 to 2 : tensor<1x4x4x6xbf16> -> tensor<1x8x2x6xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[HEADS]]
// CHECK: nn.rope %[[WIDE]]
// CHECK: %[[O:.*]] = nn.attention {{.*}} from %{{.*}} : tensor<1x8x2x6xf32>, tensor<1x8x1x6xf32>, tensor<1x8xi32>
// CHECK: nn.reshard %[[O]] from 2 to 1 : tensor<1x8x2x6xf32> -> tensor<1x4x4x6xf32>
// CHECK: nn.cross_entropy %{{.*}}, %[[TARGETS]] weights(%{{.*}} : tensor<1x4xf32>)
// CHECK-SAME: tensor<1x4x16xf32>, tensor<1x4xi32> -> tensor<f32>

// Both forwards are kept.

// CHECK: module @context {
// CHECK: func.func @whole
// CHECK-NOT: nn.reshard
// CHECK: func.func @split
// CHECK: nn.reshard

// Fewer heads of keys than ranks are copied.

// FOUR: nn.reshard %{{.*}} from 1 to 2 {copies = 2 : i64} : tensor<1x2x2x6xf32> -> tensor<1x8x1x6xf32>

// An exchange is between kernels that pack and unpack, and has its adjoint.

// KERNELS: func.func @step
// KERNELS-COUNT-4: zero.all_to_all %{{.*}} over context : tensor<2x
// KERNELS: nn.matmul
// KERNELS-COUNT-4: zero.all_to_all %{{.*}} over context : tensor<2x
// KERNELS: module @context

// PLAN: zero.axis @dp size 4 context 2
// PLAN: zero.all_to_all %{{.*}} over context {zero.at = {{.*}}, zero.stream = #zero.stream<context>}
// PLAN: module
// PLAN: module @context

func.func @loss(
    %wte: tensor<16x24xf32> {zero.param = "wte"}, %wpe: tensor<10x24xf32> {zero.param = "wpe"},
    %wq: tensor<24x24xf32> {zero.param = "q"}, %wk: tensor<12x24xf32> {zero.param = "k"},
    %wv: tensor<12x24xf32> {zero.param = "v"},
    %tokens: tensor<1x8xi32> {zero.input = "tokens", zero.vocab = 16 : i64},
    %targets: tensor<1x8xi32> {zero.input = "targets", zero.vocab = 16 : i64},
    %weights: tensor<1x8xf32> {zero.input = "token_weights"}) -> tensor<f32> {
  %starts = nn.document_starts %tokens {separator = 3 : i64} : tensor<1x8xi32> -> tensor<1x8xi32>
  %e = nn.embedding %tokens, %wte : tensor<1x8xi32>, tensor<16x24xf32> -> tensor<1x8x24xf32>
  %rows = tensor.extract_slice %wpe[0, 0] [8, 24] [1, 1] : tensor<10x24xf32> to tensor<8x24xf32>
  %empty = tensor.empty() : tensor<1x8x24xf32>
  %places = linalg.broadcast ins(%rows : tensor<8x24xf32>) outs(%empty : tensor<1x8x24xf32>) dimensions = [0]
  %two = arith.constant dense<2.0> : tensor<1x8x24xf32>
  %x0 = arith.addf %e, %places : tensor<1x8x24xf32>
  %x = arith.mulf %x0, %two : tensor<1x8x24xf32>
  %q0 = nn.linear %x, %wq : tensor<1x8x24xf32>, tensor<24x24xf32> -> tensor<1x8x24xf32>
  %k0 = nn.linear %x, %wk : tensor<1x8x24xf32>, tensor<12x24xf32> -> tensor<1x8x12xf32>
  %v0 = nn.linear %x, %wv : tensor<1x8x24xf32>, tensor<12x24xf32> -> tensor<1x8x12xf32>
  %qn = arith.truncf %q0 : tensor<1x8x24xf32> to tensor<1x8x24xbf16>
  %q1 = tensor.expand_shape %qn [[0], [1], [2, 3]] output_shape [1, 8, 4, 6] : tensor<1x8x24xbf16> into tensor<1x8x4x6xbf16>
  %qw = arith.extf %q1 : tensor<1x8x4x6xbf16> to tensor<1x8x4x6xf32>
  %k1 = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [1, 8, 2, 6] : tensor<1x8x12xf32> into tensor<1x8x2x6xf32>
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [1, 8, 2, 6] : tensor<1x8x12xf32> into tensor<1x8x2x6xf32>
  %q = nn.rope %qw {frequencies = array<f64: 1.0, 0.1, 0.01>} : tensor<1x8x4x6xf32>
  %k = nn.rope %k1 {frequencies = array<f64: 1.0, 0.1, 0.01>} : tensor<1x8x2x6xf32>
  %o = nn.attention %q, %k, %v1 from %starts {causal, scale = 0.4 : f64} : tensor<1x8x4x6xf32>, tensor<1x8x2x6xf32>, tensor<1x8xi32>
  %o1 = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<1x8x4x6xf32> into tensor<1x8x24xf32>
  %y = arith.addf %o1, %x : tensor<1x8x24xf32>
  %logits = nn.linear %y, %wte : tensor<1x8x24xf32>, tensor<16x24xf32> -> tensor<1x8x16xf32>
  %loss = nn.cross_entropy %logits, %targets weights(%weights : tensor<1x8xf32>) : tensor<1x8x16xf32>, tensor<1x8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
