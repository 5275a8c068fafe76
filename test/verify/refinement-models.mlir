// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory --zero-insert-events --zero-verify-plan
// (V14): models that cannot be compared with, and what a plan needs beside the terms.

// Two models.

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
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
  // expected-error @below {{is a second module inside a plan, and a plan is compared with one model (V14)}}
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

// Two parameters of one name: which one is the plan's?

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
    // expected-error @below {{takes two parameters called "v" (V14)}}
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"},
                    %w: tensor<16xf32> {zero.param = "v"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %v, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// A parameter that is an input as well.

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
    // expected-error @below {{takes argument 1, which must be a parameter or an input (V14)}}
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v", zero.input = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// The gradient and the loss are returned in another order.

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
    // expected-error @below {{returns 'tensor<f32>' as the gradient of "u", which is 'tensor<16xf32>' (V14)}}
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<16xf32>, tensor<f32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %du, %l, %dv : tensor<16xf32>, tensor<f32>, tensor<16xf32>
    }
  }
}

// -----

// No program gives the loss.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
  // expected-error @below {{has no output "loss", and the model has a loss (V14)}}
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 1>) {
    %u = zero.view %p[@b, "u"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %v = zero.view %p[@b, "v"] : !zero.shard<32 x f32 by 1> -> tensor<16xf32>
    %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    %g = zero.pack %du, %dv into @b : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>
    zero.return %p1 : !zero.shard<32 x f32 by 1>
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

// A kernel that is compiled with other instructions.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  // expected-error @below {{has other attributes than the model's kernel of that name (V14)}}
  zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) attributes {passthrough = ["optnone", "noinline"]}
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
    // expected-note @below {{the model's}}
    zero.kernel @f(tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
    func.func @step(%u: tensor<16xf32> {zero.param = "u"}, %v: tensor<16xf32> {zero.param = "v"}, %x: tensor<4xi32> {zero.input = "x"})
        -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>) {
      %l, %du, %dv = zero.launch @f(%u, %v, %x) : (tensor<16xf32>, tensor<16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<16xf32>, tensor<16xf32>)
      return %l, %du, %dv : tensor<f32>, tensor<16xf32>, tensor<16xf32>
    }
  }
}

// -----

// Products with other transposes: the note says what differs.

module {
  zero.axis @dp size 1
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 4x4 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x4xf32>) -> tensor<f32>
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %w = zero.view %p[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<4x4xf32>
    %l = zero.launch @f(%w) : (tensor<4x4xf32>) -> tensor<f32>
    // expected-note @below {{nn.matmul {operandSegmentSizes = array<i32: 1, 1, 0, 0>, transpose_b} : tensor<4x4xf32> here and nn.matmul {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : tensor<4x4xf32> in the model}}
    %d = nn.matmul %w, %w {transpose_b} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{as the gradient of "w", which is nn.matmul, and by the model it is nn.matmul (V14)}}
    %g = zero.pack %d into @b : tensor<4x4xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @b(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %l : !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x4xf32>) -> tensor<f32>
    func.func @step(%w: tensor<4x4xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x4xf32>) {
      %l = zero.launch @f(%w) : (tensor<4x4xf32>) -> tensor<f32>
      %d = nn.matmul %w, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %l, %d : tensor<f32>, tensor<4x4xf32>
    }
  }
}

// -----

// Averages of averages: the first ones say enough.

module {
  zero.axis @dp size 2
  zero.bucket @b over @dp elements 32 members [#zero.member<"w", 4x8 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b, "param">}, %x: tensor<4xi32> {zero.input = "x"}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<32 x f32 by 2>, tensor<f32> {zero.output = "loss"}) {
    %f = zero.all_gather %p of @b : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
    %w = zero.view %f[@b, "w"] : tensor<32xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w, %x) : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4x8xf32>)
    %g = zero.pack %d into @b : tensor<4x8xf32> -> tensor<32xf32>
    %r = zero.reduce_scatter %g of @b {scale = 0.5 : f64} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    %p1 = zero.update @plain of @b(%p, %r) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 2>, !zero.shard<32 x f32 by 2>), (tensor<f32>) -> !zero.shard<32 x f32 by 2>
    %1 = zero.all_reduce %l over @dp {scale = 0.5 : f64} : tensor<f32>
    %2 = zero.all_reduce %1 over @dp {scale = 0.5 : f64} : tensor<f32>
    %3 = zero.all_reduce %2 over @dp {scale = 0.5 : f64} : tensor<f32>
    %4 = zero.all_reduce %3 over @dp {scale = 0.5 : f64} : tensor<f32>
    // expected-note @below {{operand 0 of the mean over ranks is the mean over ranks of the mean over ranks of the mean over ranks of the mean over ranks of ... here}}
    %5 = zero.all_reduce %4 over @dp {scale = 0.5 : f64} : tensor<f32>
    // expected-error @below {{as the loss, which is the mean over ranks of the mean over ranks of the mean over ranks of the mean over ranks of ..., and by the model}}
    zero.return %p1, %5 : !zero.shard<32 x f32 by 2>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}, %x: tensor<4xi32> {zero.input = "x"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w, %x) : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}
