// RUN: zero-opt %s --zero-lower-gathers --split-input-file | FileCheck %s

// Indices that are loops: an operand, here a transposed one.
// CHECK: #[[SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func @by_loops
// CHECK: linalg.generic {indexing_maps = [#[[SWAP]], #{{.*}}]
// CHECK-SAME: ins(%arg0 : tensor<5x3xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK: linalg.yield %[[IN]]
func.func @by_loops(%x: tensor<5x3xf32>) -> tensor<3x5xf32> {
  %empty = tensor.empty() : tensor<3x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<3x5xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j, %i] : tensor<5x3xf32>
    linalg.yield %v : f32
  } -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// Rows of a table by ids: row 0 and NaN stand for an id that is none.
// CHECK: #[[IDS:.*]] = affine_map<(d0) -> (d0)>
// CHECK: #[[BROADCAST:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @by_rows
// CHECK: %[[ROWS:.*]] = linalg.generic {indexing_maps = [#[[IDS]], #[[IDS]]], iterator_types = ["parallel"]} ins(%arg1 : tensor<6xi64>)
// CHECK-NEXT: ^bb0(%[[ID:.*]]: i64, %{{.*}}: i32):
// CHECK-NEXT: %[[ROW:.*]] = arith.index_cast %[[ID]] : i64 to index
// CHECK-NEXT: %[[END:.*]] = arith.constant 9 : index
// CHECK-NEXT: %[[VALID:.*]] = arith.cmpi ult, %[[ROW]], %[[END]]
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[SAFE:.*]] = arith.select %[[VALID]], %[[ROW]], %[[ZERO]]
// CHECK-NEXT: %[[YIELD:.*]] = arith.index_cast %[[SAFE]] : index to i32
// CHECK-NEXT: linalg.yield %[[YIELD]] : i32
// CHECK: %[[READ:.*]] = nn.embedding %[[ROWS]], %arg0 : tensor<6xi32>, tensor<9x4xf32> -> tensor<6x4xf32>
// CHECK: linalg.generic {indexing_maps = [#[[BROADCAST]], #[[ALL]], #[[ALL]]]
// CHECK-SAME: ins(%arg1, %[[READ]] : tensor<6xi64>, tensor<6x4xf32>)
// CHECK: arith.cmpi ult
// CHECK: arith.constant 0x7FC00000 : f32
// CHECK: arith.select
func.func @by_rows(%table: tensor<9x4xf32>, %ids: tensor<6xi64>) -> tensor<6x4xf32> {
  %empty = tensor.empty() : tensor<6x4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<6xi64>) outs(%empty : tensor<6x4xf32>) {
  ^bb0(%id: i64, %out: f32):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %table[%row, %column] : tensor<9x4xf32>
    linalg.yield %v : f32
  } -> tensor<6x4xf32>
  return %y : tensor<6x4xf32>
}

// -----

// One element of each row, as a loss picks that of the target: rows of length 1,
// and only the index that comes from the input is checked.
// CHECK-LABEL: func @by_elements
// CHECK: %[[ROWS:.*]] = linalg.generic
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: arith.cmpi ult
// CHECK: %[[PLACE:.*]] = arith.select
// CHECK-NOT: arith.cmpi
// CHECK: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK: %[[START:.*]] = arith.muli %[[I]], %[[FIVE]]
// CHECK: arith.addi %[[START]], %[[PLACE]]
// CHECK: linalg.yield %{{.*}} : i32
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1]] : tensor<3x5xf32> into tensor<15xf32>
// CHECK: %[[TABLE:.*]] = tensor.expand_shape %[[FLAT]] {{\[}}[0, 1]] output_shape [15, 1]
// CHECK: %[[READ:.*]] = nn.embedding %[[ROWS]], %[[TABLE]] : tensor<3xi32>, tensor<15x1xf32> -> tensor<3x1xf32>
// CHECK: tensor.collapse_shape %[[READ]] {{\[}}[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
func.func @by_elements(%x: tensor<3x5xf32>, %targets: tensor<3xi32>) -> tensor<3xf32> {
  %empty = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%targets : tensor<3xi32>) outs(%empty : tensor<3xf32>) {
  ^bb0(%target: i32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %target : i32 to index
    %v = tensor.extract %x[%i, %j] : tensor<3x5xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// The second index depends on the loop of the last one, which is no column then.
// CHECK-LABEL: func @dependent
// CHECK: nn.embedding %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<16x1xf32> -> tensor<4x1xf32>
func.func @dependent(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %three = arith.constant 3 : index
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %back = arith.subi %three, %i : index
    %v = tensor.extract %x[%back, %i] : tensor<4x4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A result that reads a tensor at a place that it sums up stays as it is.
// CHECK-LABEL: func @by_accumulator
// CHECK: tensor.extract %arg0
// CHECK-NOT: nn.embedding
func.func @by_accumulator(%x: tensor<9xf32>, %steps: tensor<4xi32>, %start: tensor<i32>) -> tensor<i32> {
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%steps : tensor<4xi32>) outs(%start : tensor<i32>) {
  ^bb0(%step: i32, %at: i32):
    %i = arith.index_cast %at : i32 to index
    %v = tensor.extract %x[%i] : tensor<9xf32>
    %n = arith.fptosi %v : f32 to i32
    %next = arith.addi %step, %n : i32
    linalg.yield %next : i32
  } -> tensor<i32>
  return %y : tensor<i32>
}

// -----

// A place that is constant is a slice, with the loops after it or by itself.
// CHECK-LABEL: func @constant
// CHECK-DAG: %[[ROW:.*]] = tensor.extract_slice %arg0[2, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
// CHECK-DAG: %[[ONE:.*]] = tensor.extract_slice %arg0[1, 2] [1, 1] [1, 1] : tensor<4x3xf32> to tensor<f32>
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<{{.*}}>, tensor<{{.*}}>)
// CHECK-NOT: tensor.extract %
func.func @constant(%w: tensor<4x3xf32>) -> tensor<3xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %empty = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<3xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %a = tensor.extract %w[%c1, %c2] : tensor<4x3xf32>
    %b = tensor.extract %w[%c2, %i] : tensor<4x3xf32>
    %c = arith.mulf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// One that is no place of the tensor stays, and is refused by the judge (S8).
// CHECK-LABEL: func @outside
// CHECK: tensor.extract %arg0
func.func @outside(%w: tensor<4xf32>) -> tensor<3xf32> {
  %c4 = arith.constant 4 : index
  %empty = tensor.empty() : tensor<3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<3xf32>) {
  ^bb0(%out: f32):
    %a = tensor.extract %w[%c4] : tensor<4xf32>
    linalg.yield %a : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}
