// RUN: zero-opt %s | zero-opt | FileCheck %s
// The operations of DeltaRule.td, as they are written there.

// CHECK-LABEL: func @rule
func.func @rule(%q: tensor<2x70x2x8xf32>, %k: tensor<2x70x2x8xf32>, %v: tensor<2x70x4x16xf32>, %g: tensor<2x70x4xf32>,
                %beta: tensor<2x70x4xf32>, %starts: tensor<2x70xi32>, %do: tensor<2x70x4x16xf32>, %s: tensor<2x4x2x8x16xf32>) {
  // CHECK: nn.gated_delta_rule %{{.*}}, %{{.*}}, %{{.*}} gates %{{.*}} beta %{{.*}} : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32>
  %o = nn.gated_delta_rule %q, %k, %v gates %g beta %beta
    : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32>
  // CHECK: nn.gated_delta_rule %{{.*}}, %{{.*}}, %{{.*}} gates %{{.*}} from %{{.*}} : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32> from tensor<2x70xi32>
  %p = nn.gated_delta_rule %q, %k, %v gates %g from %starts
    : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32> from tensor<2x70xi32>
  // CHECK: nn.gated_delta_rule {{.*}} stats tensor<2x4x2x8x16xf32>
  %r, %states = nn.gated_delta_rule %q, %k, %v gates %g beta %beta
    : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x70x4xf32> stats tensor<2x4x2x8x16xf32>
  // CHECK: nn.gated_delta_rule_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} gates %{{.*}} states %{{.*}} beta %{{.*}} : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x4x2x8x16xf32>, tensor<2x70x4xf32> to tensor<2x70x4xf32>
  %dq, %dk, %dv, %dg, %db = nn.gated_delta_rule_backward %do, %q, %k, %v gates %g states %s beta %beta
    : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x4x2x8x16xf32>, tensor<2x70x4xf32> to tensor<2x70x4xf32>
  return
}
