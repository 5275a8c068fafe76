// RUN: zero-opt %s -split-input-file --zero-rematerialize-blocks -verify-diagnostics | FileCheck %s

// What the first two blocks compute and the backward reads is computed again,
// where the backward first reads any of it.  What goes from block to block is
// kept: %x1 and %x2.  The last block is kept whole.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W0:[a-z0-9]+]]: tensor<4x4xf32> {zero.param = "h.0.w"}
// CHECK-SAME: %[[V0:[a-z0-9]+]]: tensor<4x4xf32> {zero.param = "h.0.v"}
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4xf32> {zero.input = "x"}
// CHECK: %[[A0:.*]] = nn.matmul %[[X]], %[[W0]]
// CHECK-NEXT: %[[F0:.*]] = zero.launch @f(%[[A0]])
// CHECK-NEXT: %[[X1:.*]] = nn.matmul %[[F0]], %[[V0]]
// CHECK-NEXT: %[[A1:.*]] = nn.matmul %[[X1]]
// CHECK-NEXT: zero.launch @f(%[[A1]])
// CHECK: %[[LOSS:.*]]:2 = zero.launch @loss(
// The second block, with its names.
// CHECK-NEXT: %[[B1:.*]] = nn.matmul %[[X1]]
// CHECK-NEXT: %[[G1:.*]] = zero.launch @f(%[[B1]])
// CHECK-NEXT: %[[N1:.*]] = tensor.collapse_shape %[[G1]]
// CHECK-NEXT: zero.launch @g(%[[LOSS]]#1, %[[N1]])
// CHECK-NEXT: zero.launch @df(%{{.*}}, %[[B1]])
// The first.
// CHECK-NEXT: %[[B0:.*]] = nn.matmul %[[X]], %[[W0]]
// CHECK-NEXT: zero.launch @df(%{{.*}}, %[[B0]])
// CHECK-NOT: nn.matmul
// CHECK: return

func.func @step(%w0: tensor<4x4xf32> {zero.param = "h.0.w"}, %v0: tensor<4x4xf32> {zero.param = "h.0.v"},
                %w1: tensor<4x4xf32> {zero.param = "h.1.w"}, %w2: tensor<4x4xf32> {zero.param = "h.2.w"},
                %x: tensor<4x4xf32> {zero.input = "x"})
    -> (tensor<f32>, tensor<16xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a0 = nn.matmul %x, %w0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f0 = zero.launch @f(%a0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %x1 = nn.matmul %f0, %v0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %a1 = nn.matmul %x1, %w1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f1 = zero.launch @f(%a1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %n1 = tensor.collapse_shape %f1 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %x2 = zero.launch @h(%f1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss:2 = zero.launch @loss(%x2, %w2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>)
  %d1 = zero.launch @g(%loss#1, %n1) : (tensor<4x4xf32>, tensor<16xf32>) -> tensor<16xf32>
  %d2 = zero.launch @df(%loss#1, %a1) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d3 = zero.launch @df(%d2, %a0) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %d4 = zero.launch @df(%d3, %x2) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss#0, %d1, %d2, %d3, %d4 : tensor<f32>, tensor<16xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @h(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @g(tensor<4x4xf32>, tensor<16xf32>) -> tensor<16xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) units serial

// -----

// What an operation computes that reads parameters of two blocks is kept.

// CHECK-LABEL: func.func @step(
// CHECK: %[[E:.*]]:2 = zero.launch @embed(
// CHECK: zero.launch @loss(
// CHECK-NEXT: %[[A:.*]] = zero.launch @f(%[[E]]#1)
// CHECK-NEXT: zero.launch @df(%[[E]]#0, %[[A]])
func.func @step(%e: tensor<4x4xf32> {zero.param = "wte"}, %w: tensor<4x4xf32> {zero.param = "h.0.w"},
                %o: tensor<4x4xf32> {zero.param = "head"}) -> (tensor<f32>, tensor<4x4xf32>) {
  %x:2 = zero.launch @embed(%e, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %a = zero.launch @f(%x#1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = zero.launch @f(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = zero.launch @loss(%y, %o) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32>
  %d = zero.launch @df(%x#0, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %d : tensor<f32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @embed(tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32> units serial

// -----

// The forward ends with the loss: what the gradient needs before that, as in
// chunks of a loss, is not read late.

// CHECK-LABEL: func.func @step(
// CHECK: %[[A:.*]] = zero.launch @f(
// CHECK-NEXT: %[[B:.*]] = zero.launch @f(%[[A]])
// CHECK-NEXT: zero.launch @df(%[[A]], %[[B]])
// CHECK-NEXT: %[[C:.*]] = zero.launch @f(%[[B]])
// CHECK-NEXT: zero.launch @loss(%[[C]],
// CHECK-NEXT: %[[A2:.*]] = zero.launch @f(
// CHECK-NEXT: %[[B2:.*]] = zero.launch @f(%[[A2]])
// CHECK-NEXT: %[[D2:.*]] = zero.launch @df(%[[A2]], %[[B2]])
// CHECK-NEXT: zero.launch @df(%[[A2]], %[[D2]])
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}, %o: tensor<4x4xf32> {zero.param = "head"})
    -> (tensor<f32>, tensor<4x4xf32>) {
  %a = zero.launch @f(%w) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = zero.launch @f(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = zero.launch @df(%a, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = zero.launch @f(%b) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = zero.launch @loss(%c, %o) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32>
  %e = zero.launch @df(%a, %d) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %e : tensor<f32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32> units serial

// -----

// expected-error @below {{has nothing that remat=block could compute again: of 1 blocks of parameters the last one is kept}}
func.func @step(%w: tensor<4x4xf32> {zero.param = "h.0.w"}) -> (tensor<f32>, tensor<4x4xf32>) {
  %a = zero.launch @f(%w) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = zero.launch @loss(%a) : (tensor<4x4xf32>) -> tensor<f32>
  %d = zero.launch @df(%w, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %d : tensor<f32>, tensor<4x4xf32>
}
zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @df(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> units rows
zero.kernel @loss(tensor<4x4xf32>) -> tensor<f32> units serial
