// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// q, k and v are slices of one packed projection whose extents are all alike, so that
// a slice in the wrong place or a lost transpose is not caught by a shape.
func.func @loss(
    %x: tensor<2x4x4xf64> {zero.param = "x"},
    %w: tensor<4x12xf64> {zero.param = "w"},
    %b: tensor<12xf64> {zero.param = "b"}) -> tensor<2x4x2x2xf64> {
  %qkv = nn.linear %x, %w, %b {transposed} : tensor<2x4x4xf64>, tensor<4x12xf64>, tensor<12xf64> -> tensor<2x4x12xf64>
  %q0 = tensor.extract_slice %qkv[0, 0, 0] [2, 4, 4] [1, 1, 1] : tensor<2x4x12xf64> to tensor<2x4x4xf64>
  %q = tensor.expand_shape %q0 [[0], [1], [2, 3]] output_shape [2, 4, 2, 2] : tensor<2x4x4xf64> into tensor<2x4x2x2xf64>
  %k0 = tensor.extract_slice %qkv[0, 0, 4] [2, 4, 4] [1, 1, 1] : tensor<2x4x12xf64> to tensor<2x4x4xf64>
  %k = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [2, 4, 2, 2] : tensor<2x4x4xf64> into tensor<2x4x2x2xf64>
  %v0 = tensor.extract_slice %qkv[0, 0, 8] [2, 4, 4] [1, 1, 1] : tensor<2x4x12xf64> to tensor<2x4x4xf64>
  %v = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [2, 4, 2, 2] : tensor<2x4x4xf64> into tensor<2x4x2x2xf64>
  %o = nn.attention %q, %k, %v {causal, scale = 0.7 : f64} : tensor<2x4x2x2xf64>, tensor<2x4x2x2xf64>
  return %o : tensor<2x4x2x2xf64>
}
