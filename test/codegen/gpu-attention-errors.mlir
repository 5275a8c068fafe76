// RUN: not zero-opt %s -split-input-file --zero-lower-hand-written-kernels=gpu=1 2>&1 | FileCheck %s
// RUN: not zero-opt %s -split-input-file --zero-lower-hand-written-kernels 2>&1 | FileCheck %s

// What is no view of an operand.

// CHECK: error: 'nn.attention' op is used in a way that its kernel does not support
zero.kernel @computed(%q: tensor<1x4x1x8xf32>, %k: tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32> units attention [1, 1] {
  %twice = arith.addf %q, %q : tensor<1x4x1x8xf32>
  %o = nn.attention %twice, %k, %k {causal, scale = 0.5 : f64} : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>
  zero.return %o : tensor<1x4x1x8xf32>
}

// -----

// CHECK: error: 'nn.attention_backward' op is used in a way that its kernel does not support
zero.kernel @computed_backward(%do: tensor<1x4x1x8xf32>, %q: tensor<1x4x1x8xf32>, %lse: tensor<1x1x4xf32>, %delta: tensor<1x1x4xf32>)
    -> (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) units attention [1, 1] {
  %twice = arith.addf %q, %q : tensor<1x4x1x8xf32>
  %dq, %dk, %dv = nn.attention_backward %do, %twice, %q, %q, %lse, %delta {scale = 0.5 : f64} : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x1x4xf32>
  zero.return %dq, %dk, %dv : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>
}

// -----

// CHECK: error: 'nn.cached_attention' op is used in a way that its kernel does not support
zero.kernel @computed_rows(%q: tensor<2x1x3x4xf32>, %k: tensor<2x1x1x4xf32>, %keys: tensor<2x1x8x4xf32>, %values: tensor<2x1x8x4xf32>, %at: tensor<2xi32>)
    -> (tensor<2x1x3x4xf32>, tensor<2x1x8x4xf32> {zero.must_alias = 2 : i64}, tensor<2x1x8x4xf32> {zero.must_alias = 3 : i64}) units attention [2, 1] {
  %twice = arith.addf %q, %q : tensor<2x1x3x4xf32>
  %o, %nk, %nv = nn.cached_attention %twice, %k, %k in %keys, %values at %at, %at {scale = 0.5 : f64} : tensor<2x1x3x4xf32>, tensor<2x1x1x4xf32>, tensor<2x1x8x4xf32>, tensor<2xi32>
  zero.return %o, %nk, %nv : tensor<2x1x3x4xf32>, tensor<2x1x8x4xf32>, tensor<2x1x8x4xf32>
}

// -----

// CHECK: error: 'nn.attention' op has a kernel for f32, bf16 and f16; compile with --reference
zero.kernel @double(%q: tensor<1x4x1x8xf64>) -> tensor<1x4x1x8xf64> units attention [1, 1] {
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<1x4x1x8xf64>, tensor<1x4x1x8xf64>
  zero.return %o : tensor<1x4x1x8xf64>
}

// -----

// CHECK: error: 'nn.attention' op has heads of width 2049, and a kernel for up to 2048
zero.kernel @wide(%q: tensor<1x4x1x2049xf32>) -> tensor<1x4x1x2049xf32> units attention [1, 1] {
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<1x4x1x2049xf32>, tensor<1x4x1x2049xf32>
  zero.return %o : tensor<1x4x1x2049xf32>
}
