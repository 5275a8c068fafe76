//===- Optimizers.h - Update rules as scalar IR ---------------------------===//
#pragma once

#include "dialect/zero/Zero.h"

namespace mlir::zero {

struct AdamWOptions {
  double beta1, beta2, eps;
};

/// AdamW with decoupled decay and bias correction (Loshchilov & Hutter, 2019).
/// Scalars: lr, decay, clip if `clips`, step (from 1).  Slots: m, v.
OptimizerOp buildAdamW(OpBuilder &b, Location loc, const AdamWOptions &options,
                       bool clips);

/// Lion (Chen et al., 2023): the sign of a mixture of momentum and gradient (0
/// for 0), with decoupled decay.  Scalars: lr, decay, clip if `clips`.  Slot:
/// m.
OptimizerOp buildLion(OpBuilder &b, Location loc, double beta1, double beta2,
                      bool clips);

/// Gradient descent with momentum, decay added to the gradient, as PyTorch's
/// SGD.  Scalars: lr, decay, clip if `clips`.  Slot: momentum.
OptimizerOp buildSgd(OpBuilder &b, Location loc, double momentum, bool clips);

/// Adds the scalar `clip` to the model's own rule, as its last argument, and
/// multiplies the gradient by it.
void addClip(OptimizerOp rule);

} // namespace mlir::zero
