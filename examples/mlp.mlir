// A byte-level language model by hand: a residual MLP that guesses the next
// byte from the current one.  It shows the language that zeroc compiles:
//
// * One public function, @loss.  Its result is the loss, a scalar.
// * Arguments with `zero.param` are trained.  The string is their name in
//   checkpoints; `zero.init` says how they begin.
// * Arguments with `zero.input` are fed by the token data of the training
//   binary; ids lie below `zero.vocab`.
// * Everything between is a pure function on tensors of static shape.  `nn`
//   operations and those of linalg, tensor, arith and math mix freely.
//
//   zeroc mlp.mlir -o train

#rows = affine_map<(r, c) -> (r, c)>
#cols = affine_map<(r, c) -> (c)>

func.func @loss(
    %wte: tensor<256x64xf32> {zero.param = "wte.weight", zero.init = #zero.normal<std = 0.02>},
    %w1: tensor<64x128xf32> {zero.param = "mlp.fc.weight", zero.init = #zero.normal<std = 0.125>},
    %b1: tensor<128xf32> {zero.param = "mlp.fc.bias", zero.init = #zero.constant<0.0>},
    %w2: tensor<128x64xf32> {zero.param = "mlp.proj.weight", zero.init = #zero.uniform<low = -0.08, high = 0.08>},
    %b2: tensor<64xf32> {zero.param = "mlp.proj.bias", zero.init = #zero.constant<0.0>},
    %head: tensor<64x256xf32> {zero.param = "head.weight", zero.init = #zero.normal<std = 0.02>},
    %tokens: tensor<16x32xi32> {zero.input = "tokens", zero.vocab = 256 : i64},
    %targets: tensor<16x32xi32> {zero.input = "targets", zero.vocab = 256 : i64}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32

  // One row of 64 values for each of the 16 x 32 tokens, as a matrix.
  %x3 = nn.embedding %tokens, %wte : tensor<16x32xi32>, tensor<256x64xf32> -> tensor<16x32x64xf32>
  %x = tensor.collapse_shape %x3 [[0, 1], [2]] : tensor<16x32x64xf32> into tensor<512x64xf32>

  // h = relu(x w1 + b1): a matmul that starts from zeros ...
  %h_empty = tensor.empty() : tensor<512x128xf32>
  %h_zeros = linalg.fill ins(%zero : f32) outs(%h_empty : tensor<512x128xf32>) -> tensor<512x128xf32>
  %h_product = linalg.matmul ins(%x, %w1 : tensor<512x64xf32>, tensor<64x128xf32>)
                             outs(%h_zeros : tensor<512x128xf32>) -> tensor<512x128xf32>
  // ... then bias and activation in one generic, which reads the bias by
  // column: its indexing map leaves out the row.
  %h = linalg.generic {indexing_maps = [#rows, #cols, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%h_product, %b1 : tensor<512x128xf32>, tensor<128xf32>) outs(%h_empty : tensor<512x128xf32>) {
  ^bb0(%product: f32, %bias: f32, %unused: f32):
    %sum = arith.addf %product, %bias : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<512x128xf32>

  // y = x + tanh(h w2 + b2).  A product adds to its `outs`, so it can start
  // from the bias, repeated for every row.
  %y_empty = tensor.empty() : tensor<512x64xf32>
  %y_bias = linalg.broadcast ins(%b2 : tensor<64xf32>) outs(%y_empty : tensor<512x64xf32>) dimensions = [0]
  %y_product = linalg.matmul ins(%h, %w2 : tensor<512x128xf32>, tensor<128x64xf32>)
                             outs(%y_bias : tensor<512x64xf32>) -> tensor<512x64xf32>
  // Operations of arith and math work on whole tensors, element by element.
  %squashed = math.tanh %y_product : tensor<512x64xf32>
  %y = arith.addf %x, %squashed : tensor<512x64xf32>

  // Scores for the 256 bytes that may come next, and how well they did.
  %logits_empty = tensor.empty() : tensor<512x256xf32>
  %logits_zeros = linalg.fill ins(%zero : f32) outs(%logits_empty : tensor<512x256xf32>) -> tensor<512x256xf32>
  %logits2 = linalg.matmul ins(%y, %head : tensor<512x64xf32>, tensor<64x256xf32>)
                           outs(%logits_zeros : tensor<512x256xf32>) -> tensor<512x256xf32>
  %logits = tensor.expand_shape %logits2 [[0, 1], [2]] output_shape [16, 32, 256]
      : tensor<512x256xf32> into tensor<16x32x256xf32>
  %loss = nn.cross_entropy %logits, %targets : tensor<16x32x256xf32>, tensor<16x32xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
