// RUN: zero-opt %s -split-input-file --zero-assign-memory | FileCheck %s

// What a collective reads lies behind `zero.exported`, in whole pages; the shard
// that a gather reads, too.  %a is dead before %g is made: it fills the gap, and
// its bytes are free again when %g needs them.

// CHECK: module attributes {zero.arena = array<i64: 12800, 0, 0>, zero.exported = 8192 : i64
// CHECK: zero.program @step(%{{.*}}: !zero.shard<1024 x f32 by 2> {zero.at = #zero.bytes<device, 8192 + 2048>,
// CHECK-SAME: tensor<64xi32> {zero.at = #zero.bytes<device, 0 + 256>
module {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 1024 members [#zero.member<"w", 1024 at 0, init = #zero.constant<0.0>>]
  zero.bucket @c over @dp elements 640 members [#zero.member<"v", 640 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f(tensor<64xi32>) -> tensor<512xf32>
  zero.kernel @g(tensor<512xf32>) -> tensor<16xf32>
  zero.kernel @h(tensor<16xf32>) -> tensor<640xf32>
  zero.program @step(%p: !zero.shard<1024 x f32 by 2> {zero.state = #zero.state<@b, "param">}, %x: tensor<64xi32> {zero.input = "x"})
      -> !zero.shard<1024 x f32 by 2> {
    // CHECK: zero.launch @f({{.*}}) {zero.at = [#zero.bytes<device, 10240 + 2048>]}
    %a = zero.launch @f(%x) : (tensor<64xi32>) -> tensor<512xf32>
    // CHECK: zero.launch @g
    %s = zero.launch @g(%a) : (tensor<512xf32>) -> tensor<16xf32>
    // CHECK: zero.launch @h({{.*}}) {zero.at = [#zero.bytes<device, 10240 + 2560>]}
    %g = zero.launch @h(%s) : (tensor<16xf32>) -> tensor<640xf32>
    %flat = zero.flatten %g into @c : tensor<640xf32> -> tensor<640xf32>
    // CHECK: zero.reduce_scatter
    %r = zero.reduce_scatter %flat of @c {scale = 0.5 : f64} : tensor<640xf32> -> !zero.shard<640 x f32 by 2>
    // CHECK: zero.all_gather
    %f = zero.all_gather %p of @b : !zero.shard<1024 x f32 by 2> -> tensor<1024xf32>
    zero.return %p : !zero.shard<1024 x f32 by 2>
  }
}

// -----

// The programs of a step: arguments and outputs of one name have the same bytes
// in both, and what one of them exports is exported in the other.

// CHECK: zero.exported = 4096 : i64
// CHECK: zero.program @micro(%{{.*}}: !zero.shard<64 x f32 by 1> {zero.at = #zero.bytes<device, [[P:[0-9]+]] + 256>,
// CHECK: zero.launch @f({{.*}}) {zero.at = [#zero.bytes<device, [[L:[0-9]+]] + 4>]}
// CHECK: zero.program @step(%{{.*}}: !zero.shard<64 x f32 by 1> {zero.at = #zero.bytes<device, [[P]] + 256>,
// CHECK: zero.launch @f({{.*}}) {zero.at = [#zero.bytes<device, [[L]] + 4>]}
module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f(tensor<64xi32>) -> tensor<f32>
  zero.program @micro(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %x: tensor<64xi32> {zero.input = "x"})
      -> (!zero.shard<64 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f(%x) : (tensor<64xi32>) -> tensor<f32>
    zero.return %p, %l : !zero.shard<64 x f32 by 1>, tensor<f32>
  }
  zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %x: tensor<64xi32> {zero.input = "x"})
      -> (!zero.shard<64 x f32 by 1>, tensor<f32> {zero.output = "norm"}, tensor<f32> {zero.output = "loss"}) {
    %n = zero.launch @f(%x) : (tensor<64xi32>) -> tensor<f32>
    %l = zero.launch @f(%x) : (tensor<64xi32>) -> tensor<f32>
    %q = zero.all_gather %p of @b : !zero.shard<64 x f32 by 1> -> !zero.shard<64 x f32 by 1>
    zero.return %q, %n, %l : !zero.shard<64 x f32 by 1>, tensor<f32>, tensor<f32>
  }
}
