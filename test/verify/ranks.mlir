// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model

// (S4) A peer would read bytes that it cannot see.

module attributes {zero.arena = array<i64: 8192, 0, 0>, zero.exported = 4096 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 0 + 128>}) -> !zero.shard<64 x f32 by 2> {
    // expected-error @+1 {{'zero.all_gather' op lets peers read state @b "param" at device bytes [0, 128), but only bytes of the device from 4096 on are exported (S4)}}
    %f = zero.all_gather %p of @b {zero.at = [#zero.bytes<device, 128 + 256>]} : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
    zero.return %p : !zero.shard<64 x f32 by 2>
  }
}

// -----

// (S4) Exported bytes are the device's.

module attributes {zero.arena = array<i64: 8192, 8192, 0>, zero.exported = 4096 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<64 x f32 by 1 on host> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<host, 4096 + 256>}) -> !zero.shard<64 x f32 by 1 on host> {
    // expected-error @+1 {{'zero.all_gather' op lets peers read state @b "param" at host bytes [4096, 4352), but only bytes of the device from 4096 on are exported (S4)}}
    %f = zero.all_gather %p of @b {zero.at = [#zero.bytes<host, 4096 + 256>]} : !zero.shard<64 x f32 by 1 on host> -> !zero.shard<64 x f32 by 1 on host>
    zero.return %f : !zero.shard<64 x f32 by 1 on host>
  }
}

// -----

// (V6) The programs of a step keep their state in the same bytes.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{'zero.program' op has zero.at = #zero.bytes<device, 256 + 256> for argument 0, and @step has #zero.bytes<device, 0 + 256> (V6)}}
  zero.program @micro(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 256 + 256>}) -> !zero.shard<64 x f32 by 1> {
    zero.return %p : !zero.shard<64 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 0 + 256>}) -> !zero.shard<64 x f32 by 1> {
    zero.return %p : !zero.shard<64 x f32 by 1>
  }
}

// -----

// (V6) ... and take the same arguments.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{'zero.program' op takes other arguments than @step (V6); programs of a step share state, inputs and scalars}}
  zero.program @micro() {
    zero.return
  }
  zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 0 + 256>}) -> !zero.shard<64 x f32 by 1> {
    zero.return %p : !zero.shard<64 x f32 by 1>
  }
}

// -----

// (V5) A collective's source is overwritten before the collective is over: peers
// may still read it.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f(tensor<64xi32>) -> tensor<64xf32>
  zero.program @step(%x: tensor<64xi32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 256>}) {
    %g = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 256 + 256>]} : (tensor<64xi32>) -> tensor<64xf32>
    %flat = zero.flatten %g into @b {zero.at = [#zero.bytes<device, 256 + 256>]} : tensor<64xf32> -> tensor<64xf32>
    %e = zero.record on compute
    zero.wait %e on reduce
    // expected-note @+1 {{earlier read by peers in 'zero.reduce_scatter of @b', operation 1 of its stream; compute has waited for none there}}
    %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64, zero.at = [#zero.bytes<device, 512 + 128>], zero.stream = #zero.stream<reduce>} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
    // expected-error @+1 {{'zero.launch' op writes a result of 'zero.launch' to device bytes [256, 512) on stream compute of rank 0, but nothing orders it after their earlier read by peers on stream reduce of rank 0 (V5); record an event on reduce and wait for it on compute}}
    %h = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 256 + 256>]} : (tensor<64xi32>) -> tensor<64xf32>
    zero.return
  }
}

// -----

// (V6) The host reads the loss of both programs in one place.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<64xi32>) -> tensor<f32>
  zero.program @micro(%x: tensor<64xi32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 256>}) -> (tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 256 + 4>]} : (tensor<64xi32>) -> tensor<f32>
    zero.return %l : tensor<f32>
  }
  // expected-error @+1 {{'zero.program' op has output "loss" of 'tensor<f32>' at #zero.bytes<device, 320 + 4>, and another program of 'tensor<f32>' at #zero.bytes<device, 256 + 4> (V6)}}
  zero.program @step(%x: tensor<64xi32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 256>}) -> (tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 320 + 4>]} : (tensor<64xi32>) -> tensor<f32>
    zero.return %l : tensor<f32>
  }
}

// -----

// (S4) Exported bytes are whole pages.

// expected-error @+1 {{exports its device arena of 8,192 bytes (8.0 KiB) from byte 64 on, which is no page of it (S4)}}
module attributes {zero.arena = array<i64: 8192, 0, 0>, zero.exported = 64 : i64} {
  zero.program @step() {
    zero.return
  }
}

// -----

// expected-error @+1 {{has zero.micro_steps = 0 : i64 (S5); it is an i64 from 1 to 1073741824}}
module attributes {zero.micro_steps = 0 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.program @step() {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 2
  // expected-error @+1 {{is a second axis, and the runtime knows one group of ranks (S5)}}
  zero.axis @tp size 2
  zero.program @step() {
    zero.return
  }
}

// -----

// (S1) Elements that the runtime and the code generator count differently.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<8xi48>
  zero.program @step() {
    // expected-error @+1 {{has a value of type 'tensor<8xi48>', whose bytes the runtime cannot tell (S1)}}
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 48>]} : () -> tensor<8xi48>
    zero.return
  }
}

// -----

// (S1) Rows that are padded to less than they have.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<2x8xf32, #zero.pitch<7>>
  zero.program @step() {
    // expected-error @+1 {{has a value of type 'tensor<2x8xf32, #zero.pitch<7>>', whose bytes the runtime cannot tell (S1)}}
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 56>]} : () -> tensor<2x8xf32, #zero.pitch<7>>
    zero.return
  }
}

// -----

// (S1) Bytes without the padding.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<2x8xf32, #zero.pitch<16>>
  zero.program @step() {
    // expected-error @+1 {{gives 64 bytes to a result of 'zero.launch', which has 128 (S1)}}
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 64>]} : () -> tensor<2x8xf32, #zero.pitch<16>>
    zero.return
  }
}

// -----

// More bytes than an int64 counts: no pass sees such a module.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{a value of 'zero.kernel' is 'tensor<4611686018427387904xf32>', which takes more than}}
  zero.kernel @f() -> tensor<4611686018427387904xf32>
  zero.program @step() {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 0>]} : () -> tensor<4611686018427387904xf32>
    zero.return
  }
}

// -----

// (V1) Bytes that are free on all ranks but one: they lie in its slice of what
// was reduced in place.  Slices of ranks 1 and 2 are alike but for that.

module attributes {zero.arena = array<i64: 8192, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 4
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 64 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<64xf32>
  zero.kernel @h() -> tensor<2xf32>
  zero.program @step() {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 256>]} : () -> tensor<64xf32>
    %g = zero.flatten %d into @b {zero.at = [#zero.bytes<device, 0 + 256>]} : tensor<64xf32> -> tensor<64xf32>
    %r = zero.reduce_scatter %g of @b {scale = 0.25 : f64, zero.at = [#zero.bytes<device, 0 + 256>]} : tensor<64xf32> -> tensor<64xf32>
    // expected-note @+1 {{overwritten by 'zero.launch @h' on stream compute of rank 2}}
    %x = zero.launch @h() {zero.at = [#zero.bytes<device, 128 + 8>]} : () -> tensor<2xf32>
    // expected-error @+1 {{'zero.sum_squares' op reads device bytes [128, 136) of a result of 'zero.reduce_scatter' on stream compute of rank 2, which are overwritten by then (V1)}}
    %s = zero.sum_squares %r of @b {zero.at = [#zero.bytes<device, 512 + 8>]} : tensor<64xf32> -> tensor<1xf64>
    zero.return
  }
}
