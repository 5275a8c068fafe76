// RUN: zero-opt %s --zero-set-precision=precision=bf16 | FileCheck %s

// Experts multiply in 16 bits; routers choose in f32.
// CHECK-LABEL: func.func @loss
// CHECK-SAME:    %[[ROUTER:.*]]: tensor<3x16xbf16>
// CHECK:       nn.linear {{.*}} -> tensor<4x3xf32>
// CHECK:       nn.softmax {{.*}} : tensor<4x3xf32>
// CHECK:       nn.top_k {{.*}} : tensor<4x3xf32>
// CHECK:       nn.gather_rows {{.*}} : tensor<4x16xbf16>, {{.*}} -> tensor<8x16xbf16>
// CHECK:       %[[B:.*]] = nn.grouped_matmul {{.*}} : tensor<8x16xbf16>, tensor<4xi32>, tensor<16x16xbf16> -> tensor<8x16xbf16>
// CHECK:       %[[WIDE:.*]] = arith.extf %[[B]]
// CHECK:       %[[C:.*]] = nn.combine_rows %[[WIDE]] {{.*}} -> tensor<4x16xf32>
// CHECK:       arith.truncf %[[C]]
func.func @loss(
    %router: tensor<3x16xf32> {zero.param = "router"},
    %w: tensor<16x16xf32> {zero.param = "w"},
    %x: tensor<4x16xf32> {zero.input = "x"},
    %y: tensor<4xi32> {zero.input = "y"}) -> tensor<f32> {
  %h = nn.linear %x, %w : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  %logits = nn.linear %h, %router : tensor<4x16xf32>, tensor<3x16xf32> -> tensor<4x3xf32>
  %p = nn.softmax %logits : tensor<4x3xf32>
  %v, %e = nn.top_k %p : tensor<4x3xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  %rows, %places, %offsets = nn.group_by_expert %e : tensor<4x2xi32> -> tensor<8xi32>, tensor<4x2xi32>, tensor<4xi32>
  %a = nn.gather_rows %h by %rows, %places : tensor<4x16xf32>, tensor<8xi32>, tensor<4x2xi32> -> tensor<8x16xf32>
  %b = nn.grouped_matmul %a by %offsets (%w, %w, %w) : tensor<8x16xf32>, tensor<4xi32>, tensor<16x16xf32> -> tensor<8x16xf32>
  %c = nn.combine_rows %b weights %v by %rows, %places : tensor<8x16xf32>, tensor<8xi32>, tensor<4x2xi32>, tensor<4x2xf32> -> tensor<4x16xf32>
  %d = nn.linear %c, %w : tensor<4x16xf32>, tensor<16x16xf32> -> tensor<4x16xf32>
  %loss = nn.cross_entropy %d, %y : tensor<4x16xf32>, tensor<4xi32> -> tensor<f32>
  return %loss : tensor<f32>
}
