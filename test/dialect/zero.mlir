// RUN: zero-opt %s -split-input-file | zero-opt -split-input-file | FileCheck %s
// RUN: python3 %S/../docs/check_blocks.py %S/../../dialect/zero/[!P]*.td %s
// The examples of the dialect, printed and parsed again.

// CHECK: zero.axis @dp size 1
zero.axis @dp size 1
// CHECK: zero.bucket @b0 over @dp elements 4144 members [#zero.member<"h.0.fc.weight", 64x64 at 0, decay, init = #zero.normal<std = 2.000000e-02>>, #zero.member<"h.0.fc.bias", 32 at 4096, init = #zero.constant<0.000000e+00>>]
zero.bucket @b0 over @dp elements 4144 members [#zero.member<"h.0.fc.weight", 64x64 at 0, decay, init = #zero.normal<std = 0.02>>, #zero.member<"h.0.fc.bias", 32 at 4096, init = #zero.constant<0.0>>]
// A scalar parameter, and uniform initial values.
// CHECK: #zero.member<"scale", scalar at 0, init = #zero.uniform<low = -1.000000e+00, high = 1.000000e+00>>
zero.bucket @b1 over @dp elements 16 members [#zero.member<"scale", scalar at 0, init = #zero.uniform<low = -1.0, high = 1.0>>]
// Some rows of a parameter.
// CHECK: #zero.member<"wte.weight", 512x128 at 0, rows 1024 of 4096, decay, init = #zero.normal<std = 2.000000e-02>>
zero.bucket @b2 over @dp elements 65536 members [#zero.member<"wte.weight", 512x128 at 0, rows 1024 of 4096, decay, init = #zero.normal<std = 0.02>>]

// CHECK: zero.optimizer @sgd(%arg0: f32, %arg1: f32, %arg2: f32, %arg3: f32, %arg4: f32) state ["momentum"] scalars ["lr", "decay"]
zero.optimizer @sgd(%p: f32, %g: f32, %momentum: f32, %lr: f32, %decay: f32)
    state ["momentum"] scalars ["lr", "decay"] {
  %0 = arith.mulf %decay, %p : f32
  %1 = arith.addf %g, %0 : f32
  %2 = arith.addf %momentum, %1 : f32
  %3 = arith.mulf %lr, %2 : f32
  %4 = arith.subf %p, %3 : f32
  zero.yield %4, %2 : f32, f32
}
zero.optimizer @adamw(%p: f32, %g: f32, %m: f32, %v: f32, %lr: f32, %decay: f32, %clip: f32, %step: f32)
    state ["m", "v"] scalars ["lr", "decay", "clip", "step"] {
  zero.yield %p, %m, %v : f32, f32, f32
}

zero.kernel @gelu(tensor<256x64xf32>) -> tensor<256x64xf32> units rows

// CHECK-LABEL: zero.program @step
// CHECK-SAME: zero.at = #zero.bytes<device, 0 + 16576>
// CHECK-SAME: zero.state = #zero.state<@b0, "param">
zero.program @step(%p: !zero.shard<4144 x f32 by 1> {zero.state = #zero.state<@b0, "param">, zero.at = #zero.bytes<device, 0 + 16576>},
                %m: !zero.shard<4144 x f32 by 1> {zero.state = #zero.state<@b0, "m">},
                %v: !zero.shard<4144 x f32 by 1> {zero.state = #zero.state<@b0, "v">},
                %x: tensor<256x64xf32>, %dw: tensor<64x64xf32>, %db: tensor<32xf32>,
                %lr: tensor<f32>, %step: tensor<f32>)
    -> (!zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<f32>) {
  // CHECK: zero.view %arg0[@b0, "h.0.fc.weight"] : !zero.shard<4144 x f32 by 1> -> tensor<64x64xf32>
  %w = zero.view %p[@b0, "h.0.fc.weight"] : !zero.shard<4144 x f32 by 1> -> tensor<64x64xf32>
  // CHECK: zero.launch @gelu(%arg3) : (tensor<256x64xf32>) -> tensor<256x64xf32>
  %y = zero.launch @gelu(%x) : (tensor<256x64xf32>) -> tensor<256x64xf32>
  // CHECK: %[[E:.*]] = zero.record on reduce
  %e = zero.record on reduce
  // CHECK: zero.wait %[[E]] on compute
  zero.wait %e on compute
  // CHECK: zero.flatten {{.*}} into @b0 : tensor<64x64xf32>, tensor<32xf32> -> tensor<4144xf32>
  %flat = zero.flatten %dw, %db into @b0 : tensor<64x64xf32>, tensor<32xf32> -> tensor<4144xf32>
  // CHECK: zero.sum_squares {{.*}} of @b0 : tensor<4144xf32> -> tensor<2xf64>
  %s = zero.sum_squares %flat of @b0 : tensor<4144xf32> -> tensor<2xf64>
  // CHECK: zero.clip {{.*}} : tensor<2xf64> -> tensor<f32>, tensor<f32>
  %norm, %factor = zero.clip %s : tensor<2xf64> -> tensor<f32>, tensor<f32>
  // CHECK: zero.update @adamw of @b0
  %p1, %m1, %v1 = zero.update @adamw of @b0 (%p, %flat, %m, %v) scalars(%lr, %factor, %step) {decay = 0.1}
    : (!zero.shard<4144 x f32 by 1>, tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>), (tensor<f32>, tensor<f32>, tensor<f32>)
    -> !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>
  zero.return %p1, %m1, %v1, %norm : !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<f32>
}

// CHECK-LABEL: func @copy
func.func @copy(%p: !zero.shard<4144 x f32 by 1>) {
  %0 = zero.view %p[@b0, "h.0.fc.weight"] : !zero.shard<4144 x f32 by 1> -> tensor<64x64xf32>
  // CHECK: zero.copy %{{.*}} : tensor<64x64xf32>
  %1 = zero.copy %0 : tensor<64x64xf32>
  // CHECK: zero.copy {{.*}} {zero.stream = #zero.stream<reduce>} : tensor<64x64xf32>
  %2 = zero.copy %0 {zero.stream = #zero.stream<reduce>} : tensor<64x64xf32>
  return
}

// CHECK-LABEL: func @pieces
func.func @pieces(%top: tensor<512x64xf32>, %bottom: tensor<88x64xf32>) {
  // CHECK: zero.join %arg0, %arg1 : tensor<512x64xf32>, tensor<88x64xf32> -> tensor<600x64xf32>
  %w = zero.join %top, %bottom : tensor<512x64xf32>, tensor<88x64xf32> -> tensor<600x64xf32>
  return
}
// CHECK-LABEL: func @rows
func.func @rows(%dw: tensor<600x64xf32>) {
  // CHECK: zero.split %arg0 from 512 : tensor<600x64xf32> -> tensor<88x64xf32>
  %top = zero.split %dw from 512 : tensor<600x64xf32> -> tensor<88x64xf32>
  return
}

// CHECK-LABEL: func @accumulate
func.func @accumulate(%a: !zero.shard<4144 x f32 by 1>, %dw: tensor<64x64xf32>, %db: tensor<32xf32>) {
  // CHECK: %[[S:.*]] = zero.view %arg0[@b0, "h.0.fc.bias"] : !zero.shard<4144 x f32 by 1> -> tensor<32xf32>
  %s = zero.view %a[@b0, "h.0.fc.bias"] : !zero.shard<4144 x f32 by 1> -> tensor<32xf32>
  // CHECK: %[[S1:.*]] = zero.accumulate %[[S]], %arg2 {scale = 1.000000e+00 : f64} : tensor<32xf32>, tensor<32xf32>
  %s1 = zero.accumulate %s, %db {scale = 1.0 : f64} : tensor<32xf32>, tensor<32xf32>
  // CHECK: zero.flatten %arg1, %[[S1]] into @b0 : tensor<64x64xf32>, tensor<32xf32> -> !zero.shard<4144 x f32 by 1>
  %a1 = zero.flatten %dw, %s1 into @b0 : tensor<64x64xf32>, tensor<32xf32> -> !zero.shard<4144 x f32 by 1>
  // CHECK: zero.clear %{{.*}} of @b0 : !zero.shard<4144 x f32 by 1>
  %a0 = zero.clear %a1 of @b0 : !zero.shard<4144 x f32 by 1>
  return
}

// CHECK-LABEL: func @zeros
func.func @zeros() {
  // CHECK: zero.zeros of @b0 : !zero.shard<4144 x f32 by 1>
  %a0 = zero.zeros of @b0 : !zero.shard<4144 x f32 by 1>
  return
}

// CHECK-LABEL: func @norm
func.func @norm(%n: tensor<f32>, %s0: tensor<2xf64>, %s1: tensor<1xf64>) {
  // CHECK: zero.average %arg0 : tensor<f32>
  %all = zero.average %n : tensor<f32>
  // CHECK: zero.total %arg1, %arg2 : tensor<2xf64>, tensor<1xf64> -> tensor<f64>
  %t = zero.total %s0, %s1 : tensor<2xf64>, tensor<1xf64> -> tensor<f64>
  // CHECK: zero.clip %arg1, %arg2 {max_norm = 1.000000e+00 : f64} : tensor<2xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
  %norm, %factor = zero.clip %s0, %s1 {max_norm = 1.0 : f64} : tensor<2xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
  return
}

// CHECK-LABEL: func @update
func.func @update(%p: !zero.shard<4144 x f32 by 1>, %g: tensor<4144xf32>, %m: !zero.shard<4144 x f32 by 1>,
                  %v: !zero.shard<4144 x f32 by 1>, %lr: tensor<f32>, %clip: tensor<f32>, %step: tensor<f32>) {
  // CHECK: %{{.*}}:3 = zero.update @adamw of @b0(%arg0, %arg1, %arg2, %arg3) scalars(%arg4, %arg5, %arg6) {decay = 1.000000e-01 : f64}
  %p1, %m1, %v1 = zero.update @adamw of @b0 (%p, %g, %m, %v) scalars(%lr, %clip, %step) {decay = 0.1 : f64}
    : (!zero.shard<4144 x f32 by 1>, tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>), (tensor<f32>, tensor<f32>, tensor<f32>)
    -> !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>
  return
}

// CHECK-LABEL: func @update_on_host
func.func @update_on_host(%g: !zero.shard<4144 x bf16 by 1 on host>, %m: !zero.shard<4144 x f32 by 1 on host>,
                          %v: !zero.shard<4144 x f32 by 1 on host>, %w: !zero.shard<4144 x f32 by 1 on host>,
                          %lr: !zero.stored<tensor<f32> on host>, %clip: !zero.stored<tensor<f32> on host>,
                          %step: !zero.stored<tensor<f32> on host>) {
  // CHECK: zero.update @adamw of @b0({{ ?}}_, %arg0, %arg1, %arg2) master(%arg3) scalars(%arg4, %arg5, %arg6) {decay = 1.000000e-01 : f64} : (_, !zero.shard<4144 x bf16 by 1 on host>,
  %h1, %m1, %v1, %w1 = zero.update @adamw of @b0 (_, %g, %m, %v) master(%w) scalars(%lr, %clip, %step) {decay = 0.1 : f64}
    : (_, !zero.shard<4144 x bf16 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>), master !zero.shard<4144 x f32 by 1 on host>,
      (!zero.stored<tensor<f32> on host>, !zero.stored<tensor<f32> on host>, !zero.stored<tensor<f32> on host>)
    -> !zero.shard<4144 x bf16 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>
  return
}

// -----

// The same bucket on two ranks: its slices are whole vectors.

zero.axis @dp size 2
zero.bucket @b0 over @dp elements 4160 members [#zero.member<"h.0.fc.weight", 64x64 at 0, decay, init = #zero.normal<std = 0.02>>, #zero.member<"h.0.fc.bias", 32 at 4096, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  zero.yield %p : f32
}
zero.optimizer @momentum(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}

// CHECK-LABEL: func @gather
func.func @gather(%p: !zero.shard<4160 x f32 by 2>, %p1: !zero.shard<4160 x f32 by 1>) {
  // CHECK: zero.all_gather %arg0 of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<4160xf32>
  %flat = zero.all_gather %p of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<4160xf32>
  // CHECK: zero.all_gather %arg1 of @b0 : !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
  %p2 = zero.all_gather %p1 of @b0 : !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
  return
}

// CHECK-LABEL: func @reduce
func.func @reduce(%flat: tensor<4160xf32>, %a: !zero.shard<4160 x f32 by 2>) {
  // CHECK: zero.reduce_scatter %arg0 of @b0 {scale = 5.000000e-01 : f64} : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2>
  %g = zero.reduce_scatter %flat of @b0 {scale = 0.5 : f64} : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2>
  // CHECK: zero.reduce_scatter %arg0 of @b0 into %arg1 {scale = 5.000000e-01 : f64} : tensor<4160xf32>, !zero.shard<4160 x f32 by 2> -> !zero.shard<4160 x f32 by 2>
  %a1 = zero.reduce_scatter %flat of @b0 into %a {scale = 0.5 : f64} : tensor<4160xf32>, !zero.shard<4160 x f32 by 2> -> !zero.shard<4160 x f32 by 2>
  // In place.
  // CHECK: zero.reduce_scatter %arg0 of @b0 {scale = 5.000000e-01 : f64} : tensor<4160xf32> -> tensor<4160xf32>
  %whole = zero.reduce_scatter %flat of @b0 {scale = 0.5 : f64} : tensor<4160xf32> -> tensor<4160xf32>
  // CHECK: zero.sum_squares %{{.*}} of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<2xf64>
  %s = zero.sum_squares %g of @b0 : !zero.shard<4160 x f32 by 2> -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @transfers
func.func @transfers(%p: !zero.shard<4160 x f32 by 2 on host>, %next: !zero.shard<4160 x f32 by 2 on host>,
                     %q: !zero.shard<4160 x f32 by 1>, %g: tensor<4160xf32>,
                     %m1: !zero.shard<4160 x f32 by 2 on host>, %m: !zero.shard<4160 x f32 by 2 on nvme>,
                     %clip: tensor<f32>) {
  // CHECK: zero.fetch %arg0 of @b0 : !zero.shard<4160 x f32 by 2 on host> -> !zero.shard<4160 x f32 by 2>
  %w = zero.fetch %p of @b0 : !zero.shard<4160 x f32 by 2 on host> -> !zero.shard<4160 x f32 by 2>
  // CHECK: zero.fetch %arg1 of @b0 into %arg2 : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
  %q1 = zero.fetch %next of @b0 into %q : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
  // CHECK: zero.spill %arg3 of @b0 : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2 on host>
  %h = zero.spill %g of @b0 : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2 on host>
  // CHECK: zero.spill %arg4 of @b0 into %arg5 : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 2 on nvme> -> !zero.shard<4160 x f32 by 2 on nvme>
  %m2 = zero.spill %m1 of @b0 into %m : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 2 on nvme> -> !zero.shard<4160 x f32 by 2 on nvme>
  // CHECK: zero.spill %arg6 : tensor<f32> -> !zero.stored<tensor<f32> on host>
  %c = zero.spill %clip : tensor<f32> -> !zero.stored<tensor<f32> on host>
  return
}

// A slice, and the slice of a whole parameter.
// CHECK-LABEL: func @update_slice
func.func @update_slice(%p: !zero.shard<4160 x f32 by 2>, %all: !zero.shard<4160 x f32 by 1>,
                        %g: !zero.shard<4160 x f32 by 2>, %m: !zero.shard<4160 x f32 by 2>, %lr: tensor<f32>) {
  // CHECK: zero.update @sgd of @b0(%arg0, %arg2) scalars(%arg4)
  %0 = zero.update @sgd of @b0 (%p, %g) scalars(%lr) {decay = 0.1 : f64}
    : (!zero.shard<4160 x f32 by 2>, !zero.shard<4160 x f32 by 2>), (tensor<f32>) -> !zero.shard<4160 x f32 by 2>
  // CHECK: zero.update @momentum of @b0(%arg1, %arg2, %arg3) scalars(%arg4)
  %1:2 = zero.update @momentum of @b0 (%all, %g, %m) scalars(%lr) {decay = 0.1 : f64}
    : (!zero.shard<4160 x f32 by 1>, !zero.shard<4160 x f32 by 2>, !zero.shard<4160 x f32 by 2>), (tensor<f32>)
    -> !zero.shard<4160 x f32 by 1>, !zero.shard<4160 x f32 by 2>
  return
}

// -----

// CHECK: zero.axis @dp size 4
zero.axis @dp size 4
// CHECK-LABEL: func @mean
func.func @mean(%loss: tensor<f32>) {
  // CHECK: zero.all_reduce %arg0 over @dp {scale = 2.500000e-01 : f64} : tensor<f32>
  %mean = zero.all_reduce %loss over @dp {scale = 0.25 : f64} : tensor<f32>
  return
}

// CHECK-LABEL: zero.program @tiers
// CHECK-SAME: !zero.shard<64 x bf16 by 4 on host>, %{{.*}}: !zero.shard<64 x f32 by 4>, %{{.*}}: !zero.stored<tensor<4x8xf32> on nvme>
zero.program @tiers(%a: !zero.shard<64 x bf16 by 4 on host>, %b: !zero.shard<64 x f32 by 4 on device>, %c: !zero.stored<tensor<4x8xf32> on nvme>) {
  zero.return
}

// -----

// 16 bits: a master, a loss scale, steps that are skipped, sums in f32.

zero.axis @dp size 2
zero.bucket @b0 over @dp elements 32 members [#zero.member<"w", 32 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
  zero.yield %p : f32
}
// CHECK-LABEL: func.func @halves
func.func @halves(%p: !zero.shard<32 x bf16 by 1>, %w: !zero.shard<32 x f32 by 2>, %flat: tensor<32xbf16>,
                  %a: !zero.shard<32 x f32 by 2>, %s0: tensor<2xf64>, %s: tensor<f32>,
                  %norm_limit: tensor<f32>, %loss_limit: tensor<f32>, %loss: tensor<f32>) {
  // CHECK: zero.reduce_scatter %arg2 of @b0 {scale = 5.000000e-01 : f64} : tensor<32xbf16> -> !zero.shard<32 x f32 by 2>
  %g = zero.reduce_scatter %flat of @b0 {scale = 0.5 : f64} : tensor<32xbf16> -> !zero.shard<32 x f32 by 2>
  // CHECK: zero.clip %arg4 scale(%arg5 : tensor<f32>) within(%arg6, %arg7, %arg8 : tensor<f32>, tensor<f32>, tensor<f32>) : tensor<2xf64> -> tensor<f32>, tensor<f32>
  %norm, %factor = zero.clip %s0 scale(%s : tensor<f32>) within(%norm_limit, %loss_limit, %loss : tensor<f32>, tensor<f32>, tensor<f32>) : tensor<2xf64> -> tensor<f32>, tensor<f32>
  // CHECK: zero.update @sgd of @b0(%arg0, %{{.*}}) master(%arg1) scalars(%{{.*}}) {decay = 0.000000e+00 : f64, skip_nonfinite} : (!zero.shard<32 x bf16 by 1>, !zero.shard<32 x f32 by 2>), master !zero.shard<32 x f32 by 2>, (tensor<f32>) -> !zero.shard<32 x bf16 by 1>, !zero.shard<32 x f32 by 2>
  %n:2 = zero.update @sgd of @b0 (%p, %g) master(%w) scalars(%factor) {decay = 0.0, skip_nonfinite}
    : (!zero.shard<32 x bf16 by 1>, !zero.shard<32 x f32 by 2>), master !zero.shard<32 x f32 by 2>, (tensor<f32>)
    -> !zero.shard<32 x bf16 by 1>, !zero.shard<32 x f32 by 2>
  return
}
// Without a master, and all in 16 bits.
// CHECK-LABEL: func.func @rounding
func.func @rounding(%p: !zero.shard<32 x bf16 by 2>, %g: !zero.shard<32 x bf16 by 2>, %flat: tensor<32xbf16>,
                    %factor: tensor<f32>, %bits: tensor<i64>) {
  // CHECK: zero.reduce_scatter %arg2 of @b0 into %arg1 {scale = 5.000000e-01 : f64} : tensor<32xbf16>, !zero.shard<32 x bf16 by 2> -> !zero.shard<32 x bf16 by 2>
  %s = zero.reduce_scatter %flat of @b0 into %g {scale = 0.5 : f64} : tensor<32xbf16>, !zero.shard<32 x bf16 by 2> -> !zero.shard<32 x bf16 by 2>
  // CHECK: zero.update @sgd of @b0(%arg0, %{{.*}}) scalars(%arg3) rounding(%arg4 : tensor<i64>) {decay = 0.000000e+00 : f64} : (!zero.shard<32 x bf16 by 2>, !zero.shard<32 x bf16 by 2>), (tensor<f32>) -> !zero.shard<32 x bf16 by 2>
  %n = zero.update @sgd of @b0 (%p, %s) scalars(%factor) rounding(%bits : tensor<i64>) {decay = 0.0}
    : (!zero.shard<32 x bf16 by 2>, !zero.shard<32 x bf16 by 2>), (tensor<f32>) -> !zero.shard<32 x bf16 by 2>
  return
}

// -----

// Options that are the default are not printed.
// CHECK: module attributes {zero.options = #zero.options<optimizer = #zero.adamw<beta1 = 9.000000e-01, beta2 = 0.94999999999999996, eps = 1.000000e-08>, weight_decay = 1.000000e-01, grad_clip = 1.000000e+00, stage = 3, world_size = 2, accumulate = 4, bucket_size = 65536>}
module attributes {zero.options =
    #zero.options<optimizer = #zero.adamw<beta1 = 0.9, beta2 = 0.95, eps = 1.0e-08>,
                  weight_decay = 0.1, grad_clip = 1.0, stage = 3, world_size = 2, accumulate = 4,
                  bucket_size = 65536>
} {}

// -----

// CHECK: module attributes {zero.options = #zero.options<optimizer = #zero.sgd<momentum = 0.000000e+00>, weight_decay = 0.000000e+00, grad_clip = 0.000000e+00, reference = true, stage = 0, world_size = 1>}
module attributes {zero.options =
    #zero.options<optimizer = #zero.sgd<momentum = 0.0>, weight_decay = 0.0, grad_clip = 0.0,
                  reference = true, loss_chunk = 67108864, stage = 0, world_size = 1>
} {}

// -----

// A bucket that is not trained.

zero.axis @dp size 2
// CHECK: zero.bucket @b1 over @dp elements 4096 frozen members [#zero.member<"h.1.fc.weight", 64x64 at 0, init = #zero.normal<std = 2.000000e-02>>]
zero.bucket @b1 over @dp elements 4096 frozen members [#zero.member<"h.1.fc.weight", 64x64 at 0, init = #zero.normal<std = 0.02>>]

// -----

// Parameters of 4 bits.

zero.axis @dp size 1
// CHECK: zero.bucket @b2 over @dp elements 2128 frozen packed <nf4> members [#zero.member<"h.2.fc.weight", 64x64 at 0, init = #zero.normal<std = 2.000000e-02>>]
zero.bucket @b2 over @dp elements 2128 frozen packed <nf4> members [#zero.member<"h.2.fc.weight", 64x64 at 0, init = #zero.normal<std = 0.02>>]

// CHECK-LABEL: func @packed
func.func @packed(%flat: tensor<2128xi8>) -> tensor<64x64xbf16> {
  %b = zero.view %flat[@b2, "h.2.fc.weight"] : tensor<2128xi8> -> tensor<2120xi8>
  // CHECK: zero.unpack %{{.*}} as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
  %w = zero.unpack %b as <nf4> : tensor<2120xi8> -> tensor<64x64xbf16>
  return %w : tensor<64x64xbf16>
}

// -----

// CHECK: module attributes {zero.target = #zero.target<name = "cuda", arch = "sm_90", workspace = 33554432>}
module attributes {
zero.target = #zero.target<name = "cuda", arch = "sm_90", workspace = 33554432>
} {}

// -----

// Ranks in groups.
// CHECK: zero.axis @near size 8 group 4
zero.axis @near size 8 group 4
zero.bucket @g0 over @near elements 4224 members [#zero.member<"h.0.fc.weight", 64x64 at 0, init = #zero.constant<0.0>>]
// CHECK-LABEL: zero.program @step
zero.program @step(%p: !zero.shard<4224 x f32 by 8>, %flat: tensor<4224xf32>) {
  // CHECK: zero.all_gather %arg0 of @g0 over groups : !zero.shard<4224 x f32 by 8> -> !zero.shard<4224 x f32 by 4 of 8>
  %a = zero.all_gather %p of @g0 over groups : !zero.shard<4224 x f32 by 8> -> !zero.shard<4224 x f32 by 4 of 8>
  // CHECK: zero.all_gather %{{.*}} of @g0 over members : !zero.shard<4224 x f32 by 4 of 8> -> tensor<4224xf32>
  %b = zero.all_gather %a of @g0 over members : !zero.shard<4224 x f32 by 4 of 8> -> tensor<4224xf32>
  // In place: of a part, and of the whole.
  // CHECK: zero.all_gather %{{.*}} of @g0 over groups : !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 4 of 8>
  %c = zero.all_gather %a of @g0 over groups : !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 4 of 8>
  %d = zero.all_gather %b of @g0 over members : tensor<4224xf32> -> tensor<4224xf32>
  // CHECK: zero.reduce_scatter %arg1 of @g0 over members {scale = 2.500000e-01 : f64}
  %s = zero.reduce_scatter %flat of @g0 over members {scale = 0.25 : f64} : tensor<4224xf32> -> !zero.shard<4224 x f32 by 4 of 8>
  // CHECK: zero.reduce_scatter %{{.*}} of @g0 over groups {scale = 5.000000e-01 : f64}
  %g = zero.reduce_scatter %s of @g0 over groups {scale = 0.5 : f64} : !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 8>
  // CHECK: zero.reduce_scatter %arg1 of @g0 over members into %{{.*}} {scale = 2.500000e-01 : f64}
  %t = zero.reduce_scatter %flat of @g0 over members into %s {scale = 0.25 : f64} : tensor<4224xf32>, !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 4 of 8>
  // A part lies in other tiers, too.
  // CHECK: !zero.shard<4224 x f32 by 4 of 8 on host>
  %h = zero.spill %t of @g0 : !zero.shard<4224 x f32 by 4 of 8> -> !zero.shard<4224 x f32 by 4 of 8 on host>
  zero.return
}

// -----

// Collectives in fewer bits.
zero.axis @dp size 2
zero.bucket @w0 over @dp elements 1024 members [#zero.member<"h.0.fc.weight", 31x32 at 0, init = #zero.constant<0.0>>]
// CHECK-LABEL: zero.program @step
zero.program @step(%p: !zero.shard<1024 x f32 by 2>, %flat: tensor<1024xf32>, %half: tensor<1024xbf16>) {
  // CHECK: zero.quantize %arg1 of @w0 : tensor<1024xf32> -> tensor<4x!zero.quantized_block<8>>
  %r = zero.quantize %flat of @w0 : tensor<1024xf32> -> tensor<4x!zero.quantized_block<8>>
  %g = zero.reduce_scatter %r of @w0 {scale = 0.5 : f64} : tensor<4x!zero.quantized_block<8>> -> !zero.shard<1024 x f32 by 2>
  // CHECK: zero.quantize %arg0 of @w0 : !zero.shard<1024 x f32 by 2> -> !zero.shard<4 x !zero.quantized_block<4> by 2>
  %q = zero.quantize %p of @w0 : !zero.shard<1024 x f32 by 2> -> !zero.shard<4 x !zero.quantized_block<4> by 2>
  %all = zero.all_gather %q of @w0 : !zero.shard<4 x !zero.quantized_block<4> by 2> -> tensor<4x!zero.quantized_block<4>>
  // CHECK: zero.dequantize %{{.*}} of @w0 : tensor<4x!zero.quantized_block<4>> -> tensor<1024xf32>
  %wide = zero.dequantize %all of @w0 : tensor<4x!zero.quantized_block<4>> -> tensor<1024xf32>
  // CHECK: zero.quantize %arg2 of @w0 : tensor<1024xbf16> -> tensor<4x!zero.quantized_block<8>>
  %n = zero.quantize %half of @w0 : tensor<1024xbf16> -> tensor<4x!zero.quantized_block<8>>
  // CHECK: zero.quantize %arg1 of @w0 : tensor<1024xf32> -> tensor<1024xbf16>
  %b = zero.quantize %flat of @w0 : tensor<1024xf32> -> tensor<1024xbf16>
  zero.return
}

// -----

// Sums in a binary tree.
zero.axis @dp size 1
zero.bucket @b0 over @dp elements 4144 members [#zero.member<"h.0.fc.weight", 64x64 at 0, init = #zero.constant<0.0>>]
// CHECK-LABEL: zero.program @step
zero.program @step(%flat: tensor<4144xf32>, %a0: !zero.shard<4144 x f32 by 1>, %a1: !zero.shard<4144 x f32 by 1>, %k: tensor<i64>, %loss: tensor<f32>) {
  // CHECK: zero.add_leaf %arg0 of @b0 into(%arg1, %arg2) number %arg3 : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<i64>) -> (!zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>)
  %b0, %b1 = zero.add_leaf %flat of @b0 into(%a0, %a1) number %k : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, tensor<i64>) -> (!zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>)
  // CHECK: zero.sum_leaves %arg0 of @b0 and(%{{.*}}#0, %{{.*}}#1) {scale = 2.500000e-01 : f64} : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>) -> !zero.shard<4144 x f32 by 1>
  %g = zero.sum_leaves %flat of @b0 and(%b0, %b1) {scale = 0.25 : f64} : (tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>) -> !zero.shard<4144 x f32 by 1>
  // CHECK: zero.sum_squares %{{.*}} of @b0 {segments = 7 : i64}
  %s = zero.sum_squares %g of @b0 {segments = 7 : i64} : !zero.shard<4144 x f32 by 1> -> tensor<7xf64>
  // CHECK: zero.all_reduce %arg4 over @dp {by_slice, scale = 1.000000e+00 : f64, tree}
  %m = zero.all_reduce %loss over @dp {scale = 1.0 : f64, tree, by_slice} : tensor<f32>
  zero.return
}

// -----
// CHECK: zero.axis @dp size 4 context 2
zero.axis @dp size 4 context 2
zero.program @shared(%s: tensor<2x4x12xf32> {zero.input = "x"}) -> () {
  // CHECK: zero.all_to_all %{{.*}} over context : tensor<2x4x12xf32>
  %r = zero.all_to_all %s over context : tensor<2x4x12xf32>
  zero.return
}
