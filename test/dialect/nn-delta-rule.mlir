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
  // CHECK: nn.gated_delta_rule_backward {{.*}} to tensor<2x70x4xf32> room tensor<2x4x2x72x16xf32>
  %eq, %ek, %ev, %eg, %eb, %room = nn.gated_delta_rule_backward %do, %q, %k, %v gates %g states %s beta %beta
    : tensor<2x70x2x8xf32>, tensor<2x70x4x16xf32>, tensor<2x70x4xf32>, tensor<2x4x2x8x16xf32>, tensor<2x70x4xf32>
      to tensor<2x70x4xf32> room tensor<2x4x2x72x16xf32>
  return
}

// CHECK-LABEL: func @kept_inputs
func.func @kept_inputs(%x: tensor<4x1x24xf32>, %w: tensor<24x4xf32>, %inputs: tensor<4x67x24xf32>, %begin: tensor<4xi32>,
                       %count: tensor<4xi32>) {
  // CHECK: nn.cached_causal_conv %{{.*}}, %{{.*}} in %{{.*}} at %{{.*}}, %{{.*}} : tensor<4x1x24xf32>, tensor<24x4xf32>, tensor<4x67x24xf32>, tensor<4xi32>
  %y, %next = nn.cached_causal_conv %x, %w in %inputs at %begin, %count
    : tensor<4x1x24xf32>, tensor<24x4xf32>, tensor<4x67x24xf32>, tensor<4xi32>
  // CHECK: nn.cached_causal_conv {{.*}} from %{{.*}} : tensor<4x1x24xf32>, tensor<24x4xf32>, tensor<4x67x24xf32>, tensor<4xi32> from tensor<4xi32>
  %z, %again = nn.cached_causal_conv %x, %w in %next at %begin, %count from %begin
    : tensor<4x1x24xf32>, tensor<24x4xf32>, tensor<4x67x24xf32>, tensor<4xi32> from tensor<4xi32>
  return
}

// CHECK-LABEL: func @kept_state
func.func @kept_state(%q: tensor<3x1x2x8xf32>, %k: tensor<3x1x2x8xf32>, %v: tensor<3x1x4x16xf32>, %g: tensor<3x1x4xf32>,
                      %beta: tensor<3x1x4xf32>, %s: tensor<3x4x8x16xf32>, %keys: tensor<3x2x64x8xf32>,
                      %us: tensor<3x4x64x16xf32>, %ds: tensor<3x4x64xf32>, %begin: tensor<3xi32>, %count: tensor<3xi32>) {
  // CHECK: nn.cached_delta_rule %{{.*}}, %{{.*}}, %{{.*}} gates %{{.*}} beta %{{.*}} in %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} at %{{.*}}, %{{.*}} : tensor<3x1x2x8xf32>, tensor<3x1x4x16xf32>, tensor<3x1x4xf32>, tensor<3x4x8x16xf32>, tensor<3x2x64x8xf32>, tensor<3x4x64x16xf32>, tensor<3x4x64xf32>, tensor<3xi32> beta tensor<3x1x4xf32>
  %o, %ns, %nk, %nu, %nd = nn.cached_delta_rule %q, %k, %v gates %g beta %beta in %s, %keys, %us, %ds at %begin, %count
    : tensor<3x1x2x8xf32>, tensor<3x1x4x16xf32>, tensor<3x1x4xf32>, tensor<3x4x8x16xf32>, tensor<3x2x64x8xf32>,
      tensor<3x4x64x16xf32>, tensor<3x4x64xf32>, tensor<3xi32> beta tensor<3x1x4xf32>
  // CHECK: nn.cached_delta_rule %{{.*}} gates %{{.*}} in {{.*}} from %{{.*}} : {{.*}} from tensor<3xi32>
  %p:5 = nn.cached_delta_rule %q, %k, %v gates %g in %ns, %nk, %nu, %nd at %begin, %count from %begin
    : tensor<3x1x2x8xf32>, tensor<3x1x4x16xf32>, tensor<3x1x4xf32>, tensor<3x4x8x16xf32>, tensor<3x2x64x8xf32>,
      tensor<3x4x64x16xf32>, tensor<3x4x64xf32>, tensor<3xi32> from tensor<3xi32>
  return
}
