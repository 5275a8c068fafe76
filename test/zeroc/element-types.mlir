// What a plan cannot hold is an error at its place.  In between, a kernel may
// compute with any type.
// RUN: not zeroc %s -o %t 2>&1 | FileCheck %s
// RUN: sed 's/i16/i8/g' %s > %t.i8.mlir
// RUN: zeroc %t.i8.mlir -o %t.train
// RUN: %t.train --plan | FileCheck %s --check-prefix=PLAN

// PLAN: program step: {{[0-9]+}} operations, 0 events
// PLAN: compute launch kernel.1 of sum ({{.*}}:[[#@LINE + 8]]) 1 by 1: operand 0 device {{[0-9]+}} + 64 i32 members, operand 1 device {{[0-9]+}} + 1 i8 scalar
// PLAN: compute launch kernel.2 of f ({{.*}} {{.*}} i8 scalar
func.func @loss(%w: tensor<4x8xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
                %x: tensor<2x8xi32> {zero.input = "x"}) -> tensor<f32> {
  %zero = arith.constant 0 : i16
  %start = tensor.empty() : tensor<i16>
  %none = linalg.fill ins(%zero : i16) outs(%start : tensor<i16>) -> tensor<i16>
  // CHECK: element-types.mlir:[[#@LINE + 1]]:{{[0-9]+}}: error: plans hold no elements of type 'i16'; they hold f64, f32, bf16, f16, i64, i32, i8, i1
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<2x8xi32>) outs(%none : tensor<i16>) {
  ^bb0(%a: i32, %b: i16):
    %c = arith.trunci %a : i32 to i16
    %d = arith.addi %b, %c : i16
    linalg.yield %d : i16
  } -> tensor<i16>
  %e = tensor.empty() : tensor<2x8xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<2x8xi32>, tensor<i16>) outs(%e : tensor<2x8xf32>) {
  ^bb0(%a: i32, %s: i16, %b: f32):
    %c = arith.sitofp %a : i32 to f32
    %d = arith.sitofp %s : i16 to f32
    %g = arith.mulf %c, %d : f32
    linalg.yield %g : f32
  } -> tensor<2x8xf32>
  %y = nn.linear %f, %w : tensor<2x8xf32>, tensor<4x8xf32> -> tensor<2x4xf32>
  %z = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%z : f32) outs(%t : tensor<f32>) -> tensor<f32>
  %l = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
                       iterator_types = ["reduction", "reduction"]} ins(%y : tensor<2x4xf32>) outs(%i : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %l : tensor<f32>
}
