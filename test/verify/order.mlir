// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// (V3), (V4): ranks that run different programs.  @step_of_1 is what rank 1
// runs as @step.

// Good: the other rank issues the same exchanges in the same order, and has
// different events between them.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @step() {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 128>], zero.stream = #zero.stream<reduce>} : () -> tensor<32xf32>
    %flat = zero.pack %d into @a {zero.at = [#zero.bytes<device, 0 + 128>]} : tensor<32xf32> -> tensor<32xf32>
    %g = zero.reduce_scatter %flat of @a {scale = 0.5 : f64, zero.at = [#zero.bytes<device, 256 + 64>], zero.stream = #zero.stream<reduce>} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    zero.return
  }
  zero.program @step_of_1() attributes {program = "step", rank = 1 : i64} {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 128>]} : () -> tensor<32xf32>
    %flat = zero.pack %d into @a {zero.at = [#zero.bytes<device, 0 + 128>]} : tensor<32xf32> -> tensor<32xf32>
    %e = zero.record on compute
    zero.wait %e on reduce
    %g = zero.reduce_scatter %flat of @a {scale = 0.5 : f64, zero.at = [#zero.bytes<device, 256 + 64>], zero.stream = #zero.stream<reduce>} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    zero.return
  }
}

// -----

// (V3) rank 1 issues them the other way round, on one stream: each would read
// the other's bytes.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 32 members [#zero.member<"w", 32 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>) {
    // expected-note @below {{exchange 1 of rank 0}}
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %g = zero.all_gather %q of @b {zero.at = [#zero.bytes<device, 256 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p, %q : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>
  }
  zero.program @step_of_1(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                       %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>) attributes {program = "step", rank = 1 : i64} {
    // expected-error @below {{'zero.all_gather' op is where rank 1 issues exchange 1, 'zero.all_gather of @b' on stream gather from device bytes [64, 128) to device bytes [256, 384), but rank 0 issues 'zero.all_gather of @a' on stream gather from device bytes [0, 64) to device bytes [128, 256) (V3); all ranks issue the same exchanges in the same order}}
    %g = zero.all_gather %q of @b {zero.at = [#zero.bytes<device, 256 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p, %q : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>
  }
}

// -----

// (V3) the same on two streams: no circle here, but one where both use one
// network queue.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 32 members [#zero.member<"w", 32 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>) {
    // expected-note @below {{exchange 1 of rank 0}}
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %g = zero.all_gather %q of @b {zero.at = [#zero.bytes<device, 256 + 128>], zero.stream = #zero.stream<reduce>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p, %q : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>
  }
  zero.program @step_of_1(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                       %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>) attributes {program = "step", rank = 1 : i64} {
    // expected-error @below {{is where rank 1 issues exchange 1, 'zero.all_gather of @b' on stream reduce from device bytes [64, 128) to device bytes [256, 384), but rank 0 issues 'zero.all_gather of @a' on stream gather from device bytes [0, 64) to device bytes [128, 256) (V3)}}
    %g = zero.all_gather %q of @b {zero.at = [#zero.bytes<device, 256 + 128>], zero.stream = #zero.stream<reduce>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p, %q : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>
  }
}

// -----

// (V3) rank 1 leaves one out: rank 0 would wait for ever.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<32 x f32 by 2> {
    // expected-note @below {{exchange 1 of rank 0}}
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>]} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p : !zero.shard<32 x f32 by 2>
  }
  zero.program @step_of_1(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<32 x f32 by 2> attributes {program = "step", rank = 1 : i64} {
    // expected-error @below {{'zero.return' op is where rank 1 ends, but rank 0 issues 'zero.all_gather of @a' on stream compute from device bytes [0, 64) to device bytes [128, 256) (V3)}}
    zero.return %p : !zero.shard<32 x f32 by 2>
  }
}

// -----

// (V4) on rank 0 the reduction waits for the gather, on rank 1 the gather for
// the reduction.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 32 members [#zero.member<"w", 32 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>) {
    // expected-note @below {{stream gather of rank 0 has come to 'zero.all_gather of @a', which waits for rank 1}}
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %e = zero.record on gather
    // expected-note @below {{stream reduce of rank 0 has come to 'zero.wait', which waits for the record on stream gather of rank 0}}
    zero.wait %e on reduce
    %g = zero.all_gather %q of @b {zero.at = [#zero.bytes<device, 256 + 128>], zero.stream = #zero.stream<reduce>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p, %q : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>
  }
  zero.program @step_of_1(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                       %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>) attributes {program = "step", rank = 1 : i64} {
    // expected-error @below {{'zero.all_gather' op on stream reduce of rank 1 waits for itself (V4); streams and ranks must not wait for each other in a circle}}
    // expected-note @below {{stream reduce of rank 1 has come to 'zero.all_gather of @b', which waits for rank 0}}
    %g = zero.all_gather %q of @b {zero.at = [#zero.bytes<device, 256 + 128>], zero.stream = #zero.stream<reduce>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %e = zero.record on reduce
    // expected-note @below {{stream gather of rank 1 has come to 'zero.wait', which waits for the record on stream reduce of rank 1}}
    zero.wait %e on gather
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 128 + 128>], zero.stream = #zero.stream<gather>} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    zero.return %p, %q : !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>
  }
}

// -----

// (V3) rank 1 keeps the source elsewhere: rank 0 would read other bytes of it.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @step() {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 128>]} : () -> tensor<32xf32>
    %flat = zero.pack %d into @a {zero.at = [#zero.bytes<device, 0 + 128>]} : tensor<32xf32> -> tensor<32xf32>
    // expected-note @below {{exchange 1 of rank 0}}
    %g = zero.reduce_scatter %flat of @a {scale = 0.5 : f64, zero.at = [#zero.bytes<device, 256 + 64>]} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    zero.return
  }
  zero.program @step_of_1() attributes {program = "step", rank = 1 : i64} {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 512 + 128>]} : () -> tensor<32xf32>
    %flat = zero.pack %d into @a {zero.at = [#zero.bytes<device, 512 + 128>]} : tensor<32xf32> -> tensor<32xf32>
    // expected-error @below {{issues exchange 1, 'zero.reduce_scatter of @a' on stream compute from device bytes [512, 640) to device bytes [256, 320), but rank 0 issues 'zero.reduce_scatter of @a' on stream compute from device bytes [0, 128) to device bytes [256, 320) (V3)}}
    %g = zero.reduce_scatter %flat of @a {scale = 0.5 : f64, zero.at = [#zero.bytes<device, 256 + 64>]} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    zero.return
  }
}

// -----

// (S5) a program of a rank that does not exist.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 2
  zero.program @step() {
    zero.return
  }
  // expected-error @below {{is a program of rank 2, but the plan has 2 ranks (S5)}}
  zero.program @step_of_2() attributes {program = "step", rank = 2 : i64} {
    zero.return
  }
}

// -----

// (V1) an event that only rank 1 lacks.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 2
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %e = zero.record on reduce
    zero.wait %e on compute
    %b = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
  zero.program @step_of_1(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) attributes {program = "step", rank = 1 : i64} {
    // expected-note @below {{defined by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %e = zero.record on reduce
    // expected-error @below {{reads device bytes [64, 128) of a result of 'zero.launch' on stream compute of rank 1, but nothing orders it after their definition on stream reduce of rank 1 (V1); record an event on reduce and wait for it on compute}}
    %b = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}
