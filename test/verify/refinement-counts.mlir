// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory --zero-insert-events --zero-verify-plan
// (V14): micro-steps, and means over ranks and over them.

// Counts and micro-steps are sound.

module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
    zero.yield %p, %m : f32, f32
  }
  zero.kernel @n(tensor<4xi32>) -> tensor<f32>
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @count(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "count0"}) {
    %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
    %all = zero.all_reduce %n over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s, %all : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @micro(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %count0) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s1, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %count0) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    %p1, %m1 = zero.update @plain of @b(%p, %s1, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>
    %p2 = zero.all_gather %p1 of @b : !zero.shard<32 x f32 by 1> -> !zero.shard<32 x f32 by 1>
    %s2 = zero.clear %s1 of @b : !zero.shard<32 x f32 by 2>
    zero.return %p2, %m1, %s2, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @n(tensor<4xi32>) -> tensor<f32>
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
      %all = zero.average %n : tensor<f32>
      %l, %du, %dv = zero.launch @f(%u, %v, %x, %all) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// Members are exchanged in @micro alone.

module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
    zero.yield %p, %m : f32, f32
  }
  zero.kernel @n(tensor<4xi32>) -> tensor<f32>
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @count(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "count0"}) {
    %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
    %all = zero.all_reduce %n over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s, %all : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @micro(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    // expected-note @below {{result 2 of zero.launch @f here and result 1 of zero.launch @f in the model}}
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %count0) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-error @below {{as the gradient of "u"}}
    %g = zero.pack %dv, %du into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s1, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %count0) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    %p1, %m1 = zero.update @plain of @b(%p, %s1, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>
    %p2 = zero.all_gather %p1 of @b : !zero.shard<32 x f32 by 1> -> !zero.shard<32 x f32 by 1>
    %s2 = zero.clear %s1 of @b : !zero.shard<32 x f32 by 2>
    zero.return %p2, %m1, %s2, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @n(tensor<4xi32>) -> tensor<f32>
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
      %all = zero.average %n : tensor<f32>
      %l, %du, %dv = zero.launch @f(%u, %v, %x, %all) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// The count is averaged over ranks, and not over micro-steps.

module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
    zero.yield %p, %m : f32, f32
  }
  zero.kernel @n(tensor<4xi32>) -> tensor<f32>
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @count(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "count0"}) {
    %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
    %all = zero.all_reduce %n over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s, %all : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @micro(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %count0) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s1, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
    %all = zero.all_reduce %n over @dp {scale = 0.5 : f64} : tensor<f32>
    // expected-note @below {{operand 3 of result 1 of zero.launch @f is the mean over ranks of zero.launch @n here and the mean over micro-steps of the mean over ranks of zero.launch @n in the model}}
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %all) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-error @below {{as the gradient of "u", which is result 1 of zero.launch @f}}
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    %p1, %m1 = zero.update @plain of @b(%p, %s1, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>
    %p2 = zero.all_gather %p1 of @b : !zero.shard<32 x f32 by 1> -> !zero.shard<32 x f32 by 1>
    %s2 = zero.clear %s1 of @b : !zero.shard<32 x f32 by 2>
    zero.return %p2, %m1, %s2, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @n(tensor<4xi32>) -> tensor<f32>
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
      %all = zero.average %n : tensor<f32>
      %l, %du, %dv = zero.launch @f(%u, %v, %x, %all) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// The count is not averaged at all.

module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
    zero.yield %p, %m : f32, f32
  }
  zero.kernel @n(tensor<4xi32>) -> tensor<f32>
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @count(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "count0"}) {
    %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
    %all = zero.all_reduce %n over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s, %all : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @micro(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %count0) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    zero.return %p, %m, %s1, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %m: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "m">}, %s: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "grad">},
      %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"}, %count0: tensor<f32> {zero.scalar = "count0"}) -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
    // expected-note @below {{operand 3 of result 1 of zero.launch @f is zero.launch @n here and the mean over micro-steps of the mean over ranks of zero.launch @n in the model}}
    %l, %du, %dv = zero.launch @f(%u, %v, %x, %n) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-error @below {{as the gradient of "u", which is result 1 of zero.launch @f}}
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %s1 = zero.reduce_scatter %g of @b into %s {scale = 0.25 : f64} : tensor<32xf32>, !zero.shard<32 x f32 by 2> -> !zero.shard<32 x f32 by 2>
    %loss = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    %p1, %m1 = zero.update @plain of @b(%p, %s1, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>
    %p2 = zero.all_gather %p1 of @b : !zero.shard<32 x f32 by 1> -> !zero.shard<32 x f32 by 1>
    %s2 = zero.clear %s1 of @b : !zero.shard<32 x f32 by 2>
    zero.return %p2, %m1, %s2, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @n(tensor<4xi32>) -> tensor<f32>
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %n = zero.launch @n(%x) : (tensor<4xi32>) -> tensor<f32>
      %all = zero.average %n : tensor<f32>
      %l, %du, %dv = zero.launch @f(%u, %v, %x, %all) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>, tensor<f32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}
