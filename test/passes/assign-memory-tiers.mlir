// RUN: zero-opt %s --zero-assign-memory | FileCheck %s

// State lies in the memory that its type names, and each memory has an arena.
// What is not the device's begins a page.

// CHECK: module attributes {zero.arena = array<i64: 320, 8192, 4096>, zero.exported = 320 : i64, zero.live_peak = array<i64: 260, 192, 64>}
// CHECK: zero.program @step
// CHECK-SAME: {zero.at = #zero.bytes<device, 0 + 256>, zero.state = #zero.state<@b, "param">}
// CHECK-SAME: {zero.at = #zero.bytes<host, 0 + 64>, zero.state = #zero.state<@b, "m">}
// CHECK-SAME: {zero.at = #zero.bytes<nvme, 0 + 64>, zero.state = #zero.state<@b, "kept">}
// CHECK-SAME: {zero.at = #zero.bytes<host, 4096 + 128>, zero.state = #zero.state<@b, "half">}
module {
  zero.axis @dp size 4
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<f32>
  zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                     %m: !zero.shard<64 x f32 by 4 on host> {zero.state = #zero.state<@b, "m">},
                     %a: !zero.stored<tensor<4x4xf32> on nvme> {zero.state = #zero.state<@b, "kept">},
                     %h: !zero.shard<64 x bf16 by 1 on host> {zero.state = #zero.state<@b, "half">})
      -> (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 4 on host>, !zero.stored<tensor<4x4xf32> on nvme>,
          !zero.shard<64 x bf16 by 1 on host>, tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f() : () -> tensor<f32>
    zero.return %p, %m, %a, %h, %l : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 4 on host>,
      !zero.stored<tensor<4x4xf32> on nvme>, !zero.shard<64 x bf16 by 1 on host>, tensor<f32>
  }
}
