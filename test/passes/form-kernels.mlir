// RUN: zero-opt %s -split-input-file --zero-lower-to-generics --zero-form-kernels | FileCheck %s

// A residual and the norm behind it are one kernel; its row space is [2, 10],
// and the sum may overwrite either operand.

// CHECK-LABEL: zero.kernel @kernel.1
// CHECK-SAME: -> (tensor<2x10x48xf32> {zero.in_place = array<i64: 0, 1>}, tensor<2x10x48xf32>
// CHECK-SAME: units rows [2, 10]
// CHECK-LABEL: func.func @step
// CHECK-COUNT-1: zero.launch @kernel.1
// CHECK-NOT: zero.launch
func.func @step(%x: tensor<2x10x48xf32>, %y: tensor<2x10x48xf32>, %g: tensor<48xf32>, %b: tensor<48xf32>)
    -> (tensor<2x10x48xf32>, tensor<2x10x48xf32>) {
  %r = arith.addf %x, %y : tensor<2x10x48xf32>
  %n = nn.layer_norm %r, %g, %b {eps = 1.0e-5 : f64} : tensor<2x10x48xf32>, tensor<48xf32>
  return %r, %n : tensor<2x10x48xf32>, tensor<2x10x48xf32>
}

// -----

// Equal kernels are shared.

// CHECK: zero.kernel @kernel.1
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @step
// CHECK: %[[A:.*]] = zero.launch @kernel.1(%arg0)
// CHECK: nn.matmul %[[A]]
// CHECK: zero.launch @kernel.1
func.func @step(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> tensor<8x32xf32> {
  %a = nn.gelu %x {tanh} : tensor<8x32xf32>
  %m = nn.matmul %a, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %c = nn.gelu %m {tanh} : tensor<8x32xf32>
  return %c : tensor<8x32xf32>
}

// -----

// A product stands between: what it needs is launched before it, and the later
// operation does not join the closed kernel.

// CHECK-LABEL: func.func @step
// CHECK: zero.launch
// CHECK: nn.matmul
// CHECK: zero.launch
func.func @step(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %a = nn.gelu %x {tanh} : tensor<8x32xf32>
  %m = nn.matmul %a, %w : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
  %c = arith.addf %a, %m : tensor<8x32xf32>
  return %a, %c : tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// Two column sums of one tensor are one kernel over columns.

// CHECK: zero.kernel @kernel.1
// CHECK-SAME: units columns [256]
// CHECK-LABEL: func.func @step
// CHECK-COUNT-1: zero.launch
// CHECK-NOT: zero.launch
func.func @step(%x: tensor<8x256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(c, a) -> (a, c)>, affine_map<(c, a) -> (c)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x256xf32>) outs(%z : tensor<256xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %0 = arith.addf %acc, %in : f32
    linalg.yield %0 : f32
  } -> tensor<256xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(c, a) -> (a, c)>, affine_map<(c, a) -> (c)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x256xf32>) outs(%z : tensor<256xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %0 = arith.mulf %in, %in : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  return %s, %q : tensor<256xf32>, tensor<256xf32>
}

// -----

// Attention reads slices of the packed tensor where they lie.

// CHECK: zero.kernel @attention.1(%arg0: tensor<2x10x96xf32>) -> tensor<2x10x2x16xf32>
// CHECK-SAME: units attention [2, 2]
// CHECK-COUNT-3: tensor.extract_slice
// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.extract_slice
func.func @step(%qkv: tensor<2x10x96xf32>) -> tensor<2x10x2x16xf32> {
  %q0 = tensor.extract_slice %qkv[0, 0, 0] [2, 10, 32] [1, 1, 1] : tensor<2x10x96xf32> to tensor<2x10x32xf32>
  %k0 = tensor.extract_slice %qkv[0, 0, 32] [2, 10, 32] [1, 1, 1] : tensor<2x10x96xf32> to tensor<2x10x32xf32>
  %v0 = tensor.extract_slice %qkv[0, 0, 64] [2, 10, 32] [1, 1, 1] : tensor<2x10x96xf32> to tensor<2x10x32xf32>
  %q = tensor.expand_shape %q0 [[0], [1], [2, 3]] output_shape [2, 10, 2, 16] : tensor<2x10x32xf32> into tensor<2x10x2x16xf32>
  %k = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [2, 10, 2, 16] : tensor<2x10x32xf32> into tensor<2x10x2x16xf32>
  %v = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [2, 10, 2, 16] : tensor<2x10x32xf32> into tensor<2x10x2x16xf32>
  %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<2x10x2x16xf32>, tensor<2x10x2x16xf32>
  return %o : tensor<2x10x2x16xf32>
}

// -----

// A scatter adds into its initial value: they must share bytes.

// CHECK: zero.kernel @embedding_backward.1
// CHECK-SAME: -> (tensor<16x32xf32> {zero.must_alias = 2 : i64})
// CHECK-SAME: units scatter [32]
// CHECK-LABEL: func.func @step
// CHECK: zero.launch @embedding_backward.1
func.func @step(%t: tensor<2x5xi32>, %g: tensor<2x5x32xf32>, %init: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %d = nn.embedding_backward %t, %g into %init : tensor<2x5xi32>, tensor<2x5x32xf32>, tensor<16x32xf32>
  return %d : tensor<16x32xf32>
}

// -----

// A product needs contiguous operands: its slice becomes a copy.

// CHECK-LABEL: func.func @step
// CHECK: %[[C:.*]] = zero.launch
// CHECK: nn.matmul %[[C]], %arg1
func.func @step(%x: tensor<8x64xf32>, %w: tensor<32x16xf32>) -> tensor<8x16xf32> {
  %s = tensor.extract_slice %x[0, 32] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
  %m = nn.matmul %s, %w : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %m : tensor<8x16xf32>
}

// -----

// A lookup captures its table in its body.  The table's kernel is closed by it:
// a later reader of the table's operand is a kernel of its own, behind.

// CHECK-LABEL: func.func @step
// CHECK: %[[TABLE:.*]] = zero.launch {{.*}}(%arg1)
// CHECK: zero.launch {{.*}}%[[TABLE]]
// CHECK: zero.launch
func.func @step(%ids: tensor<4xi32>, %p: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> (tensor<4x32xf32>, tensor<8x32xf32>) {
  %table = math.tanh %p : tensor<8x32xf32>
  %x = nn.embedding %ids, %table : tensor<4xi32>, tensor<8x32xf32> -> tensor<4x32xf32>
  %y = nn.matmul %x, %w : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
  %s = arith.mulf %table, %p : tensor<8x32xf32>
  return %y, %s : tensor<4x32xf32>, tensor<8x32xf32>
}

// -----

// Kernels that are written from views of their arguments read no constants, and
// the backward of attention has all of its results.

// CHECK: zero.kernel @attention_backward{{.*}} -> (tensor<1x4x2x8xf32>, tensor<1x3x2x8xf32>, tensor<1x3x2x8xf32>)
// CHECK-LABEL: func.func @step
// CHECK: %[[K:.*]] = zero.launch @{{kernel.*}}() : () -> tensor<1x3x2x8xf32>
// CHECK: zero.launch @attention_backward{{.*}}%[[K]]
func.func @step(%q: tensor<1x4x2x8xf32>, %g: tensor<1x4x2x8xf32>, %v: tensor<1x3x2x8xf32>, %lse: tensor<1x2x4xf32>, %delta: tensor<1x2x4xf32>) -> tensor<1x4x2x8xf32> {
  %k = arith.constant dense<0.5> : tensor<1x3x2x8xf32>
  %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %lse, %delta {scale = 0.5 : f64} : tensor<1x4x2x8xf32>, tensor<1x3x2x8xf32>, tensor<1x2x4xf32>
  return %dq : tensor<1x4x2x8xf32>
}

// -----

// A slice is copied before it is reshaped for a product: no view of it has
// rows at equal distances.

// CHECK: zero.kernel @kernel{{.*}}(%{{.*}}: tensor<2x4x32xf32>) -> tensor<2x3x32xf32>
// CHECK-LABEL: func.func @step
// CHECK: %[[S:.*]] = zero.launch @kernel{{.*}} -> tensor<2x3x32xf32>
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[S]]
// CHECK: nn.matmul %[[ROWS]]
func.func @step(%x: tensor<2x4x32xf32>, %w: tensor<32x32xf32>) -> tensor<6x32xf32> {
  %s = tensor.extract_slice %x[0, 0, 0] [2, 3, 32] [1, 1, 1] : tensor<2x4x32xf32> to tensor<2x3x32xf32>
  %rows = tensor.collapse_shape %s [[0, 1], [2]] : tensor<2x3x32xf32> into tensor<6x32xf32>
  %y = nn.matmul %rows, %w : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
  return %y : tensor<6x32xf32>
}

// -----

// What begins as an operand may have the bytes of that one only, and what begins
// as a constant those of none: they are copied there before anything is read.

// CHECK: zero.kernel @kernel.1{{.*}} -> (tensor<600xf32> {zero.in_place = array<i64: 1>})
// CHECK: zero.kernel @kernel.2{{.*}} -> tensor<600xf32> units
// CHECK-LABEL: func.func @step
#id = affine_map<(d0) -> (d0)>
func.func @step(%x: tensor<600xf32>, %y: tensor<600xf32>, %z: tensor<600xf32>) -> (tensor<600xf32>, tensor<600xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<600xf32>) outs(%y : tensor<600xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<600xf32>
  %c = arith.constant dense<2.0> : tensor<600xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%z : tensor<600xf32>) outs(%c : tensor<600xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.mulf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<600xf32>
  return %0, %1 : tensor<600xf32>, tensor<600xf32>
}

// -----

// A view stands between members of a kernel.  It has no place of its own, so it
// stands behind the launch, and its reader in another kernel.

// CHECK-LABEL: func.func @step
// CHECK: %[[K:.*]]:2 = zero.launch @kernel.1(%arg0)
// CHECK-NEXT: %[[FLAT:.*]] = tensor.collapse_shape %[[K]]#0
// CHECK-NEXT: %[[V:.*]] = tensor.expand_shape %[[FLAT]]
// CHECK-NEXT: %[[Y:.*]] = zero.launch @{{.*}}(%[[V]])
// CHECK-NEXT: return %[[Y]], %[[K]]#1
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%x: tensor<6x32xf32>) -> (tensor<32x6xf32>, tensor<6x32xf32>) {
  %e = tensor.empty() : tensor<6x32xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x32xf32>) outs(%e : tensor<6x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<6x32xf32>
  %flat = tensor.collapse_shape %0 [[0, 1]] : tensor<6x32xf32> into tensor<192xf32>
  %view = tensor.expand_shape %flat [[0, 1]] output_shape [32, 6] : tensor<192xf32> into tensor<32x6xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x32xf32>) outs(%e : tensor<6x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.exp %a : f32
    linalg.yield %r : f32
  } -> tensor<6x32xf32>
  %e2 = tensor.empty() : tensor<32x6xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%view : tensor<32x6xf32>) outs(%e2 : tensor<32x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sin %a : f32
    linalg.yield %r : f32
  } -> tensor<32x6xf32>
  return %2, %1 : tensor<32x6xf32>, tensor<6x32xf32>
}

// -----

// A norm as other front ends print it: the means of rows are [8, 1].  All of it is
// one kernel.

// CHECK-LABEL: func.func @step
// CHECK-NEXT: zero.launch
// CHECK-NEXT: return
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d0, 0)>
func.func @step(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %n = arith.constant dense<0.03125> : tensor<8x1xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x32xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %r = arith.addf %s, %a : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %sums = tensor.expand_shape %sum [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %mean = arith.mulf %sums, %n : tensor<8x1xf32>
  %e = tensor.empty() : tensor<8x32xf32>
  %centered = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<8x32xf32>, tensor<8x1xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.subf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x32xf32>
  %square = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%centered : tensor<8x32xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%a: f32, %s: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<8xf32>
  %squares = tensor.expand_shape %square [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %variance = arith.mulf %squares, %n : tensor<8x1xf32>
  %root = math.rsqrt %variance : tensor<8x1xf32>
  %roots = tensor.collapse_shape %root [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%centered, %roots : tensor<8x32xf32>, tensor<8xf32>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.mulf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}

// -----

// Inserts are copied in rows of the leading dimensions that all of them fill.

// CHECK-LABEL: zero.kernel
// CHECK-SAME: tensor<2x4x3x8xf32>, %{{.*}}: tensor<2x4x3x2xf32>) -> tensor<2x4x3x10xf32> units rows [2, 4, 3] {
// CHECK-COUNT-2: tensor.insert_slice
// CHECK: zero.return
// CHECK-LABEL: func.func @step
// CHECK-COUNT-1: zero.launch
func.func @step(%x: tensor<2x4x3x8xf32>, %y: tensor<2x4x3x2xf32>) -> tensor<2x4x3x10xf32> {
  %z = tensor.concat dim(3) %x, %y : (tensor<2x4x3x8xf32>, tensor<2x4x3x2xf32>) -> tensor<2x4x3x10xf32>
  return %z : tensor<2x4x3x10xf32>
}

// -----

// The tokens of each sequence: rows are sequences.

// CHECK-LABEL: zero.kernel
// CHECK-SAME: -> tensor<2x5x8xf32> units rows [2] {
func.func @step(%x: tensor<2x4x8xf32>, %y: tensor<2x1x8xf32>) -> tensor<2x5x8xf32> {
  %z = tensor.concat dim(1) %x, %y : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x5x8xf32>
  return %z : tensor<2x5x8xf32>
}
