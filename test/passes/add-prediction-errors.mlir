// RUN: zero-opt %s --split-input-file --verify-diagnostics --zero-add-prediction

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
                // expected-error@+1 {{input "position" is called as --sample calls the position of the logits; rename it}}
                %position: tensor<2x3xi32> {zero.input = "position"}) -> tensor<f32> {
  %loss = nn.cross_entropy %w, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

func.func @loss(%w: tensor<2x3x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"},
                // expected-error@+1 {{input "mask" is read by the logits, and --sample writes tokens alone; drop --sample}}
                %mask: tensor<2x3x5xf32> {zero.input = "mask"}) -> tensor<f32> {
  %logits = arith.addf %w, %mask : tensor<2x3x5xf32>
  %loss = nn.cross_entropy %logits, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// expected-error@+1 {{is called as the function that gives logits is, @predict; rename it}}
func.func private @predict()
func.func @loss(%w: tensor<2x3x5xf32> {zero.param = "w"}, %tokens: tensor<2x3xi32> {zero.input = "tokens"}) -> tensor<f32> {
  %loss = nn.cross_entropy %w, %tokens : tensor<2x3x5xf32>, tensor<2x3xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
