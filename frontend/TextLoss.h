//===- TextLoss.h - Changes of the loss of text models ----------*- C++ -*-===//
#pragma once

namespace mlir::frontend {

struct TextLoss {
  /// As in CrossEntropyOptions.
  double labelSmoothing = 0, zLoss = 0;
  /// An input "token_weights" gives the weight of each target.
  bool weighted = false;
};

} // namespace mlir::frontend
