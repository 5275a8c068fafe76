// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-assign-memory --zero-insert-events --zero-verify-plan=without-model
// (V13): every bucket is updated once, by the gradients of all micro-steps.

// Good: two micro-steps, two buckets.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// @micro leaves its gradient of @b out.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    // expected-error @below {{'zero.return' op takes state @b "grad", in which there is 1 x the sum of earlier micro-steps, where it needs 1 x the sum of earlier micro-steps and 0.5 x this micro-step's gradient (V13)}}
    zero.return %p, %q, %s1, %qsum : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// @micro adds it twice.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s0 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    // expected-note @below {{made by 'zero.accumulate of @a'}}
    %s1 = zero.accumulate %s0, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    // expected-error @below {{and 1 x this micro-step's gradient, where it needs}}
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// The update forgets the earlier micro-steps.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    // expected-note @below {{made by 'zero.pack of @a'}}
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    // expected-error @below {{'zero.update' op takes a result of 'zero.pack', in which there is 1 x this micro-step's gradient, where it needs 1 x the sum of earlier micro-steps and 0.5 x this micro-step's gradient (V13)}}
    %p1 = zero.update @sgd of @a(%p, %g) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, tensor<16xf32>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// A step that ends with sums: the next would add to them.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    // expected-note @below {{made by 'zero.accumulate of @b'}}
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    // expected-error @below {{'zero.return' op takes a result of 'zero.accumulate', in which there is 1 x the sum of earlier micro-steps and 0.5 x this micro-step's gradient, where it needs nothing (V13)}}
    zero.return %p1, %q1, %c, %t1, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// A bucket that is not updated.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    // expected-error @below {{takes state @b "param", in which there is nothing, where it needs 1 x an update (V13)}}
    zero.return %p1, %q, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// The model reads parameters that are updated already.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    // expected-note @below {{made by 'zero.update @sgd of @a'}}
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    // expected-error @below {{'zero.view' op takes a result of 'zero.update', in which there is 1 x an update, where it needs nothing (V13)}}
    %late = zero.view %p1[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// The norm adds its squares in another order.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    // expected-error @below {{'zero.clip' op adds squares of @b in place 0, where those of @a belong (V13); the norm is of all buckets that are trained, each once, in the order of the module}}
    %norm, %clip = zero.clip %y, %x {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// A gradient that is reduced twice: scaled twice.

module {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @step() {
    %d = zero.launch @f() : () -> tensor<32xf32>
    %g = zero.pack %d into @a : tensor<32xf32> -> tensor<32xf32>
    %r = zero.reduce_scatter %g of @a {scale = 0.5 : f64} : tensor<32xf32> -> tensor<32xf32>
    // expected-note @below {{made by 'zero.all_gather of @a'}}
    %w = zero.all_gather %r of @a : tensor<32xf32> -> tensor<32xf32>
    // expected-error @below {{takes a result of 'zero.all_gather', in which there is 0.5 x this micro-step's gradient and 1 x a reduction over ranks, where it needs 0.5 x this micro-step's gradient (V13)}}
    %again = zero.reduce_scatter %w of @a {scale = 0.5 : f64} : tensor<32xf32> -> tensor<32xf32>
    zero.return
  }
}

// -----

// The squares of one bucket are exchanged, not the total.

module {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @step() -> (tensor<f32> {zero.output = "grad_norm"}) {
    %d = zero.launch @f() : () -> tensor<32xf32>
    %g = zero.pack %d into @a : tensor<32xf32> -> tensor<32xf32>
    %r = zero.reduce_scatter %g of @a {scale = 0.5 : f64} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    %s = zero.sum_squares %r of @a : !zero.shard<32 x f32 by 2> -> tensor<1xf64>
    %t = zero.all_reduce %s over @dp {scale = 1.0 : f64} : tensor<1xf64>
    // expected-error @below {{'zero.clip' op takes a result of 'zero.all_reduce' (V13); on several ranks the norm is of one zero.all_reduce of the zero.total}}
    %norm, %clip = zero.clip %t : tensor<1xf64> -> tensor<f32>, tensor<f32>
    zero.return %norm : tensor<f32>
  }
}

// -----

// A gradient that counts twice as much as those of other micro-steps.

module attributes {zero.micro_steps = 2 : i64, zero.arena = array<i64: 1024, 0, 0>} {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 16 members [#zero.member<"u", 16 at 0, decay, init = #zero.constant<0.0>>]
  zero.bucket @b over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %clip: f32) state [] scalars ["clip"] {
    zero.yield %p : f32
  }
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.program @micro(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                   %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    zero.return %p, %q, %s1, %t1 : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>
  }
  zero.program @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "param">}, %q: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "param">},
                  %sum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@a, "grad">}, %qsum: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b, "grad">})
      -> (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32> {zero.output = "grad_norm"}) {
    %w = zero.view %p[@a, "u"] : !zero.shard<16 x f32 by 1> -> tensor<16xf32>
    %d = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %dq = zero.launch @f(%w) : (tensor<16xf32>) -> tensor<16xf32>
    %g = zero.pack %d into @a : tensor<16xf32> -> tensor<16xf32>
    %gq = zero.pack %dq into @b : tensor<16xf32> -> tensor<16xf32>
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.5 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    // expected-note @below {{made by 'zero.accumulate of @b'}}
    %t1 = zero.accumulate %qsum, %gq of @b {scale = 1.0 : f64} : !zero.shard<16 x f32 by 1>, tensor<16xf32>
    %x = zero.sum_squares %s1 of @a : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    // expected-error @below {{'zero.sum_squares' op takes a result of 'zero.accumulate', in which there is 1 x the sum of earlier micro-steps and 1 x this micro-step's gradient, where it needs 1 x the sum of earlier micro-steps and 0.5 x this micro-step's gradient (V13)}}
    %y = zero.sum_squares %t1 of @b : !zero.shard<16 x f32 by 1> -> tensor<1xf64>
    %norm, %clip = zero.clip %x, %y {max_norm = 1.0 : f64} : tensor<1xf64>, tensor<1xf64> -> tensor<f32>, tensor<f32>
    %p1 = zero.update @sgd of @a(%p, %s1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %q1 = zero.update @sgd of @b(%q, %t1) scalars(%clip) {decay = 0.1 : f64} : (!zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>), (tensor<f32>) -> !zero.shard<16 x f32 by 1>
    %c = zero.clear %s1 of @a : !zero.shard<16 x f32 by 1>
    %cq = zero.clear %t1 of @b : !zero.shard<16 x f32 by 1>
    zero.return %p1, %q1, %c, %cq, %norm : !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, !zero.shard<16 x f32 by 1>, tensor<f32>
  }
}

// -----

// A sum over ranks, where an update needs the mean.

module {
  zero.axis @dp size 4
  zero.bucket @a over @dp elements 64 members [#zero.member<"u", 64 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<64xf32>
  zero.program @step() {
    %d = zero.launch @f() : () -> tensor<64xf32>
    %g = zero.pack %d into @a : tensor<64xf32> -> tensor<64xf32>
    // expected-note @below {{made by 'zero.reduce_scatter of @a'}}
    %r = zero.reduce_scatter %g of @a {scale = 1.0 : f64} : tensor<64xf32> -> !zero.shard<64 x f32 by 4>
    // expected-error @below {{in which there is 1 x this micro-step's gradient and 1 x a reduction over ranks, where it needs 0.25 x this micro-step's gradient and 1 x a reduction over ranks (V13)}}
    %s = zero.sum_squares %r of @a : !zero.shard<64 x f32 by 4> -> tensor<1xf64>
    zero.return
  }
}

// -----

// Sums that are reduced at the end hold whole gradients, and are scaled then.

module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @micro(%sum: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@a, "grad">}) -> !zero.shard<32 x f32 by 1> {
    %d = zero.launch @f() : () -> tensor<32xf32>
    %g = zero.pack %d into @a : tensor<32xf32> -> tensor<32xf32>
    // expected-note @below {{made by 'zero.accumulate of @a'}}
    %s1 = zero.accumulate %sum, %g of @a {scale = 0.25 : f64} : !zero.shard<32 x f32 by 1>, tensor<32xf32>
    // expected-error @below {{in which there is 1 x the sum of earlier micro-steps and 0.25 x this micro-step's gradient, where it needs 1 x the sum of earlier micro-steps and 1 x this micro-step's gradient (V13)}}
    zero.return %s1 : !zero.shard<32 x f32 by 1>
  }
  zero.program @step(%sum: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@a, "grad">}) -> !zero.shard<32 x f32 by 1> {
    %c = zero.clear %sum of @a : !zero.shard<32 x f32 by 1>
    zero.return %c : !zero.shard<32 x f32 by 1>
  }
}

// -----

// A loss that is added over ranks, and squares that are averaged.

module {
  zero.axis @dp size 2
  zero.kernel @loss() -> tensor<f32>
  zero.program @step() -> (tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @loss() : () -> tensor<f32>
    // expected-error @below {{'zero.all_reduce' op scales by 1 where it needs 0.5 (V13); squares are added over ranks, all else is averaged}}
    %all = zero.all_reduce %l over @dp {scale = 1.0 : f64} : tensor<f32>
    zero.return %all : tensor<f32>
  }
}

// -----

module {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @step() {
    %d = zero.launch @f() : () -> tensor<32xf32>
    %g = zero.pack %d into @a : tensor<32xf32> -> tensor<32xf32>
    %r = zero.reduce_scatter %g of @a {scale = 0.5 : f64} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    %s = zero.sum_squares %r of @a : !zero.shard<32 x f32 by 2> -> tensor<1xf64>
    %t = zero.total %s : tensor<1xf64> -> tensor<f64>
    // expected-error @below {{'zero.all_reduce' op scales by 0.5 where it needs 1 (V13)}}
    %all = zero.all_reduce %t over @dp {scale = 0.5 : f64} : tensor<f64>
    zero.return
  }
}

// -----

// An update of the last micro-step's gradient alone.

module attributes {zero.micro_steps = 2 : i64} {
  zero.axis @dp size 2
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<32xf32>
  zero.program @micro() {
    zero.return
  }
  zero.program @step() {
    %d = zero.launch @f() : () -> tensor<32xf32>
    %g = zero.pack %d into @a : tensor<32xf32> -> tensor<32xf32>
    // expected-note @below {{made by 'zero.reduce_scatter of @a'}}
    %r = zero.reduce_scatter %g of @a {scale = 0.25 : f64} : tensor<32xf32> -> !zero.shard<32 x f32 by 2>
    // expected-error @below {{in which there is 0.25 x this micro-step's gradient and 1 x a reduction over ranks, where it needs 1 x the sum of earlier micro-steps and 0.25 x this micro-step's gradient and 1 x a reduction over ranks (V13)}}
    %s = zero.sum_squares %r of @a : !zero.shard<32 x f32 by 2> -> tensor<1xf64>
    zero.return
  }
}

// -----

// Rows that are in the gradient already, and rows that are not, as one tensor.

module {
  zero.axis @dp size 1
  zero.bucket @a over @dp elements 32 members [#zero.member<"u", 4x8 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<4x8xf32>
  zero.kernel @g() -> tensor<2x8xf32>
  zero.program @step() {
    %d = zero.launch @f() : () -> tensor<4x8xf32>
    %g = zero.pack %d into @a : tensor<4x8xf32> -> tensor<32xf32>
    %w = zero.view %g[@a, "u"] : tensor<32xf32> -> tensor<4x8xf32>
    %top = zero.split %w from 0 : tensor<4x8xf32> -> tensor<2x8xf32>
    // expected-note @below {{made by 'zero.launch @g'}}
    %more = zero.launch @g() : () -> tensor<2x8xf32>
    // expected-error @below {{in which there is nothing, where it needs 1 x this micro-step's gradient (V13)}}
    %joined = zero.join %top, %more : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<4x8xf32>
    zero.return
  }
}
