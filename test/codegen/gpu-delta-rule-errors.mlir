// RUN: not zero-opt %s -split-input-file --zero-lower-hand-written-kernels=gpu=1 2>&1 | FileCheck %s

// CHECK: error: 'nn.gated_delta_rule' op has heads of width 257, and a kernel for up to 256; use narrower heads
zero.kernel @wide(%q: tensor<1x4x1x257xf32>, %v: tensor<1x4x1x8xf32>, %g: tensor<1x4x1xf32>) -> tensor<1x4x1x8xf32> units attention [1, 1] {
  %o = nn.gated_delta_rule %q, %q, %v gates %g : tensor<1x4x1x257xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1xf32>
  zero.return %o : tensor<1x4x1x8xf32>
}

// -----

// CHECK: error: 'nn.gated_delta_rule' op has a kernel for f32, not 'f64'; compile for --target=cpu --reference
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
