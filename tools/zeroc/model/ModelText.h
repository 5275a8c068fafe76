//===- ModelText.h - Tells a model from others by its text ----------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Adds to zero.function of a model a hash of its text and the inputs that the
/// text is for: of another batch, another text may be the same function.  What
/// is no part of the function is left out of the hash: locations, initial
/// values, and optimizers.
void addModelText(ModuleOp module);

} // namespace mlir::zero
