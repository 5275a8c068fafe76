// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// (V9): bytes that hold nothing.

// The norm reads where its bucket has members, and finds another's padding.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 10 at 0, init = #zero.constant<0.0>>, #zero.member<"w", 16 at 16, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<10xf32>
  zero.kernel @g() -> tensor<16xf32>
  zero.kernel @h(tensor<32xf32>) -> tensor<f32>
  zero.program @step() {
    %u = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 40>]} : () -> tensor<10xf32>
    %w = zero.launch @g() {zero.at = [#zero.bytes<device, 64 + 64>]} : () -> tensor<16xf32>
    // expected-note @below {{defined by 'zero.flatten of @a'}}
    %g = zero.flatten %u, %w into @a {zero.at = [#zero.bytes<device, 0 + 128>]} : tensor<10xf32>, tensor<16xf32> -> tensor<32xf32>
    // Members only.
    %s = zero.sum_squares %g of @a {zero.at = [#zero.bytes<device, 256 + 16>]} : tensor<32xf32> -> tensor<2xf64>
    // expected-error @below {{'zero.launch' op reads device bytes [40, 64) of a result of 'zero.flatten' on stream compute, which hold nothing there (V9): padding, another rank's slice, in @count a mean of its outputs, in @first what the step before would have left, in @flush a batch, or in @eval a scalar of updates; read members, or gather the value first}}
    %t = zero.launch @h(%g) {zero.at = [#zero.bytes<device, 320 + 4>]} : (tensor<32xf32>) -> tensor<f32>
    zero.return
  }
}

// -----

// A copy copies what is there: holes stay holes.  State has padding too.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 10 at 0, init = #zero.constant<0.0>>, #zero.member<"w", 16 at 16, init = #zero.constant<0.0>>]
  zero.kernel @h(tensor<32xf32>) -> tensor<f32>
  zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 512 + 64>}) -> !zero.shard<32 x f32 by 2> {
    %f = zero.all_gather %p of @a {zero.at = [#zero.bytes<device, 0 + 128>]} : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    // expected-note @below {{defined by 'zero.copy'}}
    %c = zero.copy %f {zero.at = [#zero.bytes<device, 128 + 128>]} : tensor<32xf32>
    // expected-error @below {{reads device bytes [168, 192) of a result of 'zero.copy' on stream compute of rank 0, which hold nothing there (V9)}}
    %t = zero.launch @h(%c) {zero.at = [#zero.bytes<device, 320 + 4>]} : (tensor<32xf32>) -> tensor<f32>
    zero.return %p : !zero.shard<32 x f32 by 2>
  }
}

// -----

// A mean is written when @count is over.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @valid(tensor<f32>) -> tensor<f32>
  zero.program @count(%n: tensor<f32> {zero.scalar = "count0", zero.at = #zero.bytes<device, 0 + 4>}) -> (tensor<f32> {zero.output = "count0"}) {
    // expected-error @below {{'zero.launch' op reads device bytes [0, 4) of argument 0 on stream compute, which hold nothing there (V9)}}
    %m = zero.launch @valid(%n) {zero.at = [#zero.bytes<device, 64 + 4>]} : (tensor<f32>) -> tensor<f32>
    zero.return %m : tensor<f32>
  }
  zero.program @micro(%n: tensor<f32> {zero.scalar = "count0", zero.at = #zero.bytes<device, 0 + 4>}) {
    zero.return
  }
  zero.program @step(%n: tensor<f32> {zero.scalar = "count0", zero.at = #zero.bytes<device, 0 + 4>}) {
    zero.return
  }
}
