// RUN: zero-opt %s --zero-normalize-model --split-input-file --verify-diagnostics | FileCheck %s

// Calls, also of functions that call others; nothing of them is left.
// CHECK-LABEL: func @calls
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg0, %arg0
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[A]]
// CHECK-NEXT: return %[[N]]
// CHECK-NOT: func.func private
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @twice_negated(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @twice_negated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = arith.negf %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @assertions
// CHECK-NOT: cf.assert
func.func @assertions(%x: tensor<4xi32>) -> tensor<4xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<4xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%empty : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %positive = arith.cmpi sge, %in, %zero : i32
    // expected-remark @+1 {{every 'cf.assert' is dropped, of 2 the first is here; a step does not stop}}
    cf.assert %positive, "negative"
    cf.assert %positive, "negative again"
    linalg.yield %in : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// A maximum with an index that nobody reads.
// CHECK-LABEL: func @maximum
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK-SAME: outs(%{{.*}} : tensor<3xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[IN]], %[[OUT]]
// CHECK-NEXT: linalg.yield %[[M]]
// CHECK: return %[[Y]]
func.func @maximum(%x: tensor<3x5xf32>, %lowest: tensor<3xf32>, %first: tensor<3xi64>) -> tensor<3xf32> {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x5xf32>) outs(%lowest, %first : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %max : f32
    %more = arith.cmpf ogt, %in, %max : f32
    %position = arith.select %more, %here, %at : i64
    linalg.yield %m, %position : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %y#0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: func @powers
// CHECK: %[[X2:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[X3:.*]] = arith.mulf %arg0, %[[X2]]
// CHECK: %[[S2:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[S4:.*]] = arith.mulf %[[S2]], %[[S2]]
// CHECK: %[[S6:.*]] = arith.mulf %[[S2]], %[[S4]]
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[S6]]
// CHECK: %[[ZEROTH:.*]] = arith.constant dense<1.000000e+00>
// CHECK: return %[[X3]], %[[INVERSE]], %[[ZEROTH]], %arg0
func.func @powers(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %three = arith.constant dense<3> : tensor<4xi64>
  %minus = arith.constant dense<-6> : tensor<4xi32>
  %zero = arith.constant dense<0> : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %a = math.fpowi %x, %three : tensor<4xf32>, tensor<4xi64>
  %b = math.fpowi %x, %minus : tensor<4xf32>, tensor<4xi32>
  %c = math.fpowi %x, %zero : tensor<4xf32>, tensor<4xi32>
  %d = math.fpowi %x, %one : tensor<4xf32>, tensor<4xi32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An exponent that is not known stays, for differentiation to reject.
// CHECK-LABEL: func @unknown_power
// CHECK: math.fpowi
func.func @unknown_power(%x: f32, %n: i32) -> f32 {
  %y = math.fpowi %x, %n : f32, i32
  return %y : f32
}

// -----

// CHECK-LABEL: func @slices
// CHECK: tensor.extract_slice %arg0[0, 4] [2, 4] [1, 1]
// CHECK: tensor.insert_slice %{{.*}} into %arg0[0, 2] [2, 4] [1, 1]
func.func @slices(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %y = tensor.extract_slice %x[0, %four] [2, 4] [1, 1] : tensor<2x8xf32> to tensor<2x4xf32>
  %z = tensor.insert_slice %y into %x[0, %two] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x8xf32>
  return %z : tensor<2x8xf32>
}

// -----

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
// CHECK: %[[FIVE:.*]] = arith.constant 5 : index
// CHECK: %[[START:.*]] = arith.muli %[[I]], %[[FIVE]]
// CHECK: arith.addi %[[START]]
// CHECK: arith.cmpi ult
// CHECK-NOT: arith.cmpi
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
