// RUN: zero-gradcheck %s --scale=0.5

// A whole layer: the router's gradient comes by the weights of the sum.
func.func @loss(
    %x: tensor<7x4xf64> {zero.param = "x"},
    %router: tensor<3x4xf64> {zero.param = "router"},
    %w0: tensor<4x4xf64> {zero.param = "w0"},
    %w1: tensor<4x4xf64> {zero.param = "w1"},
    %w2: tensor<4x4xf64> {zero.param = "w2"}) -> tensor<7x4xf64> {
  %logits = nn.linear %x, %router : tensor<7x4xf64>, tensor<3x4xf64> -> tensor<7x3xf64>
  %p = nn.softmax %logits : tensor<7x3xf64>
  %values, %experts = nn.top_k %p : tensor<7x3xf64> -> tensor<7x2xf64>, tensor<7x2xi32>
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<7x2xi32> -> tensor<14xi32>, tensor<7x2xi32>, tensor<4xi32>
  %x1 = nn.gather_rows %x by %rows, %places : tensor<7x4xf64>, tensor<14xi32>, tensor<7x2xi32> -> tensor<14x4xf64>
  %h = nn.grouped_matmul %x1 by %offsets (%w0, %w1, %w2) : tensor<14x4xf64>, tensor<4xi32>, tensor<4x4xf64> -> tensor<14x4xf64>
  %y1 = math.tanh %h : tensor<14x4xf64>
  %y = nn.combine_rows %y1 weights %values by %rows, %places : tensor<14x4xf64>, tensor<14xi32>, tensor<7x2xi32>, tensor<7x2xf64> -> tensor<7x4xf64>
  return %y : tensor<7x4xf64>
}
