func.func @loss(
    %p5: tensor<31x6xf32> {zero.param = "wte2.weight", zero.init = #zero.uniform<low = -5.1000e-01, high = 4.8000e-01>},
    %targets: tensor<1x13xi32> {zero.input = "targets"},
    %tokens: tensor<1x13xi32> {zero.input = "tokens"},
    %p6: tensor<6xf32> {zero.param = "head_ln.weight", zero.init = #zero.constant<0.0>},
    %p4: tensor<13x6xf32> {zero.param = "wpe.weight", zero.init = #zero.normal<std = 4.0000e-01>},
    %p3: tensor<31x6xf32> {zero.param = "wte.weight", zero.init = #zero.normal<std = 8.0000e-01>}) -> tensor<f32> {
  %1 = math.tanh %p3 : tensor<31x6xf32>
  %2 = nn.embedding %tokens, %1 : tensor<1x13xi32>, tensor<31x6xf32> -> tensor<1x13x6xf32>
  %3 = tensor.empty() : tensor<1x13x6xf32>
  %4 = linalg.broadcast ins(%p4 : tensor<13x6xf32>) outs(%3 : tensor<1x13x6xf32>) dimensions = [0]
  %5 = arith.addf %2, %4 : tensor<1x13x6xf32>
  %6 = nn.embedding %tokens, %p5 : tensor<1x13xi32>, tensor<31x6xf32> -> tensor<1x13x6xf32>
  %7 = arith.addf %5, %6 : tensor<1x13x6xf32>
  %8 = nn.rms_norm %7, %p6 {eps = 1.0e-1 : f64, unit_offset} : tensor<1x13x6xf32>, tensor<6xf32>
  %9 = nn.linear %8, %p3 : tensor<1x13x6xf32>, tensor<31x6xf32> -> tensor<1x13x31xf32>
  %10 = arith.constant dense<5.000000e-01> : tensor<1x13x31xf32>
  %11 = arith.mulf %9, %10 : tensor<1x13x31xf32>
  %12 = nn.cross_entropy %11, %targets : tensor<1x13x31xf32>, tensor<1x13xi32> -> tensor<f32>
  return %12 : tensor<f32>
}
