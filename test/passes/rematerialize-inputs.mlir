// RUN: zero-opt %s -split-input-file --zero-rematerialize-blocks | FileCheck %s

// The second block begins with the norm of a sum of two values of the first.
// The sum is kept, and neither of the two; what the norm computes of it is
// computed again by the rest of the kernel.  A result that is computed of the
// two is kept.

// CHECK-LABEL: func.func @step(
// CHECK: %[[A:.*]] = nn.matmul
// CHECK-NEXT: %[[B:.*]] = nn.matmul
// CHECK-NEXT: %[[K:.*]]:3 = zero.launch @k(%[[A]], %[[B]], %[[U:[a-z0-9]+]])
// CHECK: %[[LOSS:.*]]:2 = zero.launch @loss
// CHECK-NEXT: %[[N:.*]] = zero.launch @k.rest(%[[K]]#1, %[[U]])
// CHECK-NEXT: zero.launch @df(%[[N]], %[[K]]#1)
// CHECK-NEXT: zero.launch @dg(%[[K]]#0)
// CHECK-NEXT: %[[A2:.*]] = nn.matmul
// CHECK-NEXT: zero.launch @df(%[[A2]],

// CHECK: zero.kernel @k.rest(%[[SUM:.*]]: tensor<4x4xf32>, %[[W:.*]]: tensor<4xf32>) -> tensor<4x4xf32> units rows [4] attributes {zero.rest_of = [@k, 1, 2]} {
// CHECK-NOT: addf
// CHECK: linalg.generic {{.*}} ins(%[[SUM]], %[[W]]
// CHECK: linalg.generic {{.*}} ins(
// CHECK: zero.return
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}, %u: tensor<4xf32> {zero.param = "h.1.u"},
                %v: tensor<4x4xf32> {zero.param = "h.1.v"}, %o: tensor<4x4xf32> {zero.param = "head"},
                %x: tensor<4x4xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a = nn.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = nn.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %k:3 = zero.launch @k(%a, %b, %u) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
  %y = nn.matmul %k#2, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss:2 = zero.launch @loss(%y, %o) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %dv = zero.launch @df(%k#2, %k#1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %du = zero.launch @dg(%k#0) : (tensor<4xf32>) -> tensor<4xf32>
  %dw = zero.launch @df(%a, %dv) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss#0, %dw, %du, %dv, %loss#1 : tensor<f32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
zero.kernel @k(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %u: tensor<4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) units rows [4] {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<4x4xf32>) outs(%zero : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %sum = arith.addf %in, %other : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%1, %u : tensor<4x4xf32>, tensor<4xf32>) outs(%e2 : tensor<4x4xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %scaled = arith.mulf %in, %weight : f32
    linalg.yield %scaled : f32
  } -> tensor<4x4xf32>
  %e3 = tensor.empty() : tensor<4x4xf32>
  %3 = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%2 : tensor<4x4xf32>) outs(%e3 : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    linalg.yield %square : f32
  } -> tensor<4x4xf32>
  zero.return %0, %1, %3 : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @dg(tensor<4xf32>) -> tensor<4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) units serial

// -----

// Another reader of a summand, in the second block: both are kept as they are.

// CHECK-LABEL: func.func @step(
// CHECK-NOT: rest
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}, %u: tensor<4x4xf32> {zero.param = "h.1.u"},
                %o: tensor<4x4xf32> {zero.param = "head"}, %x: tensor<4x4xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a = nn.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = nn.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %k:2 = zero.launch @k(%a, %b, %u) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %y = nn.matmul %k#1, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss:2 = zero.launch @loss(%y, %o) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %dv = zero.launch @df(%k#1, %k#0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw = zero.launch @df(%a, %dv) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss#0, %dw, %dv, %loss#1 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
#rows = affine_map<(d0, d1) -> (d0, d1)>
zero.kernel @k(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %u: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) units rows [4] {
  %e1 = tensor.empty() : tensor<4x4xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e1 : tensor<4x4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %sum = arith.addf %in, %other : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%1, %u : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e2 : tensor<4x4xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %scaled = arith.mulf %in, %weight : f32
    linalg.yield %scaled : f32
  } -> tensor<4x4xf32>
  zero.return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) units serial
