// RUN: zero-opt %s --zero-add-adapters="rank=2 alpha=6" | FileCheck %s
// RUN: zero-opt %s --zero-add-adapters="rank=2 alpha=2 targets=h.0.up" | FileCheck %s --check-prefix=ONE
// RUN: zero-opt %s --zero-add-adapters="rank=2 alpha=6 targets=h.0.up magnitudes" | FileCheck %s --check-prefix=MAGNITUDE
// RUN: not zero-opt %s --zero-add-adapters="rank=2 alpha=2 targets=up" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not zero-opt %s --zero-add-adapters="rank=2 alpha=2 targets=h.(0" 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not zero-opt %s --zero-add-adapters="rank=5 alpha=5" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not zero-opt %s --zero-add-adapters="rank=2 alpha=0" 2>&1 | FileCheck %s --check-prefix=ALPHA
// RUN: zero-opt %s --zero-add-adapters="rank=2 alpha=2 dropout=0.25" | FileCheck %s --check-prefix=DROPOUT
// RUN: not zero-opt %s --zero-add-adapters="rank=2 alpha=2 dropout=1" 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: not zero-opt %s --zero-add-adapters="rank=1 alpha=1 dropout=0.1 magnitudes" 2>&1 | FileCheck %s --check-prefix=REFUSED

// All parameters are frozen, and stand before their adapters.  The head gets none.

// CHECK: module attributes {zero.adapters = {{.*}}\22lora_alpha\22: 6{{.*}}\22r\22: 2{{.*}}h.0.down{{.*}}h.0.up
// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x8xf32> {zero.frozen, zero.init = #zero.normal<std = {{.*}}>, zero.param = "h.0.down.weight"}
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x8xf32> {zero.init = #zero.uniform<low = -0.35355339059327373, high = 0.35355339059327373>, zero.param = "base_model.model.h.0.down.lora_A.weight"}
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<4x2xf32> {zero.init = #zero.constant<0.000000e+00>, zero.param = "base_model.model.h.0.down.lora_B.weight"}
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<4x8xf32> {zero.frozen
// CHECK-SAME: zero.param = "h.0.up.weight"}
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<2x4xf32> {{.*}}lora_A
// CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<8x2xf32> {{.*}}lora_B
// CHECK-SAME: %[[H:[a-z0-9]+]]: tensor<5x8xf32> {zero.frozen
// CHECK: %[[Y:.*]] = nn.linear %{{.*}}, %[[W]] : tensor<3x8xf32>, tensor<4x8xf32> -> tensor<3x4xf32>
// CHECK: %[[LOW:.*]] = nn.linear %{{.*}}, %[[A]] : tensor<3x8xf32>, tensor<2x8xf32> -> tensor<3x2xf32>
// CHECK: %[[THREE:.*]] = arith.constant dense<3.000000e+00>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[LOW]], %[[THREE]] : tensor<3x2xf32>
// CHECK: %[[MORE:.*]] = nn.linear %[[SCALED]], %[[B]] : tensor<3x2xf32>, tensor<4x2xf32> -> tensor<3x4xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[Y]], %[[MORE]]
// CHECK: nn.linear %[[SUM]], %[[V]] {transposed}
// CHECK: nn.linear %[[SUM]], %[[C]] : tensor<3x4xf32>, tensor<2x4xf32> -> tensor<3x2xf32>
// CHECK: nn.linear %{{.*}}, %[[D]] : tensor<3x2xf32>, tensor<8x2xf32> -> tensor<3x8xf32>
// CHECK: nn.linear %{{.*}}, %[[H]]
// CHECK-NOT: nn.linear

// Of a factor of 1 there is no product.

// ONE-COUNT-5: nn.linear
// ONE-NOT: arith.mulf

// The norms of W + 3 B A, from products of two columns; a row of W is an input here.

// MAGNITUDE: use_dora\22: true
// MAGNITUDE: %[[W:[a-z0-9]+]]: tensor<4x8xf32> {{[^%]*}}"h.0.up.weight"}
// MAGNITUDE-SAME: %[[A:[a-z0-9]+]]: tensor<2x4xf32>
// MAGNITUDE-SAME: %[[B:[a-z0-9]+]]: tensor<8x2xf32>
// MAGNITUDE-SAME: %[[M:[a-z0-9]+]]: tensor<8xf32> {zero.init = #zero.constant<1.000000e+00>, zero.param = "base_model.model.h.0.up.lora_magnitude_vector"}
// MAGNITUDE: %[[A3:.*]] = arith.mulf %[[A]], %{{.*}} : tensor<2x4xf32>
// MAGNITUDE: %[[AW:.*]] = nn.linear %[[A3]], %[[W]] {transposed} : {{.*}} -> tensor<2x8xf32>
// MAGNITUDE: %[[AA:.*]] = nn.linear %[[A3]], %[[A3]] : {{.*}} -> tensor<2x2xf32>
// MAGNITUDE: %[[BAA:.*]] = nn.linear %[[B]], %[[AA]] : {{.*}} -> tensor<8x2xf32>
// MAGNITUDE: %[[WW:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<4x8xf32>)
// MAGNITUDE: %[[MORE:.*]] = linalg.generic {{.*}} ins(%[[B]], %[[AW]], %[[BAA]] :
// MAGNITUDE: %[[NORM:.*]] = linalg.generic {{.*}} ins(%[[WW]], %[[MORE]] :
// MAGNITUDE: %[[SUM:.*]] = arith.addf {{.*}} : tensor<3x8xf32>
// MAGNITUDE: nn.set_magnitudes %[[SUM]], %[[M]], %[[NORM]] :
// REFUSED: error: adapters with magnitudes have no dropout; drop --dora or --lora-dropout

// The input of each adapter has a mask of its own.

// DROPOUT: \22lora_dropout\22: 0.25
// DROPOUT: %[[KEYS:[a-z0-9]+]]: tensor<3xi64> {zero.input = "dropout"}
// DROPOUT: %[[X:.*]] = nn.dropout %[[FROM:.*]] by %[[KEYS]] {place = 0 : i64, rate = 2.500000e-01 : f64}
// DROPOUT: nn.linear %[[X]],
// DROPOUT: nn.dropout %{{.*}} by %[[KEYS]] {place = 1 : i64, rate = 2.500000e-01 : f64}
// DROPOUT-NOT: nn.dropout
// RATE: error: the dropout of adapters is at least 0 and below 1, got 1

// NONE: error: has no linear layer for adapters to be added to that "up" matches whole; there is "h.0.down" and 2 more
// REGEX: error: targets of adapters: "h.(0" is no regular expression of Python: missing ), unterminated subpattern at position 2
// RANK: error: an adapter of rank 5 is no smaller than "h.0.down.weight", 'tensor<4x8xf32>'; use a rank of at most 4
// ALPHA: error: adapters have a rank of at least 1 and an alpha above 0, got 2 and 0
func.func @loss(
    %w: tensor<4x8xf32> {zero.param = "h.0.down.weight", zero.init = #zero.normal<std = 0.02>},
    %v: tensor<4x8xf32> {zero.param = "h.0.up.weight", zero.init = #zero.normal<std = 0.02>},
    %h: tensor<5x8xf32> {zero.param = "head.weight", zero.init = #zero.normal<std = 0.02>},
    %x: tensor<3x8xf32> {zero.input = "x"},
    %y: tensor<3xi32> {zero.input = "y"}) -> tensor<f32> {
  %0 = nn.linear %x, %w : tensor<3x8xf32>, tensor<4x8xf32> -> tensor<3x4xf32>
  %1 = nn.linear %0, %v {transposed} : tensor<3x4xf32>, tensor<4x8xf32> -> tensor<3x8xf32>
  %2 = nn.linear %1, %h : tensor<3x8xf32>, tensor<5x8xf32> -> tensor<3x5xf32>
  %3 = nn.cross_entropy %2, %y : tensor<3x5xf32>, tensor<3xi32> -> tensor<f32>
  return %3 : tensor<f32>
}
