// RUN: zero-opt %s --zero-assign-memory --zero-insert-events --zero-print-certificate -o /dev/null | FileCheck %s --match-full-lines --strict-whitespace

// The peak is where %dw is made: %x, %y (in place until then) and the flat
// gradient are alive.  Gradients and state are 8 bytes a parameter: the bucket
// has 24 elements of padding, of 4 bytes, in the parameter and in the gradient.

//      CHECK:memory certificate
// CHECK-NEXT:  parameters                             4,224 B        0.00 MiB
// CHECK-NEXT:  gradients                              4,224 B        0.00 MiB
// CHECK-NEXT:  optimizer state                            0 B        0.00 MiB
// CHECK-NEXT:  activations                            1,024 B        0.00 MiB
// CHECK-NEXT:  workspace                                  0 B        0.00 MiB
// CHECK-NEXT:  inputs and outputs                     1,036 B        0.00 MiB
// CHECK-NEXT:  unused                                   180 B        0.00 MiB
// CHECK-NEXT:  device arena                          10,688 B        0.01 MiB
// CHECK-NEXT:  model state: 8.00 bytes a parameter + 192 bytes of padding, 1,032 parameters
// CHECK-NEXT:    parameters                           4,224 B = 4,128 + padding 96
// CHECK-NEXT:    gradients                            4,224 B = 4,128 + padding 96
// CHECK-NEXT:    optimizer state                          0 B = 0 + padding 0
// CHECK-NEXT:  peak: 10,508 bytes (10.3 KiB) live at dw
// CHECK-NEXT:  live at the peak:
// CHECK-NEXT:                   4,224 B  gradients of @b0
// CHECK-NEXT:                     512 B  x
// CHECK-NEXT:                     512 B  y
//  CHECK-NOT:{{.}}
module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 1056 members [#zero.member<"w", 32x32 at 0, decay, init = #zero.normal<std = 0.02>>, #zero.member<"b", 8 at 1024, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32, %clip: f32) state [] scalars ["lr", "clip"] {
    %1 = arith.mulf %lr, %g : f32
    %2 = arith.subf %p, %1 : f32
    zero.yield %2 : f32
  }
  zero.kernel @gelu(%x: tensor<4x32xf32>) -> (tensor<4x32xf32> {zero.in_place = array<i64: 0>})
  zero.kernel @loss(%x: tensor<4x32xf32>, %t: tensor<4x32xi32>) -> (tensor<f32>, tensor<4x32xf32> {zero.in_place = array<i64: 0>})
  zero.kernel @embed(%x: tensor<4x32xi32>) -> tensor<4x32xf32>
  zero.kernel @bias(%x: tensor<4x32xf32>) -> tensor<8xf32>
  zero.program @step(%p: !zero.shard<1056 x f32 by 1> {zero.state = #zero.state<@b0, "param">},
                  %tokens: tensor<4x32xi32> {zero.input = "tokens"}, %targets: tensor<4x32xi32> {zero.input = "targets"},
                  %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<1056 x f32 by 1>, tensor<f32> {zero.output = "loss"}, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@b0, "w"] : !zero.shard<1056 x f32 by 1> -> tensor<32x32xf32>
    %x = zero.launch @embed(%tokens) : (tensor<4x32xi32>) -> tensor<4x32xf32> loc("x")
    %y = nn.matmul %x, %w : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32> loc("y")
    %z = zero.launch @gelu(%y) : (tensor<4x32xf32>) -> tensor<4x32xf32> loc("z")
    %loss, %dz = zero.launch @loss(%z, %targets) : (tensor<4x32xf32>, tensor<4x32xi32>) -> (tensor<f32>, tensor<4x32xf32>) loc("loss")
    %dw = nn.matmul %x, %dz {transpose_a} : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<32x32xf32> loc("dw")
    %db = zero.launch @bias(%dz) {zero.stream = #zero.stream<reduce>}: (tensor<4x32xf32>) -> tensor<8xf32> loc("db")
    %g = zero.flatten %dw, %db into @b0 : tensor<32x32xf32>, tensor<8xf32> -> tensor<1056xf32>
    %s = zero.sum_squares %g of @b0 : tensor<1056xf32> -> tensor<2xf64>
    %norm, %clip = zero.clip %s {max_norm = 1.0 : f64} : tensor<2xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @b0 (%p, %g) scalars(%lr, %clip) {decay = 0.1 : f64} : (!zero.shard<1056 x f32 by 1>, tensor<1056xf32>), (tensor<f32>, tensor<f32>) -> !zero.shard<1056 x f32 by 1>
    zero.return %p1, %loss, %norm : !zero.shard<1056 x f32 by 1>, tensor<f32>, tensor<f32>
  }
}
