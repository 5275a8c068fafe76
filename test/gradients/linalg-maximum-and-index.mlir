// RUN: zero-gradcheck %s

// A maximum whose position is another result, which the loss reads: integers have
// no derivative.
func.func @loss(
    %x: tensor<3x5xf64> {zero.param = "x"},
    %c: tensor<3x5xf64> {zero.input = "c"}) -> tensor<f64> {
  %lowest = arith.constant dense<0xFFF0000000000000> : tensor<3xf64>
  %first = arith.constant dense<0> : tensor<3xi32>
  %m:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x5xf64>) outs(%lowest, %first : tensor<3xf64>, tensor<3xi32>) {
  ^bb0(%in: f64, %max: f64, %at: i32):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i32
    %value = arith.maximumf %in, %max : f64
    %more = arith.cmpf ogt, %in, %max : f64
    %position = arith.select %more, %here, %at : i32
    linalg.yield %value, %position : f64, i32
  } -> (tensor<3xf64>, tensor<3xi32>)
  %zero_ = arith.constant dense<0.0> : tensor<f64>
  %loss = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]}
      ins(%m#0, %m#1, %c : tensor<3xf64>, tensor<3xi32>, tensor<3x5xf64>) outs(%zero_ : tensor<f64>) {
  ^bb0(%v_: f64, %at: i32, %c_: f64, %acc_: f64):
    %n = arith.sitofp %at : i32 to f64
    %p_ = arith.mulf %v_, %c_ : f64
    %q_ = arith.mulf %p_, %v_ : f64
    %w_ = arith.mulf %q_, %n : f64
    %s_ = arith.addf %acc_, %w_ : f64
    linalg.yield %s_ : f64
  } -> tensor<f64>
  return %loss : tensor<f64>
}
