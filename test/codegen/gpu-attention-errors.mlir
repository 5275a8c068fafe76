// RUN: not zero-opt %s --zero-lower-hand-written-kernels=gpu=1 2>&1 | FileCheck %s

// What waits in a row of dQ between launches has four bytes.

// CHECK: error: attention has heads of width 1 of 'bf16', and a kernel for a GPU from width 2 on; use f32
zero.kernel @narrow(%do: tensor<1x4x1x1xbf16>, %q: tensor<1x4x1x1xbf16>, %k: tensor<1x4x1x1xbf16>, %v: tensor<1x4x1x1xbf16>, %lse: tensor<1x1x4xf32>)
    -> (tensor<1x4x1x1xbf16>, tensor<1x4x1x1xbf16>, tensor<1x4x1x1xbf16>)
    units attention [1, 1] {
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse {scale = 0.5 : f64} : tensor<1x4x1x1xbf16>, tensor<1x4x1x1xbf16>, tensor<1x1x4xf32>
  zero.return %dq, %dk, %dv : tensor<1x4x1x1xbf16>, tensor<1x4x1x1xbf16>, tensor<1x4x1x1xbf16>
}
