//===- ChunkedLoss.h - A loss that can be computed in chunks ----*- C++ -*-===//
#pragma once

#include "dialect/nn/NN.h"

#include <optional>

namespace mlir::zero {

/// A product that reads the gradient of the logits, or the sum of its rows.
struct GradientReader {
  Operation *op;
  /// Whether it sums over rows, as dw does; dx has a row for each.
  bool sums;
  /// For a product, the operand that is not the gradient.
  Value other;
};

/// A loss with its product, its gradient, and all that lies between them.
struct ChunkedLoss {
  nn::MatmulOp logits; ///< rows x vocabulary
  nn::CrossEntropyOp entropy;
  nn::CrossEntropyBackwardOp backward; ///< may be null for a loss of rows
  int64_t rows;
  SmallVector<GradientReader> readers; ///< readers of the gradient
  /// Operations on each logit before the loss, and on its gradient after, such
  /// as a cap: elementwise ones, with casts and reshapes; in block order.
  SmallVector<Operation *> before, after;
  Value gradient; ///< the readers' value, before casts and reshapes
};

/// Matches a loss whose logits and gradient have no other readers.
std::optional<ChunkedLoss> matchLoss(nn::CrossEntropyOp entropy);

/// Whether anything but casts and reshapes lies between product and loss.
bool hasCap(const ChunkedLoss &loss);

} // namespace mlir::zero
