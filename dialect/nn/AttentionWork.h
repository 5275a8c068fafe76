//===- AttentionWork.h - Floating-point operations of attention -*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"

namespace mlir::nn {

// The products for each pair of a query and a key: forward, q k^T and P v;
// backward, q k^T again, dO v^T, dS k, dS^T q and P^T dO.
constexpr int64_t kAttentionMatmuls = 2, kAttentionBackwardMatmuls = 5;

/// Floating-point operations of `products` products of a T x S matrix with D
/// columns, for each batch and head.  Counts only the positions that, by the
/// shape, are seen.  Leaves out work done once per position, which is 1/D as
/// much.
template <typename OpT>
int64_t countAttentionFlops(OpT op, int64_t products) {
  RankedTensorType q = op.getQ().getType(), k = op.getK().getType();
  int64_t rows = q.getDimSize(1), columns = k.getDimSize(1),
          seen = rows * columns;
  if (op.getCausal()) {
    // Row i of T sees i + 1 + (S - T) positions of S, and at most `window`.
    seen -= rows * (rows - 1) / 2;
    std::optional<uint64_t> window = op.getWindow();
    int64_t hidden = window ? columns - int64_t(*window) : 0;
    if (hidden > 0) {
      // The last row has `hidden` positions outside the window; each row before
      // it has one fewer than the next.
      int64_t rowsThatHide = std::min(hidden, rows);
      seen -= rowsThatHide * hidden - rowsThatHide * (rowsThatHide - 1) / 2;
    }
  }
  return 2 * products * seen * q.getDimSize(0) * q.getDimSize(2) *
         q.getDimSize(3);
}

} // namespace mlir::nn
