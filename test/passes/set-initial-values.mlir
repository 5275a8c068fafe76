// RUN: zero-opt %s --zero-set-initial-values 2>/dev/null | FileCheck %s
// RUN: zero-opt %s --zero-set-initial-values -verify-diagnostics -o /dev/null

// What is said stays.  The weight of a norm begins as 1, and nobody is warned:
// as 0 it would pass nothing on, and no gradient back.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %arg0: tensor<4x8xf32> {zero.init = #zero.uniform<low = -1.000000e+00, high = 1.000000e+00>, zero.param = "said"}
// CHECK-SAME: %arg1: tensor<8xf32> {zero.init = #zero.constant<1.000000e+00>, zero.param = "norm.weight"}
// CHECK-SAME: %arg2: tensor<8xf32> {zero.init = #zero.constant<0.000000e+00>, zero.param = "norm.bias"}
// CHECK-SAME: %arg3: tensor<8x8xf32> {zero.init = #zero.normal<std = 2.000000e-02>, zero.param = "matrix"}
// CHECK-SAME: %arg4: tensor<4x8xf32> {zero.input = "x"}
func.func @loss(%said: tensor<4x8xf32> {zero.param = "said", zero.init = #zero.uniform<low = -1.0, high = 1.0>},
                %weight: tensor<8xf32> {zero.param = "norm.weight"},
                // expected-warning @+1 {{parameter "norm.bias" has no zero.init and begins as #zero.constant<0.000000e+00>; say how it begins}}
                %bias: tensor<8xf32> {zero.param = "norm.bias"},
                // expected-warning @+1 {{parameter "matrix" has no zero.init and begins as #zero.normal<std = 2.000000e-02>; say how it begins}}
                %matrix: tensor<8x8xf32> {zero.param = "matrix"},
                %x: tensor<4x8xf32> {zero.input = "x"}) -> tensor<f32> {
  %s = arith.addf %said, %x : tensor<4x8xf32>
  %n = nn.layer_norm %s, %weight, %bias {eps = 1.0e-5 : f64} : tensor<4x8xf32>, tensor<8xf32>
  %y = nn.linear %n, %matrix : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%y : tensor<4x8xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = arith.addf %acc, %a : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
