// RUN: zero-opt %s --zero-add-decoding | FileCheck %s
// RUN: zeroc %s --sample --emit=memory -o /dev/null

// Of one position there is one mean, which has as many rows as columns: it is no row
// of one element, from which the mean of a row would be read at two places.

// CHECK-LABEL: func.func private @decode(
// CHECK-NOT: tensor<1xf32> -> tensor<1x1xf32>
// CHECK: nn.embedding %{{.*}}, %{{.*}} : tensor<1xi32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NOT: tensor<1xf32> -> tensor<1x1xf32>
// CHECK: return


func.func @loss(%w: tensor<5x4xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.5>},
                %tokens: tensor<1x1xi32> {zero.input = "tokens", zero.vocab = 5 : i64},
                %targets: tensor<1x1xi32> {zero.input = "targets", zero.vocab = 5 : i64}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %x = nn.embedding %tokens, %w : tensor<1x1xi32>, tensor<5x4xf32> -> tensor<1x1x4xf32>
  %e = tensor.empty() : tensor<1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %f = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x1x4xf32> into tensor<1x4xf32>
  %s = linalg.reduce ins(%f : tensor<1x4xf32>) outs(%z : tensor<1xf32>) dimensions = [1]
      (%in: f32, %out: f32) {
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  }
  %m = tensor.expand_shape %s [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
  %eb = tensor.empty() : tensor<1x4xf32>
  %mt = math.tanh %m : tensor<1x1xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, 0)>, affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
      ins(%mt : tensor<1x1xf32>) outs(%eb : tensor<1x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x4xf32>
  %y = arith.addf %f, %b : tensor<1x4xf32>
  %logits = nn.linear %y, %w : tensor<1x4xf32>, tensor<5x4xf32> -> tensor<1x5xf32>
  %l3 = tensor.expand_shape %logits [[0, 1], [2]] output_shape [1, 1, 5] : tensor<1x5xf32> into tensor<1x1x5xf32>
  %loss = nn.cross_entropy %l3, %targets : tensor<1x1x5xf32>, tensor<1x1xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
