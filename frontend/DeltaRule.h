//===- DeltaRule.h - Layers that keep a state -------------------*- C++ -*-===//
#pragma once

#include "frontend/Activation.h"

namespace mlir::frontend {

/// Gated DeltaNet (Yang et al., 2024), as in Qwen 3.5.
struct DeltaLayer {
  /// Heads of queries and keys, heads of values, and the widths of these.
  int64_t keyHeads = 0, valueHeads = 0, keyWidth = 0, valueWidth = 0;
  /// Positions that the convolution of queries, keys and values reads.
  int64_t taps = 0;
  double normEps = 1e-6, std = 0.02;
  /// Behind the convolution.
  const Activation *activation = findActivation("silu");
};

/// The layer's result for x [B, T, C], whose documents begin at `starts`, if
/// given.
Tensor gatedDeltaNet(ModelBuilder &m, Tensor x, Tensor starts,
                     const DeltaLayer &of);

/// LFM2's convolution: of x [B, T, C] a linear layer makes b, c and y, and
/// another reads c conv(b y), over `taps` positions.
Tensor gatedConv(ModelBuilder &m, Tensor x, Tensor starts, int64_t taps,
                 double std);

} // namespace mlir::frontend
