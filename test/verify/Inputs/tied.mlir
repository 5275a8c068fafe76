// A word model whose table is used twice: to look words up, and as the output
// layer.  Between are four layers with weights of one shape.
func.func @loss(
    %wte: tensor<16x8xf32> {zero.param = "wte"},
    %w1: tensor<8x8xf32> {zero.param = "w1"},
    %w2: tensor<8x8xf32> {zero.param = "w2"},
    %w3: tensor<8x8xf32> {zero.param = "w3"},
    %w4: tensor<8x8xf32> {zero.param = "w4"},
    %tokens: tensor<2x4xi32> {zero.input = "tokens", zero.vocab = 16 : i64},
    %targets: tensor<2x4xi32> {zero.input = "targets", zero.vocab = 16 : i64}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %looked_up = nn.embedding %tokens, %wte : tensor<2x4xi32>, tensor<16x8xf32> -> tensor<2x4x8xf32>
  %x0 = tensor.collapse_shape %looked_up [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>

  %h1 = linalg.matmul ins(%x0, %w1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x1 = math.tanh %h1 : tensor<8x8xf32>
  %h2 = linalg.matmul ins(%x1, %w2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x2 = math.tanh %h2 : tensor<8x8xf32>
  %h3 = linalg.matmul ins(%x2, %w3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x3 = math.tanh %h3 : tensor<8x8xf32>
  %h4 = linalg.matmul ins(%x3, %w4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zeros : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x4 = math.tanh %h4 : tensor<8x8xf32>

  %table_empty = tensor.empty() : tensor<8x16xf32>
  %table = linalg.transpose ins(%wte : tensor<16x8xf32>) outs(%table_empty : tensor<8x16xf32>) permutation = [1, 0]
  %logits_zeros = linalg.fill ins(%zero : f32) outs(%table_empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %flat = linalg.matmul ins(%x4, %table : tensor<8x8xf32>, tensor<8x16xf32>) outs(%logits_zeros : tensor<8x16xf32>) -> tensor<8x16xf32>
  %logits = tensor.expand_shape %flat [[0, 1], [2]] output_shape [2, 4, 16] : tensor<8x16xf32> into tensor<2x4x16xf32>
  %loss = nn.cross_entropy %logits, %targets {ignore_index = 0 : i32} : tensor<2x4x16xf32>, tensor<2x4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
