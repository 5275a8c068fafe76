// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-add-adapters="rank=1 alpha=1 dropout=0.1"

// A layer whose input has no rows of sequences.
func.func @loss(%w: tensor<4x8xf32> {zero.param = "h.weight"}, %p: tensor<5x8xf32> {zero.param = "p"},
                %x: tensor<3x4xf32> {zero.input = "x"}, %y: tensor<3xi32> {zero.input = "y"}) -> tensor<f32> {
  // expected-error @below {{the adapter of "h" reads 'tensor<5x8xf32>', which has no rows of each of the 3 sequences, so it can have no dropout; leave it out of the targets, or drop --lora-dropout}}
  %0 = nn.linear %p, %w : tensor<5x8xf32>, tensor<4x8xf32> -> tensor<5x4xf32>
  %1 = nn.linear %x, %0 : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
  %2 = nn.cross_entropy %1, %y : tensor<3x5xf32>, tensor<3xi32> -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// expected-error @below {{has no input, and so no sequences whose adapters could have dropout; drop --lora-dropout}}
func.func @loss(%w: tensor<4x8xf32> {zero.param = "h.weight"}, %p: tensor<5x8xf32> {zero.param = "p"}) -> tensor<f32> {
  %0 = nn.linear %p, %w : tensor<5x8xf32>, tensor<4x8xf32> -> tensor<5x4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<5x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  return %1 : tensor<f32>
}
