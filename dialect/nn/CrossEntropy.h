//===- CrossEntropy.h - The loss together with its gradient ---------------===//
#ifndef DIALECT_NN_CROSSENTROPY_H
#define DIALECT_NN_CROSSENTROPY_H

#include "dialect/nn/NN.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::nn {

/// The adjoint of the loss if `op` is the gradient of the logits that the rule
/// of `entropy` makes of it, else null.
Value matchLossGradient(linalg::GenericOp op, CrossEntropyOp entropy);

struct LossAndGradient {
  Value loss, gradient;
};

/// The linalg form of `op` and of the gradient of its logits at once, where
/// `adjoint` is that of the loss.  Exponentials are computed once: the gradient
/// is made of them, in their place.
LossAndGradient emitLossAndGradient(OpBuilder &b, CrossEntropyOp op,
                                    Value adjoint);

} // namespace mlir::nn

#endif // DIALECT_NN_CROSSENTROPY_H
