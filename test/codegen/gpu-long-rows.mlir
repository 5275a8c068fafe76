// Rows of more than 4,096 elements are summed up by chunks, on a GPU by several groups
// of threads: the emulator of its threads computes the CPU's bytes.

// RUN: zero-kernels %s | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-3: {{"outcome":"right"}}

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @chunk_and_one(%x: tensor<3x4097xf32>) -> (tensor<3xf32>, tensor<3x4097xf32>) units rows [3] {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<3xf32>
    %b = linalg.fill ins(%low : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %max = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<3x4097xf32>) outs(%b : tensor<3xf32>) {
    ^bb0(%a: f32, %old: f32):
      %w = arith.mulf %a, %half : f32
      %new = arith.maxnumf %old, %w : f32
      linalg.yield %new : f32
    } -> tensor<3xf32>
    %e2 = tensor.empty() : tensor<3xf32>
    %b2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<3xf32>) -> tensor<3xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x, %max : tensor<3x4097xf32>, tensor<3xf32>) outs(%b2 : tensor<3xf32>) {
    ^bb0(%a: f32, %m: f32, %old: f32):
      %w = arith.mulf %a, %half : f32
      %d = arith.subf %w, %m : f32
      %x1 = arith.mulf %d, %half : f32
      %new = arith.addf %old, %x1 : f32
      linalg.yield %new : f32
    } -> tensor<3xf32>
    %e3 = tensor.empty() : tensor<3x4097xf32>
    %y = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x, %max, %sum : tensor<3x4097xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e3 : tensor<3x4097xf32>) {
    ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
      %w = arith.mulf %a, %half : f32
      %d = arith.subf %w, %m : f32
      %x1 = arith.mulf %d, %half : f32
      %q = arith.addf %x1, %s : f32
      linalg.yield %q : f32
    } -> tensor<3x4097xf32>
    zero.return %sum, %y : tensor<3xf32>, tensor<3x4097xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @three_chunks_and_a_rest(%x: tensor<2x12345xbf16>) -> (tensor<2xf32>, tensor<2x12345xf32>) units rows [2] {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<2xf32>
    %b = linalg.fill ins(%low : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %max = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<2x12345xbf16>) outs(%b : tensor<2xf32>) {
    ^bb0(%a: bf16, %old: f32):
      %w = arith.extf %a : bf16 to f32
      %new = arith.maxnumf %old, %w : f32
      linalg.yield %new : f32
    } -> tensor<2xf32>
    %e2 = tensor.empty() : tensor<2xf32>
    %b2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2xf32>) -> tensor<2xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x, %max : tensor<2x12345xbf16>, tensor<2xf32>) outs(%b2 : tensor<2xf32>) {
    ^bb0(%a: bf16, %m: f32, %old: f32):
      %w = arith.extf %a : bf16 to f32
      %d = arith.subf %w, %m : f32
      %x1 = arith.mulf %d, %half : f32
      %new = arith.addf %old, %x1 : f32
      linalg.yield %new : f32
    } -> tensor<2xf32>
    %e3 = tensor.empty() : tensor<2x12345xf32>
    %y = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x, %max, %sum : tensor<2x12345xbf16>, tensor<2xf32>, tensor<2xf32>) outs(%e3 : tensor<2x12345xf32>) {
    ^bb0(%a: bf16, %m: f32, %s: f32, %old: f32):
      %w = arith.extf %a : bf16 to f32
      %d = arith.subf %w, %m : f32
      %x1 = arith.mulf %d, %half : f32
      %q = arith.addf %x1, %s : f32
      linalg.yield %q : f32
    } -> tensor<2x12345xf32>
    zero.return %sum, %y : tensor<2xf32>, tensor<2x12345xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @two_chunks(%x: tensor<2x8192xf32>) -> (tensor<2xf32>, tensor<2x8192xf32>) units rows [2] {
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<2xf32>
    %b = linalg.fill ins(%low : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %max = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x : tensor<2x8192xf32>) outs(%b : tensor<2xf32>) {
    ^bb0(%a: f32, %old: f32):
      %w = arith.mulf %a, %half : f32
      %new = arith.maxnumf %old, %w : f32
      linalg.yield %new : f32
    } -> tensor<2xf32>
    %e2 = tensor.empty() : tensor<2xf32>
    %b2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2xf32>) -> tensor<2xf32>
    %sum = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%x, %max : tensor<2x8192xf32>, tensor<2xf32>) outs(%b2 : tensor<2xf32>) {
    ^bb0(%a: f32, %m: f32, %old: f32):
      %w = arith.mulf %a, %half : f32
      %d = arith.subf %w, %m : f32
      %x1 = arith.mulf %d, %half : f32
      %new = arith.addf %old, %x1 : f32
      linalg.yield %new : f32
    } -> tensor<2xf32>
    %e3 = tensor.empty() : tensor<2x8192xf32>
    %y = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]
    } ins(%x, %max, %sum : tensor<2x8192xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e3 : tensor<2x8192xf32>) {
    ^bb0(%a: f32, %m: f32, %s: f32, %old: f32):
      %w = arith.mulf %a, %half : f32
      %d = arith.subf %w, %m : f32
      %x1 = arith.mulf %d, %half : f32
      %q = arith.addf %x1, %s : f32
      linalg.yield %q : f32
    } -> tensor<2x8192xf32>
    zero.return %sum, %y : tensor<2xf32>, tensor<2x8192xf32>
  }
  zero.program @step() {
    zero.return
  }
}
