// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// (S6): a kernel is made of what is compiled as it is written.

// What an operand holds is no result.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    // expected-error @below {{'zero.return' op returns as result 1 what the kernel does not compute (S6)}}
    zero.return %y, %x : tensor<4x8xf32>, tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// ... nor what it computes, seen otherwise,

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<32xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    %v = tensor.collapse_shape %y [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
    // expected-error @below {{returns as result 0 what the kernel does not compute (S6)}}
    zero.return %v : tensor<32xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// ... nor another result.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    // expected-error @below {{returns as result 1 what is another result too (S6)}}
    zero.return %y, %y : tensor<4x8xf32>, tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Units of one kernel that write one element.

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4xf32> units columns [8] {
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @below {{'linalg.generic' op writes by affine_map<(d0, d1) -> (d0)> (S6); each parallel loop indexes its result once, and nothing else does}}
    %y = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    zero.return %y : tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Elements that nothing writes.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>) -> tensor<4x4xf32> units serial {
    %e = tensor.empty() : tensor<4x4xf32>
    // expected-error @below {{writes by affine_map<(d0) -> (d0, d0)> (S6)}}
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    zero.return %y : tensor<4x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A value that nothing has written.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k() -> tensor<4x8xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    // expected-error @below {{'linalg.generic' op reads a tensor.empty, which nothing has written (S6)}}
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%e : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Bytes that the result shares with what was computed before.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %t = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    // expected-error @below {{'linalg.generic' op does not read its initial value, which is no tensor.empty (S6)}}
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%t : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Tensors inside of the body.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      // expected-error @below {{'arith.constant' op is no scalar arithmetic of a kernel (S6)}}
      %c = arith.constant dense<1.0> : tensor<8xf32>
      %i = linalg.index 1 : index
      %r = tensor.extract %c[%i] : tensor<8xf32>
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Operations that are moved past each other.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units serial {
    %c = arith.constant 0 : index
    // expected-error @below {{'tensor.extract' op does not belong in a kernel of serial (S6)}}
    %f = tensor.extract %x[%c, %c] : tensor<4x8xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.fill ins(%f : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Units that are none.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op is cut into units of sizes [0], and needs a kind of them and one or more of each (S6)}}
  zero.kernel @k(%x: tensor<8x8xf32>) -> tensor<8x8xf32> units rows [0] {
    %e = tensor.empty() : tensor<8x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<8x8xf32>
    zero.return %y : tensor<8x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// What is no tensor.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op is of type '(f32) -> tensor<4x8xf32>'; a kernel is on tensors, or on memrefs without results}}
  zero.kernel @k(%x: f32) -> tensor<4x8xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.fill ins(%x : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A part of the result that nothing writes.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> tensor<2x4x3x24xf32> units attention [2, 3] {
    %e = tensor.empty() : tensor<2x4x3x24xf32>
    %y = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    // expected-error @below {{'tensor.insert_slice' op ends inserts of 192 elements into 'tensor<2x4x3x24xf32>' (S6); they fill a tensor.empty}}
    %p = tensor.insert_slice %y into %e[0, 0, 0, 8] [2, 4, 3, 8] [1, 1, 1, 1] : tensor<2x4x3x8xf32> into tensor<2x4x3x24xf32>
    zero.return %p : tensor<2x4x3x24xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// An insert that nobody does.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> tensor<2x4x3x24xf32> units attention [2, 3] {
    %e = tensor.empty() : tensor<2x4x3x24xf32>
    %y = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    // expected-error @below {{inserts what is no result of attention (S6)}}
    %p = tensor.insert_slice %x into %e[0, 0, 0, 0] [2, 4, 3, 8] [1, 1, 1, 1] : tensor<2x4x3x8xf32> into tensor<2x4x3x24xf32>
    %p1 = tensor.insert_slice %y into %p[0, 0, 0, 8] [2, 4, 3, 8] [1, 1, 1, 1] : tensor<2x4x3x8xf32> into tensor<2x4x3x24xf32>
    zero.return %p1 : tensor<2x4x3x24xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A result that is returned, and inserted too.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) units attention [2, 3] {
    %e = tensor.empty() : tensor<2x4x3x8xf32>
    // expected-error @below {{'nn.attention' op has result 0 that is not returned or inserted, once (S6)}}
    %y = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    %p = tensor.insert_slice %y into %e[0, 0, 0, 0] [2, 4, 3, 8] [1, 1, 1, 1] : tensor<2x4x3x8xf32> into tensor<2x4x3x8xf32>
    zero.return %p, %y : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A scatter that starts from something else than zeros.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%ids: tensor<4xi32>, %g: tensor<4x8xf32>) -> tensor<16x8xf32> units scatter [8] {
    %c = arith.constant 3.0 : f32
    %e = tensor.empty() : tensor<16x8xf32>
    %w = linalg.fill ins(%c : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
    // expected-error @below {{'nn.embedding_backward' op starts neither from zeros nor from an operand that nothing else reads (S6)}}
    %y = nn.embedding_backward %ids, %g into %w : tensor<4xi32>, tensor<4x8xf32>, tensor<16x8xf32>
    zero.return %y : tensor<16x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A scatter of what it replaces.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%ids: tensor<16xi32>, %w: tensor<16x8xf32>) -> (tensor<16x8xf32> {zero.must_alias = 1 : i64}) units scatter [8] {
    // expected-error @below {{starts neither from zeros nor from an operand that nothing else reads (S6)}}
    %y = nn.embedding_backward %ids, %w into %w : tensor<16xi32>, tensor<16x8xf32>, tensor<16x8xf32>
    zero.return %y : tensor<16x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Two operations that have kernels of their own.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) units attention [2, 3] {
    %y = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    %z = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    // expected-error @below {{'zero.return' op ends a kernel of attention with 2 operations of that kind (S6)}}
    zero.return %y, %z : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A part of an inserted tensor that nothing writes.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>) -> tensor<8xf32> units serial {
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @below {{ends inserts of 4 elements into 'tensor<8xf32>' (S6); they fill a tensor.empty}}
    %a = tensor.insert_slice %x into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %f = tensor.empty() : tensor<8xf32>
    %p = tensor.insert_slice %a into %f[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
    zero.return %p : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// What nothing has written, inserted into itself.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> units serial {
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @below {{reads a tensor.empty, which nothing has written (S6)}}
    %p = tensor.insert_slice %e into %e[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    zero.return %p : tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Places that are not known may be outside.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>, %b: tensor<8xf32>) -> tensor<8xf32> units serial {
    %i = arith.constant 100 : index
    // expected-error @below {{inserts at places that are not known (S6)}}
    %p = tensor.insert_slice %x into %b[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    zero.return %p : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%b: tensor<8xf32>) -> tensor<4xf32> units serial {
    %i = arith.constant 100 : index
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @below {{takes a slice at places that are not known (S6)}}
    %s = tensor.extract_slice %b[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    zero.return %y : tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Strides leave elements out.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>) -> tensor<8xf32> units serial {
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @below {{inserts with strides into a tensor.empty (S6)}}
    %p = tensor.insert_slice %x into %e[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
    zero.return %p : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// One over another: which is last is not said.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>) -> tensor<8xf32> units serial {
    %e = tensor.empty() : tensor<8xf32>
    %a = tensor.insert_slice %x into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    // expected-error @below {{inserts over what was inserted before (S6)}}
    %p = tensor.insert_slice %x into %a[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    zero.return %p : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A tensor, and what it was before an insert.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) units serial {
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @below {{is used beside the insert that follows, which takes its bytes (S6)}}
    %a = tensor.insert_slice %x into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %p = tensor.insert_slice %x into %a[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    zero.return %a, %p : tensor<8xf32>, tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A reduction that keeps the last element only.

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4xf32> units rows [4] {
    %e = tensor.empty() : tensor<4xf32>
    // expected-error @below {{has reductions, and does not read the initial value of result 0 (S6); add to it}}
    %y = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    zero.return %y : tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Good: a sum that keeps its dimension.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x1xf32> units rows [4] {
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x1xf32>
    %s = linalg.fill ins(%c : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
    %y = linalg.generic {indexing_maps = [#row, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%s : tensor<4x1xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<4x1xf32>
    zero.return %y : tensor<4x1xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A fill of what has other bytes.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4] {
    %c = arith.constant 0.0 : f32
    // expected-error @below {{'linalg.fill' op fills what is no tensor.empty (S6)}}
    %y = linalg.fill ins(%c : f32) outs(%x : tensor<4x8xf32>) -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Sizes that are not known.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{has a value of 'tensor<?xf32>' (S6); kernels are on tensors of known sizes, of integers and floats of 8 to 64 bits, and i1}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4] {
    %n = arith.constant 8 : index
    %d = tensor.empty(%n) : tensor<?xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Attention of what the kernel computes.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> units attention [2, 3] {
    %c = arith.constant dense<1.0> : tensor<2x4x3x8xf32>
    // expected-error @below {{reads what is no view of an operand of its kernel (S6)}}
    %y = nn.attention %x, %c, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    zero.return %y : tensor<2x4x3x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Several blocks.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op region #0 ('body') failed to verify constraint: region with at most 1 blocks}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4] {
    cf.br ^next
  ^next:
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Attention reads rows: of every second element there is none.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<1x5x2x8xf32>, %k: tensor<1x5x2x4xf32>, %v: tensor<1x5x2x4xf32>) -> tensor<1x5x2x4xf32> units attention [1, 2] {
    %q = tensor.extract_slice %x[0, 0, 0, 0] [1, 5, 2, 4] [1, 1, 1, 2] : tensor<1x5x2x8xf32> to tensor<1x5x2x4xf32>
    // expected-error @below {{'nn.attention' op reads a view of 'tensor<1x5x2x4xf32>' whose rows do not lie side by side (S6)}}
    %o = nn.attention %q, %k, %v {scale = 0.5 : f64} : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>
    zero.return %o : tensor<1x5x2x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// ... and a scatter dimensions that follow each other: rows with gaps are not
// one dimension.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%t: tensor<6xi32>, %x: tensor<2x6x8xf32>, %w: tensor<9x8xf32>) -> (tensor<9x8xf32> {zero.must_alias = 2 : i64}) units scatter [8] {
    %part = tensor.extract_slice %x[0, 0, 0] [2, 3, 8] [1, 1, 1] : tensor<2x6x8xf32> to tensor<2x3x8xf32>
    %g = tensor.collapse_shape %part [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
    // expected-error @below {{'nn.embedding_backward' op reads a view of 'tensor<6x8xf32>' whose rows do not lie side by side (S6)}}
    %o = nn.embedding_backward %t, %g into %w : tensor<6xi32>, tensor<6x8xf32>, tensor<9x8xf32>
    zero.return %o : tensor<9x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Good: rows of a wider tensor, and a dimension that has no gaps.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<1x5x24xf32>, %k: tensor<5x2x4xf32>) -> tensor<1x5x2x4xf32> units attention [1, 2] {
    %part = tensor.extract_slice %x[0, 0, 8] [1, 5, 8] [1, 1, 1] : tensor<1x5x24xf32> to tensor<1x5x8xf32>
    %q = tensor.expand_shape %part [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
    %flat = tensor.collapse_shape %k [[0, 1, 2]] : tensor<5x2x4xf32> into tensor<40xf32>
    %v = tensor.expand_shape %flat [[0, 1, 2, 3]] output_shape [1, 5, 2, 4] : tensor<40xf32> into tensor<1x5x2x4xf32>
    %o = nn.attention %q, %v, %v {scale = 0.5 : f64} : tensor<1x5x2x4xf32>, tensor<1x5x2x4xf32>
    zero.return %o : tensor<1x5x2x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// On memrefs already.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op is a kernel of type '(memref<4x8xf32>) -> ()' (S6); kernels take and give tensors}}
  zero.kernel @k(%x: memref<4x8xf32>) units rows [4] {
    zero.return
  }
  zero.program @step() {
    zero.return
  }
}
