// RUN: zero-gradcheck %s --scale=0.5

// A whole layer, with a loss, since test/codegen trains it too: the router's gradient comes by the weights of the sum.
func.func @loss(
    %x: tensor<7x4xf64> {zero.param = "x"},
    %router: tensor<3x4xf64> {zero.param = "router"},
    %w0: tensor<4x4xf64> {zero.param = "w0"},
    %w1: tensor<4x4xf64> {zero.param = "w1"},
    %w2: tensor<4x4xf64> {zero.param = "w2"},
    %c: tensor<7x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %logits = nn.linear %x, %router : tensor<7x4xf64>, tensor<3x4xf64> -> tensor<7x3xf64>
  %p = nn.softmax %logits : tensor<7x3xf64>
  %values, %experts = nn.top_k %p : tensor<7x3xf64> -> tensor<7x2xf64>, tensor<7x2xi32>
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<7x2xi32> -> tensor<14xi32>, tensor<7x2xi32>, tensor<4xi32>
  %x1 = nn.gather_rows %x by %rows, %places : tensor<7x4xf64>, tensor<14xi32>, tensor<7x2xi32> -> tensor<14x4xf64>
  %h = nn.grouped_matmul %x1 by %offsets (%w0, %w1, %w2) : tensor<14x4xf64>, tensor<4xi32>, tensor<4x4xf64> -> tensor<14x4xf64>
  %y1 = math.tanh %h : tensor<14x4xf64>
  %y = nn.combine_rows %y1 weights %values by %rows, %places : tensor<14x4xf64>, tensor<14xi32>, tensor<7x2xi32>, tensor<7x2xf64> -> tensor<7x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<7x4xf64>, tensor<7x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
