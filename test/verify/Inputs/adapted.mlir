// A linear layer for an adapter.
func.func @loss(
    %wte: tensor<64x24xf32> {zero.param = "wte.weight", zero.init = #zero.normal<std = 0.02>},
    %w: tensor<24x24xf32> {zero.param = "h.0.fc.weight", zero.init = #zero.normal<std = 0.02>},
    %tokens: tensor<2x8xi32> {zero.input = "tokens", zero.vocab = 64 : i64},
    %targets: tensor<2x8xi32> {zero.input = "targets", zero.vocab = 64 : i64}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<2x8xi32>, tensor<64x24xf32> -> tensor<2x8x24xf32>
  %h = nn.linear %x, %w : tensor<2x8x24xf32>, tensor<24x24xf32> -> tensor<2x8x24xf32>
  %logits = nn.linear %h, %wte : tensor<2x8x24xf32>, tensor<64x24xf32> -> tensor<2x8x64xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x8x64xf32>, tensor<2x8xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
