// RUN: zero-opt %s -split-input-file -verify-diagnostics
// One failing case per constraint of NN.td.

func.func @embedding_c1(%t: tensor<4x64xi32>, %w: tensor<256x32xf32>) {
  // expected-error @+1 {{result must be 'tensor<4x64x32xf32>', got 'tensor<4x64x31xf32>'}}
  %x = nn.embedding %t, %w : tensor<4x64xi32>, tensor<256x32xf32> -> tensor<4x64x31xf32>
  return
}

// -----

func.func @embedding_c2(%t: tensor<4x64xi32>, %w: tensor<256x32xf32>) {
  // expected-error @+1 {{padding must be one of the table's 256 rows, got 256}}
  %x = nn.embedding %t, %w {padding = 256} : tensor<4x64xi32>, tensor<256x32xf32> -> tensor<4x64x32xf32>
  return
}

// -----

func.func @embedding_backward_c1(%t: tensor<4x64xi32>, %g: tensor<4x63x32xf32>, %i: tensor<256x32xf32>) {
  // expected-error @+1 {{grad must be 'tensor<4x64x32xf32>', got 'tensor<4x63x32xf32>'}}
  %x = nn.embedding_backward %t, %g into %i : tensor<4x64xi32>, tensor<4x63x32xf32>, tensor<256x32xf32>
  return
}

// -----

func.func @linear_c1(%x: tensor<4x32xf32>, %w: tensor<32x96xf32>) {
  // expected-error @+1 {{weight takes 96 inputs, but the last dimension of x is 32; a weight stored [in, out] needs `transposed`}}
  %y = nn.linear %x, %w : tensor<4x32xf32>, tensor<32x96xf32> -> tensor<4x96xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<4x32xf32>, %w: tensor<96x32xf32>, %b: tensor<32xf32>) {
  // expected-error @+1 {{bias must have the 96 outputs, got 'tensor<32xf32>'}}
  %y = nn.linear %x, %w, %b : tensor<4x32xf32>, tensor<96x32xf32>, tensor<32xf32> -> tensor<4x96xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<4x32xf32>, %w: tensor<96x32xf32>) {
  // expected-error @+1 {{result must be 'tensor<4x96xf32>', got 'tensor<4x95xf32>'}}
  %y = nn.linear %x, %w : tensor<4x32xf32>, tensor<96x32xf32> -> tensor<4x95xf32>
  return
}

// -----

func.func @matmul_c1(%a: tensor<2x4x8xf32>, %b: tensor<3x8x5xf32>) {
  // expected-error @+1 {{operands and result must have one rank of two or more and equal batch dimensions}}
  %c = nn.matmul %a, %b : (tensor<2x4x8xf32>, tensor<3x8x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<4x8xf32>, %b: tensor<7x5xf32>) {
  // expected-error @+1 {{inner dimensions differ: 8 of a, 7 of b}}
  %c = nn.matmul %a, %b : (tensor<4x8xf32>, tensor<7x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %d: tensor<4xf32>) {
  // expected-error @+1 {{bias must have 5 elements, got 'tensor<4xf32>'}}
  %c = nn.matmul %a, %b bias(%d) : (tensor<4x8xf32>, tensor<8x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<4x32xf32>, %w: tensor<31xf32>) {
  // expected-error @+1 {{weight and bias must have the 32 elements of a row of x}}
  %y = nn.layer_norm %x, %w, %w {eps = 1.0e-5 : f64} : tensor<4x32xf32>, tensor<31xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<4x32xf32>, %w: tensor<32xf32>) {
  // expected-error @+1 {{eps must be positive}}
  %y = nn.layer_norm %x, %w, %w {eps = 0.0 : f64} : tensor<4x32xf32>, tensor<32xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<4x32xf32>, %w: tensor<32xf32>) {
  // expected-error @+1 {{statistics must be 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %y, %m, %r = nn.layer_norm %x, %w, %w {eps = 1.0e-5 : f64} : tensor<4x32xf32>, tensor<32xf32> stats tensor<5xf32>, tensor<4xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<f32>) {
  // expected-error @+1 {{needs at least one dimension, got a scalar}}
  %y = nn.softmax %x : tensor<f32>
  return
}

// -----

func.func @attention_c1(%q: tensor<4x64x4x16xf32>, %k: tensor<4x64x4x8xf32>) {
  // expected-error @+1 {{q must be [B, T, H, D] and k, v [B, S, G, D]}}
  %o = nn.attention %q, %k, %k {scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x4x8xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<4x64x4x16xf32>, %k: tensor<4x63x4x16xf32>) {
  // expected-error @+1 {{causal attention needs at least as many keys as queries, got 63 and 64}}
  %o = nn.attention %q, %k, %k {causal, scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x63x4x16xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<4x64x4x16xf32>) {
  // expected-error @+1 {{lse must be 'tensor<4x4x64xf32>', got 'tensor<4x64x4xf32>'}}
  %o, %l = nn.attention %q, %q, %q {scale = 0.25 : f64} : tensor<4x64x4x16xf32>, tensor<4x64x4x16xf32> stats tensor<4x64x4xf32>
  return
}

// -----

func.func @count_valid_c1(%t: tensor<4xi32>) {
  // expected-error @+1 {{the count has no dimensions, got 'tensor<1xf32>'}}
  %n = nn.count_valid %t {ignore_index = -100 : i32} : tensor<4xi32> -> tensor<1xf32>
  return
}

// -----

func.func @cross_entropy_c1(%l: tensor<4x10xf32>, %t: tensor<5xi32>) {
  // expected-error @+1 {{targets must have the shape of logits without its last dimension}}
  %x = nn.cross_entropy %l, %t : tensor<4x10xf32>, tensor<5xi32> -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c2(%l: tensor<4x10xf32>, %t: tensor<4xi32>) {
  // expected-error @+1 {{loss must be 'tensor<f32>', got 'tensor<4xf32>'}}
  %x = nn.cross_entropy %l, %t : tensor<4x10xf32>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c2_count(%l: tensor<4x10xf32>, %t: tensor<4xi32>, %n: tensor<f64>) {
  // expected-error @+1 {{count must be 'tensor<f32>', got 'tensor<f64>'}}
  %x = nn.cross_entropy %l, %t by %n : tensor<4x10xf32>, tensor<4xi32>, tensor<f64> -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c3(%l: tensor<4x10xf32>, %t: tensor<4xi32>) {
  // expected-error @+1 {{lse must be 'tensor<4xf32>', got 'tensor<10xf32>'}}
  %x, %s = nn.cross_entropy %l, %t : tensor<4x10xf32>, tensor<4xi32> -> tensor<f32> stats tensor<10xf32>
  return
}

// -----

func.func @cross_entropy_backward_c1(%d: tensor<f32>, %l: tensor<4x10xf32>, %t: tensor<5xi32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{targets must have the shape of logits without its last dimension}}
  %x = nn.cross_entropy_backward %d, %l, %t, %s by %d : tensor<4x10xf32>, tensor<5xi32>, tensor<4xf32>, tensor<f32>
  return
}

// -----

func.func @cross_entropy_backward_c2(%d: tensor<1xf32>, %l: tensor<4x10xf32>, %t: tensor<4xi32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{grad and count must be 'tensor<f32>', got 'tensor<1xf32>'}}
  %x = nn.cross_entropy_backward %d, %l, %t, %s by %d : tensor<4x10xf32>, tensor<4xi32>, tensor<4xf32>, tensor<1xf32>
  return
}

// -----

func.func @cross_entropy_backward_c3(%d: tensor<f32>, %l: tensor<4x10xf32>, %t: tensor<4xi32>, %s: tensor<4xf64>) {
  // expected-error @+1 {{lse must be 'tensor<4xf32>', got 'tensor<4xf64>'}}
  %x = nn.cross_entropy_backward %d, %l, %t, %s by %d : tensor<4x10xf32>, tensor<4xi32>, tensor<4xf64>, tensor<f32>
  return
}

// -----

func.func @matmul_sum_c4(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>) {
  // expected-error @+1 {{computes 'tensor<4x2xf16>' from 'tensor<4x8xbf16>'; it has the element type of the operands, or f32 where that has 16 bits}}
  %c = nn.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf16>
  return
}

// -----

func.func @matmul_c4(%a: tensor<4x8xf64>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{multiplies 'tensor<4x8xf64>' by 'tensor<8x2xf32>'; both have one element type}}
  %c = nn.matmul %a, %b : (tensor<4x8xf64>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @layer_norm_eps_of_f32(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'nn.layer_norm' op eps 1.000000e-60 is 0 in 'f32'}}
  %0 = nn.layer_norm %x, %w, %w {eps = 1.0e-60 : f64} : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @layer_norm_eps_infinite(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{'nn.layer_norm' op eps 1.000000e+60 is not finite in 'f32'}}
  %0 = nn.layer_norm %x, %w, %w {eps = 1.0e+60 : f64} : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<4x8xf32>, %w: tensor<7xf32>) {
  // expected-error @+1 {{weight must have the 8 elements of a row of x, got 'tensor<7xf32>'}}
  %0 = nn.rms_norm %x, %w {eps = 1.0e-6 : f64} : tensor<4x8xf32>, tensor<7xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{eps must be positive, got 0.000000e+00}}
  %0 = nn.rms_norm %x, %w {eps = 0.0 : f64} : tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{rstd must be 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %0, %1 = nn.rms_norm %x, %w {eps = 1.0e-6 : f64} : tensor<4x8xf32>, tensor<8xf32> stats tensor<8xf32>
  return
}

// -----

func.func @rope_c1(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{x must be [B, T, H, D], got 'tensor<4x8xf32>'}}
  %0 = nn.rope %x {frequencies = array<f64: 1.0>} : tensor<4x8xf32>
  return
}

// -----

func.func @rope_c2(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{has 3 frequencies, which rotate 6 elements of a head of 5; give 1 to 2}}
  %0 = nn.rope %x {frequencies = array<f64: 1.0, 0.5, 0.2>} : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @rope_c2_infinite(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{frequencies must be finite, got INF}}
  %0 = nn.rope %x {frequencies = array<f64: 0x7FF0000000000000>} : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @rope_c3(%x: tensor<2x3x4x5xf32>) {
  // expected-error @+1 {{factor must be finite and not 0, got 0.000000e+00}}
  %0 = nn.rope %x {factor = 0.0 : f64, frequencies = array<f64: 1.0>} : tensor<2x3x4x5xf32>
  return
}

// -----

func.func @attention_groups_c1(%q: tensor<2x8x3x16xf32>, %k: tensor<2x8x2x16xf32>) {
  // expected-error @+1 {{has 3 query heads, which must be a multiple of the 2 heads of keys and values}}
  %0 = nn.attention %q, %k, %k {scale = 1.0 : f64} : tensor<2x8x3x16xf32>, tensor<2x8x2x16xf32>
  return
}

// -----

func.func @attention_window_c4(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x2x16xf32>) {
  // expected-error @+1 {{window must be positive, got 0}}
  %0 = nn.attention %q, %k, %k {causal, scale = 1.0 : f64, window = 0 : i64} : tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>
  return
}

// -----

func.func @attention_window_causal_c4(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x2x16xf32>) {
  // expected-error @+1 {{window hides positions before a query's own; add causal}}
  %0 = nn.attention %q, %k, %k {scale = 1.0 : f64, window = 3 : i64} : tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>
  return
}

// -----

func.func @attention_cap_c5(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x2x16xf32>) {
  // expected-error @+1 {{soft_cap must be positive and finite, got -1.000000e+00}}
  %0 = nn.attention %q, %k, %k {scale = 1.0 : f64, soft_cap = -1.0 : f64} : tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>
  return
}

// -----

func.func @attention_starts_c6(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x2x16xf32>, %s: tensor<2x7xi32>) {
  // expected-error @+1 {{starts must have the shape [B, T] of q, which is 'tensor<2x8x4x16xf32>', got 'tensor<2x7xi32>'}}
  %0 = nn.attention %q, %k, %k from %s {causal, scale = 1.0 : f64} : tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>, tensor<2x7xi32>
  return
}

// -----

func.func @attention_starts_causal_c6(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x2x16xf32>, %s: tensor<2x8xi32>) {
  // expected-error @+1 {{starts hides positions before a query's own; add causal}}
  %0 = nn.attention %q, %k, %k from %s {scale = 1.0 : f64} : tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>, tensor<2x8xi32>
  return
}

// -----

func.func @document_starts_c1(%t: tensor<2x8xi32>) {
  // expected-error @+1 {{tokens and the result must both be [B, T], got 'tensor<2x8xi32>' and 'tensor<8xi32>'}}
  %0 = nn.document_starts %t {separator = 0 : i64} : tensor<2x8xi32> -> tensor<8xi32>
  return
}

// -----

func.func @attention_window_negative_c4(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x2x16xf32>) {
  // expected-error @+1 {{window must be positive, got -3}}
  %0 = nn.attention %q, %k, %k {causal, scale = 1.0 : f64, window = -3 : i64} : tensor<2x8x4x16xf32>, tensor<2x8x2x16xf32>
  return
}
