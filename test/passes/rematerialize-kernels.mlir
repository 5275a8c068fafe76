// RUN: zero-opt %s -split-input-file --zero-rematerialize-blocks=what=kernels -verify-diagnostics | FileCheck %s

// Products are kept, and what a kernel computes from one that the backward reads
// anyway is computed again: %f.  %s would need %y, which nothing else keeps, and has as
// many bytes: it is kept itself.

// CHECK-LABEL: func.func @step(
// CHECK: %[[A:.*]] = nn.matmul
// CHECK: %[[Y:.*]] = nn.matmul
// CHECK-NEXT: %[[S:.*]] = zero.launch @add(%{{.*}}, %[[Y]])
// CHECK: zero.launch @loss(
// CHECK-NEXT: zero.launch @df(%{{.*}}, %[[S]])
// CHECK-NEXT: %[[F:.*]] = zero.launch @f(%[[A]])
// CHECK-NEXT: zero.launch @df(%[[F]], %[[A]])
// CHECK-NOT: nn.matmul
// CHECK: return
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}, %v: tensor<4x4xf32> {zero.param = "h.0.v"},
                %o: tensor<4x4xf32> {zero.param = "head"}, %x: tensor<4x4xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a = nn.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = zero.launch @f(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = nn.matmul %f, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = zero.launch @add(%x, %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = zero.launch @f(%s) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss:2 = zero.launch @loss(%z, %o) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %d1 = zero.launch @df(%loss#1, %s) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d2 = zero.launch @df(%f, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss#0, %d1, %d2 : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @add(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) units serial

// -----

// Only products: there is nothing else.

// expected-error @+1 {{has nothing that remat=kernels could compute again}}
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}, %o: tensor<4x4xf32> {zero.param = "head"},
                %x: tensor<4x4xf32> {zero.input = "x"}) -> (tensor<f32>, tensor<4x4xf32>) {
  %a = nn.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = nn.matmul %a, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = zero.launch @loss(%y, %o) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32>
  %d = zero.launch @df(%a, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %d : tensor<f32>, tensor<4x4xf32>
}
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32> units serial
