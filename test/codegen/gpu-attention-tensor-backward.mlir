// The adjoints of attention of 16 bits on tensor cores, in the emulator: within what rounding P and dS to 16
// bits costs (test/random/zero-kernels/Interpreter.h) of an interpretation in f64, and with the same
// bytes in another order of threads.  Shapes on both sides of blocks of 64 and 128 queries and of
// 64 keys, of tiles of 32 and 64, and of 16 columns.

// RUN: zero-kernels %s --chaos=0 | FileCheck %s

// CHECK-NOT: wrong
// CHECK-COUNT-12: {{"outcome":"right"}}

// two columns, where a sum waits between launches
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x3x1x2xbf16>, %q: tensor<1x3x1x2xbf16>, %k: tensor<1x3x1x2xbf16>, %v: tensor<1x3x1x2xbf16>, %l: tensor<1x1x3xf32>) -> (tensor<1x3x1x2xbf16>, tensor<1x3x1x2xbf16>, tensor<1x3x1x2xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x3x1x2xbf16>, tensor<1x3x1x2xbf16>, tensor<1x1x3xf32>
    zero.return %dq, %dk, %dv : tensor<1x3x1x2xbf16>, tensor<1x3x1x2xbf16>, tensor<1x3x1x2xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a query fewer than a block has, and a key fewer than a block
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x127x1x16xf16>, %q: tensor<1x127x1x16xf16>, %k: tensor<1x127x1x16xf16>, %v: tensor<1x127x1x16xf16>, %l: tensor<1x1x127xf32>) -> (tensor<1x127x1x16xf16>, tensor<1x127x1x16xf16>, tensor<1x127x1x16xf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x127x1x16xf16>, tensor<1x127x1x16xf16>, tensor<1x1x127xf32>
    zero.return %dq, %dk, %dv : tensor<1x127x1x16xf16>, tensor<1x127x1x16xf16>, tensor<1x127x1x16xf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// whole blocks and tiles
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x128x1x64xbf16>, %q: tensor<1x128x1x64xbf16>, %k: tensor<1x128x1x64xbf16>, %v: tensor<1x128x1x64xbf16>, %l: tensor<1x1x128xf32>) -> (tensor<1x128x1x64xbf16>, tensor<1x128x1x64xbf16>, tensor<1x128x1x64xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x128x1x64xbf16>, tensor<1x128x1x64xbf16>, tensor<1x1x128xf32>
    zero.return %dq, %dk, %dv : tensor<1x128x1x64xbf16>, tensor<1x128x1x64xbf16>, tensor<1x128x1x64xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a query and a key more; two heads of each of keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x129x2x64xbf16>, %q: tensor<1x129x2x64xbf16>, %k: tensor<1x193x1x64xbf16>, %v: tensor<1x193x1x64xbf16>, %l: tensor<1x2x129xf32>) -> (tensor<1x129x2x64xbf16>, tensor<1x193x1x64xbf16>, tensor<1x193x1x64xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x129x2x64xbf16>, tensor<1x193x1x64xbf16>, tensor<1x2x129xf32>
    zero.return %dq, %dk, %dv : tensor<1x129x2x64xbf16>, tensor<1x193x1x64xbf16>, tensor<1x193x1x64xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a query and a key more of wide heads, of 16 columns and of 8
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x65x1x88xf16>, %q: tensor<1x65x1x88xf16>, %k: tensor<1x97x1x88xf16>, %v: tensor<1x97x1x88xf16>, %l: tensor<1x1x65xf32>) -> (tensor<1x65x1x88xf16>, tensor<1x97x1x88xf16>, tensor<1x97x1x88xf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x65x1x88xf16>, tensor<1x97x1x88xf16>, tensor<1x1x65xf32>
    zero.return %dq, %dk, %dv : tensor<1x65x1x88xf16>, tensor<1x97x1x88xf16>, tensor<1x97x1x88xf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// the widest heads
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x33x1x128xbf16>, %q: tensor<1x33x1x128xbf16>, %k: tensor<1x33x1x128xbf16>, %v: tensor<1x33x1x128xbf16>, %l: tensor<1x1x33xf32>) -> (tensor<1x33x1x128xbf16>, tensor<1x33x1x128xbf16>, tensor<1x33x1x128xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x33x1x128xbf16>, tensor<1x33x1x128xbf16>, tensor<1x1x33xf32>
    zero.return %dq, %dk, %dv : tensor<1x33x1x128xbf16>, tensor<1x33x1x128xbf16>, tensor<1x33x1x128xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// rows that are not aligned
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x33x2x17xbf16>, %q: tensor<1x33x2x17xbf16>, %k: tensor<1x70x1x17xbf16>, %v: tensor<1x70x1x17xbf16>, %l: tensor<1x2x33xf32>) -> (tensor<1x33x2x17xbf16>, tensor<1x70x1x17xbf16>, tensor<1x70x1x17xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = 0.0078125 : f64} : tensor<1x33x2x17xbf16>, tensor<1x70x1x17xbf16>, tensor<1x2x33xf32>
    zero.return %dq, %dk, %dv : tensor<1x33x2x17xbf16>, tensor<1x70x1x17xbf16>, tensor<1x70x1x17xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a window, and keys that nobody sees
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x70x1x24xbf16>, %q: tensor<1x70x1x24xbf16>, %k: tensor<1x200x1x24xbf16>, %v: tensor<1x200x1x24xbf16>, %l: tensor<1x1x70xf32>) -> (tensor<1x70x1x24xbf16>, tensor<1x200x1x24xbf16>, tensor<1x200x1x24xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, window = 20 : i64, scale = 0.0078125 : f64} : tensor<1x70x1x24xbf16>, tensor<1x200x1x24xbf16>, tensor<1x1x70xf32>
    zero.return %dq, %dk, %dv : tensor<1x70x1x24xbf16>, tensor<1x200x1x24xbf16>, tensor<1x200x1x24xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a window, and documents
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x140x2x24xbf16>, %q: tensor<1x140x2x24xbf16>, %k: tensor<1x140x2x24xbf16>, %v: tensor<1x140x2x24xbf16>, %l: tensor<1x2x140xf32>, %s: tensor<1x140xi32>) -> (tensor<1x140x2x24xbf16>, tensor<1x140x2x24xbf16>, tensor<1x140x2x24xbf16>) units attention [1, 2] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l from %s {causal, window = 30 : i64, scale = 0.0078125 : f64} : tensor<1x140x2x24xbf16>, tensor<1x140x2x24xbf16>, tensor<1x2x140xf32>, tensor<1x140xi32>
    zero.return %dq, %dk, %dv : tensor<1x140x2x24xbf16>, tensor<1x140x2x24xbf16>, tensor<1x140x2x24xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// all keys, more than a tile
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x17x2x24xbf16>, %q: tensor<1x17x2x24xbf16>, %k: tensor<1x65x1x24xbf16>, %v: tensor<1x65x1x24xbf16>, %l: tensor<1x2x17xf32>) -> (tensor<1x17x2x24xbf16>, tensor<1x65x1x24xbf16>, tensor<1x65x1x24xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {scale = 0.0078125 : f64} : tensor<1x17x2x24xbf16>, tensor<1x65x1x24xbf16>, tensor<1x2x17xf32>
    zero.return %dq, %dk, %dv : tensor<1x17x2x24xbf16>, tensor<1x65x1x24xbf16>, tensor<1x65x1x24xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// capped scores
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x70x1x20xf16>, %q: tensor<1x70x1x20xf16>, %k: tensor<1x70x1x20xf16>, %v: tensor<1x70x1x20xf16>, %l: tensor<1x1x70xf32>) -> (tensor<1x70x1x20xf16>, tensor<1x70x1x20xf16>, tensor<1x70x1x20xf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, soft_cap = 5.0 : f64, scale = 0.0078125 : f64} : tensor<1x70x1x20xf16>, tensor<1x70x1x20xf16>, tensor<1x1x70xf32>
    zero.return %dq, %dk, %dv : tensor<1x70x1x20xf16>, tensor<1x70x1x20xf16>, tensor<1x70x1x20xf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// scores of the other sign
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%do: tensor<1x40x1x16xbf16>, %q: tensor<1x40x1x16xbf16>, %k: tensor<1x40x1x16xbf16>, %v: tensor<1x40x1x16xbf16>, %l: tensor<1x1x40xf32>) -> (tensor<1x40x1x16xbf16>, tensor<1x40x1x16xbf16>, tensor<1x40x1x16xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %do, %q, %k, %v, %l {causal, scale = -0.0078125 : f64} : tensor<1x40x1x16xbf16>, tensor<1x40x1x16xbf16>, tensor<1x1x40xf32>
    zero.return %dq, %dk, %dv : tensor<1x40x1x16xbf16>, tensor<1x40x1x16xbf16>, tensor<1x40x1x16xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
