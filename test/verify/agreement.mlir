// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory --zero-insert-events --zero-verify-plan=without-model
// (V11): what ranks must agree on.  Each plan is well-formed on one rank.

// Good: stage 3.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// Own gradients in an update: ranks would drift apart.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  // expected-note @+1 {{made by}}
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  // expected-error @+1 {{takes a gradient that must be this rank's slice only or equal on all ranks, but it is this rank's own (V11); reduce it first}}
  %p1, %m1 = zero.update @sgd of @b (%p, %flat, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, tensor<64xf32>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// A scalar that each rank has its own of.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  // expected-note @+1 {{made by}}
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  // expected-error @+1 {{takes a scalar that must be equal on all ranks, but it is this rank's own (V11); reduce it first}}
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%l) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// A loss that was not averaged.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  // expected-note @+1 {{made by}}
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  // expected-error @+1 {{takes an output that must be equal on all ranks, but it is this rank's own (V11)}}
  zero.return %p1, %m1, %l : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// Computing with a slice as if it were whole: it was reduced in place and not gathered.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> tensor<64xf32>
  // expected-note @+1 {{made by}}
  %s = zero.view %r[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  // expected-error @+1 {{takes an operand that must be equal on all ranks or this rank's own, but it is this rank's slice only (V11); gather it first}}
  %g2, %l2 = zero.launch @k(%s, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, tensor<64xf32>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// The update wrote a slice of the parameter, which nobody gathered.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.kernel @whole(tensor<64xi32>) -> tensor<60xf32> units serial
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %f = zero.launch @whole(%x) : (tensor<64xi32>) -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  // expected-note @+1 {{made by}}
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>
  // expected-error @+1 {{takes a next state that must be equal on all ranks, but it is this rank's slice only (V11); gather it first}}
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// Nothing is gathered from a value that is whole already.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.kernel @whole(tensor<64xi32>) -> tensor<60xf32> units serial
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %f = zero.launch @whole(%x) : (tensor<64xi32>) -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  // expected-error @+1 {{takes a value that must be this rank's slice only, but it is equal on all ranks (V11)}}
  %n = zero.all_gather %p of @b : !zero.shard<64 x f32 by 1> -> !zero.shard<64 x f32 by 1>
  %p1, %m1 = zero.update @sgd of @b (%n, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// Reducing twice.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  // expected-note @+1 {{made by}}
  %r1 = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> tensor<64xf32>
  // expected-error @+1 {{takes gradients that must be this rank's own or equal on all ranks, but it is this rank's slice only (V11)}}
  %r = zero.reduce_scatter %r1 of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// The norm of gradients before they are reduced.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  // expected-note @+1 {{made by}}
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  // expected-error @+1 {{takes gradients that must be this rank's slice only or equal on all ranks, but it is this rank's own (V11); reduce it first}}
  %q = zero.sum_squares %flat of @b : tensor<64xf32> -> tensor<1xf64>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  %p1, %m1 = zero.update @sgd of @b (%p, %r, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1 : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>
}

// -----

// Sound: the norm of gradients that were gathered is that of the rank's slice.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
  zero.yield %p, %m : f32, f32
}
zero.kernel @k(tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>) units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "param">},
                %m: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b, "m">},
                %x: tensor<64xi32> {zero.input = "tokens"}, %lr: tensor<f32> {zero.scalar = "lr"})
    -> (!zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32> {zero.output = "loss"}, tensor<f32> {zero.output = "grad_norm"}) {
  %flat_p = zero.all_gather %p of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %f = zero.view %flat_p[@b, "w"] : tensor<64xf32> -> tensor<60xf32>
  %g, %l = zero.launch @k(%f, %x) : (tensor<60xf32>, tensor<64xi32>) -> (tensor<60xf32>, tensor<f32>)
  %flat = zero.pack %g into @b : tensor<60xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 2>
  %all = zero.all_gather %r of @b : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %q = zero.sum_squares %all of @b : tensor<64xf32> -> tensor<1xf64>
  %t = zero.total %q : tensor<1xf64> -> tensor<f64>
  %t1 = zero.all_reduce %t over @dp {scale = 1.0 : f64} : tensor<f64>
  %norm, %clip = zero.clip %t1 : tensor<f64> -> tensor<f32>, tensor<f32>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  %p1, %m1 = zero.update @sgd of @b (%p, %all, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<64 x f32 by 2>, tensor<64xf32>, !zero.shard<64 x f32 by 2>), (tensor<f32>) -> !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>
  zero.return %p1, %m1, %l1, %norm : !zero.shard<64 x f32 by 2>, !zero.shard<64 x f32 by 2>, tensor<f32>, tensor<f32>
}

// -----

// A count that a loss is divided by, and that was not exchanged.
zero.axis @dp size 2
zero.kernel @valid(tensor<64xi32>) -> tensor<f32> units serial
zero.kernel @loss(tensor<64xi32>, tensor<f32>) -> tensor<f32> units serial
zero.program @step(%x: tensor<64xi32> {zero.input = "tokens"}) -> (tensor<f32> {zero.output = "loss"}) {
  // expected-note @+1 {{made by}}
  %n = zero.launch @valid(%x) : (tensor<64xi32>) -> tensor<f32>
  // expected-error @+1 {{takes an average that must be equal on all ranks, but it is this rank's own (V11); reduce it first}}
  %l = zero.launch @loss(%x, %n) {zero.same = array<i64: 1>} : (tensor<64xi32>, tensor<f32>) -> tensor<f32>
  %l1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
  zero.return %l1 : tensor<f32>
}

// -----

// A slice beside an own gradient in one pack, which AssignMemory gives a copy.
zero.axis @dp size 2
zero.bucket @b over @dp elements 64 members [#zero.member<"w", 32 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 32 at 32, init = #zero.constant<0.0>>]
zero.kernel @k(tensor<64xi32>) -> tensor<32xf32> units serial
zero.program @step(%x: tensor<64xi32> {zero.input = "tokens"}) {
  %d = zero.launch @k(%x) : (tensor<64xi32>) -> tensor<32xf32>
  %e = zero.launch @k(%x) : (tensor<64xi32>) -> tensor<32xf32>
  %flat = zero.pack %d, %e into @b : tensor<32xf32>, tensor<32xf32> -> tensor<64xf32>
  %r = zero.reduce_scatter %flat of @b {scale = 0.5 : f64} : tensor<64xf32> -> tensor<64xf32>
  // expected-note @+2 {{made by 'zero.view'}}
  // expected-error @+1 {{'zero.copy' op takes an operand that must be equal on all ranks or this rank's own, but it is this rank's slice only (V11)}}
  %w = zero.view %r[@b, "w"] : tensor<64xf32> -> tensor<32xf32>
  %again = zero.pack %w, %e into @b : tensor<32xf32>, tensor<32xf32> -> tensor<64xf32>
  zero.return
}
