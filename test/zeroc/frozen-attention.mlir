// Attention that nothing trained reaches keeps nothing for a backward.

// RUN: zeroc %s --lora=1 --emit=memory | FileCheck %s
// CHECK-NOT: attention_backward
// CHECK: nn.attention {{.*}} : tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>{{$}}
// CHECK-NOT: attention_backward

func.func @loss(
    %table: tensor<16x8xf32> {zero.param = "table", zero.init = #zero.normal<std = 0.2>},
    %tokens: tensor<1x6xi32> {zero.input = "tokens", zero.vocab = 16 : i64},
    %w: tensor<8x5xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.2>},
    %head: tensor<5x16xf32> {zero.param = "head", zero.init = #zero.normal<std = 0.2>},
    %y: tensor<1x6xi32> {zero.input = "targets", zero.vocab = 16 : i64}) -> tensor<f32> {
  %x = nn.embedding %tokens, %table : tensor<1x6xi32>, tensor<16x8xf32> -> tensor<1x6x8xf32>
  %q = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<1x6x8xf32> into tensor<1x6x2x4xf32>
  %a = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<1x6x2x4xf32>, tensor<1x6x2x4xf32>
  %flat = tensor.collapse_shape %a [[0], [1], [2, 3]] : tensor<1x6x2x4xf32> into tensor<1x6x8xf32>
  %h = nn.linear %flat, %w {transposed} : tensor<1x6x8xf32>, tensor<8x5xf32> -> tensor<1x6x5xf32>
  %logits = nn.linear %h, %head {transposed} : tensor<1x6x5xf32>, tensor<5x16xf32> -> tensor<1x6x16xf32>
  %loss = nn.cross_entropy %logits, %y : tensor<1x6x16xf32>, tensor<1x6xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
