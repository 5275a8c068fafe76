// RUN: zero-opt %s --split-input-file --verify-diagnostics --zero-add-decoding

// expected-error@+1 {{has 0 nn.cross_entropy, and --sample draws from the logits of the only one; drop --sample}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<2x3xi32> {zero.input = "tokens"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error@+1 {{has 2 nn.cross_entropy}}
func.func @loss(%w: tensor<2x3x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"},
                %targets: tensor<2x3xi32> {zero.input = "targets"}) -> tensor<f32> {
  %a = nn.cross_entropy %w, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  %b = nn.cross_entropy %w, %targets : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  %sum = arith.addf %a, %b : tensor<f32>
  return %sum : tensor<f32>
}

// -----

// expected-error@+1 {{has no input tokens of [batch, positions], which --sample writes}}
func.func @loss(%w: tensor<4x5xf32> {zero.param = "w"}, %labels: tensor<4xi32> {zero.input = "labels"}) -> tensor<f32> {
  %loss = nn.cross_entropy %w, %labels : tensor<4x5xf32>, tensor<4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @loss(%w: tensor<4x5xf32> {zero.param = "w"}, %tokens: tensor<4x3xi32> {zero.input = "tokens"},
                %labels: tensor<4xi32> {zero.input = "labels"}) -> tensor<f32> {
  // expected-error@+1 {{has targets that are no input of the shape of the tokens, 'tensor<4x3xi32>', so its rows of logits are not known to be their positions}}
  %loss = nn.cross_entropy %w, %labels : tensor<4x5xf32>, tensor<4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @loss(%w: tensor<2x3x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"},
                // expected-error@+1 {{input "begin" is called as an input of generation; rename it}}
                %begin: tensor<2x3xi32> {zero.input = "begin"}) -> tensor<f32> {
  %loss = nn.cross_entropy %w, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @loss(%w: tensor<5x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"},
                // expected-error@+1 {{input "mask" is read by the logits, and generation writes tokens alone; drop --sample}}
                %mask: tensor<5x5xf32> {zero.input = "mask"}) -> tensor<f32> {
  %m = arith.addf %w, %mask : tensor<5x5xf32>
  %logits = nn.embedding %tokens, %m : tensor<2x3xi32>, tensor<5x5xf32> -> tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// expected-error@+1 {{is called as a function that continues sequences is, @decode; rename it}}
func.func private @decode()
func.func @loss(%w: tensor<2x3x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"}) -> tensor<f32> {
  %loss = nn.cross_entropy %w, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// expected-error@+1 {{has logits that do not depend on the input tokens; drop --sample}}
func.func @loss(%w: tensor<2x3x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"}) -> tensor<f32> {
  %loss = nn.cross_entropy %w, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @loss(%w: tensor<5x4xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %w : tensor<2x3xi32>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %h = tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [2, 3, 2, 2] : tensor<2x3x4xf32> into tensor<2x3x2x2xf32>
  // expected-error@+1 {{mixes positions in a way that generation does not know: it needs nn.attention with causal, nn.causal_conv or nn.gated_delta_rule; drop --sample}}
  %o = nn.attention %h, %h, %h {scale = 0.5 : f64} : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32>
  %y = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<2x3x2x2xf32> into tensor<2x3x4xf32>
  %logits = nn.linear %y, %w : tensor<2x3x4xf32>, tensor<5x4xf32> -> tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @loss(%w: tensor<5x4xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %w : tensor<2x3xi32>, tensor<5x4xf32> -> tensor<2x3x4xf32>
  %e = tensor.empty() : tensor<2x3x4xf32>
  // The sum over positions, which a token reads that comes before.
  // expected-error@+1 {{mixes positions in a way that generation does not know}}
  %m = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, 2 - t, c)>, affine_map<(b, t, c) -> (b, t, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x3x4xf32>) outs(%e : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x3x4xf32>
  %logits = nn.linear %m, %w : tensor<2x3x4xf32>, tensor<5x4xf32> -> tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
