// RUN: not zero-opt %s -split-input-file --zero-lower-hand-written-kernels=gpu=1 2>&1 | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: not zero-opt %s -split-input-file --zero-lower-hand-written-kernels 2>&1 | FileCheck %s --check-prefixes=CPU,BOTH

// CHECK: error: 'nn.gated_delta_rule' op has heads of width 257, and a kernel for up to 256; use narrower heads
// CPU: error: 'nn.gated_delta_rule' op has heads of width 257, and a kernel for up to 256; compile with --reference
zero.kernel @wide(%q: tensor<1x4x1x257xf32>, %v: tensor<1x4x1x8xf32>, %g: tensor<1x4x1xf32>) -> tensor<1x4x1x8xf32> units attention [1, 1] {
  %o = nn.gated_delta_rule %q, %q, %v gates %g : tensor<1x4x1x257xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>
  zero.return %o : tensor<1x4x1x8xf32>
}

// -----

// CHECK: error: 'nn.gated_delta_rule' op has a kernel for f32, not 'f64'; compile for --target=cpu --reference
// CPU: error: 'nn.gated_delta_rule' op has a kernel for f32; compile with --reference
zero.kernel @double(%q: tensor<1x4x1x8xf64>, %v: tensor<1x4x1x8xf64>, %g: tensor<1x4x1xf64>) -> tensor<1x4x1x8xf64> units attention [1, 1] {
  %o = nn.gated_delta_rule %q, %q, %v gates %g : tensor<1x4x1x8xf64>, tensor<1x4x1x8xf64>, tensor<1x4x1xf64>
  zero.return %o : tensor<1x4x1x8xf64>
}

// -----

// A plan for processors, whose kernels were formed before --target=cuda.

// CHECK: error: 'nn.gated_delta_rule_backward' op has no room for what kernels of GPUs keep between their launches; compile from level step or before with --target=cuda
zero.kernel @formed(%d: tensor<1x4x1x8xf32>, %g: tensor<1x4x1xf32>, %s: tensor<1x1x1x8x8xf32>)
    -> (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>) units attention [1, 1] {
  %dq, %dk, %dv, %dg = nn.gated_delta_rule_backward %d, %d, %d, %d gates %g states %s : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>, tensor<1x1x1x8x8xf32>
  zero.return %dq, %dk, %dv, %dg : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>
}

// -----

// What is no view of an operand.

// BOTH: error: 'nn.gated_delta_rule' op is used in a way that its kernel does not support
zero.kernel @computed(%q: tensor<1x4x1x8xf32>, %g: tensor<1x4x1xf32>) -> tensor<1x4x1x8xf32> units attention [1, 1] {
  %twice = arith.addf %q, %q : tensor<1x4x1x8xf32>
  %o = nn.gated_delta_rule %twice, %q, %q gates %g : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>
  zero.return %o : tensor<1x4x1x8xf32>
}

// -----

// BOTH: error: 'nn.gated_delta_rule_backward' op is used in a way that its kernel does not support
zero.kernel @computed_backward(%d: tensor<1x4x1x8xf32>, %g: tensor<1x4x1xf32>, %s: tensor<1x1x1x8x8xf32>)
    -> (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>, tensor<1x1x1x8x8xf32>) units attention [1, 1] {
  %twice = arith.addf %d, %d : tensor<1x4x1x8xf32>
  %dq, %dk, %dv, %dg, %m = nn.gated_delta_rule_backward %twice, %d, %d, %d gates %g states %s : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>, tensor<1x1x1x8x8xf32> room tensor<1x1x1x8x8xf32>
  zero.return %dq, %dk, %dv, %dg, %m : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>, tensor<1x1x1x8x8xf32>
}

// -----

// BOTH: error: 'nn.cached_causal_conv' op is used in a way that its kernel does not support
zero.kernel @computed_conv(%x: tensor<3x1x20xf32>, %w: tensor<20x4xf32>, %i: tensor<3x67x20xf32>, %at: tensor<3xi32>)
    -> (tensor<3x1x20xf32>, tensor<3x67x20xf32> {zero.must_alias = 2 : i64}) units attention [3, 1] {
  %twice = arith.addf %x, %x : tensor<3x1x20xf32>
  %o:2 = nn.cached_causal_conv %twice, %w in %i at %at, %at : tensor<3x1x20xf32>, tensor<20x4xf32>, tensor<3x67x20xf32>, tensor<3xi32>
  zero.return %o#0, %o#1 : tensor<3x1x20xf32>, tensor<3x67x20xf32>
}

// -----

// BOTH: error: 'nn.cached_delta_rule' op is used in a way that its kernel does not support
zero.kernel @computed_rule(%q: tensor<3x1x2x8xf32>, %v: tensor<3x1x4x16xf32>, %g: tensor<3x1x4xf32>, %s: tensor<3x4x8x16xf32>, %k: tensor<3x2x64x8xf32>, %u: tensor<3x4x64x16xf32>, %d: tensor<3x4x64xf32>, %at: tensor<3xi32>)
    -> (tensor<3x1x4x16xf32>, tensor<3x4x8x16xf32> {zero.must_alias = 3 : i64}, tensor<3x2x64x8xf32> {zero.must_alias = 4 : i64}, tensor<3x4x64x16xf32> {zero.must_alias = 5 : i64}, tensor<3x4x64xf32> {zero.must_alias = 6 : i64}) units attention [3, 2] {
  %twice = arith.addf %q, %q : tensor<3x1x2x8xf32>
  %o:5 = nn.cached_delta_rule %twice, %q, %v gates %g in %s, %k, %u, %d at %at, %at
    : tensor<3x1x2x8xf32>, tensor<3x1x4x16xf32>, tensor<3x1x4xf32>, tensor<3x4x8x16xf32>, tensor<3x2x64x8xf32>, tensor<3x4x64x16xf32>, tensor<3x4x64xf32>, tensor<3xi32>
  zero.return %o#0, %o#1, %o#2, %o#3, %o#4 : tensor<3x1x4x16xf32>, tensor<3x4x8x16xf32>, tensor<3x2x64x8xf32>, tensor<3x4x64x16xf32>, tensor<3x4x64xf32>
}
