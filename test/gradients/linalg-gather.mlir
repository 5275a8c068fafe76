// RUN: zero-gradcheck %s

// Tensors that bodies read at computed places: a row by an id that repeats, an
// element of each row, the rows in reverse order, a whole tensor transposed.
func.func @loss(
    %table: tensor<4x3xf64> {zero.param = "table"},
    %x: tensor<5x4xf64> {zero.param = "x"},
    %y: tensor<3x5xf64> {zero.param = "y"},
    %ids: tensor<5xi32> {zero.input = "ids"},
    %c: tensor<5x3xf64> {zero.input = "c"}) -> tensor<f64> {
  %four = arith.constant 4 : index
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%ids, %c : tensor<5xi32>, tensor<5x3xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%id: i32, %c_: f64, %acc_: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.index_cast %id : i32 to index
    %back = arith.subi %four, %i : index
    %row = tensor.extract %table[%at, %j] : tensor<4x3xf64>
    %element = tensor.extract %x[%i, %at] : tensor<5x4xf64>
    %reversed = tensor.extract %x[%back, %j] : tensor<5x4xf64>
    %transposed = tensor.extract %y[%j, %i] : tensor<3x5xf64>
    %a = arith.mulf %row, %element : f64
    %b = arith.mulf %reversed, %transposed : f64
    %d = arith.mulf %a, %b : f64
    %p_ = arith.mulf %d, %c_ : f64
    %s_ = arith.addf %acc_, %p_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
