// RUN: zeroc %s --precision=bf16 --stage=2 --world-size=2 --emit=partitioned | FileCheck %s
// RUN: zeroc %s --precision=bf16 --stage=2 --world-size=2 --accumulate=2 --emit=partitioned | FileCheck %s --check-prefix=SUMS
// RUN: zeroc %s --precision=fp16 --stage=3 --world-size=2 --emit=partitioned | FileCheck %s --check-prefix=HALF
// RUN: zeroc %s --precision=bf16 --skip-nonfinite=off --emit=partitioned | FileCheck %s --check-prefix=OFF
// RUN: zeroc %s --precision=bf16 --stage=2 --world-size=2 --emit=memory | zero-opt --zero-print-certificate -o /dev/null | tr -s " " | FileCheck %s --check-prefix=BYTES

// Parameters, gradients and what travels have 16 bits; masters and moments are
// f32 and shards.

// CHECK: zero.options = #zero.options<{{.*}}skip_nonfinite = true, precision = "bf16", stage = 2
// CHECK-LABEL: zero.program @step(
// CHECK: %[[P:[^:]*]]: !zero.shard<64 x bf16 by 1> {zero.state = #zero.state<@b0, "param">}
// CHECK: %[[M:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "m">}
// CHECK: %[[V:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "v">}
// CHECK: %[[W:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "master">}
// CHECK: %[[NORM_LIMIT:[^:]*]]: tensor<f32> {zero.scalar = "norm_limit"}
// CHECK: %[[LOSS_LIMIT:[^:]*]]: tensor<f32> {zero.scalar = "loss_limit"}
// CHECK: %[[AVERAGE:.*]] = zero.all_reduce {{.*}} {scale = 5.000000e-01 : f64} : tensor<f32>
// CHECK: %[[LOSS:.*]] = zero.all_reduce {{.*}} {scale = 5.000000e-01 : f64} : tensor<f32>
// CHECK: zero.flatten {{.*}} -> tensor<64xbf16>
// CHECK: %[[G:.*]] = zero.reduce_scatter {{.*}} : tensor<64xbf16> -> !zero.shard<64 x bf16 by 2>
// CHECK: zero.sum_squares %[[G]]
// CHECK: zero.clip {{.*}} within(%[[NORM_LIMIT]], %[[LOSS_LIMIT]], %[[LOSS]] : tensor<f32>, tensor<f32>, tensor<f32>) {max_norm = 1.000000e+00 : f64}
// CHECK: %[[NEXT:.*]]:4 = zero.update @adamw of @b0(%[[P]], %[[G]], %[[M]], %[[V]]) master(%[[W]]) scalars({{.*}}) {decay = 1.000000e-01 : f64, skip_nonfinite}
// CHECK-SAME: (!zero.shard<64 x bf16 by 1>, !zero.shard<64 x bf16 by 2>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), master !zero.shard<64 x f32 by 2>,
// CHECK: zero.all_gather %[[NEXT]]#0 of @b0 : !zero.shard<64 x bf16 by 1> -> !zero.shard<64 x bf16 by 1>

// Sums over micro-steps are f32, without a rounding between.
// SUMS-LABEL: zero.program @micro(
// SUMS: %[[SUM:[^:]*]]: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "grad">}
// SUMS: zero.reduce_scatter {{.*}} into %[[SUM]] {{.*}} : tensor<64xbf16>, !zero.shard<64 x f32 by 2> -> !zero.shard<64 x f32 by 2>

// The scale of the loss is the seed of the backward, and leaves in the norm.
// HALF-LABEL: zero.program @step(
// HALF: %[[S:[^:]*]]: tensor<f32> {zero.scalar = "loss_scale"}
// HALF: zero.launch {{.*}}%[[S]]
// HALF: zero.clip {{.*}} scale(%[[S]] : tensor<f32>)

// OFF: #zero.options<{{.*}}grad_clip = 1.000000e+00, precision = "bf16"
// OFF-NOT: skip_nonfinite

// 2 + 14 / 2 bytes.
// BYTES: master parameters 128 B
// BYTES: model state: 9.00 bytes a parameter + 0 bytes of padding, 64 parameters; stage 2 on 2 ranks
// BYTES: parameters 128 B = 128 + padding 0
// BYTES: gradients 64 B = 128 / 2 + padding 0
// BYTES: optimizer state 256 B = 512 / 2 + padding 0
// BYTES: master parameters 128 B = 256 / 2 + padding 0

func.func @loss(%w: tensor<8x8xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
                %x: tensor<4x8xf32> {zero.input = "x"},
                %t: tensor<4xi32> {zero.input = "t", zero.vocab = 8 : i64}) -> tensor<f32> {
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = nn.cross_entropy %0, %t : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  return %1 : tensor<f32>
}
