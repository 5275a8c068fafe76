// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-plan=without-model
// (S6): what a kernel says of its units, and of operands that a result may
// replace, is true of its body.

// Good: a sum of each row, then an operation that replaces the row.

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32> {zero.in_place = array<i64: 0>}) units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %c = arith.constant 0.0 : f32
    %s0 = tensor.empty() : tensor<4xf32>
    %s = linalg.fill ins(%c : f32) outs(%s0 : tensor<4xf32>) -> tensor<4xf32>
    %t = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %t, %y : tensor<4xf32>, tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Rows that the operations do not have.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [8] {
    %e = tensor.empty() : tensor<4x8xf32>
    // expected-error @below {{'linalg.generic' op has loops of [4, 8], and its kernel is cut into rows of [8] (S6)}}
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

// Threads that add to one sum.

#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<8xf32> units rows [4] {
    %c = arith.constant 0.0 : f32
    %s0 = tensor.empty() : tensor<8xf32>
    // expected-error @below {{'linalg.fill' op has loops of [8], and its kernel is cut into rows of [4] (S6)}}
    %s = linalg.fill ins(%c : f32) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [#row, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<8xf32>
    zero.return %t : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A result that is stored across the rows.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x4xf32>) -> tensor<4x4xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    // expected-error @below {{'linalg.generic' op writes by affine_map<(d0, d1) -> (d1, d0)>, not its own row of a kernel that is cut into rows (S6)}}
    %y = linalg.generic {indexing_maps = [#row, #across], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
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

// Another row of what the kernel computes row by row.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x4xf32>) -> tensor<4x4xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    // expected-note @below {{computed here}}
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    // expected-error @below {{'linalg.generic' op reads more than its own row of what its kernel computes row by row (S6)}}
    %z = linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    zero.return %z : tensor<4x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// The same, read inside of the body.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x4xf32>) -> tensor<4x4xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    // expected-note @below {{computed here}}
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    // expected-error @below {{reads more than its own row of what its kernel computes row by row (S6)}}
    %z = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<4x4xf32>) {
    ^bb0(%o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %r = tensor.extract %y[%j, %i] : tensor<4x4xf32>
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    zero.return %z : tensor<4x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Columns of what another thread may not have computed yet.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x4xf32>) -> tensor<4x4xf32> units columns [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    // expected-note @below {{computed here}}
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    // expected-error @below {{'linalg.generic' op reads what another operation computes, in a kernel that is cut into columns (S6)}}
    %z = linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    zero.return %z : tensor<4x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Fewer columns than there are.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units columns [7] {
    %e = tensor.empty() : tensor<4x8xf32>
    // expected-error @below {{'linalg.generic' op has loops of [4, 8], contiguous along loop 1, and its kernel is cut into columns of [7] (S6)}}
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

// Heads that nobody does.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op is a kernel of attention with units [2, 2], and its body has [2, 3] (S6)}}
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> units attention [2, 2] {
    %y = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    zero.return %y : tensor<2x4x3x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A kind that nobody knows.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{custom op 'zero.kernel' units are rows, columns, serial, attention or scatter, got tiles}}
  zero.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> units tiles [4] {
    zero.return %x : tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Columns of a loop that does not walk contiguous memory.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units columns [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    // expected-error @below {{'linalg.generic' op has loops of [4, 8], contiguous along loop 1, and its kernel is cut into columns of [4] (S6)}}
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

// Attention is a kernel by itself.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32> units serial {
    // expected-error @below {{does not belong in a kernel of serial (S6)}}
    %y = nn.attention %x, %x, %x {causal, scale = 0.25 : f64} : tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>
    zero.return %y : tensor<2x4x3x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// With --reference nothing is cut.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.reference, zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{is a kernel of rows, but with zero.reference all are serial (S6)}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> tensor<4x8xf32> units rows [4] {
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

// An operand that is read after its row was overwritten.

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op lets result 0 replace operand 0, which is read when an element of it may be overwritten (S6)}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {zero.in_place = array<i64: 0>}, tensor<4xf32>) units rows [4] {
    %e = tensor.empty() : tensor<4x8xf32>
    %c = arith.constant 0.0 : f32
    %s0 = tensor.empty() : tensor<4xf32>
    %s = linalg.fill ins(%c : f32) outs(%s0 : tensor<4xf32>) -> tensor<4xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    // expected-note @below {{by 'linalg.generic'}}
    %t = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%s : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    zero.return %y, %t : tensor<4x8xf32>, tensor<4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// An operand of which other rows are read while this one is overwritten.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op lets result 0 replace operand 0, which is read when an element of it may be overwritten (S6)}}
  zero.kernel @k(%x: tensor<4x4xf32>) -> (tensor<4x4xf32> {zero.in_place = array<i64: 0>}) units rows [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    // expected-note @below {{by 'linalg.generic'}}
    %y = linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
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

// The same by an earlier operation of the row.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op lets result 0 replace operand 0, which is read when an element of it may be overwritten (S6)}}
  zero.kernel @k(%x: tensor<4x4xf32>) -> (tensor<4x4xf32> {zero.in_place = array<i64: 0>}) units rows [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    // expected-note @below {{by 'linalg.generic'}}
    %t = linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
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

// Sound where there is one unit: all is read before anything is written.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x4xf32>) -> (tensor<4x4xf32> {zero.in_place = array<i64: 0>}) units serial {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    %t = linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
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

// A sum is written before all of its operand is read.

#row = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op names operand 0 of 'tensor<4x8xf32>' in zero.in_place of result 0 of 'tensor<8xf32>'}}
  zero.kernel @k(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32> {zero.in_place = array<i64: 0>}) units serial {
    %c = arith.constant 0.0 : f32
    %s0 = tensor.empty() : tensor<8xf32>
    %s = linalg.fill ins(%c : f32) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
    %t = linalg.generic {indexing_maps = [#row, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%s : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<8xf32>
    zero.return %t : tensor<8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Bytes of another type.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op names operand 0 of 'tensor<4x8xf32>' in zero.in_place of result 0 of 'tensor<4x8xf64>'}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4x8xf64> {zero.in_place = array<i64: 0>}) units rows [4] {
    %e = tensor.empty() : tensor<4x8xf64>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf64>) {
    ^bb0(%a: f32, %o: f64):
      %r = arith.extf %a : f32 to f64
      linalg.yield %r : f64
    } -> tensor<4x8xf64>
    zero.return %y : tensor<4x8xf64>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A scatter that adds to what it does not replace.

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op adds to operand 2 in result 0, which must replace it (S6)}}
  zero.kernel @k(%ids: tensor<4xi32>, %g: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<16x8xf32> units scatter [8] {
    %y = nn.embedding_backward %ids, %g into %w : tensor<4xi32>, tensor<4x8xf32>, tensor<16x8xf32>
    zero.return %y : tensor<16x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Rows of a view are not those of the kernel.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x4xf32>) -> tensor<4x4xf32> units rows [4] {
    %e = tensor.empty() : tensor<4x4xf32>
    %f = tensor.empty() : tensor<4x4xf32>
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    // expected-note @+2 {{computed here}}
    %c = tensor.collapse_shape %y [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %w = tensor.expand_shape %c [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    // expected-error @below {{reads more than its own row of what its kernel computes row by row (S6)}}
    %z = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.negf %a : f32
      linalg.yield %r : f32
    } -> tensor<4x4xf32>
    zero.return %z : tensor<4x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// What reads an operand through a view may do so too late.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op lets result 0 replace operand 0, which is read when an element of it may be overwritten (S6)}}
  zero.kernel @k(%x: tensor<4x4xf32>) -> (tensor<4x4xf32> {zero.in_place = array<i64: 0>}) units serial {
    %e = tensor.empty() : tensor<4x4xf32>
    // expected-note @+1 {{by 'tensor.collapse_shape'}}
    %c = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %w = tensor.expand_shape %c [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %y = linalg.generic {indexing_maps = [#across, #row], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
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

// A fill that other threads do.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<8x8xf32>) -> tensor<8x8xf32> units columns [8] {
    %c = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x8xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @below {{'linalg.generic' op begins with a value that is indexed by affine_map<(d0, d1) -> (d1, d0)>, and cut along its last dimension, in a kernel that is cut along loop 1 (S6)}}
    %y = linalg.generic {indexing_maps = [#row, #across], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<8x8xf32>
    zero.return %y : tensor<8x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Bytes to which another value is copied first.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op lets result 0 replace operand 0, and begins as something else (S6)}}
  zero.kernel @k(%x: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32> {zero.in_place = array<i64: 0>}) units rows [4] {
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Sound: what it begins as.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> (tensor<4x8xf32> {zero.in_place = array<i64: 1>}) units rows [4] {
    %y = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<4x8xf32>
    zero.return %y : tensor<4x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// A copy that other threads do.

#row = affine_map<(d0, d1) -> (d0, d1)>
#across = affine_map<(d0, d1) -> (d1, d0)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%x: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> units columns [8] {
    // expected-error @below {{begins with a value that is indexed by affine_map<(d0, d1) -> (d1, d0)>, and cut along its last dimension}}
    %y = linalg.generic {indexing_maps = [#row, #across], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x8xf32>) outs(%b : tensor<8x8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %o, %a : f32
      linalg.yield %r : f32
    } -> tensor<8x8xf32>
    zero.return %y : tensor<8x8xf32>
  }
  zero.program @step() {
    zero.return
  }
}

// -----

// Claims of other types.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{'zero.kernel' op has zero.in_place = array<i32: 0> of result 0; it is an array of i64}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {zero.in_place = array<i32: 0>}) units rows [4] {
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

// A result that replaces what it does not add to.

#row = affine_map<(d0, d1) -> (d0, d1)>

module attributes {zero.arena = array<i64: 0, 0, 0>} {
  // expected-error @below {{makes result 0 replace operand 0, and does not add to it (S6)}}
  zero.kernel @k(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {zero.must_alias = 0 : i64}) units rows [4] {
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
