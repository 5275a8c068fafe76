// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-partition-state

// expected-error @+1 {{parameter "w" is 'tensor<4xf64>'; training binaries hold parameters of f32, bf16 and f16}}
func.func @step(%w: tensor<4xf64> {zero.param = "w", zero.init = #zero.constant<0.0>}, %l: tensor<f64> {zero.input = "l"}) -> (tensor<f64>, tensor<4xf64>) {
  return %l, %w : tensor<f64>, tensor<4xf64>
}

// -----

// expected-error @+1 {{has no parameters; mark arguments with zero.param}}
func.func @step(%l: tensor<f32> {zero.input = "l"}) -> tensor<f32> {
  return %l : tensor<f32>
}

// -----

// expected-error @+1 {{has no function @step; run zero-differentiate-loss first}}
module {
}

// -----

// expected-error @+1 {{has zero.param = unit of argument 0; it is a string}}
func.func @step(%w: tensor<4xf32> {zero.param}, %l: tensor<f32> {zero.input = "l"}) -> (tensor<f32>, tensor<4xf32>) {
  return %l, %w : tensor<f32>, tensor<4xf32>
}

// -----

// expected-error @+2 {{parameter "v" is 'tensor<4xbf16>', and "w" is 'tensor<4xf32>'; the parameters of a model have one element type}}
func.func @step(%w: tensor<4xf32> {zero.param = "w", zero.init = #zero.constant<0.0>},
                %v: tensor<4xbf16> {zero.param = "v", zero.init = #zero.constant<0.0>}, %l: tensor<f32> {zero.input = "l"})
    -> (tensor<f32>, tensor<4xf32>, tensor<4xbf16>) {
  return %l, %w, %v : tensor<f32>, tensor<4xf32>, tensor<4xbf16>
}

// -----

func.func @step(%w: tensor<4xf32> {zero.param = "w", zero.init = #zero.constant<0.0>},
                %v: tensor<4xf32> {zero.param = "v", zero.init = #zero.constant<0.0>}, %l: tensor<f32> {zero.input = "l"})
    -> (tensor<f32>, tensor<4xf32>, tensor<4xbf16>) {
  // expected-error @+1 {{the gradient of "v" is 'tensor<4xbf16>', and others are of 'f32'; gradients have one element type}}
  %g = arith.truncf %v : tensor<4xf32> to tensor<4xbf16>
  return %l, %w, %g : tensor<f32>, tensor<4xf32>, tensor<4xbf16>
}
