func.func @loss(%wte: tensor<16x8xf32> {zero.param = "wte", zero.init = #zero.normal<std = 0.02>},
                %g: tensor<8xf32> {zero.param = "h.0.ln.weight", zero.init = #zero.constant<1.0>},
                %b: tensor<8xf32> {zero.param = "h.0.ln.bias", zero.init = #zero.constant<0.0>},
                %w: tensor<8x24xf32> {zero.param = "h.0.qkv", zero.init = #zero.normal<std = 0.02>},
                %tokens: tensor<2x4xi32> {zero.input = "tokens", zero.vocab = 16 : i64},
                %targets: tensor<2x4xi32> {zero.input = "targets", zero.vocab = 16 : i64}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<2x4xi32>, tensor<16x8xf32> -> tensor<2x4x8xf32>
  %n = nn.layer_norm %x, %g, %b {eps = 1.0e-5 : f64} : tensor<2x4x8xf32>, tensor<8xf32>
  %y = nn.linear %n, %w {transposed} : tensor<2x4x8xf32>, tensor<8x24xf32> -> tensor<2x4x24xf32>
  %p = tensor.expand_shape %y [[0], [1], [2, 3, 4]] output_shape [2, 4, 3, 2, 4] : tensor<2x4x24xf32> into tensor<2x4x3x2x4xf32>
  %q = tensor.extract_slice %p[0, 0, 0, 0, 0] [2, 4, 1, 2, 4] [1, 1, 1, 1, 1] : tensor<2x4x3x2x4xf32> to tensor<2x4x2x4xf32>
  %k = tensor.extract_slice %p[0, 0, 1, 0, 0] [2, 4, 1, 2, 4] [1, 1, 1, 1, 1] : tensor<2x4x3x2x4xf32> to tensor<2x4x2x4xf32>
  %v = tensor.extract_slice %p[0, 0, 2, 0, 0] [2, 4, 1, 2, 4] [1, 1, 1, 1, 1] : tensor<2x4x3x2x4xf32> to tensor<2x4x2x4xf32>
  %o = nn.attention %q, %k, %v {causal, scale = 0.5 : f64} : tensor<2x4x2x4xf32>, tensor<2x4x2x4xf32>
  %z = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<2x4x2x4xf32> into tensor<2x4x8xf32>
  %r = arith.addf %x, %z : tensor<2x4x8xf32>
  %l = nn.linear %r, %wte : tensor<2x4x8xf32>, tensor<16x8xf32> -> tensor<2x4x16xf32>
  %loss = nn.cross_entropy %l, %targets : tensor<2x4x16xf32>, tensor<2x4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
