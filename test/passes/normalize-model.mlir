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
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00>
// CHECK: %[[X2:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[X3:.*]] = arith.mulf %arg0, %[[X2]]
// CHECK: %[[S2:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[S4:.*]] = arith.mulf %[[S2]], %[[S2]]
// CHECK: %[[S6:.*]] = arith.mulf %[[S2]], %[[S4]]
// CHECK: %[[INVERSE:.*]] = arith.divf %[[ONE]], %[[S6]]
// CHECK: return %[[X3]], %[[INVERSE]], %[[ONE]], %arg0
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

// CHECK-LABEL: func @concatenation
// CHECK: tensor.concat dim(0) %arg0, %arg1 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
func.func @concatenation(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) -> tensor<6x3xf32> {
  %a = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
  %b = tensor.cast %y : tensor<4x3xf32> to tensor<?x3xf32>
  %z = tensor.concat dim(0) %a, %b : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<6x3xf32>
  return %z : tensor<6x3xf32>
}

// -----

// What computes integers goes where positions are made of them.
// CHECK-LABEL: func @positions
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg1 : tensor<6xi32>)
// CHECK-NEXT: ^bb0(%[[ID:.*]]: i32, %{{.*}}: f32):
// CHECK-DAG: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[ID]]
// CHECK-DAG: %[[WRAPPED:.*]] = arith.addi %[[ID]]
// CHECK: arith.select %[[NEGATIVE]], %[[WRAPPED]], %[[ID]]
// CHECK: tensor.extract
// CHECK-NOT: linalg.generic
func.func @positions(%x: tensor<9xf32>, %ids: tensor<6xi32>) -> tensor<6xf32> {
  %zero = arith.constant 0 : i32
  %nine = arith.constant 9 : i32
  %e0 = tensor.empty() : tensor<6xi1>
  %e1 = tensor.empty() : tensor<6xi32>
  %e2 = tensor.empty() : tensor<6xf32>
  %negative = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<6xi32>) outs(%e0 : tensor<6xi1>) {
  ^bb0(%id: i32, %out: i1):
    %0 = arith.cmpi slt, %id, %zero : i32
    linalg.yield %0 : i1
  } -> tensor<6xi1>
  %wrapped = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<6xi32>) outs(%e1 : tensor<6xi32>) {
  ^bb0(%id: i32, %out: i32):
    %0 = arith.addi %id, %nine : i32
    linalg.yield %0 : i32
  } -> tensor<6xi32>
  %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%negative, %wrapped, %ids : tensor<6xi1>, tensor<6xi32>, tensor<6xi32>) outs(%e1 : tensor<6xi32>) {
  ^bb0(%less: i1, %other: i32, %id: i32, %out: i32):
    %0 = arith.select %less, %other, %id : i32
    linalg.yield %0 : i32
  } -> tensor<6xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%places : tensor<6xi32>) outs(%e2 : tensor<6xf32>) {
  ^bb0(%place: i32, %out: f32):
    %at = arith.index_cast %place : i32 to index
    %v = tensor.extract %x[%at] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

// What gives windows their shape is zeros, not undefined.
// CHECK-LABEL: func @windows
// CHECK: %[[W:.*]] = arith.constant dense<0.000000e+00> : tensor<2x2xf32>
// CHECK: linalg.pooling_nchw_max ins(%arg0, %[[W]] : tensor<1x1x4x4xf32>, tensor<2x2xf32>)
func.func @windows(%x: tensor<1x1x4x4xf32>, %init: tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32> {
  %w = tensor.empty() : tensor<2x2xf32>
  %0 = linalg.pooling_nchw_max ins(%x, %w : tensor<1x1x4x4xf32>, tensor<2x2xf32>)
      outs(%init : tensor<1x1x3x3xf32>) -> tensor<1x1x3x3xf32>
  return %0 : tensor<1x1x3x3xf32>
}

// -----

// Integers wrap around: nothing promises that they do not, and the judge has nothing to believe.
// CHECK-LABEL: func @promises
// CHECK-NOT: overflow
// CHECK-NOT: exact
// CHECK: return
func.func @promises(%a: tensor<3xi32>, %b: tensor<3xi32>) -> tensor<3xi32> {
  %0 = arith.addi %a, %b overflow<nsw> : tensor<3xi32>
  %1 = arith.muli %0, %b overflow<nsw, nuw> : tensor<3xi32>
  %2 = arith.divsi %1, %b exact : tensor<3xi32>
  %3 = arith.trunci %2 overflow<nsw> : tensor<3xi32> to tensor<3xi16>
  %4 = arith.extsi %3 : tensor<3xi16> to tensor<3xi32>
  return %4 : tensor<3xi32>
}
