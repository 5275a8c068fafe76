// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory

// expected-error @below {{the module has no program @step or @prefill with a body}}
module {
}

// -----

// A state that is read after its update cannot keep its old bytes.

module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<1.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "param">},
                  %g: tensor<16xf32> {zero.input = "g"}, %lr: tensor<f32> {zero.scalar = "lr"}) -> (!zero.shard<16 x f32 by 1>, tensor<16xf32> {zero.output = "w"}) {
    %w = zero.view %p[@b0, "w"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    // expected-error @below {{'zero.update' op overwrites the 64 bytes of @b0 "param", which are read afterwards; move the reader before it}}
    %p1 = zero.update @sgd of @b0 (%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    // expected-note @below {{read here}}
    zero.return %p1, %w : !zero.shard<16 x f32 by 1>, tensor<16xf32>
  }
}

// -----

// Next state must be made in place.

module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<1.0>>]
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "param">},
                  // expected-note @below {{the value that is returned}}
                  %m: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "m">}) -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    // expected-error @below {{returns a next @b0 "param" that is not in the state's bytes; return the argument or its update}}
    zero.return %m, %p : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
}

// -----

module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<1.0>>]
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "param">}) {
    // expected-error @below {{returns 0 values, which leaves @b0 "param" without a next value}}
    zero.return
  }
}

// -----

module {
  // expected-error @below {{names operand 0 of 'tensor<16xf32>' in zero.must_alias of result 0 of 'tensor<8xf32>'}}
  zero.kernel @f(tensor<16xf32>) -> (tensor<8xf32> {zero.must_alias = 0 : i64})
  zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) -> (tensor<8xf32> {zero.output = "y"}) {
    %y = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<8xf32>
    zero.return %y : tensor<8xf32>
  }
}

// -----

module {
  zero.program @step(%x: i1, %y: tensor<f32> {zero.scalar = "y"}) -> tensor<f32> {
    // expected-error @below {{has a region; a step is a straight line}}
    %r = scf.if %x -> tensor<f32> {
      scf.yield %y : tensor<f32>
    } else {
      scf.yield %y : tensor<f32>
    }
    zero.return %r : tensor<f32>
  }
}

// -----

module {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  zero.program @step(%p: !zero.shard<64 x f32 by 1 on host> {zero.state = #zero.state<@b, "param">}) -> !zero.shard<64 x f32 by 1 on host> {
    // expected-error @below {{lets peers read @b "param" on the host; peers read the device's bytes alone, fetch it first}}
    %f = zero.all_gather %p of @b : !zero.shard<64 x f32 by 1 on host> -> !zero.shard<64 x f32 by 1 on host>
    zero.return %f : !zero.shard<64 x f32 by 1 on host>
  }
}
