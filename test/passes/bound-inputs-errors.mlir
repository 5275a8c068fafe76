// RUN: zero-opt %s --zero-bound-inputs --split-input-file --verify-diagnostics

func.func @loss(%w: tensor<12x5xf32> {zero.param = "w"},
                // expected-error @+1 {{input "tokens" has zero.vocab = 13, but selects one of 12; drop zero.vocab, or make what it selects from larger}}
                %tokens: tensor<3xi32> {zero.input = "tokens", zero.vocab = 13 : i64}) -> tensor<3x5xf32> {
  // expected-note @+1 {{it does so here}}
  %x = nn.embedding %tokens, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

func.func @loss(%w: tensor<3x5xf32> {zero.param = "w"},
                // expected-error @+1 {{input "classes" has zero.vocab = 6, but selects one of 5}}
                %t: tensor<3xi32> {zero.input = "classes", zero.vocab = 6 : i64}) -> tensor<f32> {
  // expected-note @+1 {{it does so here}}
  %l = nn.cross_entropy %w, %t : tensor<3x5xf32>, tensor<3xi32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @+1 {{input "x" has zero.vocab = 0 : i64; it is a positive i64, of an input of integers}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xi32> {zero.input = "x", zero.vocab = 0 : i64}) {
  return
}

// -----

// expected-error @+1 {{input "x" has zero.vocab = 8 : i64; it is a positive i64, of an input of integers}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xf32> {zero.input = "x", zero.vocab = 8 : i64}) {
  return
}

// -----

// expected-error @+1 {{input "x" has zero.vocab = 2147483649, which does not fit 'i32'}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xi32> {zero.input = "x", zero.vocab = 2147483649 : i64}) {
  return
}

// -----

// expected-error @+1 {{input "x" is 'tensor<3xf64>', which the training program cannot feed; it has tensors of f32, i32 and i64 whose first dimension counts samples}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xf64> {zero.input = "x"}) {
  return
}

// -----

// expected-error @+1 {{input "x" is 'tensor<f32>', which the training program cannot feed}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<f32> {zero.input = "x"}) {
  return
}

// -----

// expected-note @+1 {{"x" has 3}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xf32> {zero.input = "x"},
                // expected-error @+1 {{input "y" has 4 samples, 'tensor<4x2xf32>'; the first dimension of all inputs is the batch}}
                %y: tensor<4x2xf32> {zero.input = "y"}) {
  return
}

// -----

// expected-note @+1 {{the first is here}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xf32> {zero.input = "x"},
                // expected-error @+1 {{input "x" is there twice; names of inputs are unique}}
                %y: tensor<3xf32> {zero.input = "x"}) {
  return
}

// -----

// expected-error @+1 {{input "lr" is called as a number that the training program writes itself; rename it}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xf32> {zero.input = "lr"}) {
  return
}

// -----

// expected-error @+1 {{has zero.input = unit of argument 1; it is a string}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %x: tensor<3xf32> {zero.input}) {
  return
}
