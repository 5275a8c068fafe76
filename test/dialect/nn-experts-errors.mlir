// RUN: zero-opt %s -split-input-file -verify-diagnostics
// One failing case per constraint of Experts.td.

func.func @top_k_c1(%p: tensor<2x6x8xf32>) {
  // expected-error @+1 {{chooses from rows of two dimensions, got 'tensor<2x6x8xf32>'}}
  %v, %e = nn.top_k %p : tensor<2x6x8xf32> -> tensor<6x2xf32>, tensor<6x2xi32>
  return
}

// -----

func.func @top_k_c2_shape(%p: tensor<6x8xf32>) {
  // expected-error @+1 {{chooses from 'tensor<6x8xf32>', and so gives [6, k] values of 'f32' and as many columns, got 'tensor<5x2xf32>' and 'tensor<5x2xi32>'}}
  %v, %e = nn.top_k %p : tensor<6x8xf32> -> tensor<5x2xf32>, tensor<5x2xi32>
  return
}

// -----

func.func @top_k_c2_k(%p: tensor<6x8xf32>) {
  // expected-error @+1 {{chooses 9 of 8 columns; k is from 1 to their number}}
  %v, %e = nn.top_k %p : tensor<6x8xf32> -> tensor<6x9xf32>, tensor<6x9xi32>
  return
}

// -----

func.func @group_by_expert_c1_rows(%e: tensor<6x2xi32>) {
  // expected-error @+1 {{has rows 'tensor<11xi32>' of pairs 'tensor<6x2xi32>'; pairs are [N, K] and rows as many, in one dimension}}
  %r, %p, %o = nn.group_by_expert %e : tensor<6x2xi32> -> tensor<11xi32>, tensor<6x2xi32>, tensor<9xi32>
  return
}

// -----

func.func @group_by_expert_c1_places(%e: tensor<6x2xi32>) {
  // expected-error @+1 {{has a place for each pair: they must be 'tensor<6x2xi32>', got 'tensor<2x6xi32>'}}
  %r, %p, %o = nn.group_by_expert %e : tensor<6x2xi32> -> tensor<12xi32>, tensor<2x6xi32>, tensor<9xi32>
  return
}

// -----

func.func @group_by_expert_c2(%e: tensor<6x2xi32>) {
  // expected-error @+1 {{has one offset more than experts, of which there are some, got 'tensor<1xi32>'}}
  %r, %p, %o = nn.group_by_expert %e : tensor<6x2xi32> -> tensor<12xi32>, tensor<6x2xi32>, tensor<1xi32>
  return
}

// -----

func.func @gather_rows_c1(%x: tensor<6x32xf32>, %r: tensor<10xi32>, %p: tensor<5x2xi32>) {
  // expected-error @+1 {{has a row for each of 5 tokens and for each of 10 pairs, of one width and type, got 'tensor<6x32xf32>' and 'tensor<10x32xf32>'}}
  %y = nn.gather_rows %x by %r, %p : tensor<6x32xf32>, tensor<10xi32>, tensor<5x2xi32> -> tensor<10x32xf32>
  return
}

// -----

func.func @gather_rows_c2(%x: tensor<6x32xf32>, %r: tensor<12xi32>, %p: tensor<6x2xi32>) {
  // expected-error @+1 {{has a row for each of 6 tokens and for each of 12 pairs, of one width and type, got 'tensor<6x32xf32>' and 'tensor<12x31xf32>'}}
  %y = nn.gather_rows %x by %r, %p : tensor<6x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<12x31xf32>
  return
}

// -----

func.func @combine_rows_c1(%y: tensor<11x32xf32>, %r: tensor<12xi32>, %p: tensor<6x2xi32>) {
  // expected-error @+1 {{has a row for each of 6 tokens and for each of 12 pairs, of one width and type, got 'tensor<6x32xf32>' and 'tensor<11x32xf32>'}}
  %x = nn.combine_rows %y by %r, %p : tensor<11x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<6x32xf32>
  return
}

// -----

func.func @combine_rows_c2(%y: tensor<12x32xf32>, %r: tensor<12xi32>, %p: tensor<6x2xi32>, %w: tensor<12xf32>) {
  // expected-error @+1 {{has a weight for each pair: they must be 'tensor<6x2xf32>', got 'tensor<12xf32>'}}
  %x = nn.combine_rows %y weights %w by %r, %p : tensor<12x32xf32>, tensor<12xi32>, tensor<6x2xi32>, tensor<12xf32> -> tensor<6x32xf32>
  return
}

// -----

func.func @combine_rows_c3(%y: tensor<12x32xf32>, %r: tensor<12xi32>, %p: tensor<6x2xi32>) {
  // expected-error @+1 {{of one width and type, got 'tensor<6x32xf64>' and 'tensor<12x32xf32>'}}
  %x = nn.combine_rows %y by %r, %p : tensor<12x32xf32>, tensor<12xi32>, tensor<6x2xi32> -> tensor<6x32xf64>
  return
}

// -----

func.func @grouped_matmul_c1(%x: tensor<12x32xf32>, %o: tensor<4xi32>, %w: tensor<96x32xf32>) {
  // expected-error @+1 {{has 2 weights and offsets 'tensor<4xi32>'; there is one more offset than groups, and one of weights for each group}}
  %y = nn.grouped_matmul %x by %o (%w, %w) : tensor<12x32xf32>, tensor<4xi32>, tensor<96x32xf32> -> tensor<12x96xf32>
  return
}

// -----

func.func @grouped_matmul_c2_types(%x: tensor<12x32xf32>, %o: tensor<3xi32>, %w: tensor<96x32xf32>, %v: tensor<95x32xf32>) {
  // expected-error @+1 {{has weights of 'tensor<96x32xf32>' and of 'tensor<95x32xf32>'; all have one type}}
  %y = "nn.grouped_matmul"(%x, %o, %w, %v) : (tensor<12x32xf32>, tensor<3xi32>, tensor<96x32xf32>, tensor<95x32xf32>) -> tensor<12x96xf32>
  return
}

// -----

func.func @grouped_matmul_c2_in(%x: tensor<12x32xf32>, %o: tensor<3xi32>, %w: tensor<32x96xf32>) {
  // expected-error @+1 {{weights take 96 inputs, and x is 'tensor<12x32xf32>'; weights stored [in, out] need `transposed`}}
  %y = nn.grouped_matmul %x by %o (%w, %w) : tensor<12x32xf32>, tensor<3xi32>, tensor<32x96xf32> -> tensor<12x96xf32>
  return
}

// -----

func.func @grouped_matmul_c3(%x: tensor<12x32xf32>, %o: tensor<3xi32>, %w: tensor<96x32xf32>) {
  // expected-error @+1 {{result must be 'tensor<12x96xf32>' of weights of that element type, got 'tensor<11x96xf32>' of 'tensor<96x32xf32>'}}
  %y = nn.grouped_matmul %x by %o (%w, %w) : tensor<12x32xf32>, tensor<3xi32>, tensor<96x32xf32> -> tensor<11x96xf32>
  return
}

// -----

func.func @grouped_matmul_c3_types(%x: tensor<12x32xbf16>, %o: tensor<3xi32>, %w: tensor<96x32xf32>) {
  // expected-error @+1 {{result must be 'tensor<12x96xbf16>' of weights of that element type}}
  %y = nn.grouped_matmul %x by %o (%w, %w) : tensor<12x32xbf16>, tensor<3xi32>, tensor<96x32xf32> -> tensor<12x96xbf16>
  return
}

// -----

func.func @grouped_matmul_backward_c1(%a: tensor<12x96xf32>, %b: tensor<12x32xf32>, %o: tensor<4xi32>) {
  // expected-error @+1 {{has 2 results and offsets 'tensor<4xi32>'}}
  %c:2 = nn.grouped_matmul_backward %a, %b by %o : tensor<12x96xf32>, tensor<12x32xf32>, tensor<4xi32> -> tensor<96x32xf32>, tensor<96x32xf32>
  return
}

// -----

func.func @grouped_matmul_backward_c2(%a: tensor<12x96xf32>, %b: tensor<11x32xf32>, %o: tensor<2xi32>) {
  // expected-error @+1 {{multiplies rows of two matrices of one element type, got 'tensor<12x96xf32>' and 'tensor<11x32xf32>'}}
  %c = nn.grouped_matmul_backward %a, %b by %o : tensor<12x96xf32>, tensor<11x32xf32>, tensor<2xi32> -> tensor<96x32xf32>
  return
}

// -----

func.func @grouped_matmul_backward_c3(%a: tensor<12x96xf32>, %b: tensor<12x32xf32>, %o: tensor<2xi32>) {
  // expected-error @+1 {{results must be 'tensor<96x32xf32>', or of f32 where that has 16 bits, got 'tensor<96x32xf64>'}}
  %c = nn.grouped_matmul_backward %a, %b by %o : tensor<12x96xf32>, tensor<12x32xf32>, tensor<2xi32> -> tensor<96x32xf64>
  return
}

// -----

func.func @log_sum_exp_c1(%x: tensor<6x8xf32>) {
  // expected-error @+1 {{result must be 'tensor<6xf32>', got 'tensor<8xf32>'}}
  %y = nn.log_sum_exp %x : tensor<6x8xf32> -> tensor<8xf32>
  return
}
