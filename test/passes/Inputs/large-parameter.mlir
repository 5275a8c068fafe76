func.func @step(%w: tensor<50000x32xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<50000x32xf32>) {
  %l, %dw = zero.launch @k(%w) : (tensor<50000x32xf32>) -> (tensor<f32>, tensor<50000x32xf32>)
  return %l, %dw : tensor<f32>, tensor<50000x32xf32>
}
zero.kernel @k(tensor<50000x32xf32>) -> (tensor<f32>, tensor<50000x32xf32>) units serial
