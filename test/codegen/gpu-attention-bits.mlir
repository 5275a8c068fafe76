// Attention by threads of a GPU, in an emulator of them, has the bytes of what a
// CPU computes: shapes on both sides of panels of 48 keys, of tiles of 64 queries, of
// 16 queries whose sums are made alike, and of 64 columns.

// RUN: zero-kernels %s --chaos=0 --attention=f32 | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-14: {{"outcome":"right"}}

// one query
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x1x1x3xf32>, %k: tensor<1x1x1x3xf32>, %v: tensor<1x1x1x3xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32> stats tensor<1x1x1xf32>
    zero.return %o, %l : tensor<1x1x1x3xf32>, tensor<1x1x1xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a panel and a key, 64 queries and one, two heads of each of keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<2x65x4x16xf32>, %k: tensor<2x97x2x16xf32>, %v: tensor<2x97x2x16xf32>) -> (tensor<2x65x4x16xf32>, tensor<2x4x65xf32>) units attention [2, 4] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<2x65x4x16xf32>, tensor<2x97x2x16xf32> stats tensor<2x4x65xf32>
    zero.return %o, %l : tensor<2x65x4x16xf32>, tensor<2x4x65xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a window, and documents
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x70x1x20xf32>, %k: tensor<1x70x1x20xf32>, %v: tensor<1x70x1x20xf32>, %s: tensor<1x70xi32>) -> (tensor<1x70x1x20xf32>, tensor<1x1x70xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v from %s {causal, window = 20 : i64, scale = 0.125 : f64} : tensor<1x70x1x20xf32>, tensor<1x70x1x20xf32>, tensor<1x70xi32> stats tensor<1x1x70xf32>
    zero.return %o, %l : tensor<1x70x1x20xf32>, tensor<1x1x70xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// three tiles of columns, capped; rows that are not aligned
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x50x1x130xf32>, %k: tensor<1x50x1x130xf32>, %v: tensor<1x50x1x130xf32>) -> (tensor<1x50x1x130xf32>, tensor<1x1x50xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, soft_cap = 0.5 : f64, scale = 0.0009765625 : f64} : tensor<1x50x1x130xf32>, tensor<1x50x1x130xf32> stats tensor<1x1x50xf32>
    zero.return %o, %l : tensor<1x50x1x130xf32>, tensor<1x1x50xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// bf16, all keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x17x2x24xbf16>, %k: tensor<1x50x1x24xbf16>, %v: tensor<1x50x1x24xbf16>) -> (tensor<1x17x2x24xbf16>, tensor<1x2x17xf32>) units attention [1, 2] {
    %o, %l = nn.attention %q, %k, %v {scale = 0.125 : f64} : tensor<1x17x2x24xbf16>, tensor<1x50x1x24xbf16> stats tensor<1x2x17xf32>
    zero.return %o, %l : tensor<1x17x2x24xbf16>, tensor<1x2x17xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// f16
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x40x1x5xf16>, %k: tensor<1x40x1x5xf16>, %v: tensor<1x40x1x5xf16>) -> (tensor<1x40x1x5xf16>, tensor<1x1x40xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x40x1x5xf16>, tensor<1x40x1x5xf16> stats tensor<1x1x40xf32>
    zero.return %o, %l : tensor<1x40x1x5xf16>, tensor<1x1x40xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// one query, backward
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x1x1x3xf32>, %q: tensor<1x1x1x3xf32>, %k: tensor<1x1x1x3xf32>, %v: tensor<1x1x1x3xf32>, %l: tensor<1x1x1xf32>) -> (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l {causal, scale = 0.125 : f64} : tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1xf32>
    zero.return %dq, %dk, %dv : tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a panel and a key, 64 queries and one, two heads of each of keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<2x65x4x16xf32>, %q: tensor<2x65x4x16xf32>, %k: tensor<2x97x2x16xf32>, %v: tensor<2x97x2x16xf32>, %l: tensor<2x4x65xf32>) -> (tensor<2x65x4x16xf32>, tensor<2x97x2x16xf32>, tensor<2x97x2x16xf32>) units attention [2, 2] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l {causal, scale = 0.125 : f64} : tensor<2x65x4x16xf32>, tensor<2x97x2x16xf32>, tensor<2x4x65xf32>
    zero.return %dq, %dk, %dv : tensor<2x65x4x16xf32>, tensor<2x97x2x16xf32>, tensor<2x97x2x16xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a window, and documents
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x70x1x20xf32>, %q: tensor<1x70x1x20xf32>, %k: tensor<1x70x1x20xf32>, %v: tensor<1x70x1x20xf32>, %l: tensor<1x1x70xf32>, %s: tensor<1x70xi32>) -> (tensor<1x70x1x20xf32>, tensor<1x70x1x20xf32>, tensor<1x70x1x20xf32>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l from %s {causal, window = 20 : i64, scale = 0.125 : f64} : tensor<1x70x1x20xf32>, tensor<1x70x1x20xf32>, tensor<1x1x70xf32>, tensor<1x70xi32>
    zero.return %dq, %dk, %dv : tensor<1x70x1x20xf32>, tensor<1x70x1x20xf32>, tensor<1x70x1x20xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// documents that begin after all keys of a block
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<8x65x1x4xf32>, %q: tensor<8x65x1x4xf32>, %k: tensor<8x65x1x4xf32>, %v: tensor<8x65x1x4xf32>, %l: tensor<8x1x65xf32>, %s: tensor<8x65xi32>) -> (tensor<8x65x1x4xf32>, tensor<8x65x1x4xf32>, tensor<8x65x1x4xf32>) units attention [8, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l from %s {causal, scale = 0.125 : f64} : tensor<8x65x1x4xf32>, tensor<8x65x1x4xf32>, tensor<8x1x65xf32>, tensor<8x65xi32>
    zero.return %dq, %dk, %dv : tensor<8x65x1x4xf32>, tensor<8x65x1x4xf32>, tensor<8x65x1x4xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// three tiles of columns, capped
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x50x1x130xf32>, %q: tensor<1x50x1x130xf32>, %k: tensor<1x50x1x130xf32>, %v: tensor<1x50x1x130xf32>, %l: tensor<1x1x50xf32>) -> (tensor<1x50x1x130xf32>, tensor<1x50x1x130xf32>, tensor<1x50x1x130xf32>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l {causal, soft_cap = 0.5 : f64, scale = 0.0009765625 : f64} : tensor<1x50x1x130xf32>, tensor<1x50x1x130xf32>, tensor<1x1x50xf32>
    zero.return %dq, %dk, %dv : tensor<1x50x1x130xf32>, tensor<1x50x1x130xf32>, tensor<1x50x1x130xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// two blocks of keys: the CPU adds to dK and dV at each block of queries
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x1x1x512xf32>, %q: tensor<1x1x1x512xf32>, %k: tensor<1x131x1x512xf32>, %v: tensor<1x131x1x512xf32>, %l: tensor<1x1x1xf32>) -> (tensor<1x1x1x512xf32>, tensor<1x131x1x512xf32>, tensor<1x131x1x512xf32>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l {scale = 0.0009765625 : f64} : tensor<1x1x1x512xf32>, tensor<1x131x1x512xf32>, tensor<1x1x1xf32>
    zero.return %dq, %dk, %dv : tensor<1x1x1x512xf32>, tensor<1x131x1x512xf32>, tensor<1x131x1x512xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// bf16, all keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x17x2x24xbf16>, %q: tensor<1x17x2x24xbf16>, %k: tensor<1x50x1x24xbf16>, %v: tensor<1x50x1x24xbf16>, %l: tensor<1x2x17xf32>) -> (tensor<1x17x2x24xbf16>, tensor<1x50x1x24xbf16>, tensor<1x50x1x24xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l {scale = 0.125 : f64} : tensor<1x17x2x24xbf16>, tensor<1x50x1x24xbf16>, tensor<1x2x17xf32>
    zero.return %dq, %dk, %dv : tensor<1x17x2x24xbf16>, tensor<1x50x1x24xbf16>, tensor<1x50x1x24xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// f16
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x40x1x5xf16>, %q: tensor<1x40x1x5xf16>, %k: tensor<1x40x1x5xf16>, %v: tensor<1x40x1x5xf16>, %l: tensor<1x1x40xf32>) -> (tensor<1x40x1x5xf16>, tensor<1x40x1x5xf16>, tensor<1x40x1x5xf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l {causal, scale = 0.125 : f64} : tensor<1x40x1x5xf16>, tensor<1x40x1x5xf16>, tensor<1x1x40xf32>
    zero.return %dq, %dk, %dv : tensor<1x40x1x5xf16>, tensor<1x40x1x5xf16>, tensor<1x40x1x5xf16>
  }
  zero.program @step() {
    zero.return
  }
}
