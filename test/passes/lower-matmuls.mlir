// RUN: zero-opt %s --zero-lower-matmuls | FileCheck %s

// CHECK-LABEL: func @linear
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1], [2]] : tensor<4x8x32xf32> into tensor<32x32xf32>
// CHECK: %[[Y:.*]] = nn.matmul %[[X]], %arg1 bias(%arg2) {transpose_b} : (tensor<32x32xf32>, tensor<96x32xf32>, tensor<96xf32>) -> tensor<32x96xf32>
// CHECK: tensor.expand_shape %[[Y]]
func.func @linear(%x: tensor<4x8x32xf32>, %w: tensor<96x32xf32>, %b: tensor<96xf32>) -> tensor<4x8x96xf32> {
  %y = nn.linear %x, %w, %b : tensor<4x8x32xf32>, tensor<96x32xf32>, tensor<96xf32> -> tensor<4x8x96xf32>
  return %y : tensor<4x8x96xf32>
}

// A square weight keeps its transpose.
// CHECK-LABEL: func @square_transposed
// CHECK: nn.matmul %arg0, %arg1 {transpose_b}
func.func @square_transposed(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zero : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// The gradient of a weight: both row loops collapse into k, x is read transposed.
// CHECK-LABEL: func @weight_gradient
// CHECK-DAG: %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK-DAG: %[[G:.*]] = tensor.collapse_shape %arg1
// CHECK: nn.matmul %[[G]], %[[X]] {transpose_a} : (tensor<12x6xf32>, tensor<12x5xf32>) -> tensor<6x5xf32>
func.func @weight_gradient(%x: tensor<3x4x5xf32>, %g: tensor<3x4x6xf32>) -> tensor<6x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<6x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(o, i, a, b) -> (a, b, o)>, affine_map<(o, i, a, b) -> (a, b, i)>,
                                        affine_map<(o, i, a, b) -> (o, i)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%g, %x : tensor<3x4x6xf32>, tensor<3x4x5xf32>) outs(%zero : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// A result stored n x m is computed as the product's transpose.
// CHECK-LABEL: func @swapped_result
// CHECK: nn.matmul %arg1, %arg0 {transpose_a, transpose_b} : (tensor<7x6xf32>, tensor<5x7xf32>) -> tensor<6x5xf32>
func.func @swapped_result(%x: tensor<5x7xf32>, %w: tensor<7x6xf32>) -> tensor<6x5xf32> {
  %zero = arith.constant dense<0.0> : tensor<6x5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                        affine_map<(m, n, k) -> (n, m)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x7xf32>, tensor<7x6xf32>) outs(%zero : tensor<6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}

// Left alone: a matrix times a vector is bound by memory, as a row kernel is.
// CHECK-LABEL: func @matvec
// CHECK-NOT: nn.matmul
func.func @matvec(%x: tensor<5x7xf32>, %v: tensor<7xf32>) -> tensor<5xf32> {
  %zero = arith.constant dense<0.0> : tensor<5xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>,
                                        affine_map<(m, k) -> (m)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %v : tensor<5x7xf32>, tensor<7xf32>) outs(%zero : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// A batch in front stays one; an initial value is accumulated into.
// CHECK-LABEL: func @batch
// CHECK: nn.matmul %arg0, %arg1 init(%arg2) : (tensor<2x5x7xf32>, tensor<2x7x6xf32>, tensor<2x5x6xf32>) -> tensor<2x5x6xf32>
func.func @batch(%x: tensor<2x5x7xf32>, %w: tensor<2x7x6xf32>, %c: tensor<2x5x6xf32>) -> tensor<2x5x6xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>,
                                        affine_map<(b, m, n, k) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<2x5x7xf32>, tensor<2x7x6xf32>) outs(%c : tensor<2x5x6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x5x6xf32>
  return %y : tensor<2x5x6xf32>
}

// Left alone: a product whose batch lies in the middle, and a sum of squares.
// CHECK-LABEL: func @left_alone
// CHECK-NOT: nn.matmul
func.func @left_alone(%x: tensor<5x2x7xf32>, %w: tensor<2x7x6xf32>) -> (tensor<5x2x6xf32>, tensor<5x2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<5x2x6xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(m, b, n, k) -> (m, b, k)>, affine_map<(m, b, n, k) -> (b, k, n)>,
                                        affine_map<(m, b, n, k) -> (m, b, n)>],
                       iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x2x7xf32>, tensor<2x7x6xf32>) outs(%zero : tensor<5x2x6xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x2x6xf32>
  %zero2 = arith.constant dense<0.0> : tensor<5x2xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, b, k) -> (m, b, k)>, affine_map<(m, b, k) -> (m, b)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<5x2x7xf32>) outs(%zero2 : tensor<5x2xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x2xf32>
  return %y, %s : tensor<5x2x6xf32>, tensor<5x2xf32>
}

// Left alone: products of integers, and of numbers that are converted first.
// CHECK-LABEL: func @integers
// CHECK-NOT: nn.matmul
// CHECK-LABEL: func @converted
// CHECK-NOT: nn.matmul
func.func @integers(%a: tensor<5x7xi32>, %b: tensor<7x6xi32>, %init: tensor<5x6xi32>) -> tensor<5x6xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<5x7xi32>, tensor<7x6xi32>) outs(%init : tensor<5x6xi32>) {
  ^bb0(%x: i32, %y: i32, %acc: i32):
    %p = arith.muli %x, %y : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>
}
func.func @converted(%a: tensor<5x7xf32>, %b: tensor<7x6xf32>, %init: tensor<5x6xf64>) -> tensor<5x6xf64> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<5x7xf32>, tensor<7x6xf32>) outs(%init : tensor<5x6xf64>) {
  ^bb0(%x: f32, %y: f32, %acc: f64):
    %u = arith.extf %x : f32 to f64
    %v = arith.extf %y : f32 to f64
    %p = arith.mulf %u, %v : f64
    %s = arith.addf %acc, %p : f64
    linalg.yield %s : f64
  } -> tensor<5x6xf64>
  return %0 : tensor<5x6xf64>
}

// A convolution is a product of its filters and its windows, laid out along memory; the
// result is as it was, with what it begins as.
// CHECK-LABEL: func @convolution
// CHECK: %[[W:.*]] = linalg.generic {indexing_maps = [#[[X:.*]], #{{.*}}], {{.*}} ins(%arg0 : tensor<2x3x6x6xf32>) outs({{.*}} : tensor<3x3x3x2x4x4xf32>)
// CHECK: %[[COLUMNS:.*]] = tensor.collapse_shape %[[W]] {{.*}} into tensor<27x32xf32>
// CHECK: %[[P:.*]] = nn.matmul %{{.*}}, %[[COLUMNS]] : (tensor<8x27xf32>, tensor<27x32xf32>) -> tensor<8x32xf32>
// CHECK: %[[Z:.*]] = tensor.expand_shape %[[P]] {{.*}} into tensor<8x2x4x4xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[Z]], %arg2 : tensor<8x2x4x4xf32>, tensor<2x8x4x4xf32>)
// CHECK: return %[[Y]]
func.func @convolution(%x: tensor<2x3x6x6xf32>, %f: tensor<8x3x3x3xf32>, %start: tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
      affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>, affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x3x6x6xf32>, tensor<8x3x3x3xf32>) outs(%start : tensor<2x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x8x4x4xf32>
  return %y : tensor<2x8x4x4xf32>
}

// With few filters it stays as it is.
// CHECK-LABEL: func @few
// CHECK-NOT: nn.matmul
// CHECK: return
func.func @few(%x: tensor<2x3x6x6xf32>, %f: tensor<7x3x3x3xf32>, %start: tensor<2x7x4x4xf32>) -> tensor<2x7x4x4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(n, f, h, w, c, i, j) -> (n, c, h + i, w + j)>,
      affine_map<(n, f, h, w, c, i, j) -> (f, c, i, j)>, affine_map<(n, f, h, w, c, i, j) -> (n, f, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %f : tensor<2x3x6x6xf32>, tensor<7x3x3x3xf32>) outs(%start : tensor<2x7x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x7x4x4xf32>
  return %y : tensor<2x7x4x4xf32>
}
