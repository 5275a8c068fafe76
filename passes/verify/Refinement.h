//===- Refinement.h - A plan computes the model's step --------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero::judge {

/// (V14) The programs of `plan` on `ranks` ranks compute the loss and the
/// gradients of @step of `model`, a module at level kernels.
LogicalResult judgeRefinement(ModuleOp plan, ModuleOp model, int64_t ranks);

} // namespace mlir::zero::judge
