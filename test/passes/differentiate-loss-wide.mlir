// RUN: zero-opt %s --zero-set-precision=precision=bf16 --zero-differentiate-loss=grad-dtype=f32 | FileCheck %s
// RUN: zero-opt %s --zero-set-precision=precision=bf16 --zero-differentiate-loss=grad-dtype=bf16 | FileCheck %s --check-prefix=NARROW
// RUN: not zero-opt %s --zero-set-precision=precision=bf16 --zero-differentiate-loss=grad-dtype=fp16 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not zero-opt %s --zero-differentiate-loss=grad-dtype=bf16 2>&1 | FileCheck %s --check-prefix=ROUNDED

// Gradients of f32 are the sums that would have been rounded: of a product, of
// slices, and of rows of a table that is also multiplied with.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %{{.*}}: tensor<64x16xbf16> {{.*}}zero.param = "wte"
// CHECK-SAME: -> (tensor<f32> {zero.output = "loss"}, tensor<64x16xf32> {zero.grad = "wte"}, tensor<16x16xf32> {zero.grad = "w"}, tensor<16xf32> {zero.grad = "b"}, tensor<8x16xf32> {zero.grad = "unused"})
// CHECK: %[[TABLE:.*]] = nn.embedding_backward %{{.*}}, %{{.*}} into %{{.*}} : tensor<4xi32>, tensor<4x16xf32>, tensor<64x16xf32>
// CHECK: return %{{.*}}, %[[TABLE]], %{{.*}}, %{{.*}}, %{{.*}} : tensor<f32>, tensor<64x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>

// NARROW: -> (tensor<f32> {zero.output = "loss"}, tensor<64x16xbf16> {zero.grad = "wte"}, tensor<16x16xbf16> {zero.grad = "w"}, tensor<16xbf16> {zero.grad = "b"}, tensor<8x16xbf16> {zero.grad = "unused"})

// OTHER: error: parameter "wte" is 'tensor<64x16xbf16>', and grad-dtype=fp16; gradients are f32 or what their parameters are
// ROUNDED: error: parameter "wte" is 'tensor<64x16xf32>', and grad-dtype=bf16; gradients are f32 or what their parameters are

func.func @loss(
    %t: tensor<64x16xf32> {zero.param = "wte", zero.init = #zero.normal<std = 0.02>},
    %w: tensor<16x16xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
    %b: tensor<16xf32> {zero.param = "b", zero.init = #zero.constant<0.0>},
    %u: tensor<8x16xf32> {zero.param = "unused", zero.init = #zero.constant<0.0>},
    %x: tensor<4xi32> {zero.input = "x", zero.vocab = 64 : i64},
    %y: tensor<4xi32> {zero.input = "y", zero.vocab = 64 : i64}) -> tensor<f32> {
  %0 = nn.embedding %x, %t : tensor<4xi32>, tensor<64x16xf32> -> tensor<4x16xf32>
  %w0 = tensor.extract_slice %w[0, 0] [8, 16] [1, 1] : tensor<16x16xf32> to tensor<8x16xf32>
  %w1 = tensor.extract_slice %w[8, 0] [8, 16] [1, 1] : tensor<16x16xf32> to tensor<8x16xf32>
  %1 = nn.linear %0, %w0 : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  %2 = nn.linear %0, %w1 : tensor<4x16xf32>, tensor<8x16xf32> -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %3 = tensor.concat dim(1) %1, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %p = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<4x16xf32>) dimensions = [0]
  %q = arith.addf %3, %p : tensor<4x16xf32>
  %4 = nn.linear %q, %t : tensor<4x16xf32>, tensor<64x16xf32> -> tensor<4x64xf32>
  %5 = nn.cross_entropy %4, %y : tensor<4x64xf32>, tensor<4xi32> -> tensor<f32>
  return %5 : tensor<f32>
}
