// RUN: zero-gradcheck %s

// Three groups have rows, and the last, which has none, has gradients of zero.
func.func @loss(
    %x: tensor<12x4xf64> {zero.param = "x"},
    %w0: tensor<5x4xf64> {zero.param = "w0"},
    %w1: tensor<5x4xf64> {zero.param = "w1"},
    %w2: tensor<5x4xf64> {zero.param = "w2"},
    %w3: tensor<5x4xf64> {zero.param = "w3"},
    %experts: tensor<6x2xi32> {zero.input = "experts", zero.vocab = 3 : i64}) -> tensor<12x5xf64> {
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<6x2xi32> -> tensor<12xi32>, tensor<6x2xi32>, tensor<5xi32>
  %y = nn.grouped_matmul %x by %offsets (%w0, %w1, %w2, %w3) : tensor<12x4xf64>, tensor<5xi32>, tensor<5x4xf64> -> tensor<12x5xf64>
  return %y : tensor<12x5xf64>
}
