// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model

// (V1) %b overwrites %a before its last use.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32> loc("a")
    // expected-note @below {{overwritten by 'zero.launch @f' on stream compute}}
    %b = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{'zero.launch' op reads device bytes [64, 128) of 'a' on stream compute, which are overwritten by then (V1); give one of the two values other bytes}}
    %c = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (V1) the same through a view: the pack is a snapshot of its operands.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 10 at 16, init = #zero.constant<1.0>>]
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @h(tensor<16xf32>) -> tensor<10xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %u = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %v = zero.launch @h(%x) {zero.at = [#zero.bytes<device, 128 + 40>]} : (tensor<16xf32>) -> tensor<10xf32>
    %p = zero.pack %u, %v into @b0 {zero.at = [#zero.bytes<device, 64 + 128>]} : tensor<16xf32>, tensor<10xf32> -> tensor<32xf32> loc("grads")
    // expected-note @below {{overwritten by 'zero.launch @f' on stream compute}}
    %b = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{'zero.sum_squares' op reads device bytes [64, 128) of 'grads'}}
    %s = zero.sum_squares %p of @b0 {zero.at = [#zero.bytes<device, 256 + 16>]} : tensor<32xf32> -> tensor<2xf64>
    zero.return
  }
}

// -----

// (V1) nothing orders the use after the definition on another stream.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-note @below {{defined by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{reads device bytes [64, 128) of a result of 'zero.launch' on stream compute, but nothing orders it after their definition on stream reduce (V1); record an event on reduce and wait for it on compute}}
    %c = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (V1) an event that is recorded too early orders nothing.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %e = zero.record on reduce
    // expected-note @below {{defined by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.wait %e on compute
    // expected-error @below {{nothing orders it after their definition on stream reduce (V1)}}
    %c = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (V1) a wait on a third stream orders nothing here.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-note @below {{defined by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    %e = zero.record on reduce
    zero.wait %e on gather
    // expected-error @below {{nothing orders it after their definition on stream reduce (V1)}}
    %c = zero.launch @f(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (V1) an output is overwritten by the end.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) -> (tensor<16xf32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-note @below {{overwritten by 'zero.launch @}}
    %b = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{'zero.return' op reads device bytes [64, 128)}}
    zero.return %a : tensor<16xf32>
  }
}

// -----

// (V2) %b reuses bytes that another stream still reads.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32> loc("a")
    %e = zero.record on compute
    zero.wait %e on reduce
    // expected-note @below {{earlier read by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %r = zero.launch @f(%a) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{writes a result of 'zero.launch' to device bytes [64, 128) on stream compute, but nothing orders it after their earlier read on stream reduce (V2); record an event on reduce and wait for it on compute}}
    %b = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (V2) %b reuses bytes that another stream writes.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-note @below {{earlier write by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{nothing orders it after their earlier write on stream reduce (V2)}}
    %b = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (V2) an input is overwritten while another stream reads it.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @h() -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-note @below {{earlier read by 'zero.launch @f', operation 1 of its stream; compute has waited for none there}}
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>, zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    // expected-error @below {{nothing orders it after their earlier read on stream reduce (V2)}}
    %y = zero.launch @h() {zero.at = [#zero.bytes<device, 0 + 64>]} : () -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S1) no bytes at all.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{gives no bytes to a result of 'zero.launch' (S1)}}
    %a = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S1) not as many as the type needs.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{gives 32 bytes to a result of 'zero.launch', which has 64 (S1)}}
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 32>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S1) outside of the arena.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{puts a result of 'zero.launch' at device bytes [480, 544), outside of the arena of 512 bytes (S1)}}
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 480 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S1) over the workspace of products.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.workspace = #zero.bytes<device, 256 + 512>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 768 + 64>}) {
    // expected-error @below {{puts a result of 'zero.launch' at device bytes [704, 768), over the workspace of products at device bytes [256, 768) (S1)}}
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 704 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S1) a workspace outside of the arena.

// expected-error @below {{has zero.workspace = #zero.bytes<device, 768 + 512> (S1); it is some bytes of the device arena of 1,024 bytes (1.0 KiB), from a multiple of 256 on}}
module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.workspace = #zero.bytes<device, 768 + 512>} {
  zero.program @step() {
    zero.return
  }
}

// -----

// (S1) a workspace that is not aligned.

// expected-error @below {{has zero.workspace = #zero.bytes<device, 64 + 512> (S1)}}
module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.workspace = #zero.bytes<device, 64 + 512>} {
  zero.program @step() {
    zero.return
  }
}

// -----

// (S1) a workspace that is not the device's.

// expected-error @below {{has zero.workspace = #zero.bytes<host, 0 + 512> (S1)}}
module attributes {zero.arena = array<i64: 1024, 1024, 0>, zero.workspace = #zero.bytes<host, 0 + 512>} {
  zero.program @step() {
    zero.return
  }
}

// -----

// (S1) arguments overlap.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // expected-error @below {{puts argument 1 at device bytes [32, 96), over argument 0 at device bytes [0, 64) (S1)}}
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}, %y: tensor<16xf32> {zero.input = "y", zero.at = #zero.bytes<device, 32 + 64>}) {
    zero.return
  }
}

// -----

// (S2) a view does not lie where the member is.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 10 at 16, init = #zero.constant<1.0>>]
  zero.program @step(%p: tensor<32xf32> {zero.input = "p", zero.at = #zero.bytes<device, 0 + 128>}) {
    // expected-error @below {{ties a result of 'zero.view' to argument 0 at offset 64, but they lie at device bytes [0, 40) and device bytes [0, 128) (S2)}}
    %w = zero.view %p[@b0, "v"] {zero.at = [#zero.bytes<device, 0 + 40>]} : tensor<32xf32> -> tensor<10xf32>
    zero.return
  }
}

// -----

// (S2) a packed operand does not lie in the pack.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 10 at 16, init = #zero.constant<1.0>>]
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @h(tensor<16xf32>) -> tensor<10xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %u = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32> loc("u")
    %v = zero.launch @h(%x) {zero.at = [#zero.bytes<device, 128 + 40>]} : (tensor<16xf32>) -> tensor<10xf32>
    // expected-error @below {{to 'u' at offset 0, but they lie at device bytes [256, 384) and device bytes [64, 128) (S2)}}
    %p = zero.pack %u, %v into @b0 {zero.at = [#zero.bytes<device, 256 + 128>]} : tensor<16xf32>, tensor<10xf32> -> tensor<32xf32>
    zero.return
  }
}

// -----

// (S2) an accumulation leaves the bytes of its operand.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @acc(tensor<16xf32>) -> (tensor<16xf32> {zero.must_alias = 0 : i64})
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32> loc("a")
    // expected-error @below {{to 'a' at offset 0, but they lie at device bytes [128, 192) and device bytes [64, 128) (S2)}}
    %b = zero.launch @acc(%a) {zero.at = [#zero.bytes<device, 128 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S2) a kernel in place meets its operand halfway.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @inplace(tensor<16xf32>) -> (tensor<16xf32> {zero.in_place = array<i64: 0>})
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32> loc("a")
    // expected-error @below {{to 'a' at offset 0, but they lie at device bytes [96, 160) and device bytes [64, 128) (S2)}}
    %b = zero.launch @inplace(%a) {zero.at = [#zero.bytes<device, 96 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S3) a result over an operand that it may not replace.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>) -> tensor<16xf32> loc("a")
    // expected-error @below {{writes result 0 at device bytes [64, 128) over operand 1, 'a' at device bytes [64, 128), which it may not replace (S3); give the result bytes of its own}}
    %b = zero.launch @g(%x, %a) {zero.at = [#zero.bytes<device, 64 + 64>]} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S3) two results overlap.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @two(tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{has results 0 and 1 that overlap, at device bytes [64, 128) and device bytes [96, 160) (S3)}}
    %a, %b = zero.launch @two(%x) {zero.at = [#zero.bytes<device, 64 + 64>, #zero.bytes<device, 96 + 64>]} : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    zero.return
  }
}

// -----

// (V6) next values in the wrong bytes.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>]
  zero.kernel @f() -> tensor<16xf32>
  zero.program @micro(%sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "grad">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<16 x f32 by 1> {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 64 + 64>]} : () -> tensor<16xf32>
    %flat = zero.pack %d into @b0 {zero.at = [#zero.bytes<device, 64 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    %g = zero.reduce_scatter %flat of @b0 {scale = 1.0 : f64, zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> !zero.shard<16 x f32 by 1>
    // expected-error @below {{returns a result of 'zero.reduce_scatter' at device bytes [128, 192) as the next value of state @b0 "grad" at device bytes [0, 64) (V6); a next value ends in the bytes of its state}}
    zero.return %g : !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "grad">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<16 x f32 by 1> {
    %c = zero.clear %sum of @b0 {zero.at = [#zero.bytes<device, 0 + 64>]} : !zero.shard<16 x f32 by 1>
    zero.return %c : !zero.shard<16 x f32 by 1>
  }
}

// -----

// (V6) the next value is overwritten by the end.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 10 at 16, init = #zero.constant<1.0>>]
  zero.kernel @h() -> tensor<16xf32>
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "param">, zero.at = #zero.bytes<device, 0 + 128>}, %m: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "m">, zero.at = #zero.bytes<device, 128 + 128>}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 1>) {
    // expected-note @below {{overwritten by 'zero.launch @}}
    %a = zero.launch @h() {zero.at = [#zero.bytes<device, 192 + 64>]} : () -> tensor<16xf32>
    // expected-error @below {{reads device bytes [192, 232) of state @b0 "m" on stream compute, which are overwritten by then (V6)}}
    zero.return %p, %m : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 1>
  }
}

// -----

// (V6) no next value.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 10 at 16, init = #zero.constant<1.0>>]
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "param">, zero.at = #zero.bytes<device, 0 + 128>}, %m: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "m">, zero.at = #zero.bytes<device, 128 + 128>}) {
    // expected-error @below {{returns no next value of state @b0 "param" (V6)}}
    zero.return
  }
}

// -----

// (V7) an operation computes on host bytes.

module attributes {zero.arena = array<i64: 512, 64, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<16 x f32 by 1 on host> {zero.state = #zero.state<@b, "grad">, zero.at = #zero.bytes<host, 0 + 64>}) -> !zero.shard<16 x f32 by 1 on host> {
    // expected-error @below {{computes on host bytes [0, 64) of state @b "grad" (V7); it computes on device bytes, fetch the value first}}
    %q = zero.clear %p of @b {zero.at = [#zero.bytes<host, 0 + 64>]} : !zero.shard<16 x f32 by 1 on host>
    zero.return %q : !zero.shard<16 x f32 by 1 on host>
  }
}

// -----

// (S1) a tensor is of the device.

module attributes {zero.arena = array<i64: 512, 64, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{'zero.launch' op puts a result of 'zero.launch' at host bytes [0, 64), and its type 'tensor<16xf32>' is of the device (S1)}}
    %a = zero.launch @f(%x) {zero.at = [#zero.bytes<host, 0 + 64>]} : (tensor<16xf32>) -> tensor<16xf32>
    zero.return
  }
}

// -----

// (S1) a shard of the host is not on the device.

module attributes {zero.arena = array<i64: 64, 64, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @below {{'zero.program' op puts state @b "m" at device bytes [0, 64), and its type '!zero.shard<16 x f32 by 1 on host>' is of the host (S1)}}
  zero.program @step(%p: !zero.shard<16 x f32 by 1 on host> {zero.state = #zero.state<@b, "m">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<16 x f32 by 1 on host> {
    zero.return %p : !zero.shard<16 x f32 by 1 on host>
  }
}

// -----

// (V10) an event that the step never records.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%e: !zero.event, %x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @below {{on stream compute waits for an event that no earlier operation of the program records (V10)}}
    zero.wait %e on compute
    zero.return
  }
}

// -----

// (V8) more than the budget.

// expected-error @below {{needs 512 bytes of device memory on each rank, 112 bytes more than the 400 bytes that it may have (V8); a higher stage, more ranks, a smaller batch or --offload need less}}
module attributes {zero.arena = array<i64: 512, 0, 0>, zero.budget = array<i64: 400, -1, -1>} {
  zero.program @step() {
    zero.return
  }
}

// -----

// No plan at all.

module {
  // expected-error @above {{a plan has zero.arena}}
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    zero.return
  }
}

// -----

// No step.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @above {{a plan has a program @step, or @predict alone, of one block; this module has none}}
}

// -----

// Nothing is on nvme.

// expected-error @below {{has an nvme arena of 4,096 bytes (4.0 KiB), and keeps nothing there (S5)}}
module attributes {zero.arena = array<i64: 512, 0, 4096>} {
  zero.program @step() {
    zero.return
  }
}

// -----

// (S1) what is on nvme begins a block.

module attributes {zero.arena = array<i64: 512, 0, 8192>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @below {{puts state @b "m" at nvme bytes [64, 128) (S1); what is on nvme begins a block of 4096 bytes, which holds nothing else}}
  zero.program @step(%m: !zero.shard<16 x f32 by 1 on nvme> {zero.state = #zero.state<@b, "m">, zero.at = #zero.bytes<nvme, 64 + 64>}) -> !zero.shard<16 x f32 by 1 on nvme> {
    zero.return %m : !zero.shard<16 x f32 by 1 on nvme>
  }
}

// -----

// (V7) a transfer runs on the stream of its link.

module attributes {zero.arena = array<i64: 512, 4096, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<16 x f32 by 1 on host> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<host, 0 + 64>}) -> !zero.shard<16 x f32 by 1 on host> {
    // expected-error @below {{moves host bytes [0, 64) to device bytes [0, 64) on stream d2h (V7); each way between neighbouring tiers has a stream of its own}}
    %q = zero.fetch %p of @b {zero.stream = #zero.stream<d2h>, zero.at = [#zero.bytes<device, 0 + 64>]} : !zero.shard<16 x f32 by 1 on host> -> !zero.shard<16 x f32 by 1>
    zero.return %p : !zero.shard<16 x f32 by 1 on host>
  }
}

// -----

// (V7) what goes to nvme begins at a block in host memory, too.

module attributes {zero.arena = array<i64: 512, 8192, 4096>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<16 x f32 by 1 on nvme> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<nvme, 0 + 64>}) -> !zero.shard<16 x f32 by 1 on nvme> {
    // expected-error @below {{moves nvme bytes [0, 64) to host bytes [64, 128) (V7); what goes to or comes from nvme begins at a multiple of 4096}}
    %q = zero.fetch %p of @b {zero.stream = #zero.stream<nvme_read>, zero.at = [#zero.bytes<host, 64 + 64>]} : !zero.shard<16 x f32 by 1 on nvme> -> !zero.shard<16 x f32 by 1 on host>
    zero.return %p : !zero.shard<16 x f32 by 1 on nvme>
  }
}

// -----

// (V7) the updates of host memory run on the host's stream.

module attributes {zero.arena = array<i64: 512, 8192, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @o(%a: f32, %b: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %a : f32
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1 on host> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<host, 0 + 64>}, %g: !zero.shard<16 x f32 by 1 on host> {zero.state = #zero.state<@b, "grad">, zero.at = #zero.bytes<host, 4096 + 64>}, %lr: !zero.stored<tensor<f32> on host> {zero.scalar = "lr", zero.at = #zero.bytes<host, 64 + 4>}) -> (!zero.shard<16 x f32 by 1 on host>, !zero.shard<16 x f32 by 1 on host>) {
    // expected-error @below {{computes on host bytes [0, 64) of state @b "param" (V7); it computes on device bytes, fetch the value first}}
    %q = zero.update @o of @b (%p, %g) scalars(%lr) {decay = 0.0, zero.at = [#zero.bytes<host, 0 + 64>]} : (!zero.shard<16 x f32 by 1 on host>, !zero.shard<16 x f32 by 1 on host>), (!zero.stored<tensor<f32> on host>) -> !zero.shard<16 x f32 by 1 on host>
    zero.return %q, %g : !zero.shard<16 x f32 by 1 on host>, !zero.shard<16 x f32 by 1 on host>
  }
}
