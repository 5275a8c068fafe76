// Gradients of tokens are added to the rows of a table in the order of the tokens, by
// threads of a GPU as on a CPU: ids are 0, 1 and 2, so that many meet in a row.

// RUN: zero-kernels %s | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-4: {{"outcome":"right"}}

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @fresh_f32(%tokens: tensor<5x9xi32>, %grad: tensor<5x9x70xf32>) -> tensor<7x70xf32> units scatter [70] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<7x70xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x70xf32>) -> tensor<7x70xf32>
    %sum = nn.embedding_backward %tokens, %grad into %init : tensor<5x9xi32>, tensor<5x9x70xf32>, tensor<7x70xf32>
    zero.return %sum : tensor<7x70xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @fresh_bf16(%tokens: tensor<3x23xi32>, %grad: tensor<3x23x130xbf16>) -> tensor<5x130xbf16> units scatter [130] {
    %zero = arith.constant 0.0 : bf16
    %empty = tensor.empty() : tensor<5x130xbf16>
    %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<5x130xbf16>) -> tensor<5x130xbf16>
    %sum = nn.embedding_backward %tokens, %grad into %init : tensor<3x23xi32>, tensor<3x23x130xbf16>, tensor<5x130xbf16>
    zero.return %sum : tensor<5x130xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @onto_f32(%tokens: tensor<33xi32>, %grad: tensor<33x7xf32>, %init: tensor<11x7xf32>) -> (tensor<11x7xf32> {zero.must_alias = 2 : i64}) units scatter [7] {
    %sum = nn.embedding_backward %tokens, %grad into %init : tensor<33xi32>, tensor<33x7xf32>, tensor<11x7xf32>
    zero.return %sum : tensor<11x7xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @onto_f16(%tokens: tensor<2x16xi32>, %grad: tensor<2x16x64xf16>, %init: tensor<3x64xf16>) -> (tensor<3x64xf16> {zero.must_alias = 2 : i64}) units scatter [64] {
    %sum = nn.embedding_backward %tokens, %grad into %init : tensor<2x16xi32>, tensor<2x16x64xf16>, tensor<3x64xf16>
    zero.return %sum : tensor<3x64xf16>
  }
  zero.program @step() {
    zero.return
  }
}
