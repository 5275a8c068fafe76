// Rows of 16 n + 1 elements end in a vector with one lane: what is stored of it is
// one element of two bytes or one, and nothing behind it.

// RUN: zero-kernels %s | FileCheck %s

// CHECK: {"module":0,"outcome":"right"}
// CHECK: {"module":1,"outcome":"right"}

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<7x65xf32>) -> tensor<7x65xbf16> units rows [7] {
    %empty = tensor.empty() : tensor<7x65xbf16>
    %y = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x : tensor<7x65xf32>) outs(%empty : tensor<7x65xbf16>) {
    ^bb0(%a: f32, %old: bf16):
      %n = arith.truncf %a : f32 to bf16
      linalg.yield %n : bf16
    } -> tensor<7x65xbf16>
    zero.return %y : tensor<7x65xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<7x17xi32>) -> tensor<7x17xi8> units rows [7] {
    %empty = tensor.empty() : tensor<7x17xi8>
    %y = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x : tensor<7x17xi32>) outs(%empty : tensor<7x17xi8>) {
    ^bb0(%a: i32, %old: i8):
      %n = arith.trunci %a : i32 to i8
      linalg.yield %n : i8
    } -> tensor<7x17xi8>
    zero.return %y : tensor<7x17xi8>
  }
  zero.program @step() {
    zero.return
  }
}
