// RUN: zero-opt %s --zero-lower-to-generics | FileCheck %s

// Elementwise chains become one operation; a value read twice is kept, unless
// what it is a function of is (fuse-siblings.mlir).

// CHECK-LABEL: func @chain
// CHECK-COUNT-1: linalg.generic
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = arith.mulf %0, %y : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// CHECK-LABEL: func @read_twice
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: math.exp
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} ins(%[[E]], %arg0 :
// CHECK: arith.mulf
// CHECK: arith.addf
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @read_twice(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %a = math.exp %x : tensor<8x16xf32>
  %0 = arith.mulf %a, %y : tensor<8x16xf32>
  %1 = arith.mulf %0, %x : tensor<8x16xf32>
  %2 = arith.addf %0, %x : tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// A comparison is repeated by its readers if they read what it compares anyway,
// so nobody stores its bits; others share it.
// CHECK-LABEL: func @comparison
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 :
// CHECK: arith.cmpf
// CHECK-NOT: xi1>
// CHECK: return
func.func @comparison(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %z: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %0 = arith.cmpf oeq, %x, %zero : tensor<8x16xf32>
  %1 = arith.select %0, %x, %y : tensor<8x16xi1>, tensor<8x16xf32>
  %2 = arith.select %0, %x, %z : tensor<8x16xi1>, tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-LABEL: func @comparison_apart
// CHECK-COUNT-1: arith.cmpf
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @comparison_apart(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %z: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %0 = arith.cmpf oeq, %x, %zero : tensor<8x16xf32>
  %1 = arith.select %0, %x, %y : tensor<8x16xi1>, tensor<8x16xf32>
  %2 = arith.select %0, %y, %z : tensor<8x16xi1>, tensor<8x16xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>
}

// A pad is a fill and an insert.
// CHECK-LABEL: func @pad
// CHECK: linalg.fill
// CHECK: tensor.insert_slice
func.func @pad(%x: tensor<8x16xf32>) -> tensor<10x16xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x16xf32> to tensor<10x16xf32>
  return %0 : tensor<10x16xf32>
}

// Left alone: what has a kernel of its own.
// CHECK-LABEL: func @left_alone
// CHECK: nn.matmul
// CHECK: nn.attention
// CHECK: nn.embedding_backward
func.func @left_alone(%a: tensor<8x16xf32>, %q: tensor<2x4x2x8xf32>, %t: tensor<4xi32>, %g: tensor<4x16xf32>)
    -> (tensor<8x8xf32>, tensor<2x4x2x8xf32>, tensor<8x16xf32>) {
  %0 = nn.matmul %a, %a {transpose_b} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  %1 = nn.attention %q, %q, %q {scale = 0.5 : f64} : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>
  %2 = nn.embedding_backward %t, %g into %a : tensor<4xi32>, tensor<4x16xf32>, tensor<8x16xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<2x4x2x8xf32>, tensor<8x16xf32>
}

// Ones at the end of a shape are read through, unless only they say how far a
// loop goes; other reshapes stay.
// CHECK-LABEL: func @last_ones
// CHECK: %[[R:.*]] = tensor.expand_shape %arg1
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg1, %[[R]] : tensor<8x16xf32>, tensor<8xf32>, tensor<1x8xf32>)
func.func @last_ones(%x: tensor<8x16xf32>, %y: tensor<8xf32>) -> tensor<8x16xf32> {
  %column = tensor.expand_shape %y [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %row = tensor.expand_shape %y [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, 0)>, affine_map<(a, b) -> (0, a)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %column, %row : tensor<8x16xf32>, tensor<8x1xf32>, tensor<1x8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: f32, %c: f32, %r: f32, %o: f32):
    %1 = arith.addf %in, %c : f32
    %2 = arith.mulf %1, %r : f32
    linalg.yield %2 : f32
  } -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK-LABEL: func @loop_of_one
// CHECK: %[[C:.*]] = tensor.expand_shape %arg0
// CHECK: linalg.generic {{.*}} ins(%[[C]] :
func.func @loop_of_one(%y: tensor<8xf32>, %zero: tensor<8xf32>) -> tensor<8xf32> {
  %column = tensor.expand_shape %y [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%column : tensor<8x1xf32>) outs(%zero : tensor<8xf32>) {
  ^bb0(%in: f32, %s: f32):
    %1 = arith.addf %in, %s : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A fill reads nothing.
// CHECK-LABEL: func @fill
// CHECK: %[[E:.*]] = tensor.empty()
// CHECK: linalg.fill ins({{.*}}) outs(%[[E]] :
func.func @fill(%x: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.fill ins(%zero : f32) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
