#rows = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
func.func @loss(%wte: tensor<32x16xf32> {zero.param = "wte", zero.init = #zero.uniform<low = -0.5, high = 0.5>},
                %w1: tensor<64x16xf32> {zero.param = "h.0.up", zero.init = #zero.normal<std = 0.02>},
                %b1: tensor<64xf32> {zero.param = "h.0.up.bias", zero.init = #zero.constant<0.0>},
                %w2: tensor<64x16xf32> {zero.param = "h.0.down", zero.init = #zero.normal<std = 0.02>},
                %tokens: tensor<16xi32> {zero.input = "tokens"},
                %targets: tensor<16xi32> {zero.input = "targets"}) -> tensor<f32> {
  %x = nn.embedding %tokens, %wte : tensor<16xi32>, tensor<32x16xf32> -> tensor<16x16xf32>
  %h = nn.linear %x, %w1 : tensor<16x16xf32>, tensor<64x16xf32> -> tensor<16x64xf32>
  %e = tensor.empty() : tensor<16x64xf32>
  %a = linalg.generic {indexing_maps = [#rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%h, %b1 : tensor<16x64xf32>, tensor<64xf32>) outs(%e : tensor<16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<16x64xf32>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<16x16xf32>
  %g = linalg.fill ins(%zero : f32) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<16x64xf32>, tensor<64x16xf32>) outs(%g : tensor<16x16xf32>) -> tensor<16x16xf32>
  %u = nn.gelu %y {tanh} : tensor<16x16xf32>
  %m = nn.softmax %u : tensor<16x16xf32>
  %l = nn.linear %m, %wte : tensor<16x16xf32>, tensor<32x16xf32> -> tensor<16x32xf32>
  %loss = nn.cross_entropy %l, %targets : tensor<16x32xf32>, tensor<16xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
