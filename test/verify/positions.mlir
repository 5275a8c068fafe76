// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-verify-positions
// (S8): positions lie in the tensor, whatever the inputs say.

// As they are, and as upstream counts and converts them.

#ids = affine_map<(i, c) -> (i)>
#all = affine_map<(i, c) -> (i, c)>

func.func @accepted(%w: tensor<12x5xf32>, %ids: tensor<3xi64> {zero.input = "a", zero.vocab = 12 : i64},
                    %any: tensor<3xi64> {zero.input = "b"},
                    %target: tensor<3xi32> {zero.input = "c", zero.vocab = 5 : i64, zero.ignored = -100 : i64}) -> tensor<3x5xf32> {
  %zero = arith.constant 0 : i64
  %last = arith.constant 11 : i64
  %none = arith.constant 0 : i32
  %classes = arith.constant 5 : i32
  %e = tensor.empty() : tensor<3x5xf32>
  %x = linalg.generic {indexing_maps = [#ids, #ids, #ids, #all], iterator_types = ["parallel", "parallel"]}
      ins(%ids, %any, %target : tensor<3xi64>, tensor<3xi64>, tensor<3xi32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%id: i64, %far: i64, %class: i32, %o: f32):
    %column = linalg.index 1 : index
    %row = arith.index_cast %id : i64 to index
    %a = tensor.extract %w[%row, %column] : tensor<12x5xf32>
    // Clamped,
    %low = arith.maxsi %far, %zero : i64
    %near = arith.minsi %low, %last : i64
    %clamped = arith.index_cast %near : i64 to index
    %b = tensor.extract %w[%clamped, %column] : tensor<12x5xf32>
    // ... and compared.
    %is = arith.cmpi ult, %class, %classes : i32
    %safe = arith.select %is, %class, %none : i32
    %there = arith.index_cast %safe : i32 to index
    %c = tensor.extract %w[%there, %there] : tensor<12x5xf32>
    %ab = arith.addf %a, %b : f32
    %abc = arith.addf %ab, %c : f32
    linalg.yield %abc : f32
  } -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// An input without a bound may say anything,

func.func @any(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a"}) -> tensor<3x5xf32> {
  // expected-error @+1 {{'nn.embedding' op may be at positions -2147483648 to 2147483647 of 12 in dimension 0 (S8); bound the input that they come from by zero.vocab, or clamp them by arith.maxsi and arith.minsi}}
  %x = nn.embedding %ids, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// ... one with a bound less,

func.func @larger(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a", zero.vocab = 13 : i64}) -> tensor<3x5xf32> {
  // expected-error @+1 {{may be at positions 0 to 12 of 12 in dimension 0 (S8)}}
  %x = nn.embedding %ids, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// ... and what is ignored.

func.func @ignored(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a", zero.vocab = 12 : i64, zero.ignored = -100 : i64}) -> tensor<3x5xf32> {
  // expected-error @+1 {{may be at positions -100 to 11 of 12 in dimension 0}}
  %x = nn.embedding %ids, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// What is computed is followed,

func.func @computed(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a", zero.vocab = 12 : i64}) -> tensor<3x5xf32> {
  %one = arith.constant dense<1> : tensor<3xi32>
  %next = arith.addi %ids, %one : tensor<3xi32>
  // expected-error @+1 {{may be at positions 1 to 12 of 12 in dimension 0}}
  %x = nn.embedding %next, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// ... so this is none:

func.func @accepted(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a", zero.vocab = 11 : i64}) -> tensor<3x5xf32> {
  %one = arith.constant dense<1> : tensor<3xi32>
  %next = arith.addi %ids, %one : tensor<3xi32>
  %x = nn.embedding %next, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// ... but not what a float, or a sum of several, was.

func.func @float(%w: tensor<12x5xf32>, %x: tensor<3xf32> {zero.input = "x"}) -> tensor<3x5xf32> {
  %ids = arith.fptosi %x : tensor<3xf32> to tensor<3xi32>
  // expected-error @+1 {{may be at positions -2147483648 to 2147483647 of 12 in dimension 0}}
  %y = nn.embedding %ids, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

func.func @sum(%w: tensor<12x5xf32>, %ids: tensor<3x4xi32> {zero.input = "a", zero.vocab = 2 : i64}) -> tensor<3x5xf32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %sums = linalg.reduce ins(%ids : tensor<3x4xi32>) outs(%zeros : tensor<3xi32>) dimensions = [1]
      (%id: i32, %sum: i32) {
    %next = arith.addi %id, %sum : i32
    linalg.yield %next : i32
  }
  // expected-error @+1 {{may be at positions -2147483648 to 2147483647 of 12 in dimension 0}}
  %y = nn.embedding %sums, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// -----

// A comparison holds of what was compared.

func.func @other(%w: tensor<12xf32>, %a: tensor<2xi32> {zero.input = "a"}, %b: tensor<2xi32> {zero.input = "b"}) -> f32 {
  %first = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %rows = arith.constant 12 : i32
  %x = tensor.extract %a[%first] : tensor<2xi32>
  %y = tensor.extract %b[%first] : tensor<2xi32>
  %is = arith.cmpi ult, %x, %rows : i32
  %safe = arith.select %is, %y, %zero : i32
  %row = arith.index_cast %safe : i32 to index
  // expected-error @+1 {{'tensor.extract' op may be at positions -2147483648 to 2147483647 of 12 in dimension 0}}
  %v = tensor.extract %w[%row] : tensor<12xf32>
  return %v : f32
}

// -----

// Loops count,

func.func @accepted(%w: tensor<12xf32>, %ids: tensor<12xi32> {zero.input = "a", zero.vocab = 12 : i64}) -> tensor<12xf32> {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 12 : index
  %e = tensor.empty() : tensor<12xf32>
  %r = scf.for %i = %first to %end step %one iter_args(%sum = %e) -> (tensor<12xf32>) {
    %id = tensor.extract %ids[%i] : tensor<12xi32>
    %row = arith.index_cast %id : i32 to index
    %v = tensor.extract %w[%row] : tensor<12xf32>
    %next = tensor.insert %v into %sum[%i] : tensor<12xf32>
    scf.yield %next : tensor<12xf32>
  }
  return %r : tensor<12xf32>
}

// -----

// ... and what they carry may be anything.

func.func @carried(%w: tensor<12xf32>) -> f32 {
  %first = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %row, %sum = scf.for %i = %first to %end step %one iter_args(%at = %first, %v = %zero) -> (index, f32) {
    // expected-error @+1 {{'tensor.extract' op may be at positions}}
    %value = tensor.extract %w[%at] : tensor<12xf32>
    %next = arith.muli %at, %end : index
    scf.yield %next, %value : index, f32
  }
  return %sum : f32
}

// -----

// Slices lie inside,

func.func @slice(%w: tensor<12x5xf32>, %ids: tensor<1xi32> {zero.input = "a", zero.vocab = 12 : i64}) -> tensor<2x5xf32> {
  %first = arith.constant 0 : index
  %id = tensor.extract %ids[%first] : tensor<1xi32>
  %row = arith.index_cast %id : i32 to index
  // expected-error @+1 {{'tensor.extract_slice' op may be at positions 0 to 11 of 11 in dimension 0 (S8)}}
  %s = tensor.extract_slice %w[%row, 0] [2, 5] [1, 1] : tensor<12x5xf32> to tensor<2x5xf32>
  return %s : tensor<2x5xf32>
}

// -----

// ... and what is not known is refused.

func.func @gather(%w: tensor<12x5xf32>, %ids: tensor<3x1xindex>) -> tensor<3x1x5xf32> {
  // expected-error @+1 {{'tensor.gather' op reads or writes at positions that the judge does not know (S8); write it with tensor.extract}}
  %s = tensor.gather %w[%ids] gather_dims([0]) : (tensor<12x5xf32>, tensor<3x1xindex>) -> tensor<3x1x5xf32>
  return %s : tensor<3x1x5xf32>
}

// -----

// A promise of the arithmetic is kept,

func.func @accepted(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a", zero.vocab = 3 : i64}) -> tensor<3x5xf32> {
  %three = arith.constant dense<3> : tensor<3xi32>
  %times = arith.muli %ids, %three overflow<nsw, nuw> : tensor<3xi32>
  %next = arith.addi %times, %three overflow<nsw> : tensor<3xi32>
  %back = arith.subi %next, %three overflow<nuw> : tensor<3xi32>
  %x = nn.embedding %back, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// ... or nothing bounds the result: not the promise,

func.func @wraps(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a", zero.vocab = 2147483647 : i64}) -> tensor<3x5xf32> {
  %most = arith.constant dense<2147483636> : tensor<3xi32>
  // expected-error @+1 {{'arith.addi' op may overflow, which its flags say it does not: it takes numbers from 0 to 2147483646 and from 2147483636 to 2147483636 (S8); without the flags it wraps around}}
  %next = arith.addi %ids, %most overflow<nsw> : tensor<3xi32>
  %back = arith.subi %next, %most : tensor<3xi32>
  %x = nn.embedding %back, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

// ... and no clamp behind it.

func.func @clamped(%w: tensor<12x5xf32>, %ids: tensor<3xi32> {zero.input = "a"}) -> tensor<3x5xf32> {
  %two = arith.constant dense<2> : tensor<3xi32>
  %none = arith.constant dense<0> : tensor<3xi32>
  %last = arith.constant dense<11> : tensor<3xi32>
  // expected-error @+1 {{'arith.shli' op may overflow}}
  %far = arith.shli %ids, %two overflow<nuw> : tensor<3xi32>
  %low = arith.maxsi %far, %none : tensor<3xi32>
  %near = arith.minsi %low, %last : tensor<3xi32>
  %x = nn.embedding %near, %w : tensor<3xi32>, tensor<12x5xf32> -> tensor<3x5xf32>
  return %x : tensor<3x5xf32>
}

// -----

func.func @exact(%ids: tensor<3xi32> {zero.input = "a", zero.vocab = 12 : i64}) -> tensor<3xi32> {
  %two = arith.constant dense<2> : tensor<3xi32>
  // expected-error @+1 {{'arith.divsi' op says that nothing is left over, which the judge does not know (S8); drop its exact}}
  %half = arith.divsi %ids, %two exact : tensor<3xi32>
  return %half : tensor<3xi32>
}

// -----

// Divisors are not 0, in data,

func.func @divided(%a: tensor<3xi32> {zero.input = "a"}, %b: tensor<3xi32> {zero.input = "b", zero.vocab = 12 : i64}) -> tensor<3xi32> {
  // expected-error @+1 {{'arith.remsi' op may divide by 0: its divisor is from 0 to 11 (S8); clamp it by arith.maxsi, or select another number where it is 0}}
  %q = arith.remsi %a, %b : tensor<3xi32>
  return %q : tensor<3xi32>
}

// -----

// ... or -1 below the smallest number;

func.func @smallest(%a: tensor<3xi32> {zero.input = "a"}) -> tensor<3xi32> {
  %minus = arith.constant dense<-1> : tensor<3xi32>
  // expected-error @+1 {{'arith.divsi' op may divide the smallest number by -1: its operands are from -2147483648 to 2147483647 and from -1 to -1 (S8)}}
  %q = arith.divsi %a, %minus : tensor<3xi32>
  return %q : tensor<3xi32>
}

// -----

// ... nor in an update rule.

zero.optimizer @rule(%p: f32, %g: f32, %lr: f32) state [] scalars ["lr"] {
  %i = arith.fptosi %g : f32 to i32
  %j = arith.fptosi %p : f32 to i32
  // expected-error @+1 {{'arith.divsi' op may divide by 0: its divisor is from -2147483648 to 2147483647 (S8)}}
  %k = arith.divsi %j, %i : i32
  %n = arith.sitofp %k : i32 to f32
  zero.yield %n : f32
}

// -----

// A clamp or a select says so.

func.func @accepted(%a: tensor<3xi32> {zero.input = "a"}, %b: tensor<3xi32> {zero.input = "b"}) -> (tensor<3xi32>, tensor<3xi32>) {
  %none = arith.constant dense<0> : tensor<3xi32>
  %one = arith.constant dense<1> : tensor<3xi32>
  %above = arith.maxsi %b, %one : tensor<3xi32>
  %q = arith.divsi %a, %above : tensor<3xi32>
  %is = arith.cmpi eq, %b, %none : tensor<3xi32>
  %other = arith.select %is, %one, %b : tensor<3xi1>, tensor<3xi32>
  %r = arith.remui %a, %other : tensor<3xi32>
  return %q, %r : tensor<3xi32>, tensor<3xi32>
}

// -----

// The places of a tensor that is generated lie in it.

func.func @accepted(%w: tensor<12xf32>) -> tensor<12xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %v = tensor.extract %w[%i] : tensor<12xf32>
    tensor.yield %v : f32
  } : tensor<12xf32>
  return %x : tensor<12xf32>
}
