// Attention with more keys than a thread of the CPU holds, so that they come in blocks.
// Only the widest heads have that with few keys, and minutes go by in the emulator:
//
//   zero-kernels --chaos=0 --attention=f32 test/codegen/Inputs/gpu-attention-blocks.mlir
//
// prints "right" for each.

// dK and dV in f32
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x3x1x2048xf32>, %q: tensor<1x3x1x2048xf32>, %k: tensor<1x76x1x2048xf32>, %v: tensor<1x76x1x2048xf32>, %l: tensor<1x1x3xf32>, %delta: tensor<1x1x3xf32>) -> (tensor<1x3x1x2048xf32>, tensor<1x76x1x2048xf32>, tensor<1x76x1x2048xf32>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l, %delta {causal, scale = 0.0009765625 : f64} : tensor<1x3x1x2048xf32>, tensor<1x76x1x2048xf32>, tensor<1x1x3xf32>
    zero.return %dq, %dk, %dv : tensor<1x3x1x2048xf32>, tensor<1x76x1x2048xf32>, tensor<1x76x1x2048xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// the same of bf16, whose results are rounded once
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x3x1x2048xbf16>, %q: tensor<1x3x1x2048xbf16>, %k: tensor<1x76x1x2048xbf16>, %v: tensor<1x76x1x2048xbf16>, %l: tensor<1x1x3xf32>, %delta: tensor<1x1x3xf32>) -> (tensor<1x3x1x2048xbf16>, tensor<1x76x1x2048xbf16>, tensor<1x76x1x2048xbf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l, %delta {causal, scale = 0.0009765625 : f64} : tensor<1x3x1x2048xbf16>, tensor<1x76x1x2048xbf16>, tensor<1x1x3xf32>
    zero.return %dq, %dk, %dv : tensor<1x3x1x2048xbf16>, tensor<1x76x1x2048xbf16>, tensor<1x76x1x2048xbf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// a window, a cap and two heads of a head of keys
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%g: tensor<1x20x2x2048xf16>, %q: tensor<1x20x2x2048xf16>, %k: tensor<1x78x1x2048xf16>, %v: tensor<1x78x1x2048xf16>, %l: tensor<1x2x20xf32>, %delta: tensor<1x2x20xf32>) -> (tensor<1x20x2x2048xf16>, tensor<1x78x1x2048xf16>, tensor<1x78x1x2048xf16>) units attention [1, 1] {
    %dq, %dk, %dv = nn.attention_backward %g, %q, %k, %v, %l, %delta {causal, window = 20 : i64, soft_cap = 0.5 : f64, scale = 0.0009765625 : f64} : tensor<1x20x2x2048xf16>, tensor<1x78x1x2048xf16>, tensor<1x2x20xf32>
    zero.return %dq, %dk, %dv : tensor<1x20x2x2048xf16>, tensor<1x78x1x2048xf16>, tensor<1x78x1x2048xf16>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// forward: the largest score grows from block to block
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x2x1x2048xf32>, %k: tensor<1x210x1x2048xf32>, %v: tensor<1x210x1x2048xf32>) -> (tensor<1x2x1x2048xf32>, tensor<1x1x2xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, scale = 0.0009765625 : f64} : tensor<1x2x1x2048xf32>, tensor<1x210x1x2048xf32> stats tensor<1x1x2xf32>
    zero.return %o, %l : tensor<1x2x1x2048xf32>, tensor<1x1x2xf32>
  }
  zero.program @step() {
    zero.return
  }
}
// -----
// blocks that the window hides
module attributes {zero.arena = array<i64: 0, 0, 0>} {
  zero.kernel @k(%q: tensor<1x5x1x2048xf32>, %k: tensor<1x430x1x2048xf32>, %v: tensor<1x430x1x2048xf32>) -> (tensor<1x5x1x2048xf32>, tensor<1x1x5xf32>) units attention [1, 1] {
    %o, %l = nn.attention %q, %k, %v {causal, window = 20 : i64, scale = 0.0009765625 : f64} : tensor<1x5x1x2048xf32>, tensor<1x430x1x2048xf32> stats tensor<1x1x5xf32>
    zero.return %o, %l : tensor<1x5x1x2048xf32>, tensor<1x1x5xf32>
  }
  zero.program @step() {
    zero.return
  }
}
