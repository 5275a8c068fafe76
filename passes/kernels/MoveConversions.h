//===- MoveConversions.h - Views of 16 bits, not of f32 ---------*- C++ -*-===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace mlir::zero {

/// Makes reshapes and slices that stand between operands of 16 bits and a
/// computation in f32 move the 16 bits, and so reshapes and concatenations of
/// its results: widenings move behind them, roundings before them.  Then the
/// computation itself widens and rounds, and its f32 is never stored.  No bit
/// changes.
void moveConversions(ModuleOp module);

} // namespace mlir::zero
