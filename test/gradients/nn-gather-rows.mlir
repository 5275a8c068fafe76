// RUN: zero-gradcheck %s

// Each row stands three times: its gradient is the sum of three.
func.func @loss(
    %x: tensor<5x4xf64> {zero.param = "x"},
    %experts: tensor<5x3xi32> {zero.input = "experts", zero.vocab = 4 : i64}) -> tensor<15x4xf64> {
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<5x3xi32> -> tensor<15xi32>, tensor<5x3xi32>, tensor<5xi32>
  %y = nn.gather_rows %x by %rows, %places : tensor<5x4xf64>, tensor<15xi32>, tensor<5x3xi32> -> tensor<15x4xf64>
  return %y : tensor<15x4xf64>
}
