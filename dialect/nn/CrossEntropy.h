//===- CrossEntropy.h - The loss together with its gradient ---------------===//
#pragma once

#include "dialect/nn/NN.h"

namespace mlir::nn {

struct LossAndGradient {
  Value loss, gradient;
};

/// Emits the linalg forms of `op` and its backward together.  The gradient
/// overwrites the exponentials, unless logits have 16 bits: then exponentials
/// are computed twice.
LossAndGradient emitLossAndGradient(OpBuilder &b, CrossEntropyOp op,
                                    CrossEntropyBackwardOp backward);

} // namespace mlir::nn
