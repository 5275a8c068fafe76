// RUN: zero-opt %s -split-input-file --zero-assign-memory | FileCheck %s

// State comes first, then inputs, scalars and outputs, at multiples of 64; the
// update writes the state's own bytes.

// CHECK: zero.arena = array<i64: 704, 0, 0>
// CHECK-SAME: zero.live_peak = array<i64: 552, 0, 0>
module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"w", 8 at 0, init = #zero.constant<1.0>>]
  zero.optimizer @sgd(%p: f32, %g: f32, %m: f32, %lr: f32) state ["m"] scalars ["lr"] {
    zero.yield %p, %m : f32, f32
  }
  zero.kernel @grad(tensor<8xf32>, tensor<40xi32>) -> (tensor<f32>, tensor<32xf32>)
  // CHECK-LABEL: zero.program @step
  // CHECK-SAME: %arg0: !zero.shard<32 x f32 by 1> {zero.at = #zero.bytes<device, 0 + 128>
  // CHECK-SAME: %arg1: tensor<40xi32> {zero.at = #zero.bytes<device, 256 + 160>
  // CHECK-SAME: %arg2: tensor<f32> {zero.at = #zero.bytes<device, 448 + 4>
  // CHECK-SAME: %arg3: !zero.shard<32 x f32 by 1> {zero.at = #zero.bytes<device, 128 + 128>
  // CHECK: zero.view %arg0[@b0, "w"] {zero.at = [#zero.bytes<device, 0 + 32>]}
  // CHECK: zero.launch @grad({{.*}} {zero.at = [#zero.bytes<device, 512 + 4>, #zero.bytes<device, 576 + 128>]}
  // CHECK: zero.update {{.*}}zero.at = [#zero.bytes<device, 0 + 128>, #zero.bytes<device, 128 + 128>]
  zero.program @step(%p: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "param">},
                  %tokens: tensor<40xi32> {zero.input = "tokens"},
                  %lr: tensor<f32> {zero.scalar = "lr"},
                  %m: !zero.shard<32 x f32 by 1> {zero.state = #zero.state<@b0, "m">})
      -> (!zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 1>, tensor<f32> {zero.output = "loss"}) {
    %w = zero.view %p[@b0, "w"] : !zero.shard<32 x f32 by 1> -> tensor<8xf32>
    %loss, %g = zero.launch @grad(%w, %tokens) : (tensor<8xf32>, tensor<40xi32>) -> (tensor<f32>, tensor<32xf32>)
    %p1, %m1 = zero.update @sgd of @b0 (%p, %g, %m) scalars(%lr) {decay = 0.0 : f64} : (!zero.shard<32 x f32 by 1>, tensor<32xf32>, !zero.shard<32 x f32 by 1>), (tensor<f32>) -> !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 1>
    zero.return %p1, %m1, %loss : !zero.shard<32 x f32 by 1>, !zero.shard<32 x f32 by 1>, tensor<f32>
  }
}

// -----

// Bytes that are free in program order are used again: %c takes those of %a.

// CHECK: zero.arena = array<i64: 256, 0, 0>
module {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK: %[[A:.*]] = zero.launch @f(%arg0) {zero.at = [#zero.bytes<device, 128 + 64>]}
  // CHECK: %[[B:.*]] = zero.launch @f(%[[A]]) {zero.at = [#zero.bytes<device, 192 + 64>]}
  // CHECK: %[[C:.*]] = zero.launch @f(%[[B]]) {zero.at = [#zero.bytes<device, 128 + 64>]}
  // CHECK: zero.launch @f(%[[C]]) {zero.at = [#zero.bytes<device, 64 + 64>]}
  zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) -> (tensor<16xf32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%a) : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @f(%b) : (tensor<16xf32>) -> tensor<16xf32>
    %d = zero.launch @f(%c) : (tensor<16xf32>) -> tensor<16xf32>
    zero.return %d : tensor<16xf32>
  }
}

// -----

// The smallest gap that fits: of those that %a (256 bytes) and %b (128 bytes)
// leave below and between %k1 and %k2, %e takes the latter.

module {
  zero.kernel @new4(tensor<f32>) -> tensor<64xf32>
  zero.kernel @new3(tensor<f32>) -> tensor<48xf32>
  zero.kernel @new2(tensor<f32>) -> tensor<32xf32>
  zero.kernel @new1(tensor<f32>) -> tensor<16xf32>
  zero.kernel @use(tensor<64xf32>, tensor<32xf32>) -> tensor<f32>
  zero.kernel @end(tensor<48xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  // CHECK-LABEL: zero.program @step
  // CHECK: zero.launch @new4({{.*}}#zero.bytes<device, 192 + 256>
  // CHECK: zero.launch @new3({{.*}}#zero.bytes<device, 448 + 192>
  // CHECK: zero.launch @new2({{.*}}#zero.bytes<device, 640 + 128>
  // CHECK: zero.launch @new1({{.*}}#zero.bytes<device, 768 + 64>
  // CHECK: zero.launch @new1({{.*}}#zero.bytes<device, 640 + 64>
  zero.program @step(%x: tensor<f32> {zero.scalar = "x"}) -> (tensor<f32> {zero.output = "y"}, tensor<f32> {zero.output = "z"}) {
    %a = zero.launch @new4(%x) : (tensor<f32>) -> tensor<64xf32>
    %k1 = zero.launch @new3(%x) : (tensor<f32>) -> tensor<48xf32>
    %b = zero.launch @new2(%x) : (tensor<f32>) -> tensor<32xf32>
    %k2 = zero.launch @new1(%x) : (tensor<f32>) -> tensor<16xf32>
    %y = zero.launch @use(%a, %b) : (tensor<64xf32>, tensor<32xf32>) -> tensor<f32>
    %e = zero.launch @new1(%x) : (tensor<f32>) -> tensor<16xf32>
    %z = zero.launch @end(%k1, %k2, %e) : (tensor<48xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
    zero.return %y, %z : tensor<f32>, tensor<f32>
  }
}

// -----

// Gradients are produced inside the flat buffer of their bucket, at the offsets
// of their members.

module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 48 members [#zero.member<"w", 4x4 at 0, init = #zero.constant<1.0>>, #zero.member<"b", 4 at 16, init = #zero.constant<1.0>>]
  zero.kernel @dw(tensor<f32>) -> tensor<2x8xf32>
  zero.kernel @db(tensor<f32>) -> tensor<4xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK: zero.launch @db({{.*}} {zero.at = [#zero.bytes<device, 192 + 16>]}
  // CHECK: zero.launch @dw({{.*}} {zero.at = [#zero.bytes<device, 128 + 64>]}
  // CHECK: tensor.collapse_shape {{.*}}{zero.at = [#zero.bytes<device, 128 + 64>]}
  // CHECK: tensor.expand_shape {{.*}}{zero.at = [#zero.bytes<device, 128 + 64>]}
  // CHECK-NOT: zero.copy
  // CHECK: zero.flatten {{.*}} {zero.at = [#zero.bytes<device, 128 + 192>]}
  zero.program @step(%x: tensor<f32> {zero.scalar = "x"}) -> (tensor<f32> {zero.output = "norm"}) {
    %db = zero.launch @db(%x) : (tensor<f32>) -> tensor<4xf32>
    %dw = zero.launch @dw(%x) : (tensor<f32>) -> tensor<2x8xf32>
    %line = tensor.collapse_shape %dw [[0, 1]] : tensor<2x8xf32> into tensor<16xf32>
    %square = tensor.expand_shape %line [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %g = zero.flatten %square, %db into @b0 : tensor<4x4xf32>, tensor<4xf32> -> tensor<48xf32>
    %s = zero.sum_squares %g of @b0 : tensor<48xf32> -> tensor<2xf64>
    %n, %f = zero.clip %s : tensor<2xf64> -> tensor<f32>, tensor<f32>
    zero.return %n : tensor<f32>
  }
}

// -----

// A value that is packed twice in one bucket, an argument, and a part of another
// pack are copied into the flat gradient.

module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 48 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<1.0>>, #zero.member<"w", 16 at 32, init = #zero.constant<1.0>>]
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @g(tensor<48xf32>, tensor<48xf32>) -> tensor<f32>
  // CHECK-LABEL: zero.program @step
  // CHECK: %[[A:.*]] = zero.launch @f(%arg0) {{.*}}zero.stream = #zero.stream<reduce>
  // CHECK: %[[A1:.*]] = zero.copy %[[A]] {{.*}}zero.stream = #zero.stream<reduce>
  // CHECK: %[[X1:.*]] = zero.copy %arg0
  // CHECK: zero.flatten %[[A]], %[[A1]], %[[X1]] into @b0
  // CHECK: %[[B:.*]] = zero.launch @f
  // CHECK: %[[C:.*]] = zero.launch @f
  // CHECK: %[[A2:.*]] = zero.copy %[[A]]
  // CHECK: zero.flatten %[[A2]], %[[B]], %[[C]] into @b0
  zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) -> (tensor<f32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) {zero.stream = #zero.stream<reduce>} : (tensor<16xf32>) -> tensor<16xf32>
    %p = zero.flatten %a, %a, %x into @b0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32> -> tensor<48xf32>
    %b = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %q = zero.flatten %a, %b, %c into @b0 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32> -> tensor<48xf32>
    %y = zero.launch @g(%p, %q) : (tensor<48xf32>, tensor<48xf32>) -> tensor<f32>
    zero.return %y : tensor<f32>
  }
}

// -----

// What was fetched is copied on the compute stream.

module {
  zero.axis @dp size 1
  zero.bucket @b0 over @dp elements 32 members [#zero.member<"u", 16 at 0, init = #zero.constant<1.0>>, #zero.member<"v", 16 at 16, init = #zero.constant<1.0>>]
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK: %[[A:.*]] = zero.fetch
  // CHECK-NEXT: %[[A1:.*]] = zero.copy %[[A]] {zero.at = [#zero.bytes<device, {{[0-9]+}} + 64>]}
  // CHECK-NEXT: zero.flatten %[[A]], %[[A1]] into @b0
  zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) -> (tensor<32xf32> {zero.output = "y"}) {
    %h = zero.spill %x {zero.stream = #zero.stream<d2h>} : tensor<16xf32> -> !zero.stored<tensor<16xf32> on host>
    %a = zero.fetch %h {zero.stream = #zero.stream<h2d>} : !zero.stored<tensor<16xf32> on host> -> tensor<16xf32>
    %p = zero.flatten %a, %a into @b0 : tensor<16xf32>, tensor<16xf32> -> tensor<32xf32>
    zero.return %p : tensor<32xf32>
  }
}

// -----

// What must replace an operand overwrites it where it dies (%b); where it is
// still read, is another operand too, or is an input, it is copied first.

module {
  zero.kernel @f(tensor<16xf32>) -> tensor<16xf32>
  zero.kernel @add(tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32> {zero.must_alias = 1 : i64})
  // CHECK-LABEL: zero.program @step
  // CHECK: %[[A:.*]] = zero.launch @f(%arg0) {zero.at = [#zero.bytes<device, [[AT:[0-9]+]] + 64>]}
  // CHECK-NEXT: %[[B:.*]] = zero.launch @add(%arg0, %[[A]]) {zero.at = [#zero.bytes<device, [[AT]] + 64>]}
  // CHECK-NEXT: %[[B1:.*]] = zero.copy %[[B]] {zero.at = [#zero.bytes<device, [[AT1:[0-9]+]] + 64>]}
  // CHECK-NEXT: %[[C:.*]] = zero.launch @add(%arg0, %[[B1]]) {zero.at = [#zero.bytes<device, [[AT1]] + 64>]}
  // CHECK-NEXT: %[[B2:.*]] = zero.copy %[[B]]
  // CHECK-NEXT: %[[D:.*]] = zero.launch @add(%[[B]], %[[B2]])
  // CHECK-NEXT: %[[X:.*]] = zero.copy %arg0
  // CHECK-NEXT: %[[E:.*]] = zero.launch @add(%[[C]], %[[X]])
  // CHECK-NEXT: zero.launch @add(%[[D]], %[[E]])
  zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) -> (tensor<16xf32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @add(%x, %a) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @add(%x, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %d = zero.launch @add(%b, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %e = zero.launch @add(%c, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %f = zero.launch @add(%d, %e) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    zero.return %f : tensor<16xf32>
  }
}

// -----

// A matmul accumulates into its init.

module {
  zero.kernel @f(tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-LABEL: zero.program @step
  // CHECK: %[[A:.*]] = zero.launch @f(%arg0) {zero.at = [#zero.bytes<device, [[AT:[0-9]+]] + 64>]}
  // CHECK-NEXT: nn.matmul {{.*}} init(%[[A]]) {zero.at = [#zero.bytes<device, [[AT]] + 64>]}
  zero.program @step(%x: tensor<4x4xf32> {zero.input = "x"}, %b: tensor<4xf32> {zero.input = "b"}) -> (tensor<4x4xf32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %y = nn.matmul %x, %x bias(%b) init(%a) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    zero.return %y : tensor<4x4xf32>
  }
}

// -----

// A kernel works in place where it may and the operand dies there (%b), but not
// over an input (%a), a value that is read again (%c), one that is also another
// operand (%d), or one of another size.

module {
  zero.kernel @f(tensor<16xf32>) -> (tensor<16xf32> {zero.in_place = array<i64: 0>})
  zero.kernel @g(tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32> {zero.in_place = array<i64: 0>})
  // CHECK-LABEL: zero.program @step
  // CHECK: %[[A:.*]] = zero.launch @f(%arg0) {zero.at = [#zero.bytes<device, [[AT:[0-9]+]] + 64>]}
  // CHECK: %[[B:.*]] = zero.launch @f(%[[A]]) {zero.at = [#zero.bytes<device, [[AT]] + 64>]}
  // CHECK-NOT: zero.launch @f(%[[B]]) {zero.at = [#zero.bytes<device, [[AT]] + 64>]}
  // CHECK: %[[C:.*]] = zero.launch @f(%[[B]]) {zero.at = [#zero.bytes<device, [[CT:[0-9]+]] + 64>]}
  // CHECK: %[[D:.*]] = zero.launch @g(%[[C]], %[[C]])
  // CHECK-NOT: #zero.bytes<device, [[CT]] + 64>
  // CHECK: zero.launch @g(%[[D]], %[[B]])
  // CHECK-NOT: zero.copy
  zero.program @step(%x: tensor<16xf32> {zero.input = "x"}) -> (tensor<16xf32> {zero.output = "y"}) {
    %a = zero.launch @f(%x) : (tensor<16xf32>) -> tensor<16xf32>
    %b = zero.launch @f(%a) : (tensor<16xf32>) -> tensor<16xf32>
    %c = zero.launch @f(%b) : (tensor<16xf32>) -> tensor<16xf32>
    %d = zero.launch @g(%c, %c) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %e = zero.launch @g(%d, %b) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    zero.return %e : tensor<16xf32>
  }
}

// -----

// Left alone: a step without temporaries; old assignments are replaced.

// CHECK: zero.arena = array<i64: 64, 0, 0>
module attributes {zero.arena = array<i64: 4096, 0, 0>} {
  // CHECK-LABEL: zero.program @step
  // CHECK-SAME: zero.at = #zero.bytes<device, 0 + 4>
  // CHECK-NEXT: return %arg0
  zero.program @step(%x: tensor<f32> {zero.scalar = "x", zero.at = #zero.bytes<device, 256 + 4>}) -> (tensor<f32> {zero.output = "y"}) {
    zero.return %x : tensor<f32>
  }
}
