// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory --zero-insert-events --zero-verify-plan
// (V14): the programs compute what the model does.
// 
// The gradients of two members of one shape are exchanged.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    // expected-note @below {{result 2 of zero.launch @f here and result 1 of zero.launch @f in the model}}
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-error @below {{'zero.pack' op takes a result of 'zero.launch' as the gradient of "u", which is result 2 of zero.launch @f, and by the model it is result 1 of zero.launch @f (V14)}}
    %g = zero.pack %dv, %du into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// Parameters are packed as gradients.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    // expected-note @below {{parameter "u" here and result 1 of zero.launch @f in the model}}
    %u1 = zero.copy %u : tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-error @below {{as the gradient of "u", which is parameter "u", and by the model}}
    %g = zero.pack %u1, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// The learning rate is returned as the loss.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"},
                  // expected-note @below {{scalar "lr" here and result 0 of zero.launch @f in the model}}
                  %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    // expected-error @below {{takes argument 2 as the loss, which is scalar "lr", and by the model it is result 0 of zero.launch @f (V14)}}
    zero.return %p1, %lr : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// The model is given its parameters in another order: what differs lies deep inside.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    // expected-note @below {{operand 0 of result 1 of zero.launch @f is parameter "v" here and parameter "u" in the model}}
    %l, %du, %dv = zero.launch @f(%v, %u, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-error @below {{as the gradient of "u", which is result 1 of zero.launch @f, and by the model it is result 1 of zero.launch @f (V14)}}
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A contribution to a gradient is lost.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.kernel @add(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    // expected-note @below {{result 1 of zero.launch @f here and zero.launch @add in the model}}
    %a = zero.copy %du : tensor<16xf32>
    // expected-error @below {{as the gradient of "u", which is result 1 of zero.launch @f, and by the model it is zero.launch @add (V14)}}
    %g = zero.pack %a, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    zero.kernel @add(tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      %d = zero.launch @add(%du, %dv) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      return %l, %d, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A kernel has another body than the model's.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  // expected-error @below {{has another body than the model's kernel of that name (V14)}}
  zero.kernel @k() -> tensor<16xf32> units rows [16] {
    %c = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<16xf32>
    %r = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    zero.return %r : tensor<16xf32>
  }
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %k = zero.launch @k() : () -> tensor<16xf32>
    %g = zero.pack %du, %k into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  // expected-note @below {{the model's}}
  zero.kernel @k() -> tensor<16xf32> units rows [16] {
    %c = arith.constant 2.0 : f32
    %e = tensor.empty() : tensor<16xf32>
    %r = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    zero.return %r : tensor<16xf32>
  }
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      %k = zero.launch @k() : () -> tensor<16xf32>
      return %l, %du, %k : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A kernel that the model does not have.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  // expected-error @below {{is no kernel of the model (V14)}}
  zero.kernel @k() -> tensor<16xf32> units rows [16] {
    %c = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<16xf32>
    %r = linalg.fill ins(%c : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    zero.return %r : tensor<16xf32>
  }
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %k = zero.launch @k() : () -> tensor<16xf32>
    %g = zero.pack %du, %k into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A parameter of another name.

module {
  zero.axis @dp size 1
  // expected-error @below {{has a member "w", and the model no such parameter (V14)}}
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"w", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "w"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A parameter of another shape.

module {
  zero.axis @dp size 1
  // expected-error @below {{has a member "v" of a parameter of shape [16], and the model has 'tensor<4x4xf32>' (V14)}}
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<4x4xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<4x4xf32>) {
      %w = tensor.collapse_shape %v [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
      %l, %du, %dv = zero.launch @f(%u, %w, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      %d = tensor.expand_shape %dv [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
      return %l, %du, %d : tensor<f32>, tensor<16xf32>, tensor<4x4xf32>
    }
  }
}

// -----

// A parameter that starts as another value.

module {
  zero.axis @dp size 1
  // expected-error @below {{starts "u" as #zero.constant<0.000000e+00>, and the model as #zero.constant<1.000000e+00> (V14)}}
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u", zero.init = #zero.constant<1.0>}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A parameter that the plan does not train.

// expected-error @below {{has no bucket for the model's parameter "w" (V14)}}
module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"}, %w: tensor<f32> {zero.param = "w"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv, %l : tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<f32>
    }
  }
}

// -----

// An input of another vocabulary.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  // expected-error @below {{takes input "x" with {zero.input = "x"}, and the model has it with {zero.input = "x", zero.vocab = 7 : i64} (V14)}}
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x", zero.vocab = 7 : i64})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// An input that the model does not have.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  // expected-error @below {{takes input "y", and the model has no such input (V14)}}
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "y"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A plan without a model is not judged in part unless that is asked for.

// expected-error @below {{carries no model to be compared with (V14); compile it again from level kernels or before, or judge it by the other rules alone: zero-verify-plan=without-model}}
module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1, %l : !zero.shard<32 x f32 by 1>, tensor<f32>
  }
}

// -----

// The model reads a moment.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
    zero.yield %p, %m : f32, f32
  }
  zero.kernel @f(tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %m: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "m">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    // expected-error @below {{reads state @b "m", and the model reads nothing of a bucket except its parameters (V14)}}
    %u = zero.view %m[@b, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %l, %du = zero.launch @f(%u) : (tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>)
    %g = zero.pack %du into @b : tensor<16xf32> -> tensor<16xf32>
    %p1, %m1 = zero.update @plain of @b(%p, %g, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
    zero.return %p1, %m1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}) -> (tensor<f32>, tensor<16xf32>) {
      %l, %du = zero.launch @f(%u) : (tensor<16xf32>) -> (tensor<f32>, tensor<16xf32>)
      return %l, %du : tensor<f32>, tensor<16xf32>
    }
  }
}
