// RUN: zero-opt %s -split-input-file --zero-verify-plan=without-model | FileCheck %s
// RUN: zero-opt %s -split-input-file --zero-assign-memory --zero-insert-events --zero-verify-plan=without-model -o /dev/null

// A sound plan passes and stays as it is: state is updated in place, gradients
// are packed from two streams, bytes are used again behind an event.

// CHECK: zero.arena = array<i64: 640, 0, 0>
module attributes {zero.arena = array<i64: 640, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 10 at 16, init = #zero.constant<1.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32> {zero.in_place = array<i64: 1>})
  zero.kernel @g(tensor<16xf32>) -> tensor<10xf32>
  zero.kernel @sum(tensor<16xf32>, tensor<10xf32>) -> tensor<f32>
  // CHECK-LABEL: zero.program @step
  // CHECK-COUNT-2: zero.record
  // CHECK-NOT: zero.record
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "param">, zero.at = #zero.bytes<device, 0 + 128>},
                  %lr: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 128 + 4>})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "s"}) {
    %w = zero.view %p[@b0, "u"] {zero.at = [#zero.bytes<device, 0 + 64>]} : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %a = zero.launch @f(%w, %w) {zero.at = [#zero.bytes<device, 192 + 64>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %e0 = zero.record on compute
    zero.wait %e0 on reduce
    %v = zero.launch @g(%a) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 384 + 40>]} : (tensor<16xf32>) -> tensor<10xf32>
    %e1 = zero.record on reduce
    %u = zero.launch @f(%w, %a) {zero.at = [#zero.bytes<device, 320 + 64>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %g = zero.flatten %u, %v into @b0 {zero.at = [#zero.bytes<device, 320 + 128>]} : tensor<16xf32>, tensor<10xf32> -> tensor<32xf32>
    zero.wait %e1 on compute
    %s = zero.launch @sum(%u, %v) {zero.at = [#zero.bytes<device, 192 + 4>]} : (tensor<16xf32>, tensor<10xf32>) -> tensor<f32>
    %p1 = zero.update @sgd of @b0 (%p, %g) scalars(%lr) {decay = 0.0 : f64, zero.at = [#zero.bytes<device, 0 + 128>]} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %s : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
}

// -----

// A kernel in place, and an event that nobody waits for.

module attributes {zero.arena = array<i64: 128, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> (tensor<16xf32> {zero.in_place = array<i64: 0>})
  // CHECK-LABEL: zero.program @step
  // CHECK: zero.record
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) -> (tensor<16xf32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %e = zero.record on compute
    zero.return %b : tensor<16xf32>
  }
}
