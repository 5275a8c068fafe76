// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory --zero-insert-events --zero-verify-plan
// (V14): parameters that are split by rows.

// Pieces of a parameter are sound.

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 4, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 2 of 4, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %x = zero.view %p[@a, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %y = zero.view %q[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %x1 = zero.copy %x : tensor<2x8xf32>
    %y1 = zero.copy %y : tensor<2x8xf32>
    %w = zero.join %x1, %y1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    %dx = zero.split %d from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dy = zero.split %d from 2 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dx1 = zero.copy %dx : tensor<2x8xf32>
    %dy1 = zero.copy %dy : tensor<2x8xf32>
    %g = zero.pack %dx1 into @a : tensor<2x8xf32> -> tensor<16xf32>
    %h = zero.pack %dy1 into @b : tensor<2x8xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @a(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @plain of @b(%q, %h) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}

// -----

// Pieces are joined in another order.

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 4, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 2 of 4, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %x = zero.view %p[@a, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %y = zero.view %q[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %x1 = zero.copy %x : tensor<2x8xf32>
    %y1 = zero.copy %y : tensor<2x8xf32>
    %w = zero.join %y1, %x1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    %dx = zero.split %d from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dy = zero.split %d from 2 : tensor<4x8xf32> -> tensor<2x8xf32>
    // expected-note @below {{operand 0 of result 1 of zero.launch @f is a join of 2 pieces here and parameter "w" in the model}}
    %dx1 = zero.copy %dx : tensor<2x8xf32>
    %dy1 = zero.copy %dy : tensor<2x8xf32>
    // expected-error @below {{as the gradient of "w", rows from 0, which is rows [0, 2) of result 1 of zero.launch @f, and by the model}}
    %g = zero.pack %dx1 into @a : tensor<2x8xf32> -> tensor<16xf32>
    %h = zero.pack %dy1 into @b : tensor<2x8xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @a(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @plain of @b(%q, %h) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}

// -----

// Pieces get each other's gradients.

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 4, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 2 of 4, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %x = zero.view %p[@a, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %y = zero.view %q[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %x1 = zero.copy %x : tensor<2x8xf32>
    %y1 = zero.copy %y : tensor<2x8xf32>
    %w = zero.join %x1, %y1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    %dx = zero.split %d from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dy = zero.split %d from 2 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dx1 = zero.copy %dx : tensor<2x8xf32>
    // expected-note @below {{rows [2, 4) of result 1 of zero.launch @f here and rows [0, 2) of result 1 of zero.launch @f in the model}}
    %dy1 = zero.copy %dy : tensor<2x8xf32>
    // expected-error @below {{as the gradient of "w", rows from 0, which is rows [2, 4) of result 1 of zero.launch @f, and by the model it is rows [0, 2) of result 1 of zero.launch @f (V14)}}
    %g = zero.pack %dy1 into @a : tensor<2x8xf32> -> tensor<16xf32>
    %h = zero.pack %dx1 into @b : tensor<2x8xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @a(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @plain of @b(%q, %h) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}

// -----

// Pieces claim each other's rows.

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 2 of 4, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 4, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %x = zero.view %p[@a, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %y = zero.view %q[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %x1 = zero.copy %x : tensor<2x8xf32>
    %y1 = zero.copy %y : tensor<2x8xf32>
    %w = zero.join %x1, %y1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    %dx = zero.split %d from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dy = zero.split %d from 2 : tensor<4x8xf32> -> tensor<2x8xf32>
    // expected-note @below {{ here and }}
    %dx1 = zero.copy %dx : tensor<2x8xf32>
    %dy1 = zero.copy %dy : tensor<2x8xf32>
    // expected-error @below {{as the gradient of "w", rows from 2, which is}}
    %g = zero.pack %dx1 into @a : tensor<2x8xf32> -> tensor<16xf32>
    %h = zero.pack %dy1 into @b : tensor<2x8xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @a(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @plain of @b(%q, %h) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}

// -----

// A piece is there twice, and another is missing (S5).

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 4, init = #zero.constant<0.0>>]
  // expected-error @below {{has rows of "w" from 0 on, where those from 2 on come next (S5); its pieces are its rows, each once}}
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 4, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %x = zero.view %p[@a, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %y = zero.view %q[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %x1 = zero.copy %x : tensor<2x8xf32>
    %y1 = zero.copy %y : tensor<2x8xf32>
    %w = zero.join %x1, %y1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    %dx = zero.split %d from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dy = zero.split %d from 2 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dx1 = zero.copy %dx : tensor<2x8xf32>
    %dy1 = zero.copy %dy : tensor<2x8xf32>
    %g = zero.pack %dx1 into @a : tensor<2x8xf32> -> tensor<16xf32>
    %h = zero.pack %dy1 into @b : tensor<2x8xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @a(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @plain of @b(%q, %h) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}

// -----

// The last rows are missing (S5).

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 0 of 5, init = #zero.constant<0.0>>]
  // expected-error @below {{has the last rows of "w", up to 4 of 5 (S5)}}
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 2x8 at 0, rows 2 of 5, init = #zero.constant<0.0>>]
  zero.optimizer @plain(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">},
                  %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">}, %lr: tensor<f32> {zero.scalar = "lr"})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %x = zero.view %p[@a, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %y = zero.view %q[@b, "w"] : !zero.shard<16 x f32 by 1> -> tensor<2x8xf32>
    %x1 = zero.copy %x : tensor<2x8xf32>
    %y1 = zero.copy %y : tensor<2x8xf32>
    %w = zero.join %x1, %y1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    %dx = zero.split %d from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dy = zero.split %d from 2 : tensor<4x8xf32> -> tensor<2x8xf32>
    %dx1 = zero.copy %dx : tensor<2x8xf32>
    %dy1 = zero.copy %dy : tensor<2x8xf32>
    %g = zero.pack %dx1 into @a : tensor<2x8xf32> -> tensor<16xf32>
    %h = zero.pack %dy1 into @b : tensor<2x8xf32> -> tensor<16xf32>
    %p1 = zero.update @plain of @a(%p, %g) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @plain of @b(%q, %h) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %l : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
  module attributes {zero.level = "kernels"} {
    zero.kernel @f(tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
    func.func @step(%w: tensor<4x8xf32> {zero.param = "w"}) -> (tensor<f32>, tensor<4x8xf32>) {
      %l, %d = zero.launch @f(%w) : (tensor<4x8xf32>) -> (tensor<f32>, tensor<4x8xf32>)
      return %l, %d : tensor<f32>, tensor<4x8xf32>
    }
  }
}
