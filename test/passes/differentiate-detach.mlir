// RUN: zero-opt %s --zero-differentiate-loss | FileCheck %s

// The loss does not learn of %y: dw is detach(w), and not 2 w.

// CHECK-LABEL: func.func @step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<f32>
// CHECK: %[[Y:.*]] = nn.detach %[[W]]
// CHECK: %[[LOSS:.*]] = arith.mulf %[[W]], %[[Y]]
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %[[Y]]
// CHECK: %[[D:.*]] = arith.select {{.*}}, %[[PRODUCT]]
// CHECK: return %[[LOSS]], %[[D]]

func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  %y = nn.detach %w : tensor<f32>
  %loss = arith.mulf %w, %y : tensor<f32>
  return %loss : tensor<f32>
}
