// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// (V12): two buckets of equally many elements, and two moments, that no type
// tells apart.

// The gradient of another bucket.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f() -> tensor<16xf32>
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %lr: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 64 + 4>}) -> !zero.shard<16 x f32 by 1> {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 64>]} : () -> tensor<16xf32>
    %g = zero.pack %d into @b {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    // expected-error @below {{'zero.update' op takes a result of 'zero.pack', which is grad of @b, where it needs grad of @a (V12)}}
    %p1 = zero.update @sgd of @a (%p, %g) scalars(%lr) {decay = 0.0 : f64, zero.at = [#zero.bytes<device, 0 + 64>]} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1 : !zero.shard<16 x f32 by 1>
  }
}

// -----

// The moments are exchanged.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.optimizer @adam(%p: f32, %g: f32, %m: f32, %v: f32, %lr: f32) state ["m", "v"] scalars ["lr"] {
    zero.yield %p, %m, %v : f32, f32, f32
  }
  zero.kernel @f() -> tensor<16xf32>
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %m: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "m">, zero.at = #zero.bytes<device, 64 + 64>},
                  %v: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "v">, zero.at = #zero.bytes<device, 128 + 64>},
                  %lr: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 192 + 4>})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 256 + 64>]} : () -> tensor<16xf32>
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 256 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    // expected-error @below {{takes state @a "v", which is v of @a, where it needs m of @a (V12)}}
    %n:3 = zero.update @adam of @a (%p, %g, %v, %m) scalars(%lr) {decay = 0.0 : f64, zero.at = [#zero.bytes<device, 0 + 64>, #zero.bytes<device, 128 + 64>, #zero.bytes<device, 64 + 64>]} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
    zero.return %n#0, %n#2, %n#1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
}

// -----

// State goes back to the wrong bucket.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    // expected-error @below {{'zero.return' op takes state @b "param", which is param of @b, where it needs param of @a (V12)}}
    zero.return %q, %p : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
}

// -----

// A gather of values that no bucket has laid out.

module attributes {zero.arena = array<i64: 1024, 0, 0>, zero.exported = 0 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @step() {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 128>]} : () -> tensor<32xf32>
    // expected-error @below {{takes a result of 'zero.launch', which is no slot of a bucket, where it needs grad of @a (V12)}}
    %g = zero.reduce_scatter %d of @a {scale = 0.5 : f64, zero.at = [#zero.bytes<device, 256 + 64>]} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    zero.return
  }
}

// -----

// Scalars have no other name than that of the argument.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32, %decay: f32, %step: f32) state [] scalars ["lr", "decay", "step"] {
    zero.yield %p : f32
  }
  zero.kernel @f() -> tensor<16xf32>
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %lr: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 64 + 4>},
                  %step: tensor<f32> {zero.scalar = "step", zero.at = #zero.bytes<device, 68 + 4>}) -> !zero.shard<16 x f32 by 1> {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 64>]} : () -> tensor<16xf32>
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    // expected-error @below {{'zero.update' op takes argument 2 as the scalar "lr", and it is not that (V12)}}
    %p1 = zero.update @sgd of @a (%p, %g) scalars(%step, %lr) {decay = 0.0 : f64, zero.at = [#zero.bytes<device, 0 + 64>]} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>, tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1 : !zero.shard<16 x f32 by 1>
  }
}

// -----

// Outputs are exchanged.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> (tensor<16xf32>, tensor<f32>)
  zero.program @step() -> (tensor<f32> {zero.output = "grad_norm"}, tensor<f32> {zero.output = "loss"}) {
    %d, %loss = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 64>, #zero.bytes<device, 0 + 4>]} : () -> (tensor<16xf32>, tensor<f32>)
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    %s = zero.sum_squares %g of @a {zero.at = [#zero.bytes<device, 256 + 8>]} : tensor<16xf32> -> tensor<1xf64>
    %norm, %clip = zero.clip %s {zero.at = [#zero.bytes<device, 4 + 4>, #zero.bytes<device, 8 + 4>]} : tensor<1xf64> -> tensor<f32>, tensor<f32>
    // expected-error @below {{'zero.return' op gives a result of 'zero.launch' as the output "grad_norm"; the norm of zero.clip is "grad_norm", and nothing else is (V12)}}
    zero.return %loss, %norm : tensor<f32>, tensor<f32>
  }
}

// -----

// Only gradients are cleared.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%m: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "m">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<16 x f32 by 1> {
    // expected-error @below {{'zero.clear' op takes state @a "m", which is m of @a, where it needs grad of @a (V12)}}
    %c = zero.clear %m of @a {zero.at = [#zero.bytes<device, 0 + 64>]} : !zero.shard<16 x f32 by 1>
    zero.return %c : !zero.shard<16 x f32 by 1>
  }
}

// -----

// A master of another bucket.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"v", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f() -> tensor<16xbf16>
  zero.program @step(%p: !zero.shard<16 x bf16 by 1> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 32>},
                  %w: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "master">, zero.at = #zero.bytes<device, 256 + 64>},
                  %lr: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 64 + 4>}) -> (!zero.shard<16 x bf16 by 1>, !zero.shard<16 x f32 by 1>) {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 32>]} : () -> tensor<16xbf16>
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 32>]} : tensor<16xbf16> -> tensor<16xbf16>
    // expected-error @below {{'zero.update' op takes state @b "master", which is master of @b, where it needs master of @a (V12)}}
    %p1, %w1 = zero.update @sgd of @a (%p, %g) master(%w) scalars(%lr) {decay = 0.0 : f64, zero.at = [#zero.bytes<device, 0 + 32>, #zero.bytes<device, 256 + 64>]} : (!zero.shard<16 x bf16 by 1>, tensor<16xbf16>), master !zero.shard<16 x f32 by 1>, (tensor<f32>) -> !zero.shard<16 x bf16 by 1>, !zero.shard<16 x f32 by 1>
    zero.return %p1, %w1 : !zero.shard<16 x bf16 by 1>, !zero.shard<16 x f32 by 1>
  }
}

// -----

// Random bits that are no scalar of the step's.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f() -> tensor<16xbf16>
  zero.kernel @bits() -> tensor<i64>
  zero.program @step(%p: !zero.shard<16 x bf16 by 1> {zero.state = #zero.state<@a, "param">, zero.at = #zero.bytes<device, 0 + 32>},
                  %lr: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 64 + 4>}) -> !zero.shard<16 x bf16 by 1> {
    %d = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 32>]} : () -> tensor<16xbf16>
    %r = zero.launch @bits() {zero.at = [#zero.bytes<device, 192 + 8>]} : () -> tensor<i64>
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 32>]} : tensor<16xbf16> -> tensor<16xbf16>
    // expected-error @below {{'zero.update' op takes a result of 'zero.launch' as the scalar "rounding", and it is not that (V12)}}
    %p1 = zero.update @sgd of @a (%p, %g) scalars(%lr) rounding(%r : tensor<i64>) {decay = 0.0 : f64, zero.at = [#zero.bytes<device, 0 + 32>]} : (!zero.shard<16 x bf16 by 1>, tensor<16xbf16>), (tensor<f32>) -> !zero.shard<16 x bf16 by 1>
    zero.return %p1 : !zero.shard<16 x bf16 by 1>
  }
}

// -----

// Gradients are scaled, and nobody divides by that.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> (tensor<16xf16>, tensor<f32>)
  zero.program @step(%scale: tensor<f32> {zero.scalar = "loss_scale", zero.at = #zero.bytes<device, 64 + 4>}) -> (tensor<f32> {zero.output = "grad_norm"}, tensor<f32> {zero.output = "loss"}) {
    %d, %loss = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 32>, #zero.bytes<device, 0 + 4>]} : () -> (tensor<16xf16>, tensor<f32>)
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 32>]} : tensor<16xf16> -> tensor<16xf16>
    %s = zero.sum_squares %g of @a {zero.at = [#zero.bytes<device, 256 + 8>]} : tensor<16xf16> -> tensor<1xf64>
    // expected-error @below {{'zero.clip' op has no scale, and the step takes "loss_scale", by which its gradients are too large (V12)}}
    %norm, %clip = zero.clip %s {zero.at = [#zero.bytes<device, 4 + 4>, #zero.bytes<device, 8 + 4>]} : tensor<1xf64> -> tensor<f32>, tensor<f32>
    zero.return %norm, %loss : tensor<f32>, tensor<f32>
  }
}

// -----

// The limits of a step are exchanged.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> (tensor<16xf32>, tensor<f32>)
  zero.program @step(%n: tensor<f32> {zero.scalar = "norm_limit", zero.at = #zero.bytes<device, 64 + 4>}, %l: tensor<f32> {zero.scalar = "loss_limit", zero.at = #zero.bytes<device, 68 + 4>}) -> (tensor<f32> {zero.output = "grad_norm"}, tensor<f32> {zero.output = "loss"}) {
    %d, %loss = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 64>, #zero.bytes<device, 0 + 4>]} : () -> (tensor<16xf32>, tensor<f32>)
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    %s = zero.sum_squares %g of @a {zero.at = [#zero.bytes<device, 256 + 8>]} : tensor<16xf32> -> tensor<1xf64>
    // expected-error @below {{'zero.clip' op takes argument 1 as the scalar "norm_limit", and it is not that (V12)}}
    %norm, %clip = zero.clip %s within(%l, %n, %loss : tensor<f32>, tensor<f32>, tensor<f32>) {zero.at = [#zero.bytes<device, 4 + 4>, #zero.bytes<device, 8 + 4>]} : tensor<1xf64> -> tensor<f32>, tensor<f32>
    zero.return %norm, %loss : tensor<f32>, tensor<f32>
  }
}

// -----

// The loss that is compared is none.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> (tensor<16xf32>, tensor<f32>)
  zero.program @step(%n: tensor<f32> {zero.scalar = "norm_limit", zero.at = #zero.bytes<device, 64 + 4>}, %l: tensor<f32> {zero.scalar = "loss_limit", zero.at = #zero.bytes<device, 68 + 4>}) -> (tensor<f32> {zero.output = "grad_norm"}, tensor<f32> {zero.output = "loss"}) {
    %d, %loss = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 64>, #zero.bytes<device, 0 + 4>]} : () -> (tensor<16xf32>, tensor<f32>)
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    %s = zero.sum_squares %g of @a {zero.at = [#zero.bytes<device, 256 + 8>]} : tensor<16xf32> -> tensor<1xf64>
    // expected-error @below {{'zero.clip' op is within a limit of 0 losses, which are not the 1 that the program gives (V12)}}
    %norm, %clip = zero.clip %s within(%n, %l : tensor<f32>, tensor<f32>) {zero.at = [#zero.bytes<device, 4 + 4>, #zero.bytes<device, 8 + 4>]} : tensor<1xf64> -> tensor<f32>, tensor<f32>
    zero.return %norm, %loss : tensor<f32>, tensor<f32>
  }
}

// -----

// It is another number.

module attributes {zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> (tensor<16xf32>, tensor<f32>)
  zero.program @step(%n: tensor<f32> {zero.scalar = "norm_limit", zero.at = #zero.bytes<device, 64 + 4>}, %l: tensor<f32> {zero.scalar = "loss_limit", zero.at = #zero.bytes<device, 68 + 4>}) -> (tensor<f32> {zero.output = "grad_norm"}, tensor<f32> {zero.output = "loss"}) {
    %d, %loss = zero.launch @f() {zero.at = [#zero.bytes<device, 128 + 64>, #zero.bytes<device, 0 + 4>]} : () -> (tensor<16xf32>, tensor<f32>)
    %g = zero.pack %d into @a {zero.at = [#zero.bytes<device, 128 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    %s = zero.sum_squares %g of @a {zero.at = [#zero.bytes<device, 256 + 8>]} : tensor<16xf32> -> tensor<1xf64>
    // expected-error @below {{'zero.clip' op is within a limit of 1 losses, which are not the 1 that the program gives (V12)}}
    %norm, %clip = zero.clip %s within(%n, %l, %l : tensor<f32>, tensor<f32>, tensor<f32>) {zero.at = [#zero.bytes<device, 4 + 4>, #zero.bytes<device, 8 + 4>]} : tensor<1xf64> -> tensor<f32>, tensor<f32>
    zero.return %norm, %loss : tensor<f32>, tensor<f32>
  }
}
