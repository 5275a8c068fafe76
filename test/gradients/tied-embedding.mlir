// RUN: zero-gradcheck %s
// RUN: zero-gradcheck %s --decompose-first

// The table is looked up and multiplied with: rows are added onto the product.
func.func @loss(
    %wte: tensor<7x4xf64> {zero.param = "wte"},
    %wpe: tensor<5x4xf64> {zero.param = "wpe"},
    %tokens: tensor<2x5xi32> {zero.input = "tokens"},
    %targets: tensor<2x5xi32> {zero.input = "targets"}) -> tensor<f64> {
  %x = nn.embedding %tokens, %wte : tensor<2x5xi32>, tensor<7x4xf64> -> tensor<2x5x4xf64>
  %e = tensor.empty() : tensor<2x5x4xf64>
  %p = linalg.broadcast ins(%wpe : tensor<5x4xf64>) outs(%e : tensor<2x5x4xf64>) dimensions = [0]
  %h = arith.addf %x, %p : tensor<2x5x4xf64>
  %logits = nn.linear %h, %wte : tensor<2x5x4xf64>, tensor<7x4xf64> -> tensor<2x5x7xf64>
  %loss = nn.cross_entropy %logits, %targets : tensor<2x5x7xf64>, tensor<2x5xi32> -> tensor<f64>
  return %loss : tensor<f64>
}
