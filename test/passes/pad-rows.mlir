// RUN: zero-opt %s --zero-pad-rows --split-input-file | FileCheck %s

// Logits of 251 words are padded: only products and kernels have them.  A weight
// of a whole number of vectors is not, nor is the gradient that is returned.

// CHECK: zero.kernel @loss(%{{.*}}: tensor<6x251xbf16, #zero.pitch<256>>) -> (tensor<6x251xbf16, #zero.pitch<256>> {zero.in_place = array<i64: 0>})
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<6x251xbf16, #zero.pitch<256>>) outs(%{{.*}} : tensor<6x251xbf16, #zero.pitch<256>>)
// CHECK-LABEL: func.func @step(
// CHECK: nn.matmul %{{.*}} {transpose_b} : (tensor<6x8xbf16>, tensor<251x8xbf16>) -> tensor<6x251xbf16, #zero.pitch<256>>
// CHECK: nn.matmul %{{.*}} {transpose_a} : (tensor<6x251xbf16, #zero.pitch<256>>, tensor<6x8xbf16>) -> tensor<251x8xf32>
zero.kernel @loss(%logits: tensor<6x251xbf16>) -> (tensor<6x251xbf16> {zero.in_place = array<i64: 0>}) units rows [6] {
  %empty = tensor.empty() : tensor<6x251xbf16>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%logits : tensor<6x251xbf16>) outs(%empty : tensor<6x251xbf16>) {
  ^bb0(%x: bf16, %y: bf16):
    %z = arith.mulf %x, %x : bf16
    linalg.yield %z : bf16
  } -> tensor<6x251xbf16>
  zero.return %d : tensor<6x251xbf16>
}
func.func @step(%x: tensor<6x8xbf16>, %w: tensor<251x8xbf16>) -> tensor<251x8xf32> {
  %logits = nn.matmul %x, %w {transpose_b} : (tensor<6x8xbf16>, tensor<251x8xbf16>) -> tensor<6x251xbf16>
  %d = zero.launch @loss(%logits) : (tensor<6x251xbf16>) -> tensor<6x251xbf16>
  %dw = nn.matmul %d, %x {transpose_a} : (tensor<6x251xbf16>, tensor<6x8xbf16>) -> tensor<251x8xf32>
  return %dw : tensor<251x8xf32>
}

// -----

// What another operation reads has dense rows.
// CHECK-LABEL: func.func @shown(
// CHECK: nn.matmul %{{.*}} : (tensor<6x8xf32>, tensor<8x7xf32>) -> tensor<6x7xf32>
func.func @shown(%x: tensor<6x8xf32>, %w: tensor<8x7xf32>) -> tensor<2x3x7xf32> {
  %y = nn.matmul %x, %w : (tensor<6x8xf32>, tensor<8x7xf32>) -> tensor<6x7xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [2, 3, 7] : tensor<6x7xf32> into tensor<2x3x7xf32>
  return %z : tensor<2x3x7xf32>
}
