// The precision of a plan is that of parameters that are not packed, also where a packed
// one comes first.

// RUN: zeroc %s --lora=1 --base-storage=nf4 --precision=bf16 --emit=memory | FileCheck %s
// CHECK: precision = "bf16"
// CHECK: zero.bucket @b0 {{.*}} packed <nf4>

func.func @loss(
    %w: tensor<8x5xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.2>},
    %x: tensor<4x8xf32> {zero.input = "x"},
    %head: tensor<5x2xf32> {zero.param = "head", zero.init = #zero.normal<std = 0.2>},
    %y: tensor<4xi32> {zero.input = "y", zero.vocab = 2 : i64}) -> tensor<f32> {
  %h = nn.linear %x, %w {transposed} : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %logits = nn.linear %h, %head {transposed} : tensor<4x5xf32>, tensor<5x2xf32> -> tensor<4x2xf32>
  %loss = nn.cross_entropy %logits, %y : tensor<4x2xf32>, tensor<4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
