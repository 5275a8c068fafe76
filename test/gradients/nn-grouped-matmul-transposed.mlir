// RUN: zero-gradcheck %s

// Weights that are stored [in, out]; the last group has no rows.
func.func @loss(
    %x: tensor<12x4xf64> {zero.param = "x"},
    %w0: tensor<4x5xf64> {zero.param = "w0"},
    %w1: tensor<4x5xf64> {zero.param = "w1"},
    %w2: tensor<4x5xf64> {zero.param = "w2"},
    %w3: tensor<4x5xf64> {zero.param = "w3"},
    %experts: tensor<6x2xi32> {zero.input = "experts", zero.vocab = 3 : i64},
    %c: tensor<12x5xf64> {zero.input = "c"}) -> tensor<f64> {
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<6x2xi32> -> tensor<12xi32>, tensor<6x2xi32>, tensor<5xi32>
  %y = nn.grouped_matmul %x by %offsets (%w0, %w1, %w2, %w3) {transposed} : tensor<12x4xf64>, tensor<5xi32>, tensor<4x5xf64> -> tensor<12x5xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%y, %c : tensor<12x5xf64>, tensor<12x5xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
