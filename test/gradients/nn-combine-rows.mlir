// RUN: zero-gradcheck %s

// Gradients of rows and of their weights.
func.func @loss(
    %y: tensor<15x4xf64> {zero.param = "y"},
    %w: tensor<5x3xf64> {zero.param = "w"},
    %experts: tensor<5x3xi32> {zero.input = "experts", zero.vocab = 4 : i64},
    %c: tensor<5x4xf64> {zero.input = "c"}) -> tensor<f64> {
  %rows, %places, %offsets = nn.group_by_expert %experts : tensor<5x3xi32> -> tensor<15xi32>, tensor<5x3xi32>, tensor<5xi32>
  %x = nn.combine_rows %y weights %w by %rows, %places : tensor<15x4xf64>, tensor<15xi32>, tensor<5x3xi32>, tensor<5x3xf64> -> tensor<5x4xf64>
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%x, %c : tensor<5x4xf64>, tensor<5x4xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %c_: f64, %acc_: f64):
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %s_ = arith.addf %acc_, %q_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
