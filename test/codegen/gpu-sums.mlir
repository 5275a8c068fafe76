// What threads of a GPU compute, in an emulator of them, has the bytes of what a
// CPU computes: sums of rows of each length have an order of their own.

// RUN: zero-kernels %s | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-16: {{"outcome":"right"}}

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_7(%x: tensor<5x7xf32>) -> tensor<5xf32> units rows [5] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<5xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<5x7xf32>) outs(%begin : tensor<5xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<5xf32>
    zero.return %sum : tensor<5xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_16(%x: tensor<37x16xf32>) -> tensor<37xf32> units rows [37] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<37xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<37xf32>) -> tensor<37xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<37x16xf32>) outs(%begin : tensor<37xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<37xf32>
    zero.return %sum : tensor<37xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_17(%x: tensor<9x17xf32>) -> tensor<9xf32> units rows [9] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<9xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<9xf32>) -> tensor<9xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<9x17xf32>) outs(%begin : tensor<9xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<9xf32>
    zero.return %sum : tensor<9xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_63(%x: tensor<3x63xf32>) -> tensor<3xf32> units rows [3] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<3xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<3x63xf32>) outs(%begin : tensor<3xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<3xf32>
    zero.return %sum : tensor<3xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_64(%x: tensor<4x64xf32>) -> tensor<4xf32> units rows [4] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<4x64xf32>) outs(%begin : tensor<4xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<4xf32>
    zero.return %sum : tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_100(%x: tensor<3x100xf32>) -> tensor<3xf32> units rows [3] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<3xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<3x100xf32>) outs(%begin : tensor<3xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<3xf32>
    zero.return %sum : tensor<3xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_127(%x: tensor<9x127xf32>) -> tensor<9xf32> units rows [9] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<9xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<9xf32>) -> tensor<9xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<9x127xf32>) outs(%begin : tensor<9xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<9xf32>
    zero.return %sum : tensor<9xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_128(%x: tensor<17x128xf32>) -> tensor<17xf32> units rows [17] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<17xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<17xf32>) -> tensor<17xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<17x128xf32>) outs(%begin : tensor<17xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<17xf32>
    zero.return %sum : tensor<17xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_129(%x: tensor<5x129xf32>) -> tensor<5xf32> units rows [5] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<5xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<5x129xf32>) outs(%begin : tensor<5xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<5xf32>
    zero.return %sum : tensor<5xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_191(%x: tensor<3x191xf32>) -> tensor<3xf32> units rows [3] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<3xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<3x191xf32>) outs(%begin : tensor<3xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<3xf32>
    zero.return %sum : tensor<3xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_192(%x: tensor<8x192xf32>) -> tensor<8xf32> units rows [8] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<8xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<8x192xf32>) outs(%begin : tensor<8xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<8xf32>
    zero.return %sum : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_200(%x: tensor<7x200xf32>) -> tensor<7xf32> units rows [7] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<7xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<7xf32>) -> tensor<7xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<7x200xf32>) outs(%begin : tensor<7xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<7xf32>
    zero.return %sum : tensor<7xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @sums_of_1000(%x: tensor<2x1000xf32>) -> tensor<2xf32> units rows [2] {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<2xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<2x1000xf32>) outs(%begin : tensor<2xf32>) {
    ^bb0(%a: f32, %old: f32):
      %square = arith.mulf %a, %a : f32
      %new = arith.addf %old, %square : f32
      linalg.yield %new : f32
    } -> tensor<2xf32>
    zero.return %sum : tensor<2xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @columns_in_runs(%x: tensor<3x200x37xf32>, %begin: tensor<37xf32>) -> tensor<37xf32> units columns [37] {
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, s, c) -> (r, s, c)>, affine_map<(r, s, c) -> (c)>],
      iterator_types = ["reduction", "reduction", "parallel"]
    } ins(%x : tensor<3x200x37xf32>) outs(%begin : tensor<37xf32>) {
    ^bb0(%a: f32, %old: f32):
      %new = arith.addf %old, %a : f32
      linalg.yield %new : f32
    } -> tensor<37xf32>
    zero.return %sum : tensor<37xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @wide_columns_in_runs(%x: tensor<1x131x1100xbf16>, %begin: tensor<1100xf32>) -> tensor<1100xf32> units columns [1100] {
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, s, c) -> (r, s, c)>, affine_map<(r, s, c) -> (c)>],
      iterator_types = ["reduction", "reduction", "parallel"]
    } ins(%x : tensor<1x131x1100xbf16>) outs(%begin : tensor<1100xf32>) {
    ^bb0(%a: bf16, %old: f32):
    %wide = arith.extf %a : bf16 to f32
      %new = arith.addf %old, %wide : f32
      linalg.yield %new : f32
    } -> tensor<1100xf32>
    zero.return %sum : tensor<1100xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @columns_in_runs_of_a_batch(%x: tensor<5x21x37xf32>, %begin: tensor<37xf32>) -> tensor<37xf32> units columns [37] {
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, s, c) -> (r, s, c)>, affine_map<(r, s, c) -> (c)>],
      iterator_types = ["reduction", "reduction", "parallel"]
    } ins(%x : tensor<5x21x37xf32>) outs(%begin : tensor<37xf32>) {
    ^bb0(%a: f32, %old: f32):
      %new = arith.addf %old, %a : f32
      linalg.yield %new : f32
    } -> tensor<37xf32>
    zero.return %sum : tensor<37xf32>
  }
  zero.program @step() {
    zero.return
  }
}
