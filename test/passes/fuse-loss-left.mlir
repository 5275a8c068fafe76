// RUN: zero-opt %s --zero-fuse-loss -o %t
// RUN: zero-opt %s -o %t.before
// RUN: diff %t.before %t
// What is left alone: nn.cross_entropy_backward that is not of the loss before
// it, or does not alone read its statistics.

func.func @other_logits(%l: tensor<8x50xf32>, %m: tensor<8x50xf32>, %t: tensor<8xi32>, %n: tensor<f32>) -> (tensor<f32>, tensor<8x50xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<f32> -> tensor<f32> stats tensor<8xf32>
  %d = nn.cross_entropy_backward %n, %m, %t, %lse by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>
  return %loss, %d : tensor<f32>, tensor<8x50xf32>
}

func.func @other_targets(%l: tensor<8x50xf32>, %t: tensor<8xi32>, %u: tensor<8xi32>, %n: tensor<f32>) -> (tensor<f32>, tensor<8x50xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<f32> -> tensor<f32> stats tensor<8xf32>
  %d = nn.cross_entropy_backward %n, %l, %u, %lse by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>
  return %loss, %d : tensor<f32>, tensor<8x50xf32>
}

func.func @other_count(%l: tensor<8x50xf32>, %t: tensor<8xi32>, %n: tensor<f32>, %k: tensor<f32>) -> (tensor<f32>, tensor<8x50xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<f32> -> tensor<f32> stats tensor<8xf32>
  %d = nn.cross_entropy_backward %n, %l, %t, %lse by %k : tensor<8x50xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>
  return %loss, %d : tensor<f32>, tensor<8x50xf32>
}

func.func @own_count(%l: tensor<8x50xf32>, %t: tensor<8xi32>, %n: tensor<f32>) -> (tensor<f32>, tensor<8x50xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t : tensor<8x50xf32>, tensor<8xi32> -> tensor<f32> stats tensor<8xf32>
  %d = nn.cross_entropy_backward %n, %l, %t, %lse by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>
  return %loss, %d : tensor<f32>, tensor<8x50xf32>
}

func.func @other_ignored(%l: tensor<8x50xf32>, %t: tensor<8xi32>, %n: tensor<f32>) -> (tensor<f32>, tensor<8x50xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t by %n {ignore_index = 3 : i32} : tensor<8x50xf32>, tensor<8xi32>, tensor<f32> -> tensor<f32> stats tensor<8xf32>
  %d = nn.cross_entropy_backward %n, %l, %t, %lse by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>
  return %loss, %d : tensor<f32>, tensor<8x50xf32>
}

// Of one row, the statistics are a number, too.
func.func @lse_as_adjoint(%l: tensor<50xf32>, %t: tensor<i32>, %n: tensor<f32>) -> (tensor<f32>, tensor<50xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t by %n : tensor<50xf32>, tensor<i32>, tensor<f32> -> tensor<f32> stats tensor<f32>
  %d = nn.cross_entropy_backward %lse, %l, %t, %n by %n : tensor<50xf32>, tensor<i32>, tensor<f32>, tensor<f32>
  return %loss, %d : tensor<f32>, tensor<50xf32>
}

func.func @second_reader(%l: tensor<8x50xf32>, %t: tensor<8xi32>, %n: tensor<f32>) -> (tensor<f32>, tensor<8x50xf32>, tensor<8xf32>) {
  %loss, %lse = nn.cross_entropy %l, %t by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<f32> -> tensor<f32> stats tensor<8xf32>
  %d = nn.cross_entropy_backward %n, %l, %t, %lse by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<8xf32>, tensor<f32>
  return %loss, %d, %lse : tensor<f32>, tensor<8x50xf32>, tensor<8xf32>
}

func.func @no_gradient(%l: tensor<8x50xf32>, %t: tensor<8xi32>, %n: tensor<f32>) -> tensor<f32> {
  %loss, %lse = nn.cross_entropy %l, %t by %n : tensor<8x50xf32>, tensor<8xi32>, tensor<f32> -> tensor<f32> stats tensor<8xf32>
  return %loss : tensor<f32>
}
