// RUN: zero-opt %s --zero-bound-inputs --split-input-file | FileCheck %s

// Rows of a table, and classes of a loss, which may ignore more.

// CHECK-LABEL: func.func @loss(
// CHECK: %{{.*}} {zero.input = "tokens", zero.vocab = 12 : i64}
// CHECK: %{{.*}} {zero.ignored = -100 : i64, zero.input = "targets", zero.vocab = 5 : i64}
func.func @loss(%w: tensor<12x5xf32> {zero.param = "w"},
                %tokens: tensor<2x3xi32> {zero.input = "tokens"},
                %targets: tensor<2x3xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %w : tensor<2x3xi32>, tensor<12x5xf32> -> tensor<2x3x5xf32>
  %l = nn.cross_entropy %x, %targets : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// The smallest of all, through views; a stricter bound stays; what is a row too
// cannot be ignored.

// CHECK-LABEL: func.func @loss(
// CHECK: %{{.*}} {zero.input = "a", zero.vocab = 9 : i64}
// CHECK: %{{.*}} {zero.input = "b", zero.vocab = 4 : i64}
func.func @loss(%w: tensor<12x5xf32> {zero.param = "w"}, %v: tensor<9x5xf32> {zero.param = "v"},
                %a: tensor<2x3xi32> {zero.input = "a"},
                %b: tensor<2x3xi32> {zero.input = "b", zero.vocab = 4 : i64}) -> tensor<f32> {
  %flat = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xi32> into tensor<6xi32>
  %some = tensor.extract_slice %flat[1] [4] [1] : tensor<6xi32> to tensor<4xi32>
  %y = nn.embedding %some, %v : tensor<4xi32>, tensor<9x5xf32> -> tensor<4x5xf32>
  %x = nn.embedding %a, %w : tensor<2x3xi32>, tensor<12x5xf32> -> tensor<2x3x5xf32>
  %z = nn.embedding %b, %w : tensor<2x3xi32>, tensor<12x5xf32> -> tensor<2x3x5xf32>
  %sum = arith.addf %x, %z : tensor<2x3x5xf32>
  %l = nn.cross_entropy %sum, %b {ignore_index = 7 : i32} : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// As other front ends look up: a body that reads where a converted element
// says, from the end if that is negative.

#ids = affine_map<(i, c) -> (i)>
#all = affine_map<(i, c) -> (i, c)>

// CHECK-LABEL: func.func @loss(
// CHECK: %{{.*}} {zero.input = "ids", zero.vocab = 12 : i64}
func.func @loss(%w: tensor<12x5xf32> {zero.param = "w"},
                %ids: tensor<3xi64> {zero.input = "ids"}) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %x = linalg.generic {indexing_maps = [#ids, #all], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<3xi64>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%id: i64, %o: f32):
    %zero = arith.constant 0 : i64
    %rows = arith.constant 12 : i64
    %negative = arith.cmpi slt, %id, %zero : i64
    %wrapped = arith.addi %id, %rows : i64
    %row64 = arith.select %negative, %wrapped, %id : i64
    %row = arith.index_cast %row64 : i64 to index
    %column = linalg.index 1 : index
    %value = tensor.extract %w[%row, %column] : tensor<12x5xf32>
    linalg.yield %value : f32
  } -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// Losses of other front ends pick nothing for a target that they ignore.

// CHECK-LABEL: func.func @loss(
// CHECK: %{{.*}} {zero.ignored = -100 : i64, zero.input = "y", zero.vocab = 5 : i64}
func.func @loss(%w: tensor<3x5xf32> {zero.param = "w"},
                %y: tensor<3xi64> {zero.input = "y"}) -> tensor<3xf32> {
  %ignored = arith.constant -100 : i64
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%id: i64, %o: f32):
    %row = linalg.index 0 : index
    %valid = arith.cmpi ne, %id, %ignored : i64
    %safe = arith.select %valid, %id, %zero : i64
    %column = arith.index_cast %safe : i64 to index
    %value = tensor.extract %w[%row, %column] : tensor<3x5xf32>
    linalg.yield %value : f32
  } -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// -----

// Nothing selects: floats, and integers that are computed with.

// CHECK-LABEL: func.func @loss(
// CHECK: %{{.*}} {zero.input = "x"}
// CHECK: %{{.*}} {zero.input = "n"}
func.func @loss(%w: tensor<3xf32> {zero.param = "w"}, %x: tensor<3xf32> {zero.input = "x"},
                %n: tensor<3xi32> {zero.input = "n"}) -> tensor<3xf32> {
  %f = arith.sitofp %n : tensor<3xi32> to tensor<3xf32>
  %y = arith.mulf %w, %x : tensor<3xf32>
  %z = arith.mulf %y, %f : tensor<3xf32>
  return %z : tensor<3xf32>
}
