//===- LayerMicroSteps.h - All micro-steps of a block, then the next ------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// Makes of `step`, which returns loss and gradients of one micro-step, a
/// function of `count` micro-steps: inputs of micro-step j carry zero.micro = j,
/// and so do averages.  It returns the loss of each micro-step, then each
/// parameter's gradients of all micro-steps.  `bucketsOf(argument)` says which
/// buckets an argument lies in that are brought to where they are used.
void layerMicroSteps(
    func::FuncOp step, int64_t count,
    function_ref<SmallVector<unsigned>(unsigned argument)> bucketsOf);

} // namespace mlir::zero
