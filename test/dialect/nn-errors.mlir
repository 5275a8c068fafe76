// RUN: zero-opt %s -split-input-file -verify-diagnostics
// One failing case per constraint of NN.td.

func.func @embedding_c1(%t: tensor<4x64xi32>, %w: tensor<256x32xf32>) {
  // expected-error @+1 {{result must be 'tensor<4x64x32xf32>', got 'tensor<4x64x31xf32>'}}
  %x = nn.embedding %t, %w : tensor<4x64xi32>, tensor<256x32xf32> -> tensor<4x64x31xf32>
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
  // expected-error @+1 {{q must be [B, T, H, D] and k, v [B, S, H, D]}}
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
