// A block of each kind; BATCH, SEQ, VOCAB, WIDTH, HEADS and DIM are replaced.
func.func @loss(%wte: tensor<VOCABxWIDTHxf32> {zero.param = "wte", zero.init = #zero.normal<std = 0.02>},
                %g: tensor<WIDTHxf32> {zero.param = "g", zero.init = #zero.constant<1.0>},
                %b: tensor<WIDTHxf32> {zero.param = "b", zero.init = #zero.constant<0.0>},
                %w: tensor<WIDTHxWIDTHxf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
                %tokens: tensor<BATCHxSEQxi32> {zero.input = "tokens"},
                %targets: tensor<BATCHxSEQxi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<BATCHxSEQxi32>, tensor<VOCABxWIDTHxf32> -> tensor<BATCHxSEQxWIDTHxf32>
  %n = nn.layer_norm %x, %g, %b {eps = 1.0e-5 : f64} : tensor<BATCHxSEQxWIDTHxf32>, tensor<WIDTHxf32>
  %y = nn.linear %n, %w : tensor<BATCHxSEQxWIDTHxf32>, tensor<WIDTHxWIDTHxf32> -> tensor<BATCHxSEQxWIDTHxf32>
  %q = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [BATCH, SEQ, HEADS, DIM] : tensor<BATCHxSEQxWIDTHxf32> into tensor<BATCHxSEQxHEADSxDIMxf32>
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<BATCHxSEQxHEADSxDIMxf32>, tensor<BATCHxSEQxHEADSxDIMxf32>
  %z = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<BATCHxSEQxHEADSxDIMxf32> into tensor<BATCHxSEQxWIDTHxf32>
  %l = nn.linear %z, %wte : tensor<BATCHxSEQxWIDTHxf32>, tensor<VOCABxWIDTHxf32> -> tensor<BATCHxSEQxVOCABxf32>
  %loss = nn.cross_entropy %l, %targets : tensor<BATCHxSEQxVOCABxf32>, tensor<BATCHxSEQxi32> -> tensor<f32>
  return %loss : tensor<f32>
}
