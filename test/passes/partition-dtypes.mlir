// RUN: zeroc %s --precision=bf16 --grad-dtype=f32 --stage=2 --world-size=2 --emit=partitioned | FileCheck %s --check-prefix=WIDE
// RUN: zeroc %s --precision=bf16 --grad-dtype=f32 --emit=kernels | zeroc - --stage=2 --world-size=2 --emit=partitioned | FileCheck %s --check-prefix=WIDE
// RUN: zeroc %s --precision=bf16 --grad-dtype=bf16 --stage=2 --world-size=2 --accumulate=2 --emit=partitioned | FileCheck %s --check-prefix=NARROW
// RUN: zeroc %s --precision=fp16 --grad-dtype=fp16 --stage=1 --world-size=2 --accumulate=2 --emit=partitioned | FileCheck %s --check-prefix=SUMS
// RUN: zeroc %s --state-dtype=bf16 --stage=2 --world-size=2 --emit=partitioned | FileCheck %s --check-prefix=STATE
// RUN: zeroc %s --precision=bf16 --state-dtype=bf16 --master=none --stage=2 --world-size=2 --emit=partitioned | FileCheck %s --check-prefix=NONE
// RUN: zeroc %s --precision=bf16 --state-dtype=bf16 --master=none --stage=2 --world-size=2 --emit=memory | zero-opt --zero-print-certificate -o /dev/null | tr -s " " | FileCheck %s --check-prefix=BYTES

// RUN: not zeroc %s --grad-dtype=bf16 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not zeroc %s --precision=bf16 --grad-dtype=fp16 2>&1 | FileCheck %s --check-prefix=OTHER-TYPE
// RUN: not zeroc %s --master=none --emit=partitioned 2>&1 | FileCheck %s --check-prefix=NO-MASTER
// RUN: not zeroc %s --precision=fp16 --master=none --emit=partitioned 2>&1 | FileCheck %s --check-prefix=CHANCE
// RUN: not zeroc %s --state-dtype=fp16 2>&1 | FileCheck %s --check-prefix=SLOTS
// RUN: not zeroc %s --precision=bf16 --master=none --offload=cpu 2>&1 | FileCheck %s --check-prefix=OFFLOAD
// RUN: zeroc %s --precision=bf16 --emit=step -o %t.mlir
// RUN: not zeroc %t.mlir --grad-dtype=f32 --emit=memory 2>&1 | FileCheck %s --check-prefix=LATE

// Gradients are not rounded before they travel, nor after.

// WIDE: zero.options = #zero.options<{{.*}}precision = "bf16", grad_dtype = "f32", stage = 2
// WIDE-NOT: zero.grad_dtype
// WIDE-LABEL: zero.program @step(
// WIDE: %[[D:.*]] = nn.matmul {{.*}} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<8x8xf32>
// WIDE: zero.flatten %[[D]] into @b0 : tensor<8x8xf32> -> tensor<64xf32>
// WIDE: zero.reduce_scatter {{.*}} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
// WIDE: zero.update {{.*}} : (!zero.shard<64 x bf16 by 1>, !zero.shard<64 x f32 by 2>,

// Sums over micro-steps are rounded at each addition.

// NARROW-LABEL: zero.program @micro(
// NARROW: %[[SUM:[^:]*]]: !zero.shard<64 x bf16 by 2> {zero.state = #zero.state<@b0, "grad">}
// NARROW: zero.reduce_scatter {{.*}} into %[[SUM]] {{.*}} : tensor<64xbf16>, !zero.shard<64 x bf16 by 2> -> !zero.shard<64 x bf16 by 2>
// SUMS-LABEL: zero.program @micro(
// SUMS: nn.matmul {{.*}} init(%{{.*}}) {{.*}} -> tensor<8x8xf16>
// SUMS-LABEL: zero.program @step(
// SUMS: zero.reduce_scatter {{.*}} : !zero.shard<64 x f16 by 1> -> !zero.shard<64 x f16 by 1>

// STATE: zero.options = #zero.options<{{.*}}state_dtype = "bf16", stage = 2
// STATE-LABEL: zero.program @step(
// STATE: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b0, "param">}
// STATE: !zero.shard<64 x bf16 by 2> {zero.state = #zero.state<@b0, "m">}
// STATE: !zero.shard<64 x bf16 by 2> {zero.state = #zero.state<@b0, "v">}

// NONE: zero.options = #zero.options<{{.*}}precision = "bf16", state_dtype = "bf16", master = "none", stage = 2
// NONE-LABEL: zero.program @step(
// NONE-NOT: "master"
// NONE: %[[BITS:[^:]*]]: tensor<i64> {zero.scalar = "rounding"}
// NONE: zero.update @adamw of @b0({{.*}}) scalars({{.*}}) rounding(%[[BITS]] : tensor<i64>) {decay = 1.000000e-01 : f64, skip_nonfinite}

// 2 + (2 + 4) / 2 bytes.
// BYTES-NOT: master
// BYTES: model state: 5.00 bytes a parameter + 0 bytes of padding, 64 parameters; stage 2 on 2 ranks
// BYTES: parameters 128 B = 128 + padding 0
// BYTES: gradients 64 B = 128 / 2 + padding 0
// BYTES: optimizer state 128 B = 256 / 2 + padding 0

// TYPE: zeroc: error: --grad-dtype=bf16 needs --precision=bf16, got --precision=fp32; gradients are f32, or what parameters are
// OTHER-TYPE: zeroc: error: --grad-dtype=fp16 needs --precision=fp16, got --precision=bf16
// NO-MASTER: error: --master=none needs --precision=bf16, got --precision=fp32
// CHANCE: error: --master=none needs --precision=bf16, got --precision=fp16
// OFFLOAD: zeroc: error: --master=none keeps all state on the device; drop --offload, or keep masters
// SLOTS: zeroc: error: --state-dtype must be f32 or bf16, got fp16
// LATE: zeroc: error: --grad-dtype comes too late

func.func @loss(%w: tensor<8x8xf32> {zero.param = "w", zero.init = #zero.normal<std = 0.02>},
                %x: tensor<4x8xf32> {zero.input = "x"},
                %t: tensor<4xi32> {zero.input = "t", zero.vocab = 8 : i64}) -> tensor<f32> {
  %0 = nn.linear %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = nn.cross_entropy %0, %t : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  return %1 : tensor<f32>
}
