// Attention of 16 bits on tensor cores, in the emulator: within what rounding P and dS to 16
// bits costs (test/random/zero-kernels/Interpreter.h) of an interpretation in f64, and with the same
// bytes in another order of threads.  Shapes on both sides of blocks of 64 and 128 queries and of
// 64 keys, of tiles of 32 and 64, and of 16 columns.

// RUN: zero-kernels %s --chaos=0 | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-12: {{"outcome":"right"}}

// one query, one column
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x1x1x1xbf16>, %k: tensor<1x1x1x1xbf16>, %v: tensor<1x1x1x1xbf16>) -> (tensor<1x1x1x1xbf16>, tensor<1x1x1xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x1x1x1xbf16>, tensor<1x1x1x1xbf16> stats tensor<1x1x1xf32>
    zero.return %o, %l : tensor<1x1x1x1xbf16>, tensor<1x1x1xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a query fewer than a block has; a row of scores fewer than a tile
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x127x1x16xf16>, %k: tensor<1x127x1x16xf16>, %v: tensor<1x127x1x16xf16>) -> (tensor<1x127x1x16xf16>, tensor<1x1x127xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x127x1x16xf16>, tensor<1x127x1x16xf16> stats tensor<1x1x127xf32>
    zero.return %o, %l : tensor<1x127x1x16xf16>, tensor<1x1x127xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// whole blocks and tiles
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x128x1x64xbf16>, %k: tensor<1x128x1x64xbf16>, %v: tensor<1x128x1x64xbf16>) -> (tensor<1x128x1x64xbf16>, tensor<1x1x128xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x128x1x64xbf16>, tensor<1x128x1x64xbf16> stats tensor<1x1x128xf32>
    zero.return %o, %l : tensor<1x128x1x64xbf16>, tensor<1x1x128xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a query and a key more; two heads of each of keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x129x2x64xf16>, %k: tensor<1x193x1x64xf16>, %v: tensor<1x193x1x64xf16>) -> (tensor<1x129x2x64xf16>, tensor<1x2x129xf32>) units attention [1, 2] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x129x2x64xf16>, tensor<1x193x1x64xf16> stats tensor<1x2x129xf32>
    zero.return %o, %l : tensor<1x129x2x64xf16>, tensor<1x2x129xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// whole blocks of wide heads
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x64x1x128xbf16>, %k: tensor<1x64x1x128xbf16>, %v: tensor<1x64x1x128xbf16>) -> (tensor<1x64x1x128xbf16>, tensor<1x1x64xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x64x1x128xbf16>, tensor<1x64x1x128xbf16> stats tensor<1x1x64xf32>
    zero.return %o, %l : tensor<1x64x1x128xbf16>, tensor<1x1x64xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a query and a key more of wide heads, of 16 columns and of 8
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x65x1x88xf16>, %k: tensor<1x97x1x88xf16>, %v: tensor<1x97x1x88xf16>) -> (tensor<1x65x1x88xf16>, tensor<1x1x65xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x65x1x88xf16>, tensor<1x97x1x88xf16> stats tensor<1x1x65xf32>
    zero.return %o, %l : tensor<1x65x1x88xf16>, tensor<1x1x65xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// rows that are not aligned
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x33x2x17xbf16>, %k: tensor<1x70x1x17xbf16>, %v: tensor<1x70x1x17xbf16>) -> (tensor<1x33x2x17xbf16>, tensor<1x2x33xf32>) units attention [1, 2] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x33x2x17xbf16>, tensor<1x70x1x17xbf16> stats tensor<1x2x33xf32>
    zero.return %o, %l : tensor<1x33x2x17xbf16>, tensor<1x2x33xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a window, and documents
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x140x1x24xbf16>, %k: tensor<1x140x1x24xbf16>, %v: tensor<1x140x1x24xbf16>, %s: tensor<1x140xi32>) -> (tensor<1x140x1x24xbf16>, tensor<1x1x140xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v from %s {causal, window = 20 : i64, scale = 0.125 : f64} : tensor<1x140x1x24xbf16>, tensor<1x140x1x24xbf16>, tensor<1x140xi32> stats tensor<1x1x140xf32>
    zero.return %o, %l : tensor<1x140x1x24xbf16>, tensor<1x1x140xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// all keys, more than a tile
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x17x2x24xbf16>, %k: tensor<1x65x1x24xbf16>, %v: tensor<1x65x1x24xbf16>) -> (tensor<1x17x2x24xbf16>, tensor<1x2x17xf32>) units attention [1, 2] {
    %o, %l = nn.attention %q, %k, %v {scale = 0.125 : f64} : tensor<1x17x2x24xbf16>, tensor<1x65x1x24xbf16> stats tensor<1x2x17xf32>
    zero.return %o, %l : tensor<1x17x2x24xbf16>, tensor<1x2x17xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// capped scores
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x50x1x20xf16>, %k: tensor<1x50x1x20xf16>, %v: tensor<1x50x1x20xf16>) -> (tensor<1x50x1x20xf16>, tensor<1x1x50xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, soft_cap = 5.0 : f64, scale = 0.125 : f64} : tensor<1x50x1x20xf16>, tensor<1x50x1x20xf16> stats tensor<1x1x50xf32>
    zero.return %o, %l : tensor<1x50x1x20xf16>, tensor<1x1x50xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// scores of the other sign
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x40x1x16xbf16>, %k: tensor<1x40x1x16xbf16>, %v: tensor<1x40x1x16xbf16>) -> (tensor<1x40x1x16xbf16>, tensor<1x1x40xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = -0.125 : f64} : tensor<1x40x1x16xbf16>, tensor<1x40x1x16xbf16> stats tensor<1x1x40xf32>
    zero.return %o, %l : tensor<1x40x1x16xbf16>, tensor<1x1x40xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// heads that keep the kernel of f32
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x20x1x130xbf16>, %k: tensor<1x20x1x130xbf16>, %v: tensor<1x20x1x130xbf16>) -> (tensor<1x20x1x130xbf16>, tensor<1x1x20xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.125 : f64} : tensor<1x20x1x130xbf16>, tensor<1x20x1x130xbf16> stats tensor<1x1x20xf32>
    zero.return %o, %l : tensor<1x20x1x130xbf16>, tensor<1x1x20xf32>
  }
  zero.program @step() {
    zero.return
  }
}
