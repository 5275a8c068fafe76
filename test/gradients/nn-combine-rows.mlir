// RUN: zero-gradcheck %s

// Gradients of rows and of their weights.
func.func @loss(
    %y: tensor<15x4xf64> {zero.param = "y"},
    %w: tensor<5x3xf64> {zero.param = "w"},
    %experts: tensor<5x3xi32> {zero.input = "experts", zero.vocab = 4 : i64}) -> tensor<5x4xf64> {
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<5x3xi32> -> tensor<15xi32>, tensor<5x3xi32>, tensor<5xi32>
  %x = nn.combine_rows %y weights %w by %rows, %places : tensor<15x4xf64>, tensor<15xi32>, tensor<5x3xi32>, tensor<5x3xf64> -> tensor<5x4xf64>
  return %x : tensor<5x4xf64>
}
