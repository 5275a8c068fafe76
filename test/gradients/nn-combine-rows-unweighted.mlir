// RUN: zero-gradcheck %s

// Without weights the sum of each token's rows.
func.func @loss(
    %y: tensor<10x4xf64> {zero.param = "y"},
    %experts: tensor<5x2xi32> {zero.input = "experts", zero.vocab = 3 : i64}) -> tensor<5x4xf64> {
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<5x2xi32> -> tensor<10xi32>, tensor<5x2xi32>, tensor<4xi32>
  %x = nn.combine_rows %y by %rows, %places : tensor<10x4xf64>, tensor<10xi32>, tensor<5x2xi32> -> tensor<5x4xf64>
  return %x : tensor<5x4xf64>
}
