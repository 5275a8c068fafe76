// Cumulative sums, as torch-mlir prints them, are sums over windows.

// RUN: zero-opt %s -split-input-file -verify-diagnostics -zero-normalize-model | FileCheck %s

// CHECK-DAG: #[[WINDOW:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 + d2)>
// CHECK-DAG: #[[SIZE:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK: func @along_rows
// CHECK:   %[[P:.*]] = tensor.pad %{{.*}} low[0, 4] high[0, 0]
// CHECK:   linalg.generic {indexing_maps = [#[[WINDOW]], #[[SIZE]], #[[OUT]]]
// CHECK-SAME: ["parallel", "parallel", "reduction"]} ins(%[[P]], %{{.*}} : tensor<3x9xf32>, tensor<5xf32>)
// CHECK-NOT: tm_tensor
func.func @along_rows(%x: tensor<3x5xf32>, %a: tensor<3x5xf32>, %b: tensor<3xf32>) -> tensor<3x5xf32> {
  %y:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<3x5xf32>) outs(%a, %b : tensor<3x5xf32>, tensor<3xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<3x5xf32>, tensor<3xf32>
  return %y#0 : tensor<3x5xf32>
}

// -----

func.func @products(%x: tensor<3x5xf32>, %a: tensor<3x5xf32>, %b: tensor<5xf32>) -> tensor<3x5xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op is no sum of floats; cumulative sums alone are supported}}
  %y:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<3x5xf32>) outs(%a, %b : tensor<3x5xf32>, tensor<5xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.mulf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<3x5xf32>, tensor<5xf32>
  return %y#0 : tensor<3x5xf32>
}

// -----

func.func @without_itself(%x: tensor<5xf32>, %a: tensor<5xf32>, %b: tensor<f32>) -> tensor<5xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op leaves the element itself out of its sum; only inclusive(true) is supported}}
  %y:2 = tm_tensor.scan dimension(0) inclusive(false) ins(%x : tensor<5xf32>) outs(%a, %b : tensor<5xf32>, tensor<f32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<5xf32>, tensor<f32>
  return %y#0 : tensor<5xf32>
}

// -----

func.func @totals(%x: tensor<5xf32>, %a: tensor<5xf32>, %b: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{'tm_tensor.scan' op has a second result that is read; take the last element of the first}}
  %y:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<5xf32>) outs(%a, %b : tensor<5xf32>, tensor<f32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<5xf32>, tensor<f32>
  return %y#1 : tensor<f32>
}

// -----

func.func @nowhere(%x: tensor<5xf32>, %a: tensor<5xf32>, %b: tensor<f32>) -> tensor<5xf32> {
  // expected-error@+1 {{'tm_tensor.scan' op goes along dimension 1 of an input that has 1}}
  %y:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<5xf32>) outs(%a, %b : tensor<5xf32>, tensor<f32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tm_tensor.yield %s : f32
  } -> tensor<5xf32>, tensor<f32>
  return %y#0 : tensor<5xf32>
}
