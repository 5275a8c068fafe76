// RUN: zero-opt %s -split-input-file --zero-lower-kernels-to-cpu=stop-at-loops=1 | FileCheck %s

// Attention: a call for each batch and head, which reads them where they lie.
// k begins 32 floats into rows of 96.

// CHECK-LABEL: func.func private @attention(
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index)
// CHECK-NOT: alloc
// CHECK: %[[NOBODY:.*]] = llvm.mlir.zero
// CHECK: scf.for %[[UNIT:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[BATCH:.*]] = arith.divui %[[UNIT]], %c2
// CHECK: %[[HEAD:.*]] = arith.remui %[[UNIT]], %c2
// CHECK: %[[PLACE:.*]] = arith.addi
// CHECK: arith.addi %[[PLACE]], %c32
// CHECK: call @zrt_attention(%c100_i64, %c100_i64, %c16_i64, %{{.*}}, %{{.*}}, %c1_i32, %c0_i64, %{{.*}}, %{{.*}}, %c0_i64, %{{.*}}, %{{.*}}, %c2_i32, %c0_i32, %{{.*}}, %c96_i64, %{{.*}}, %c96_i64, %{{.*}}, %c96_i64, %{{.*}}, %c32_i64, %[[NOBODY]])
zero.kernel @attention(%qkv: tensor<2x100x96xf32>) -> tensor<2x100x2x16xf32>
    units attention [2, 2] {
  %q0 = tensor.extract_slice %qkv[0, 0, 0] [2, 100, 32] [1, 1, 1] : tensor<2x100x96xf32> to tensor<2x100x32xf32>
  %k0 = tensor.extract_slice %qkv[0, 0, 32] [2, 100, 32] [1, 1, 1] : tensor<2x100x96xf32> to tensor<2x100x32xf32>
  %v0 = tensor.extract_slice %qkv[0, 0, 64] [2, 100, 32] [1, 1, 1] : tensor<2x100x96xf32> to tensor<2x100x32xf32>
  %q = tensor.expand_shape %q0 [[0], [1], [2, 3]] output_shape [2, 100, 2, 16] : tensor<2x100x32xf32> into tensor<2x100x2x16xf32>
  %k = tensor.expand_shape %k0 [[0], [1], [2, 3]] output_shape [2, 100, 2, 16] : tensor<2x100x32xf32> into tensor<2x100x2x16xf32>
  %v = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [2, 100, 2, 16] : tensor<2x100x32xf32> into tensor<2x100x2x16xf32>
  %o = nn.attention %q, %k, %v {causal, scale = 0.25 : f64} : tensor<2x100x2x16xf32>, tensor<2x100x2x16xf32>
  zero.return %o : tensor<2x100x2x16xf32>
}

// -----

// The backward; lse is [batch, heads, T].

// CHECK-LABEL: func.func private @backward(
// CHECK: call @zrt_attention_backward(%c7_i64, %c9_i64, %c4_i64, %{{.*}}, %{{.*}}, %c0_i32, %c0_i64, %{{.*}}, %{{.*}}, %c0_i64, %{{.*}}, %{{.*}}, %c2_i32, %c0_i32, %c1_i64, %{{.*}}, %c8_i64, %c4_i64, %{{.*}}, %c8_i64, %c4_i64, %{{.*}}, %c8_i64, %{{.*}}, %c8_i64, %{{.*}}, %{{.*}}, %c7_i64, %{{.*}}, %c8_i64, %c4_i64, %{{.*}}, %c8_i64, %{{.*}}, %c8_i64)
zero.kernel @backward(%do: tensor<3x7x2x4xf32>, %q: tensor<3x7x2x4xf32>, %k: tensor<3x9x2x4xf32>, %v: tensor<3x9x2x4xf32>, %lse: tensor<3x2x7xf32>, %delta: tensor<3x2x7xf32>)
    -> (tensor<3x7x2x4xf32>, tensor<3x9x2x4xf32>, tensor<3x9x2x4xf32>)
    units attention [3, 2] {
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta {scale = 0.5 : f64} : tensor<3x7x2x4xf32>, tensor<3x9x2x4xf32>, tensor<3x2x7xf32>
  zero.return %dq, %dk, %dv : tensor<3x7x2x4xf32>, tensor<3x9x2x4xf32>, tensor<3x9x2x4xf32>
}

// -----

// Four query heads read two heads of keys, the last 16 that `starts` leaves: forward
// a unit is a query head, and reads the keys of half its number.

// CHECK-LABEL: func.func private @grouped(
// CHECK: %[[BATCH:.*]] = arith.divui %{{.*}}, %c4
// CHECK: %[[HEAD:.*]] = arith.remui %{{.*}}, %c4
// CHECK: arith.divui %[[HEAD]], %c2
// CHECK: call @zrt_attention(%c100_i64, %c100_i64, %c8_i64, %{{.*}}, %{{.*}}, %c1_i32, %c16_i64, %[[STARTS:[^,]*]], %[[NONE:[^,]*]], %c0_i64, %{{.*}}, %{{.*}}, %c2_i32, %c0_i32
zero.kernel @grouped(%q: tensor<2x100x4x8xf32>, %k: tensor<2x100x2x8xf32>, %v: tensor<2x100x2x8xf32>, %starts: tensor<2x100xi32>)
    -> tensor<2x100x4x8xf32> units attention [2, 4] {
  %o = nn.attention %q, %k, %v from %starts {causal, scale = 0.25 : f64, window = 16 : i64} : tensor<2x100x4x8xf32>, tensor<2x100x2x8xf32>, tensor<2x100xi32>
  zero.return %o : tensor<2x100x4x8xf32>
}

// -----

// Dropout: the key of the batch, the place, the rate and the head.

// CHECK-LABEL: func.func private @dropped(
// CHECK: call @zrt_attention(%c7_i64, {{.*}}, %c0_i64, %{{[^,]*}}, %{{[^,]*}}, %c5_i64, %{{[^,]*}}, %{{[^,]*}}, %c2_i32, %c0_i32
zero.kernel @dropped(%q: tensor<2x7x4x8xf32>, %k: tensor<2x7x2x8xf32>, %v: tensor<2x7x2x8xf32>, %keys: tensor<2xi64>)
    -> tensor<2x7x4x8xf32> units attention [2, 4] {
  %o = nn.attention %q, %k, %v by %keys {causal, scale = 0.25 : f64, rate = 0.1 : f64, place = 5 : i64} : tensor<2x7x4x8xf32>, tensor<2x7x2x8xf32> by tensor<2xi64>
  zero.return %o : tensor<2x7x4x8xf32>
}

// -----

// Backward a unit is a head of keys: it adds what its two query heads give.

// CHECK-LABEL: func.func private @grouped_backward(
// CHECK: %[[GROUP:.*]] = arith.remui %{{.*}}, %c2
// CHECK: arith.muli %[[GROUP]], %c2
// CHECK: call @zrt_attention_backward({{.*}}, %c2_i32, %c0_i32, %c2_i64, %{{.*}}, %c32_i64, %c8_i64, %{{.*}}, %c32_i64, %c8_i64, %{{.*}}, %c16_i64
zero.kernel @grouped_backward(%do: tensor<2x100x4x8xf32>, %q: tensor<2x100x4x8xf32>, %k: tensor<2x100x2x8xf32>, %v: tensor<2x100x2x8xf32>, %lse: tensor<2x4x100xf32>, %delta: tensor<2x4x100xf32>)
    -> (tensor<2x100x4x8xf32>, tensor<2x100x2x8xf32>, tensor<2x100x2x8xf32>) units attention [2, 2] {
  %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %lse, %delta {causal, scale = 0.25 : f64} : tensor<2x100x4x8xf32>, tensor<2x100x2x8xf32>, tensor<2x4x100xf32>
  zero.return %dq, %dk, %dv : tensor<2x100x4x8xf32>, tensor<2x100x2x8xf32>, tensor<2x100x2x8xf32>
}
