// RUN: zero-opt %s | zero-opt | FileCheck %s
// The operations of Experts.td, as they are written there.

// CHECK-LABEL: func @layer
func.func @layer(%probs: tensor<6x8xf32>, %x: tensor<6x32xf32>, %w: tensor<96x32xf32>) -> tensor<6x96xf32> {
  // CHECK: nn.top_k %{{.*}} : tensor<6x8xf32> -> tensor<6x2xf32>, tensor<6x2xi32>
  %values, %experts = nn.top_k %probs : tensor<6x8xf32> -> tensor<6x2xf32>, tensor<6x2xi32>
  // CHECK: nn.group_by_expert %{{.*}} : tensor<6x2xi32> -> tensor<12xi32>, tensor<6x2xi32>, tensor<9xi32>
  %rows, %places, %offsets = nn.group_by_expert %experts
    : tensor<6x2xi32> -> tensor<12xi32>, tensor<6x2xi32>, tensor<9xi32>
  // CHECK: nn.gather_rows %{{.*}} by %{{.*}}, %{{.*}} : tensor<6x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<12x32xf32>
  %y = nn.gather_rows %x by %rows, %places : tensor<6x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<12x32xf32>
  // CHECK: nn.grouped_matmul %{{.*}} by %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : tensor<12x32xf32>, tensor<9xi32>, tensor<96x32xf32> -> tensor<12x96xf32>
  %z = nn.grouped_matmul %y by %offsets (%w, %w, %w, %w, %w, %w, %w, %w) : tensor<12x32xf32>, tensor<9xi32>, tensor<96x32xf32> -> tensor<12x96xf32>
  // CHECK: nn.combine_rows %{{.*}} weights %{{.*}} by %{{.*}}, %{{.*}} : tensor<12x96xf32>, tensor<12xi32>, tensor<6x2xi32>, tensor<6x2xf32> -> tensor<6x96xf32>
  %o = nn.combine_rows %z weights %values by %rows, %places
    : tensor<12x96xf32>, tensor<12xi32>, tensor<6x2xi32>, tensor<6x2xf32> -> tensor<6x96xf32>
  return %o : tensor<6x96xf32>
}

// CHECK-LABEL: func @others
func.func @others(%dy: tensor<12x96xf32>, %x: tensor<12x32xf32>, %offsets: tensor<3xi32>, %rows: tensor<12xi32>,
                  %places: tensor<6x2xi32>, %w: tensor<32x96xf32>) {
  // CHECK: nn.grouped_matmul {{.*}} {transposed} : tensor<12x32xf32>, tensor<3xi32>, tensor<32x96xf32> -> tensor<12x96xf32>
  %y = nn.grouped_matmul %x by %offsets (%w, %w) {transposed} : tensor<12x32xf32>, tensor<3xi32>, tensor<32x96xf32> -> tensor<12x96xf32>
  // CHECK: nn.grouped_matmul_backward %{{.*}}, %{{.*}} by %{{.*}} : tensor<12x96xf32>, tensor<12x32xf32>, tensor<3xi32> -> tensor<96x32xf32>, tensor<96x32xf32>
  %dw:2 = nn.grouped_matmul_backward %dy, %x by %offsets
    : tensor<12x96xf32>, tensor<12x32xf32>, tensor<3xi32> -> tensor<96x32xf32>, tensor<96x32xf32>
  // CHECK: nn.combine_rows %{{.*}} by %{{.*}}, %{{.*}} : tensor<12x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<6x32xf32>
  %s = nn.combine_rows %x by %rows, %places : tensor<12x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<6x32xf32>
  // CHECK: nn.log_sum_exp %{{.*}} : tensor<12x32xf32> -> tensor<12xf32>
  %z = nn.log_sum_exp %x : tensor<12x32xf32> -> tensor<12xf32>
  return
}

// Products of 16 bits give 16 bits, and sums of them either.
// CHECK-LABEL: func @halves
func.func @halves(%x: tensor<12x32xbf16>, %dy: tensor<12x96xbf16>, %offsets: tensor<3xi32>, %w: tensor<96x32xbf16>) {
  %y = nn.grouped_matmul %x by %offsets (%w, %w) : tensor<12x32xbf16>, tensor<3xi32>, tensor<96x32xbf16> -> tensor<12x96xbf16>
  %dw:2 = nn.grouped_matmul_backward %dy, %x by %offsets
    : tensor<12x96xbf16>, tensor<12x32xbf16>, tensor<3xi32> -> tensor<96x32xbf16>, tensor<96x32xf32>
  return
}
