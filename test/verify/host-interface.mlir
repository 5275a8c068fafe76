// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// (S5): what the runtime and the host know.

// (S5) What the runtime does not know would be left out.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.program @step(%x: tensor<16xf32> {zero.input = "x", zero.at = #zero.bytes<device, 0 + 64>}) {
    // expected-error @+1 {{'math.exp' op is no operation of a plan (S5); put it into a kernel}}
    %y = math.exp %x {zero.at = [#zero.bytes<device, 64 + 64>]} : tensor<16xf32>
    zero.return
  }
}

// -----

// (S5) The kernel of a reference is the whole model, with its averages.

// expected-error @+1 {{has zero.reference, 2 ranks and 1 micro-steps (S5); a reference is one rank and one micro-step}}
module attributes {zero.reference, zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 2
  zero.program @step() {
    zero.return
  }
}

// -----

// (S5) The programs are those of a step of so many micro-steps.

// expected-error @+1 {{has no @micro, but a step of 3 micro-steps (S5)}}
module attributes {zero.micro_steps = 3 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.program @step() {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{'zero.program' op reads "count0", which is none of lr, step, loss_scale, norm_limit, loss_limit and rounding, and which no output of @count is called (S5)}}
  zero.program @step(%n: tensor<f32> {zero.scalar = "count0", zero.at = #zero.bytes<device, 0 + 4>}) {
    zero.return
  }
}

// -----

// (S5) Random bits are no number.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{takes the scalar "rounding" as 'tensor<f32>' (S5); scalars are tensor<f32>, but rounding is tensor<i64>}}
  zero.program @step(%r: tensor<f32> {zero.scalar = "rounding", zero.at = #zero.bytes<device, 0 + 4>}) {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{takes the scalar "step" as 'tensor<i64>' (S5); scalars are tensor<f32>}}
  zero.program @step(%r: tensor<i64> {zero.scalar = "step", zero.at = #zero.bytes<device, 0 + 8>}) {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{takes the input "rounding", and the host knows a scalar of that name (S5)}}
  zero.program @step(%r: tensor<4xi64> {zero.input = "rounding", zero.at = #zero.bytes<device, 0 + 32>}) {
    zero.return
  }
}

// -----

// (S5) Masters are f32.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{keeps state @b "master" as '!zero.shard<16 x bf16 by 1>' (S5); state is f32, 16 bits where it is no master, or i8 where it is packed, and the whole of its bucket or a rank's slice}}
  zero.program @step(%p: !zero.shard<16 x bf16 by 1> {zero.state = #zero.state<@b, "master">, zero.at = #zero.bytes<device, 0 + 32>})
      -> !zero.shard<16 x bf16 by 1> {
    zero.return %p : !zero.shard<16 x bf16 by 1>
  }
}

// -----

// (S5) one slot, two places.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{keeps state @b "param" twice (S5)}}
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 0 + 64>},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 64 + 64>})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    zero.return %p, %q : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
}

// -----

// (S5) @count would never run.

// expected-error @+1 {{has @count, which runs only in a step of several micro-steps (S5)}}
module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.program @count() {
    zero.return
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// (S5) What the host would write in one place of two.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{takes two arguments called "lr" (S5); the host would write one of them}}
  zero.program @step(%a: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 0 + 4>}, %b: tensor<f32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 4 + 4>}) {
    zero.return
  }
}

// -----

// (S5) ... or as two things.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{'zero.program' op has argument 0, which is more than one of state, input and scalar}}
  zero.program @step(%a: tensor<f32> {zero.scalar = "lr", zero.input = "tokens", zero.at = #zero.bytes<device, 0 + 4>}) {
    zero.return
  }
}

// -----

// (S5) Ranks have batches of their own: what is no scalar is no scalar.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{takes the scalar "lr" as 'tensor<16xi32>' (S5); scalars are tensor<f32>}}
  zero.program @step(%a: tensor<16xi32> {zero.scalar = "lr", zero.at = #zero.bytes<device, 0 + 64>}) {
    zero.return
  }
}

// -----

// (S5) The host adds up the losses of all micro-steps.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<f32>
  // expected-error @+1 {{has no output "loss", and @step has (S5); the host adds them up}}
  zero.program @micro() {
    zero.return
  }
  zero.program @step() -> (tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 4>]} : () -> tensor<f32>
    zero.return %l : tensor<f32>
  }
}

// -----

// (S5) The host would read bytes that @step has used for something else.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<f32>
  // expected-error @+1 {{has output "loss", and @step has none (S5); the host reads it after @step}}
  zero.program @micro() -> (tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 4>]} : () -> tensor<f32>
    zero.return %l : tensor<f32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// (S5) The host would read bytes that @step has used for something else.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @g() -> tensor<16xf32>
  // expected-error @+1 {{has output "grad_norm", and @step has none (S5); the host reads it after @step}}
  zero.program @micro() -> (tensor<f32> {zero.output = "grad_norm"}) {
    %d = zero.launch @g() {zero.at = [#zero.bytes<device, 0 + 64>]} : () -> tensor<16xf32>
    %g = zero.pack %d into @b {zero.at = [#zero.bytes<device, 0 + 64>]} : tensor<16xf32> -> tensor<16xf32>
    %s = zero.sum_squares %g of @b {zero.at = [#zero.bytes<device, 64 + 8>]} : tensor<16xf32> -> tensor<1xf64>
    %norm, %clip = zero.clip %s {max_norm = 1.0 : f64, zero.at = [#zero.bytes<device, 128 + 4>, #zero.bytes<device, 192 + 4>]} : tensor<1xf64> -> tensor<f32>, tensor<f32>
    zero.return %norm : tensor<f32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// (S5) Outputs are numbers.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{has output "e" of '!zero.event' (S5); outputs are f32 or f64, and scalars if the host reads them}}
  zero.program @step() -> (!zero.event {zero.output = "e"}) {
    %e = zero.record on compute
    zero.return %e : !zero.event
  }
}

// -----

// (S5) ... and one number, if the host reads it.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<4xf32>
  // expected-error @+1 {{has output "loss" of 'tensor<4xf32>' (S5)}}
  zero.program @step() -> (tensor<4xf32> {zero.output = "loss"}) {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 16>]} : () -> tensor<4xf32>
    zero.return %l : tensor<4xf32>
  }
}

// -----

// (S5) The runtime compares names up to the first NUL.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<f32>
  // expected-error @+1 {{has output 0 without a name, or with a NUL in it (S5)}}
  zero.program @step() -> (tensor<f32> {zero.output = "loss\00"}) {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 4>]} : () -> tensor<f32>
    zero.return %l : tensor<f32>
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{takes argument 0 without a name, or with a NUL in it (S5)}}
  zero.program @step(%a: tensor<f32> {zero.scalar = "lr\00", zero.at = #zero.bytes<device, 0 + 4>}) {
    zero.return
  }
}

// -----

// (S5) An input that the host would take for the mean of an output.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<f32>
  // expected-error @+1 {{takes the input "loss", and the host knows a scalar of that name (S5)}}
  zero.program @step(%a: tensor<f32> {zero.input = "loss", zero.at = #zero.bytes<device, 64 + 4>}) -> (tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 0 + 4>]} : () -> tensor<f32>
    zero.return %l : tensor<f32>
  }
}

// -----

// (S5) A plain function.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  // expected-error @+1 {{'func.func' op is no part of a plan (S5), which is made of zero.program and zero.kernel}}
  func.func @other() {
    return
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// (S5) Attributes of other types.

// expected-error @+1 {{has zero.micro_steps = 4.000000e+00 : f64; it is an i64}}
module attributes {zero.micro_steps = 4.0 : f64, zero.arena = array<i64: 512, 0, 0>} {
  zero.program @step() {
    zero.return
  }
}

// -----

// expected-error @+1 {{has zero.budget = array<i32: 64, 0, 0>; it is an i64 of each tier}}
module attributes {zero.budget = array<i32: 64, 0, 0>, zero.arena = array<i64: 512, 0, 0>} {
  zero.program @step() {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.kernel @f() -> tensor<f32>
  zero.program @step() {
    // expected-error @+1 {{has zero.stream = "reduce"; it is a #zero.stream}}
    %l = zero.launch @f() {zero.stream = "reduce", zero.at = [#zero.bytes<device, 0 + 4>]} : () -> tensor<f32>
    zero.return
  }
}

// -----

// (S5) State that has no bytes.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{keeps state @b "param" as 'index', which has no bytes (S5)}}
  zero.program @step(%p: index {zero.state = #zero.state<@b, "param">}) -> index {
    zero.return %p : index
  }
}

// -----

// (S5) Two parameters of one name.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{has a parameter "w", and another bucket has one of that name (S5)}}
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step() {
    zero.return
  }
}

// -----

// (S5) Elements that the runtime does not compute with.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.kernel @g() -> tensor<16xf64>
  zero.program @step() {
    %d = zero.launch @g() {zero.at = [#zero.bytes<device, 0 + 128>]} : () -> tensor<16xf64>
    %g = zero.pack %d into @b {zero.at = [#zero.bytes<device, 0 + 128>]} : tensor<16xf64> -> tensor<16xf64>
    // expected-error @+1 {{'zero.sum_squares' op computes with 'f64' (S5); the runtime does so with f32, bf16 and f16}}
    %s = zero.sum_squares %g of @b {zero.at = [#zero.bytes<device, 256 + 8>]} : tensor<16xf64> -> tensor<1xf64>
    zero.return
  }
}

// -----

// (S5) A program that nobody runs is not judged.

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  // expected-error @+1 {{is run by no rank: each has a program of its own (S5)}}
  zero.program @step() {
    zero.return
  }
  zero.program @step_of_0() attributes {program = "step", rank = 0 : i64} {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  // expected-error @+1 {{has a parameter without a name, or with a NUL in it (S5)}}
  zero.bucket @b over @dp elements 16 members [#zero.member<"w\00", 16 at 0, init = #zero.constant<0.0>>]
  zero.program @step() {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 512, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  // expected-error @+1 {{whose slot has no name, or one with a NUL (S5)}}
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "m\00">, zero.at = #zero.bytes<device, 0 + 64>}) -> !zero.shard<16 x f32 by 1> {
    zero.return %p : !zero.shard<16 x f32 by 1>
  }
}
