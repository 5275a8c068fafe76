//===- LayerMicroSteps.h - Repeats each block for all micro-steps ---------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::zero {

/// Turns `step`, which returns the loss and gradients of one micro-step, into a
/// function of `count` micro-steps: inputs of micro-step j carry zero.micro =
/// j, and so do averages.  It returns the loss of each micro-step, then each
/// parameter's gradients of all micro-steps.  `bucketsOf(argument)` returns
/// those buckets of an argument between which `step` is cut.
void layerMicroSteps(
    func::FuncOp step, int64_t count,
    function_ref<SmallVector<unsigned>(unsigned argument)> bucketsOf);

} // namespace mlir::zero
