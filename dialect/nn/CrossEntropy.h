//===- CrossEntropy.h - The loss together with its gradient ---------------===//
#pragma once

#include "dialect/nn/NN.h"

namespace mlir::nn {

struct LossAndGradient {
  Value loss, gradient;
};

/// The linalg form of `op` and of its backward at once.  Exponentials are
/// computed once: the gradient is made of them, in their place.
LossAndGradient emitLossAndGradient(OpBuilder &b, CrossEntropyOp op,
                                    CrossEntropyBackwardOp backward);

} // namespace mlir::nn
