// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-lower-kernels-to-cpu=stop-at-loops=1

// A row of a wider head does not fit into a thread's memory often enough.

zero.kernel @wide(%q: tensor<1x2x1x2049xf32>) -> tensor<1x2x1x2049xf32>
    units attention [1, 1] {
  // expected-error @+1 {{has heads of width 2049, and a kernel for up to 2048; compile with --reference}}
  %o = nn.attention %q, %q, %q {scale = 0.25 : f64} : tensor<1x2x1x2049xf32>, tensor<1x2x1x2049xf32>
  zero.return %o : tensor<1x2x1x2049xf32>
}
